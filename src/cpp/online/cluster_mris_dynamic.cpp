#include "schedcore/online/cluster_mris_dynamic.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace schedcore {

void ClusterMrisDynamicPolicy::attach(const MachinesView& machines) {
  intervals_ = ClusterMrisIntervals(options_, machines);
  runs_ = ClusterRuns(machines);
  n_machines_ = machines.n_with_capacity();
  open_ = WaitingIndex<CostQueue>(machines.n_resources);
}

void ClusterMrisDynamicPolicy::check_job(const JobColumns& job, Time /*now*/) const {
  check_interval(job, options_.gamma0);
}

void ClusterMrisDynamicPolicy::decide(const Event& event, Turn& turn) {
  now_ = event.now;
  runs_.pass_to(now_);
  take_up(event, turn);
  changes_who_may_start_ |= intervals_.run_due(now_, [&](int k, bool is_now) {
    densest_left_.reset();  // where no batch was due, nobody was a candidate
    if (is_now) take_batch(k, turn);
  });
  if (intervals_.next_k() > 0) {
    if (changes_who_may_start_) {
      open_all(turn.jobs());
      holds_back_ = true;
    }
    start_jobs(turn);
    const bool starts_anybody = intervals_.ended_early() && !options_.opportunistic && runs_.n_running() == 0;
    if (starts_anybody) start_on_idle_machines(turn);
  }
  find_wakeup(turn.jobs(), turn.availability());
}

void ClusterMrisDynamicPolicy::take_batch(int k, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  std::vector<JobSlot> candidates;
  for (const WaitingJob& job : queue_) {
    if (waiting_[job.job].batch != kNoBatch || jobs.whole_processing_time(job.job) > intervals_.interval(k)) continue;
    if (runs_.has_place(job.job, jobs, turn.availability())) candidates.push_back(job.job);
  }
  if (candidates.empty()) return;
  for (const JobSlot job : intervals_.take(k, candidates, turn)) join(job, k, jobs);
  for (const JobSlot job : candidates) {
    if (waiting_[job].batch != kNoBatch) continue;
    const Priority sparseness = jobs.priority(job, PriorityRule::wsvf, intervals_.scale());
    if (!densest_left_ || sparseness < *densest_left_) densest_left_ = sparseness;
  }
  intervals_.record_makespan(certified_end());
}

// Machine by machine, each as long as it finds a job; again where a start may have let others pass.
void ClusterMrisDynamicPolicy::start_jobs(Turn& turn) {
  bool all = holds_back_;
  for (;;) {
    holds_back_ = false;
    if (open_.empty()) return;
    bool any_started = false;
    offers_.run(freed_, fresh_, turn, all, [&](std::size_t machine, bool /*only_fresh*/) {
      any_started |= offer(machine, turn);
      return holds_back_;
    });
    if (!any_started || !holds_back_) return;
    all = true;
  }
}

void ClusterMrisDynamicPolicy::index_urgent(const JobTable& jobs) {
  const auto& [k, batch] = *unfinished_.begin();
  if (std::exchange(urgent_k_, k) == k) return;
  urgent_ = WaitingIndex<CostQueue>(jobs.n_resources());
  for (const WaitingJob& job : batch.jobs) {
    urgent_.push(job, jobs.demand(job.job), jobs.processing_time(job.job), jobs.eligibility(job.job));
  }
}

