#include "schedcore/online/priority_queue.hpp"

#include "schedcore/engine/job_checks.hpp"

namespace schedcore {

std::unique_ptr<Policy> PriorityQueuePolicy::clone() const { return std::make_unique<PriorityQueuePolicy>(*this); }

void PriorityQueuePolicy::attach(const MachinesView& machines) {
  scale_ = DemandScale::of_cluster(machines);
  waiting_ = WaitingIndex<ClassHeap>(machines.n_resources);
  collecting_ = collect_until_.has_value();
}

void PriorityQueuePolicy::check_job(const JobColumns& job, Time now) const {
  if (collect_until_) check_collected(job.id, now, *collect_until_);
}

void PriorityQueuePolicy::decide(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  for (const JobSlot job : event.arrived) {
    waiting_.push({jobs.priority(job, rule_, scale_), job}, jobs.demand(job), 0, jobs.eligibility(job));
  }
  if (collect_until_ && event.now < *collect_until_) return;
  const bool released_now = collecting_;
  collecting_ = false;
  if (waiting_.empty()) return;
  offers_.run(event.completed, event.arrived, turn, released_now, [&](std::size_t machine, bool /*only_fresh*/) {
    while (const auto found = waiting_.first_fit(turn.machines().free(machine), machine)) {
      jobs.prefetch(found.job.job);
      waiting_.erase(found.leaf, found.job.priority);
      turn.start(found.job.job, machine);
    }
    return false;
  });
}

Time PriorityQueuePolicy::next_wakeup() const { return collecting_ && !waiting_.empty() ? *collect_until_ : kNever; }

}  // namespace schedcore
