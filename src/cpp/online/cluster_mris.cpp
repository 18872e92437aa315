#include "schedcore/online/cluster_mris.hpp"

#include <algorithm>
#include <utility>

#include "schedcore/index/fit.hpp"
#include "schedcore/online/batch_placement.hpp"

namespace schedcore {

void ClusterMrisPolicy::attach(const MachinesView& machines) {
  intervals_ = ClusterMrisIntervals(options_, machines);
  runs_ = ClusterRuns(machines);
  pool_ = WaitingIndex<CostQueue>(machines.n_resources);
}

void ClusterMrisPolicy::check_job(const JobColumns& job, Time /*now*/) const { check_interval(job, options_.gamma0); }

void ClusterMrisPolicy::decide(const Event& event, Turn& turn) {
  now_ = event.now;
  runs_.pass_to(now_);
  take_up(event, turn);
  start_due(turn);
  const bool gamma_passed = intervals_.run_due(now_, [&](int k, bool is_now) {
    if (is_now) plan_batch(k, turn);
  });
  if (gamma_passed) {
    start_due(turn);
    refill_pool(turn.jobs());
  }
  look_everywhere_ |= gamma_passed;
  start_early(turn);
  if (intervals_.ended_early() && intervals_.next_k() > 0 && runs_.n_running() == 0) start_on_idle_machines(turn);
  find_wakeup(turn.jobs(), turn.availability());
}

void ClusterMrisPolicy::plan(const Placement& placement, const JobTable& jobs) {
  Waiting& waiting = waiting_[placement.job];
  close_to_early(waiting, jobs);
  unplanned_.erase(waiting.job);
  waiting.is_planned = true;
  waiting.start = placement.start_time;
  waiting.occupied_until = placement.start_time + jobs.processing_time(placement.job);
  waiting.machine = placement.machine;
  waiting.order = n_planned_ever_++;
  due_.insert(waiting.due());
}

void ClusterMrisPolicy::unplan(Waiting& waiting) {
  due_.erase(waiting.due());
  waiting.is_planned = false;
  unplanned_.insert(waiting.job);
}

void ClusterMrisPolicy::plan_batch(int k, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  std::vector<JobSlot> candidates;
  for (const WaitingJob& job : unplanned_) {
    if (jobs.whole_processing_time(job.job) > intervals_.interval(k)) continue;
    if (runs_.has_place(job.job, jobs, turn.availability())) candidates.push_back(job.job);
  }
  if (candidates.empty()) return;
  std::vector<WaitingJob> batch;
  for (const JobSlot job : intervals_.take(k, candidates, turn)) {
    waiting_[job].batch = k;
    batch.push_back(waiting_[job].job);
  }
  std::sort(batch.begin(), batch.end());
  if (!options_.replan || !place_again(batch, turn)) place(batch, turn);
  intervals_.record_makespan(makespan(jobs));
}

void ClusterMrisPolicy::place(std::span<const WaitingJob> batch, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  std::vector<Placement> placements;
  placements.reserve(batch.size());
  switch (options_.placement) {
    case MrisPlacement::scan: place_by_scan(batch, now_, jobs, runs_.timelines(), turn, placements); break;
    case MrisPlacement::nobackfill:
      place_by_scan(batch, std::max(now_, makespan(jobs)), jobs, runs_.timelines(), turn, placements);
      break;
    case MrisPlacement::list: place_in_order_by_machine(batch, now_, jobs, runs_.timelines(), turn, placements); break;
  }
  for (const Placement& placement : placements) plan(placement, jobs);
}

// Places the batch together with everything planned but not started, on a draft; keeps the draft only if all have a place
// and no job loses the bound that its own batch promised.
bool ClusterMrisPolicy::place_again(std::span<const WaitingJob> batch, Turn& turn) {
  if (due_.empty()) return false;
  const JobTable& jobs = turn.jobs();
  ClusterRuns draft = runs_;
  std::vector<WaitingJob> all(batch.begin(), batch.end());
  for (const auto& [start, order, job] : due_) {
    draft.vacate(waiting_[job].machine, start, waiting_[job].occupied_until, jobs.demand(job));
    all.push_back(waiting_[job].job);
  }
  std::sort(all.begin(), all.end());
  std::vector<Placement> placements;
  placements.reserve(all.size());
  place_by_scan(all, now_, jobs, draft.timelines(), turn, placements);
  const bool kept = placements.size() == all.size() && std::ranges::all_of(placements, [&](const Placement& placement) {
    return intervals_.keeps_bound(placement.start_time + jobs.processing_time(placement.job), waiting_[placement.job].batch);
  });
  if (!kept) return false;
  while (!due_.empty()) unplan(waiting_[std::get<JobSlot>(*due_.begin())]);
  runs_ = std::move(draft);
  for (const Placement& placement : placements) plan(placement, jobs);
  ++n_replans_;
  return true;
}

// When all that ran, runs or is planned has ended.
Time ClusterMrisPolicy::makespan(const JobTable& jobs) const {
  Time latest = std::max(last_end_, runs_.latest_end());
  for (const auto& [start, order, job] : due_) latest = std::max(latest, planned_end(waiting_[job], jobs));
  return latest;
}

// What does not fit, because others run late, waits.
void ClusterMrisPolicy::start_due(Turn& turn) {
  const JobTable& jobs = turn.jobs();
  for (auto next = due_.begin(); next != due_.end() && std::get<Time>(*next) <= now_;) {
    const JobSlot job = std::get<JobSlot>(*next++);
    const std::uint32_t machine = waiting_[job].machine;
    if (fits_now(job, machine, turn.machines().free(machine), jobs, turn.availability())) start(job, machine, turn);
  }
}

// Beside the running jobs, until the next outage.
bool ClusterMrisPolicy::fits_now(JobSlot job, std::size_t machine, std::span<const Amount> free, const JobTable& jobs,
                                 const Availability& availability) const {
  return fits(jobs.demand(job), free) && now_ + jobs.processing_time(job) <= availability.has_room_until(machine, jobs.demand(job));
}

// The place in the timelines, from now on, is taken already.
void ClusterMrisPolicy::start(JobSlot job, std::size_t machine, Turn& turn) {
  Waiting& waiting = waiting_[job];
  if (waiting.is_planned) unplan(waiting);
  close_to_early(waiting, turn.jobs());
  unplanned_.erase(waiting.job);
  turn.start(job, machine);
  runs_.begin(job, now_ + turn.jobs().processing_time(job));
}

bool ClusterMrisPolicy::fits_beside_plan(JobSlot job, std::size_t machine, const Turn& turn) const {
  const auto demand = turn.jobs().demand(job);
  if (!fits(demand, turn.machines().free(machine))) return false;
  return now_ + turn.jobs().processing_time(job) <= runs_.timelines()[machine].first_shortage(now_, demand);
}

void ClusterMrisPolicy::start_early(Turn& turn) {
  if (pool_.empty()) {
    look_everywhere_ = false;
    return;
  }
  offers_.run(freed_, fresh_, turn, std::exchange(look_everywhere_, false), [&](std::size_t machine, bool /*only_fresh*/) {
    const ResourceTimeline& timeline = runs_.timelines()[machine];
    const auto first_beside_plan = [&](auto leaf) {
      const Time shortage = timeline.first_shortage(now_, pool_.demand(leaf));
      return pool_.queue(leaf).first_where([&](double processing_time) { return now_ + processing_time <= shortage; });
    };
    while (const auto found = pool_.first_offer(turn.machines().free(machine), first_beside_plan, AnyCost(), machine)) {
      start_unplanned(found.job, machine, turn);
    }
    return false;
  });
}

void ClusterMrisPolicy::start_unplanned(const WaitingJob& job, std::size_t machine, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  runs_.occupy(static_cast<std::uint32_t>(machine), now_, now_ + jobs.processing_time(job.job), jobs.demand(job.job));
  start(job.job, machine, turn);
  ++n_early_starts_;
}

// Requires that nothing runs.
void ClusterMrisPolicy::start_on_idle_machines(Turn& turn) {
  const JobTable& jobs = turn.jobs();
  if (due_.empty()) {
    const std::vector<WaitingJob> all(unplanned_.begin(), unplanned_.end());
    for (const WaitingJob& job : all) {
      const auto fits_on = [&](std::size_t machine) { return fits_beside_plan(job.job, machine, turn); };
      std::size_t machine = turn.machines().first_fit(jobs.demand(job.job), 0, jobs.eligibility(job.job));
      while (machine != kNoMachine && !fits_on(machine)) {
        machine = turn.machines().first_fit(jobs.demand(job.job), machine + 1, jobs.eligibility(job.job));
      }
      if (machine != kNoMachine) start_unplanned(job, machine, turn);
    }
    return;
  }
  for (const auto& [start_time, order, job] : std::vector<Due>(due_.begin(), due_.end())) {
    const std::uint32_t machine = waiting_[job].machine;
    const Time until = waiting_[job].occupied_until;
    runs_.vacate(machine, start_time, until, jobs.demand(job));
    if (fits_beside_plan(job, machine, turn)) {
      runs_.occupy(machine, now_, now_ + jobs.processing_time(job), jobs.demand(job));
      start(job, machine, turn);
      look_everywhere_ = true;  // the place that it leaves was offered to nobody
    } else {
      runs_.occupy(machine, start_time, until, jobs.demand(job));
    }
  }
}

void ClusterMrisPolicy::find_wakeup(const JobTable& jobs, const Availability& availability) {
  wakeup_ = kNever;
  if (unplanned_.empty() && due_.empty()) return;
  wakeup_ = availability.next_end();
  const auto next = due_.upper_bound({now_, ~std::uint64_t{0}, ~JobSlot{0}});
  if (next != due_.end()) wakeup_ = std::min(wakeup_, std::get<Time>(*next));
  if (intervals_.next_gamma() >= wakeup_) return;
  const bool can_be_placed = std::ranges::any_of(unplanned_, [&](const WaitingJob& job) {
    return runs_.has_place(job.job, jobs, availability);
  });
  if (can_be_placed) wakeup_ = intervals_.next_gamma();
}

std::vector<Placement> ClusterMrisPolicy::reserved(const JobTable& /*jobs*/, Time /*now*/) const {
  std::vector<Placement> placements;
  placements.reserve(due_.size());
  for (const auto& [start, order, job] : due_) placements.push_back({job, waiting_[job].machine, start});
  return placements;
}

std::vector<JobSlot> ClusterMrisPolicy::waiting_in_order(const JobTable& /*jobs*/) const {
  std::vector<WaitingJob> all(unplanned_.begin(), unplanned_.end());
  for (const auto& [start, order, job] : due_) all.push_back(waiting_[job].job);
  std::sort(all.begin(), all.end());
  std::vector<JobSlot> waiting;
  for (const WaitingJob& job : all) waiting.push_back(job.job);
  return waiting;
}

std::vector<Promise> ClusterMrisPolicy::promises(const JobTable& jobs, Time now) const {
  std::vector<Promise> promises;
  for (const auto& [start, order, job] : due_) {
    promises.push_back({job, std::max(start, now), std::max(start, now) + jobs.processing_time(job), {{waiting_[job].machine, 1}}});
  }
  return promises;
}

}  // namespace schedcore