// Returns whether one started.
bool ClusterMrisDynamicPolicy::offer(std::size_t machine, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const Availability& availability = turn.availability();
  // The first job that takes no longer than that and keeps its room until it ends.
  const auto first_of = [&](const WaitingIndex<CostQueue>& index, Time allowed) {
    const auto fits_until = [&](Time until) {
      return [this, until, allowed](double processing_time) { return now_ + processing_time <= until && processing_time <= allowed; };
    };
    const auto first_of_class = [&](WaitingIndex<CostQueue>::Leaf leaf) {
      return index.queue(leaf).first_where(fits_until(availability.has_room_until(machine, index.demand(leaf))));
    };
    return index.first_offer(turn.machines().free(machine), first_of_class, fits_until(availability.usable_until(machine)), machine);
  };
  for (bool any_started = false;; any_started = true) {
    const Time allowed = longest_allowed();
    auto found = first_of(open_, allowed);
    if (allowed < kNever) {
      index_urgent(jobs);
      const auto urgent = first_of(urgent_, kNever);
      if (urgent && (!found || urgent.job < found.job)) found = urgent;
    }
    if (!found) {
      holds_back_ |= allowed < kNever && first_of(open_, kNever);
      return any_started;
    }
    start(found.job, machine, turn);
  }
}

void ClusterMrisDynamicPolicy::start(const WaitingJob& job, std::size_t machine, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  if (waiting_[job.job].batch == kNoBatch) ++n_early_starts_;
  dequeue(job.job, jobs);
  turn.start(job.job, machine);
  const Time end = now_ + jobs.processing_time(job.job);
  runs_.occupy(static_cast<std::uint32_t>(machine), now_, end, jobs.demand(job.job));
  runs_.begin(job.job, end);
}

// Requires that nothing runs.
void ClusterMrisDynamicPolicy::start_on_idle_machines(Turn& turn) {
  const JobTable& jobs = turn.jobs();
  for (const WaitingJob& job : std::vector<WaitingJob>(queue_.begin(), queue_.end())) {
    const auto demand = jobs.demand(job.job);
    const Time end = now_ + jobs.processing_time(job.job);
    std::size_t machine = turn.machines().first_fit(demand, 0, jobs.eligibility(job.job));
    while (machine != kNoMachine && end > turn.availability().has_room_until(machine, demand)) {
      machine = turn.machines().first_fit(demand, machine + 1, jobs.eligibility(job.job));
    }
    if (machine != kNoMachine) start(job, machine, turn);
  }
}

// The time that PQ needs for the waiting jobs of one batch alone.
Time ClusterMrisDynamicPolicy::alone(const Batch& batch) const {
  const Time longest = *batch.lengths.rbegin();
  const Time by_volume = 2 * batch.volume.hi / static_cast<double>(intervals_.scale().n_capacities());
  return (std::max(2 * longest, by_volume) + (n_machines_ > 1 ? longest : 0)) * kBoundSafety;
}

Time ClusterMrisDynamicPolicy::certified_end() const {
  Time end = std::max(now_, runs_.latest_promise());
  for (const auto& [k, batch] : unfinished_) end += alone(batch);
  return end;
}

// The longest time that a job outside the lowest unfinished batch may take that starts now; kNever for any.
Time ClusterMrisDynamicPolicy::longest_allowed() const {
  if (unfinished_.empty()) return kNever;
  const Time elapsed = intervals_.since_origin(now_);
  Time allowed = kNever;
  Time sum = 0;
  for (const auto& [k, batch] : unfinished_) {
    sum += alone(batch);
    allowed = std::min(allowed, intervals_.end_factor() * intervals_.interval(k) - sum - elapsed);
  }
  const Time longest_remaining = std::max(runs_.latest_promise() - now_, 0.0);
  return longest_remaining <= allowed ? allowed : 0;
}

void ClusterMrisDynamicPolicy::find_wakeup(const JobTable& jobs, const Availability& availability) {
  wakeup_ = kNever;
  if (queue_.empty()) return;
  wakeup_ = availability.next_end();
  if (intervals_.next_gamma() >= wakeup_) return;
  const bool can_be_taken = std::ranges::any_of(queue_, [&](const WaitingJob& job) {
    return waiting_[job.job].batch == kNoBatch && runs_.has_place(job.job, jobs, availability);
  });
  if (can_be_taken) wakeup_ = intervals_.next_gamma();
}

}  // namespace schedcore
