#include "schedcore/mris.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "schedcore/batch_placement.hpp"
#include "schedcore/errors.hpp"
#include "schedcore/volume.hpp"

namespace schedcore {

std::unique_ptr<Policy> MrisPolicy::clone() const { return std::make_unique<MrisPolicy>(*this); }

void MrisPolicy::attach(const MachinesView& machines) {
  n_machines_ = machines.n_machines;
  scale_ = DemandScale(machines.capacity_of(0));
  pool_ = WaitingIndex<CostQueue>(machines.n_resources);
}

void MrisPolicy::check_job(const JobColumns& job, Time /*now*/) const {
  if (job.processing_time < options_.gamma0) {
    throw InvalidInstanceError("processing_time of job " + std::to_string(job.id) + " is " +
                               std::to_string(job.processing_time) + ", below gamma0 = " + std::to_string(options_.gamma0));
  }
}

Time MrisPolicy::gamma(int k) const { return std::ldexp(options_.gamma0, k); }

int MrisPolicy::first_k_reaching(Time bound) const {
  int k = std::max(0, std::ilogb(std::max(bound, options_.gamma0)) - std::ilogb(options_.gamma0));
  if (gamma(k) < bound) ++k;
  return k;
}

double MrisPolicy::end_factor() const {
  double eps = 1;
  if (options_.knapsack == KnapsackMethod::exact) eps = 0;
  if (options_.knapsack == KnapsackMethod::cadp) {
    eps = static_cast<double>(options_.epsilon.num) / static_cast<double>(options_.epsilon.den);
  }
  const double c = 2 * static_cast<double>(scale_.n_resources()) * (1 + eps) + (n_machines_ > 1 ? 1 : 0);
  return 2 * c;
}

WaitingJob MrisPolicy::waiting_job(const JobTable& jobs, JobSlot job) const {
  return {jobs.priority(job, options_.rule, scale_), job};
}

void MrisPolicy::decide(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  for (const JobSlot job : event.arrived) {
    const int k = first_k_reaching(std::max(jobs.processing_time(job), jobs.release_time(job)));
    arriving_[std::max(k, next_k_)].push_back({job, jobs.generation(job)});
    if (options_.opportunistic) pool_.push(waiting_job(jobs, job), jobs.demand(job), jobs.processing_time(job));
  }
  bool batch_time = false;
  // A caller who comes late finds several iterations due; they run in turn, at this instant.
  while (gamma(next_k_) <= event.now) {
    batch_time = true;
    if (leftover_.empty() && (arriving_.empty() || arriving_.begin()->first > next_k_)) {
      // Nothing can happen before the next wave, or before the first gamma after now.
      const int wave = arriving_.empty() ? first_k_reaching(event.now) : arriving_.begin()->first;
      next_k_ = std::max(next_k_ + 1, std::min(wave, first_k_reaching(event.now)));
      continue;
    }
    iterate(next_k_, event.now, turn);
    ++next_k_;
  }
  if (options_.opportunistic && next_k_ > 0) start_early(event, batch_time, turn);
}

std::vector<JobSlot> MrisPolicy::take_candidates(int k, const JobTable& jobs) {
  const auto by_id = [&](const Candidate& a, const Candidate& b) { return jobs.id(a.job) < jobs.id(b.job); };
  // Jobs that started early have left; their slots may serve other jobs by now.
  std::erase_if(leftover_, [&](const Candidate& candidate) {
    return jobs.generation(candidate.job) != candidate.generation || jobs.state(candidate.job) != JobState::submitted;
  });
  const auto n_leftover = static_cast<std::ptrdiff_t>(leftover_.size());
  while (!arriving_.empty() && arriving_.begin()->first <= k) {
    for (const Candidate& candidate : arriving_.begin()->second) {
      if (jobs.generation(candidate.job) == candidate.generation && jobs.state(candidate.job) == JobState::submitted) {
        leftover_.push_back(candidate);
      }
    }
    arriving_.erase(arriving_.begin());
  }
  std::sort(leftover_.begin() + n_leftover, leftover_.end(), by_id);
  std::inplace_merge(leftover_.begin(), leftover_.begin() + n_leftover, leftover_.end(), by_id);
  std::vector<JobSlot> candidates;
  candidates.reserve(leftover_.size());
  for (const Candidate& candidate : leftover_) candidates.push_back(candidate.job);
  return candidates;
}

std::vector<std::uint32_t> MrisPolicy::choose(std::span<const JobSlot> candidates, int k, Turn& turn) const {
  const JobTable& jobs = turn.jobs();
  const VolumeKnapsack volumes(candidates, jobs, scale_, gamma(k), n_machines_);
  std::vector<std::uint32_t> chosen;
  if (volumes.everything_fits()) {
    chosen.resize(candidates.size());
    std::iota(chosen.begin(), chosen.end(), 0U);
    return chosen;
  }
  std::vector<double> weight;
  weight.reserve(candidates.size());
  for (const JobSlot job : candidates) weight.push_back(jobs.weight(job));
  const KnapsackOptions options{options_.knapsack, options_.epsilon, options_.memory_limit, turn.monitor()};
  return volumes.solve(weight, options);
}

void MrisPolicy::iterate(int k, Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const std::vector<JobSlot> candidates = take_candidates(k, jobs);
  if (candidates.empty()) return;
  const std::vector<std::uint32_t> chosen = choose(candidates, k, turn);

  std::vector<WaitingJob> batch;
  batch.reserve(chosen.size());
  std::vector<Candidate> rest;
  rest.reserve(leftover_.size() - chosen.size());
  auto next_chosen = chosen.begin();
  for (std::uint32_t item = 0; item < candidates.size(); ++item) {
    if (next_chosen != chosen.end() && *next_chosen == item) {
      ++next_chosen;
      batch.push_back(waiting_job(jobs, candidates[item]));
    } else {
      rest.push_back(leftover_[item]);
    }
  }
  leftover_ = std::move(rest);
  if (options_.record) {
    MrisIteration iteration{k, gamma(k), candidates.size(), {}, 0};
    for (const WaitingJob& job : batch) iteration.chosen.push_back(jobs.id(job.job));
    iterations_.push_back(std::move(iteration));
  }
  if (options_.opportunistic) {
    for (const WaitingJob& job : batch) pool_.erase(pool_.leaf_of(jobs.demand(job.job)), job.priority);
  }
  if (options_.replan) {
    batch_of_.resize(jobs.n_slots(), 0);
    for (const WaitingJob& job : batch) batch_of_[job.job] = k;
  }
  std::sort(batch.begin(), batch.end());
  if (!options_.replan || !place_again(batch, now, turn)) place(batch, now, turn);
  if (options_.record) iterations_.back().makespan = makespan_;
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
    all.push_back(waiting_job(jobs, placement.job));
  }
  std::sort(all.begin(), all.end());
  std::vector<Placement> placements;
  placements.reserve(all.size());
  place_by_scan(all, now, jobs, draft, turn, placements);
  // The factor is rounded down, so that the promise holds in exact arithmetic.
  const double factor = end_factor() * (1 - 0x1p-50);
  const bool kept = std::all_of(placements.begin(), placements.end(), [&](const Placement& placement) {
    return placement.start_time + jobs.processing_time(placement.job) <= factor * gamma(batch_of_[placement.job]);
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
  const Time longest = options_.patience * gamma(next_k_ - 1);
  const Time now = event.now;
  offers_.run(event, turn, all, [&](std::size_t machine) {
    for (;;) {
      ResourceTimeline& timeline = turn.timelines()[machine];
      const auto found = pool_.first_offer(turn.machines().free(machine), [&](auto leaf) {
        const Time shortage = timeline.first_shortage(now, pool_.demand(leaf));
        return pool_.queue(leaf).first_where([&](double processing_time) {
          return processing_time <= longest && now + processing_time <= shortage;
        });
      });
      if (!found) return;
      const JobSlot job = found.job.job;
      pool_.erase(found.leaf, found.job.priority);
      turn.start(job, machine);
      makespan_ = std::max(makespan_, now + jobs.processing_time(job));
      ++n_early_starts_;
    }
  });
}

Time MrisPolicy::next_wakeup() const {
  if (!leftover_.empty() || !pool_.empty()) return gamma(next_k_);
  return arriving_.empty() ? kNever : gamma(arriving_.begin()->first);
}

}  // namespace schedcore
