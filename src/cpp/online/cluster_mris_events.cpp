// What an event does to the plan of a ClusterMrisPolicy, before anything is decided, and what it keeps in a snapshot.
#include <algorithm>
#include <utility>

#include "schedcore/engine/job_checks.hpp"
#include "schedcore/index/fit.hpp"
#include "schedcore/online/cluster_mris.hpp"

namespace schedcore {

void ClusterMrisPolicy::take_up(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  freed_.clear();
  fresh_.clear();
  if (waiting_.size() < jobs.n_slots()) waiting_.resize(jobs.n_slots());
  bool any_ended_early = false;
  for (const auto& ended : {event.completed, event.killed}) {
    for (const Completion& each : ended) any_ended_early |= end_run(each, jobs);
  }
  for (const Completion& each : event.cancelled) {
    if (!event.is_called_off(each.job)) any_ended_early |= end_run(each, jobs);
  }
  if (!event.lowered.empty()) {
    runs_.extend_overruns(jobs, event.rescheduled);
    keep_overdue(jobs);
    void_plans(event, turn);
    void_overfull(event.lowered, turn);
  }
  if (!event.reserved.empty()) {
    runs_.extend_overruns(jobs, event.rescheduled);
    keep_overdue(jobs);
    void_plans(event, turn);
    for (const std::uint32_t machine : event.reserved) runs_.take_up_machine(machine, turn.availability());
    void_overfull(event.reserved, turn);
  }
  for (const Completion& each : event.cancelled) {
    if (event.is_called_off(each.job)) any_ended_early |= end_run(each, jobs);
  }
  for (const std::uint32_t machine : event.changed_machines) freed_.push_back({0, machine});
  if (!event.changed_machines.empty()) void_plans(event, turn);
  for (const std::uint32_t machine : event.changed_machines) runs_.take_up_machine(machine, turn.availability());
  for (const JobSlot job : event.adopted) runs_.adopt(job, jobs);
  for (const Rescheduled& each : event.rescheduled) {
    runs_.reschedule(each.job, jobs);
    freed_.push_back({each.job, jobs.machine(each.job)});  // it may end sooner
  }
  for (const JobSlot job : event.withdrawn) dequeue(job, jobs);
  for (const Reweighed& each : event.reweighed) reweigh(each, jobs);
  const bool is_empty = runs_.n_running() == 0 && unplanned_.empty() && due_.empty() && event.killed.empty();
  static_cast<void>(intervals_.begin(event, any_ended_early, is_empty));
  come_to_wait(event, jobs, come_to_wait_);
  for (const JobSlot job : come_to_wait_) enqueue(job, jobs);
  runs_.extend_overruns(jobs);
  keep_overdue(jobs);
}

// Returns whether it ended before it said.
bool ClusterMrisPolicy::end_run(const Completion& ended, const JobTable& jobs) {
  last_end_ = now_;
  freed_.push_back(ended);
  return runs_.end(ended.job, jobs);
}

// Those on a machine that has failed, or that would meet an outage that is announced now.
void ClusterMrisPolicy::void_plans(const Event& event, const Turn& turn) {
  const JobTable& jobs = turn.jobs();
  for (const auto& [start, order, job] : std::vector<Due>(due_.begin(), due_.end())) {
    Waiting& waiting = waiting_[job];
    const Time end = planned_end(waiting, jobs);
    const bool meets_outage = std::ranges::any_of(event.announced, [&](const AnnouncedOutage& outage) {
      return outage.machine == waiting.machine && outage.span.begin < end &&
             std::max(waiting.start, now_) < outage.span.end;
    });
    if (!meets_outage && !turn.availability().is_down(waiting.machine)) continue;
    release_plan(waiting, jobs);
    open_to_early(waiting, jobs);
  }
}

// Those that meet, on a machine that has less than before, an instant at which more is taken of it than it has, or that it
// cannot hold any more.  In an outage there is nothing, whatever is taken.
void ClusterMrisPolicy::void_overfull(std::span<const std::uint32_t> lowered, const Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const std::vector<Amount> nothing(jobs.n_resources());
  const auto first_shortage = [&](std::uint32_t machine, Time from) {
    Time shortage = runs_.timelines()[machine].first_shortage(from, nothing);
    for (const Outage& outage : turn.availability().outages(machine)) {
      if (shortage < outage.begin) break;
      if (shortage < outage.end) shortage = runs_.timelines()[machine].first_shortage(outage.end, nothing);
    }
    return shortage;
  };
  std::vector<JobSlot> voided;
  for (const auto& [start, order, job] : due_) {
    const Waiting& waiting = waiting_[job];
    if (!std::ranges::binary_search(lowered, waiting.machine)) continue;
    const bool can_be_held = fits(jobs.demand(job), runs_.capacity_of(waiting.machine));
    if (!can_be_held || first_shortage(waiting.machine, std::max(start, now_)) < planned_end(waiting, jobs)) {
      voided.push_back(job);
    }
  }
  for (const JobSlot job : voided) {
    release_plan(waiting_[job], jobs);
    open_to_early(waiting_[job], jobs);
  }
}

void ClusterMrisPolicy::release_plan(Waiting& waiting, const JobTable& jobs) {
  runs_.vacate(waiting.machine, waiting.start, waiting.occupied_until, jobs.demand(waiting.job.job));
  freed_.push_back({waiting.job.job, waiting.machine});
  unplan(waiting);
}

void ClusterMrisPolicy::enqueue(JobSlot job, const JobTable& jobs) {
  Waiting& waiting = waiting_[job];
  waiting = {};
  waiting.job = intervals_.waiting_job(jobs, job);
  unplanned_.insert(waiting.job);
  open_to_early(waiting, jobs);
}

void ClusterMrisPolicy::dequeue(JobSlot job, const JobTable& jobs) {
  Waiting& waiting = waiting_[job];
  if (waiting.is_planned) release_plan(waiting, jobs);
  close_to_early(waiting, jobs);
  unplanned_.erase(waiting.job);
}

// What is planned stays as it is; the weight counts where it is planned anew.
void ClusterMrisPolicy::reweigh(const Reweighed& reweighed, const JobTable& jobs) {
  Waiting& before = waiting_[reweighed.before];
  Waiting& after = waiting_[reweighed.after];
  const bool was_in_pool = before.is_in_pool;
  close_to_early(before, jobs);
  unplanned_.erase(before.job);
  if (before.is_planned) due_.erase(before.due());
  after = before;
  after.job = intervals_.waiting_job(jobs, reweighed.after);
  if (after.is_planned) {
    due_.insert(after.due());
  } else {
    unplanned_.insert(after.job);
  }
  if (was_in_pool) open_to_early(after, jobs);
}

// Those that have missed their start occupy their machines from now on.
void ClusterMrisPolicy::keep_overdue(const JobTable& jobs) {
  for (const auto& [start, order, job] : due_) {
    if (start >= now_) return;
    Waiting& waiting = waiting_[job];
    runs_.vacate(waiting.machine, start, waiting.occupied_until, jobs.demand(job));
    waiting.occupied_until = planned_end(waiting, jobs);
    runs_.occupy(waiting.machine, start, waiting.occupied_until, jobs.demand(job));
  }
}

// Into the pool, if it is short enough.
void ClusterMrisPolicy::open_to_early(Waiting& waiting, const JobTable& jobs) {
  if (!options_.opportunistic || intervals_.next_k() == 0) return;
  const JobSlot job = waiting.job.job;
  if (jobs.whole_processing_time(job) > options_.patience * intervals_.last_interval()) return;
  pool_.push(waiting.job, jobs.demand(job), jobs.processing_time(job), jobs.eligibility(job));
  waiting.is_in_pool = true;
  fresh_.push_back(job);
}

void ClusterMrisPolicy::close_to_early(Waiting& waiting, const JobTable& jobs) {
  if (!std::exchange(waiting.is_in_pool, false)) return;
  const JobSlot job = waiting.job.job;
  pool_.erase(pool_.leaf_of(jobs.demand(job), jobs.eligibility(job)), waiting.job.priority);
}

// After an interval has passed, jobs may be longer.
void ClusterMrisPolicy::refill_pool(const JobTable& jobs) {
  if (!options_.opportunistic) return;
  for (const WaitingJob& job : unplanned_) {
    if (!waiting_[job.job].is_in_pool) open_to_early(waiting_[job.job], jobs);
  }
  fresh_.clear();  // everybody looks everywhere
}

void ClusterMrisPolicy::take_over(const Commitments& commitments, const Cluster& cluster) {
  now_ = cluster.now;
  intervals_.take_over(commitments);
  runs_.take_over(cluster);
  waiting_.resize(cluster.jobs.n_slots());
  for (const JobSlot job : cluster.waiting) enqueue(job, cluster.jobs);
  for (const Commitments::Reservation& each : commitments.reservations) {
    enqueue(each.job, cluster.jobs);
    waiting_[each.job].batch = intervals_.next_k() - 1;
    plan({each.job, each.machine, each.start}, cluster.jobs);
    occupy_as_planned(waiting_[each.job], cluster.jobs);
  }
  for (const auto& [job, batch] : commitments.batches.interval_of) waiting_[job].batch = batch;
  look_everywhere_ = true;
}

// Of a job that has been planned before now, perhaps for an instant that has passed.
void ClusterMrisPolicy::occupy_as_planned(Waiting& waiting, const JobTable& jobs) {
  waiting.occupied_until = planned_end(waiting, jobs);
  runs_.occupy(waiting.machine, waiting.start, waiting.occupied_until, jobs.demand(waiting.job.job));
}

void ClusterMrisPolicy::write(SnapshotWriter& archive) const {
  intervals_.write(archive);
  runs_.write(archive);
  archive(last_end_, look_everywhere_, n_early_starts_, n_replans_, static_cast<std::uint64_t>(due_.size()));
  for (const auto& [start, order, job] : due_) {
    archive.job(job);
    archive(start);
    archive.machine(waiting_[job].machine);
    archive(waiting_[job].batch);
  }
}

void ClusterMrisPolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  const JobTable& jobs = cluster.jobs;
  now_ = cluster.now;
  intervals_.read(archive);
  runs_.read(archive);
  archive(last_end_, look_everywhere_, n_early_starts_, n_replans_);
  archive.require(last_end_ >= 0 && last_end_ <= now_, "a run ended later than now");
  waiting_.resize(jobs.n_slots());
  for (const JobSlot job : cluster.waiting) enqueue(job, jobs);
  fresh_.clear();
  Time previous = 0;
  // Far from where sums of a few more demands would overflow.
  constexpr Amount kMostTaken = Amount{1} << 60;
  std::vector<Amount> taken(cluster.free.size());
  constexpr std::size_t kPlanBytes = sizeof(JobSlot) + sizeof(Time) + sizeof(std::uint32_t) + sizeof(int);
  for (std::size_t left = archive.length(kPlanBytes); left > 0; --left) {
    Placement placement;
    int batch = 0;
    archive.job(placement.job);
    archive(placement.start_time);
    archive.machine(placement.machine);
    archive(batch);
    const JobSlot job = placement.job;
    archive.require(jobs.state(job) == JobState::submitted && !waiting_[job].is_planned,
                    "a job is planned that does not wait, or twice");
    archive.require(placement.machine < cluster.machines.n_machines && jobs.eligibility(job).allows(placement.machine) &&
                        fits(jobs.demand(job), cluster.machines.capacity_of(placement.machine)),
                    "a job is planned where it cannot run");
    archive.require(!cluster.availability->is_down(placement.machine), "a job is planned on a machine that has failed");
    archive.require(placement.start_time >= std::max(previous, jobs.release_time(job)), "the plan is out of order");
    check_duration(jobs.id(job), placement.start_time, jobs.processing_time(job));
    check_duration(jobs.id(job), now_, jobs.processing_time(job));
    archive.require(batch >= 0 && batch < intervals_.next_k(), "a job is of a batch to come");
    archive.require(jobs.whole_processing_time(job) <= intervals_.interval(batch), "a job is longer than its interval");
    archive.require(placement.start_time > now_ || !fits_now(job, placement.machine, cluster.free_on(placement.machine),
                                                             jobs, *cluster.availability),
                    "a planned job is overdue that fits");
    for (std::size_t k = 0; k < jobs.n_resources(); ++k) {
      Amount& all = taken[placement.machine * jobs.n_resources() + k];
      archive.require(all <= kMostTaken - jobs.demand(job)[k], "more is planned on a machine than can be counted");
      all += jobs.demand(job)[k];
    }
    previous = placement.start_time;
    waiting_[job].batch = batch;
    plan(placement, jobs);
    occupy_as_planned(waiting_[job], jobs);
  }
  find_wakeup(jobs, *cluster.availability);
}

}  // namespace schedcore
