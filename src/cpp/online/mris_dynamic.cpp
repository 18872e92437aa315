#include "schedcore/online/mris_dynamic.hpp"

#include <algorithm>

namespace schedcore {

std::unique_ptr<Policy> MrisDynamicPolicy::clone() const { return std::make_unique<MrisDynamicPolicy>(*this); }

void MrisDynamicPolicy::attach(const MachinesView& machines) {
  batches_ = MrisBatches(options_, machines);
  n_machines_ = machines.n_with_capacity();
  waiting_ = WaitingIndex<CostQueue>(machines.n_resources);
  urgent_ = WaitingIndex<CostQueue>(machines.n_resources);
}

void MrisDynamicPolicy::check_job(const JobColumns& job, Time /*now*/) const { check_interval(job, options_.gamma0); }

Commitments MrisDynamicPolicy::commitments(const Cluster& cluster) const {
  Commitments commitments;
  batches_.commit(commitments);
  for (const JobSlot job : cluster.waiting) {
    if (batch_of_[job] >= 0) commitments.batches.interval_of.emplace_back(job, batch_of_[job]);
  }
  if (has_left_) commitments.batches.densest_left = densest_left_;
  return commitments;
}

Time MrisDynamicPolicy::next_wakeup() const { return batches_.next_wakeup(options_.opportunistic && n_untaken_ > 0); }

void MrisDynamicPolicy::decide(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const Time now = event.now;
  if (batch_of_.size() < jobs.n_slots()) batch_of_.resize(jobs.n_slots(), -1);
  for (const Completion& completion : event.completed) {
    running_.erase({jobs.start_time(completion.job) + jobs.processing_time(completion.job), completion.job});
  }
  const MrisBatches::News news = batches_.begin(event, jobs);
  if (news.is_new_period) {  // no job of before waits, so that there are no batches and nothing is held back
    has_left_ = false;
    held_at_ = {};
  }
  for (const JobSlot job : event.arrived) {
    batch_of_[job] = -1;
    batches_.add(job, jobs);
    ++n_untaken_;
  }
  const bool gamma_passed = batches_.run_due(now, [&](int k) { take_batch(k, now, turn); });
  const bool changes_who_may_start = gamma_passed || news.is_first_early_end;
  fresh_.clear();
  if (changes_who_may_start) {
    reindex(jobs);
  } else {
    index_arrivals(event, turn);
  }
  for (bool any_machine = changes_who_may_start || has_loosened(now, jobs); !waiting_.empty();) {
    if (any_machine) held_at_ = {};
    offers_.run(event.completed, fresh_, turn, any_machine, [&](std::size_t machine, bool /*only_fresh*/) {
      offer(machine, now, turn);
      return has_loosened(now, jobs);
    });
    if (!has_loosened(now, jobs)) break;
    any_machine = true;
  }
  if (batches_.ended_early() && !options_.opportunistic && batches_.nothing_runs(turn)) {
    for (const WaitingJob& job : batches_.untaken(jobs)) {
      const std::size_t machine = turn.machines().first_fit(jobs.demand(job.job), 0, jobs.eligibility(job.job));
      if (machine != kNoMachine) start(job, machine, now, turn);
    }
  }
}

// Whether a job that the bound has held back, on any machine, may pass by now.
bool MrisDynamicPolicy::has_loosened(Time now, const JobTable& jobs) const {
  if (!held_at_) return false;
  return unfinished_.empty() || unfinished_.front().k != held_at_->lowest_k ||
         longest_allowed(now, jobs) > held_at_->allowed;
}

void MrisDynamicPolicy::take_batch(int k, Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const std::vector<JobSlot> taken = batches_.take(k, turn);
  n_untaken_ -= taken.size();
  has_left_ = !batches_.leftover().empty();
  if (has_left_) {
    bool first = true;
    for (const auto& candidate : batches_.leftover()) {
      const Priority sparseness = jobs.priority(candidate.job, PriorityRule::wsvf, batches_.scale());
      if (first || sparseness < densest_left_) densest_left_ = sparseness;
      first = false;
    }
  }
  if (taken.empty()) return;
  Batch batch;
  batch.k = k;
  batch.longest_span = batches_.end_factor() * batches_.interval(k);
  for (const JobSlot job : taken) {
    batch_of_[job] = k;
    batch.by_length.push_back({job, jobs.generation(job)});
    batch.volume = batch.volume + volume_of(job, jobs);
  }
  std::stable_sort(batch.by_length.begin(), batch.by_length.end(), [&](const auto& a, const auto& b) {
    return jobs.processing_time(a.job) < jobs.processing_time(b.job);
  });
  unfinished_.push_back(std::move(batch));
  batches_.record_makespan(certified_end(now, jobs));
}

// The arrivals that may start early; fresh_ holds those that the bound lets start now.
void MrisDynamicPolicy::index_arrivals(const Event& event, const Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const Time allowed = longest_allowed(event.now, jobs);
  for (const JobSlot job : event.arrived) {
    if (!may_start_early(job, jobs)) continue;
    const auto demand = jobs.demand(job);
    const Eligibility& eligibility = jobs.eligibility(job);
    waiting_.push(batches_.waiting_job(jobs, job), demand, jobs.processing_time(job), eligibility);
    if (jobs.processing_time(job) <= allowed) {
      fresh_.push_back(job);
    } else if (turn.machines().first_fit(demand, 0, eligibility) != kNoMachine) {
      hold(allowed);
    }
  }
}

// Everything that may start from now on: the knapsack and gamma, or the first early end, have changed who that is.
void MrisDynamicPolicy::reindex(const JobTable& jobs) {
  waiting_ = WaitingIndex<CostQueue>(jobs.n_resources());
  const auto index = [&](JobSlot job) {
    waiting_.push(batches_.waiting_job(jobs, job), jobs.demand(job), jobs.processing_time(job), jobs.eligibility(job));
  };
  for (const Batch& batch : unfinished_) {
    for (const auto& candidate : batch.by_length) {
      if (candidate.waits(jobs)) index(candidate.job);
    }
  }
  const auto index_early = [&](const MrisBatches::Candidate& candidate) {
    if (candidate.waits(jobs) && may_start_early(candidate.job, jobs)) index(candidate.job);
  };
  batches_.for_each_arriving(index_early);
  if (batches_.ended_early()) {  // before, none of them is denser than all of them
    std::for_each(batches_.leftover().begin(), batches_.leftover().end(), index_early);
  }
}

bool MrisDynamicPolicy::may_start_early(JobSlot job, const JobTable& jobs) const {
  if (!options_.opportunistic || batches_.next_k() == 0) return false;
  if (batches_.ended_early()) return jobs.processing_time(job) <= batches_.longest_early();
  if (jobs.processing_time(job) > options_.patience * batches_.interval(batches_.next_k() - 1)) return false;
  if (!has_left_) return true;
  Priority sparseness = jobs.priority(job, PriorityRule::wsvf, batches_.scale());
  sparseness.id = densest_left_.id;  // compare the quotients alone
  return sparseness < densest_left_;
}

// The time that PQ needs for the unstarted jobs of one batch alone.
Time MrisDynamicPolicy::alone(const Batch& batch, const JobTable& jobs) const {
  const Time processing_time = jobs.processing_time(batch.by_length.back().job);
  const Time by_volume = 2 * batch.volume.hi / static_cast<double>(batches_.scale().n_capacities());
  return (std::max(2 * processing_time, by_volume) + (n_machines_ > 1 ? processing_time : 0)) * kBoundSafety;
}

Time MrisDynamicPolicy::certified_end(Time now, const JobTable& jobs) const {
  Time end = now + longest_remaining(now);
  for (const Batch& batch : unfinished_) end += alone(batch, jobs);
  return end;
}

// The longest processing time that a job outside the lowest unfinished batch may have to start now; kNever for any.
Time MrisDynamicPolicy::longest_allowed(Time now, const JobTable& jobs) const {
  if (unfinished_.empty()) return kNever;
  const Time elapsed = batches_.since_origin(now);
  Time allowed = kNever;
  Time sum = 0;
  for (const Batch& batch : unfinished_) {
    sum += alone(batch, jobs);
    allowed = std::min(allowed, batch.longest_span - sum - elapsed);
  }
  return longest_remaining(now) <= allowed ? allowed : 0;
}

Time MrisDynamicPolicy::longest_remaining(Time now) const {
  return running_.empty() ? 0 : std::max(running_.rbegin()->first - now, 0.0);
}

void MrisDynamicPolicy::index_urgent(const JobTable& jobs) {
  if (urgent_k_ == unfinished_.front().k) return;
  urgent_k_ = unfinished_.front().k;
  urgent_ = WaitingIndex<CostQueue>(jobs.n_resources());
  for (const auto& candidate : unfinished_.front().by_length) {
    if (!candidate.waits(jobs)) continue;
    urgent_.push(batches_.waiting_job(jobs, candidate.job), jobs.demand(candidate.job),
                 jobs.processing_time(candidate.job), jobs.eligibility(candidate.job));
  }
}

void MrisDynamicPolicy::hold(Time allowed) {
  const int lowest_k = unfinished_.front().k;
  if (!held_at_) held_at_ = Held{allowed, lowest_k};
  held_at_->allowed = std::min(held_at_->allowed, allowed);
  held_at_->lowest_k = std::min(held_at_->lowest_k, lowest_k);
}

// Requires what longest_allowed says as `allowed`.
WaitingIndex<CostQueue>::Found MrisDynamicPolicy::first_allowed(std::size_t machine, std::span<const Amount> available,
                                                                Time allowed, const JobTable& jobs) {
  const auto is_short = [&](double processing_time) { return processing_time <= allowed; };
  auto found = waiting_.first_fit_where(available, is_short, machine);
  if (allowed < kNever) {
    index_urgent(jobs);
    const auto urgent = urgent_.first_fit(available, machine);
    if (urgent && (!found || urgent.job < found.job)) {
      found = {waiting_.leaf_of(jobs.demand(urgent.job.job), jobs.eligibility(urgent.job.job)), urgent.job};
    }
  }
  return found;
}

void MrisDynamicPolicy::offer(std::size_t machine, Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  for (;;) {
    const auto available = turn.machines().free(machine);
    const Time allowed = longest_allowed(now, jobs);
    const auto found = first_allowed(machine, available, allowed, jobs);
    if (!found) {
      if (allowed < kNever && (held_at_ || waiting_.first_fit(available, machine))) hold(allowed);
      return;
    }
    waiting_.erase(found.leaf, found.job.priority);
    start(found.job, machine, now, turn);
  }
}

void MrisDynamicPolicy::start(const WaitingJob& job, std::size_t machine, Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const JobSlot slot = job.job;
  turn.start(slot, machine);
  running_.emplace(now + jobs.processing_time(slot), slot);
  const std::int32_t k = batch_of_[slot];
  if (k < 0) {
    --n_untaken_;
    ++n_early_starts_;
    return;
  }
  if (k == urgent_k_) urgent_.erase(urgent_.leaf_of(jobs.demand(slot), jobs.eligibility(slot)), job.priority);
  const auto batch = std::find_if(unfinished_.begin(), unfinished_.end(), [&](const Batch& b) { return b.k == k; });
  batch->volume = batch->volume - volume_of(slot, jobs);
  while (!batch->by_length.empty() && !batch->by_length.back().waits(jobs)) batch->by_length.pop_back();
  if (batch->by_length.empty()) {
    if (k == urgent_k_) urgent_k_ = -1;
    unfinished_.erase(batch);
  }
}

}  // namespace schedcore
