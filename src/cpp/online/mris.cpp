#include "schedcore/online/mris.hpp"

#include <algorithm>

#include "schedcore/index/fit.hpp"
#include "schedcore/online/batch_placement.hpp"

namespace schedcore {

std::unique_ptr<Policy> MrisPolicy::clone() const { return std::make_unique<MrisPolicy>(*this); }

void MrisPolicy::attach(const MachinesView& machines) {
  batches_ = MrisBatches(options_, machines);
  pool_ = WaitingIndex<CostQueue>(machines.n_resources);
}

void MrisPolicy::check_job(const JobColumns& job, Time /*now*/) const { check_interval(job, options_.gamma0); }

Commitments MrisPolicy::commitments(const Cluster& cluster) const {
  Commitments commitments;
  batches_.commit(commitments);
  const JobTable& jobs = cluster.jobs;
  for (const JobSlot job : cluster.planned) {
    commitments.reservations.push_back({job, jobs.start_time(job), jobs.expected_end(job), jobs.machine(job)});
    if (options_.replan) commitments.batches.interval_of.emplace_back(job, batch_of_[job]);
  }
  return commitments;
}

void MrisPolicy::decide(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  if (batches_.begin(event, jobs).is_new_period) makespan_ = event.now;
  for (const JobSlot job : event.arrived) {
    batches_.add(job, jobs);
    if (!options_.opportunistic) continue;
    pool_.push(batches_.waiting_job(jobs, job), jobs.demand(job), jobs.processing_time(job), jobs.eligibility(job));
  }
  const bool gamma_passed = batches_.run_due(event.now, [&](int k) { iterate(k, event.now, turn); });
  if (options_.opportunistic && batches_.next_k() > 0) start_early(event, gamma_passed, turn);
  if (batches_.ended_early() && batches_.nothing_runs(turn)) start_on_idle_machines(event.now, turn);
}

void MrisPolicy::iterate(int k, Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const std::vector<JobSlot> taken = batches_.take(k, turn);
  if (taken.empty()) return;
  std::vector<WaitingJob> batch;
  batch.reserve(taken.size());
  for (const JobSlot job : taken) batch.push_back(batches_.waiting_job(jobs, job));
  if (options_.opportunistic) {
    for (const WaitingJob& job : batch) {
      pool_.erase(pool_.leaf_of(jobs.demand(job.job), jobs.eligibility(job.job)), job.priority);
    }
  }
  if (options_.replan) {
    batch_of_.resize(jobs.n_slots(), 0);
    for (const JobSlot job : taken) batch_of_[job] = k;
  }
  std::sort(batch.begin(), batch.end());
  if (!options_.replan || !place_again(batch, now, turn)) place(batch, now, turn);
  batches_.record_makespan(makespan_);
}

void MrisPolicy::place(std::span<const WaitingJob> batch, Time now, Turn& turn) {
  std::vector<Placement> placements;
  placements.reserve(batch.size());
  switch (options_.placement) {
    case MrisPlacement::scan: place_by_scan(batch, now, turn.jobs(), turn.timelines(), turn, placements); break;
    case MrisPlacement::nobackfill:
      place_by_scan(batch, std::max(now, makespan_), turn.jobs(), turn.timelines(), turn, placements);
      break;
    case MrisPlacement::list: place_in_order(batch, now, turn.jobs(), turn.timelines(), turn, placements); break;
  }
  commit(placements, turn);
}

// Places the batch together with everything planned but not started, on a draft; keeps the draft only if no job loses
// the bound that its own iteration promised.
bool MrisPolicy::place_again(std::span<const WaitingJob> batch, Time now, Turn& turn) {
  const std::vector<Placement> planned = turn.planned();
  if (planned.empty()) return false;
  const JobTable& jobs = turn.jobs();
  std::vector<ResourceTimeline> draft = turn.timelines();
  std::vector<WaitingJob> all(batch.begin(), batch.end());
  for (const Placement& placement : planned) {
    const Time end = placement.start_time + jobs.processing_time(placement.job);
    if (end > now) draft[placement.machine].release(std::max(placement.start_time, now), end, jobs.demand(placement.job));
    all.push_back(batches_.waiting_job(jobs, placement.job));
  }
  std::sort(all.begin(), all.end());
  std::vector<Placement> placements;
  placements.reserve(all.size());
  place_by_scan(all, now, jobs, draft, turn, placements);
  const bool kept = std::all_of(placements.begin(), placements.end(), [&](const Placement& placement) {
    return batches_.keeps_bound(placement.start_time + jobs.processing_time(placement.job), batch_of_[placement.job]);
  });
  if (!kept) return false;
  for (const Placement& placement : planned) turn.unplan(placement.job);
  turn.timelines() = std::move(draft);
  commit(placements, turn);
  ++n_replans_;
  return true;
}

void MrisPolicy::commit(std::span<const Placement> placements, Turn& turn) {
  for (const Placement& placement : placements) {
    turn.plan(placement);
    makespan_ = std::max(makespan_, placement.start_time + turn.jobs().processing_time(placement.job));
  }
}

void MrisPolicy::start_early(const Event& event, bool all, Turn& turn) {
  if (pool_.empty()) return;
  const JobTable& jobs = turn.jobs();
  const Time now = event.now;
  const Time longest = options_.patience * batches_.interval(batches_.next_k() - 1);
  fresh_.clear();
  for (const JobSlot job : event.arrived) {
    if (jobs.state(job) == JobState::submitted && jobs.processing_time(job) <= longest) {
      fresh_.push_back(batches_.waiting_job(jobs, job));
    }
  }
  std::sort(fresh_.begin(), fresh_.end());
  fresh_slots_.clear();
  for (const WaitingJob& job : fresh_) fresh_slots_.push_back(job.job);
  offers_.run(event.completed, fresh_slots_, turn, all || turn.has_overdue(), [&](std::size_t machine, bool only_fresh) {
    const ResourceTimeline& timeline = turn.timelines()[machine];
    if (only_fresh) {
      for (const WaitingJob& job : fresh_) {
        const auto demand = jobs.demand(job.job);
        if (jobs.state(job.job) == JobState::submitted && jobs.eligibility(job.job).allows(machine) &&
            fits(demand, turn.machines().free(machine)) &&
            now + jobs.processing_time(job.job) <= timeline.first_shortage(now, demand)) {
          start_untaken(job, machine, now, turn);
        }
      }
      return false;
    }
    const auto fits_beside_plan = [&](auto leaf) {
      const Time shortage = timeline.first_shortage(now, pool_.demand(leaf));
      return pool_.queue(leaf).first_where([&](double processing_time) {
        return processing_time <= longest && now + processing_time <= shortage;
      });
    };
    const auto is_short = [&](double processing_time) { return processing_time <= longest; };
    while (const auto found = pool_.first_offer(turn.machines().free(machine), fits_beside_plan, is_short, machine)) {
      start_untaken(found.job, machine, now, turn);
    }
    return false;
  });
}

void MrisPolicy::start_untaken(const WaitingJob& job, std::size_t machine, Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  if (options_.opportunistic) pool_.erase(pool_.leaf_of(jobs.demand(job.job), jobs.eligibility(job.job)), job.priority);
  turn.start(job.job, machine);
  makespan_ = std::max(makespan_, now + jobs.processing_time(job.job));
  ++n_early_starts_;
}

// Requires that nothing runs.
void MrisPolicy::start_on_idle_machines(Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const std::vector<Placement> planned = turn.planned();
  if (!planned.empty() && planned.front().start_time <= now) return;  // it starts with this event
  for (const Placement& placement : planned) {
    const auto demand = jobs.demand(placement.job);
    const Time processing_time = jobs.processing_time(placement.job);
    ResourceTimeline& timeline = turn.timelines()[placement.machine];
    timeline.release(placement.start_time, placement.start_time + processing_time, demand);
    if (now + processing_time <= timeline.first_shortage(now, demand)) {
      turn.unplan(placement.job);
      turn.start(placement.job, placement.machine);
    } else {
      timeline.reserve(placement.start_time, placement.start_time + processing_time, demand);
    }
  }
  if (!planned.empty()) return;
  for (const WaitingJob& job : batches_.untaken(jobs)) {
    const std::size_t machine = turn.machines().first_fit(jobs.demand(job.job), 0, jobs.eligibility(job.job));
    if (machine != kNoMachine) start_untaken(job, machine, now, turn);
  }
}

}  // namespace schedcore
