#include "schedcore/online/best_fit_execution.hpp"

#include <algorithm>

#include "schedcore/engine/machine_offers.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {

std::unique_ptr<Policy> BestFitExecutionPolicy::clone() const { return std::make_unique<BestFitExecutionPolicy>(*this); }

void BestFitExecutionPolicy::attach(const MachinesView& machines) {
  scale_ = DemandScale::of_machines(machines);
  has_own_scales_ = !machines.are_identical();
  waiting_ = WaitingIndex<ClassHeap>(machines.n_resources);
}

void BestFitExecutionPolicy::index(JobSlot job, const JobTable& jobs) {
  longest_ = std::max(longest_, jobs.processing_time(job));
  waiting_.push({number_priority(jobs.whole_processing_time(job), jobs.id(job)), job}, jobs.demand(job), 0,
                jobs.eligibility(job));
}

void BestFitExecutionPolicy::take_over(const Commitments& /*commitments*/, const Cluster& cluster) {
  for (const JobSlot job : cluster.waiting) index(job, cluster.jobs);
}

void BestFitExecutionPolicy::decide(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  now_ = event.now;
  for (const JobSlot job : event.withdrawn) {
    const Priority priority = number_priority(jobs.whole_processing_time(job), jobs.id(job));
    waiting_.erase(waiting_.leaf_of(jobs.demand(job), jobs.eligibility(job)), priority);
  }
  freed_.clear();
  for (const Completion& completion : event.completed) freed_.push_back(completion.machine);
  std::span<const JobSlot> arrived = event.arrived;
  if (event.is_disturbed()) {
    freed_.insert(freed_.end(), event.changed_machines.begin(), event.changed_machines.end());
    for (const Completion& killed : event.killed) freed_.push_back(killed.machine);
    for (const Completion& cancelled : event.cancelled) freed_.push_back(cancelled.machine);
    come_to_wait(event, jobs, come_to_wait_);
    arrived = come_to_wait_;
  }
  std::sort(freed_.begin(), freed_.end());
  for (const std::uint32_t machine : freed_) serve(machine, turn);
  for (const JobSlot job : arrived) {
    const std::size_t machine = fullest_fitting(job, turn);
    if (machine != kNoMachine) {
      turn.start(job, machine);
    } else {
      index(job, jobs);
    }
  }
  next_wakeup_ = waiting_.empty() ? kNever : turn.availability().next_end();
}

void BestFitExecutionPolicy::serve(std::size_t machine, Turn& turn) {
  while (const auto found = first_with_room(turn.availability(), machine, turn.machines().free(machine), turn.jobs())) {
    turn.jobs().prefetch(found.job.job);
    waiting_.erase(found.leaf, found.job.priority);
    turn.start(found.job.job, machine);
  }
}

WaitingIndex<ClassHeap>::Found BestFitExecutionPolicy::first_with_room(const Availability& availability,
                                                                       std::size_t machine, std::span<const Amount> free,
                                                                       const JobTable& jobs) const {
  if (now_ + longest_ <= availability.unlimited_until(machine)) return waiting_.first_fit(free, machine);
  const auto first_of_class = [&](WaitingIndex<ClassHeap>::Leaf leaf) {
    const Time until = availability.has_room_until(machine, waiting_.demand(leaf));
    const WaitingJob* first = nullptr;
    for (const WaitingJob& job : waiting_.queue(leaf).jobs()) {
      if (now_ + jobs.processing_time(job.job) <= until && (first == nullptr || job < *first)) first = &job;
    }
    return first;
  };
  return waiting_.first_offer(free, first_of_class, {}, machine);
}

std::size_t BestFitExecutionPolicy::fullest_fitting(JobSlot job, const Turn& turn) const {
  const MachineIndex& machines = turn.machines();
  const auto demand = turn.jobs().demand(job);
  const Eligibility& eligibility = turn.jobs().eligibility(job);
  const Time end = now_ + turn.jobs().processing_time(job);
  const bool heeds_outages = turn.availability().next_begin() < end;
  if (scale_.exact() && !heeds_outages) return machines.best_fit(demand, scale_.multiplier(), eligibility);
  std::size_t best = kNoMachine;
  UInt128 least{};
  for (std::size_t machine = machines.first_fit(demand, 0, eligibility); machine != kNoMachine;
       machine = machines.first_fit(demand, machine + 1, eligibility)) {
    if (heeds_outages && turn.availability().has_room_until(machine, demand) < end) continue;
    UInt128 norm{};
    const auto available = machines.free(machine);
    for (std::size_t r = 0; r < available.size(); ++r) {
      const std::size_t number = has_own_scales_ ? machine * available.size() + r : r;
      const auto share = static_cast<std::uint64_t>(scale_.scaled(number, available[r]));
      norm = norm + UInt128(share) * UInt128(share);
    }
    if (best == kNoMachine || norm < least) {
      best = machine;
      least = norm;
    }
  }
  return best;
}

}  // namespace schedcore
