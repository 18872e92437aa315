#include "schedcore/job_table.hpp"

#include <algorithm>

namespace schedcore {

void JobTable::assign(const JobsView& jobs, std::span<const Time> processing_time, std::span<const double> custom_key) {
  n_resources_ = jobs.n_resources;
  records_.resize(jobs.n_jobs());
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    records_[job] = {{jobs.release_time[job], processing_time[job], jobs.weight[job],
                      custom_key.empty() ? 0 : custom_key[job], static_cast<std::int64_t>(job)},
                     {}};
  }
  demand_.assign(jobs.demand.begin(), jobs.demand.end());
  generation_.assign(jobs.n_jobs(), 0);
  free_.clear();
}

JobSlot JobTable::add(const JobColumns& columns, std::span<const Amount> demand) {
  if (free_.empty()) {
    records_.push_back({columns, {}});
    demand_.insert(demand_.end(), demand.begin(), demand.end());
    generation_.push_back(0);
    return static_cast<JobSlot>(records_.size() - 1);
  }
  const JobSlot slot = free_.back();
  free_.pop_back();
  records_[slot] = {columns, {}};
  std::copy(demand.begin(), demand.end(), demand_.begin() + static_cast<std::ptrdiff_t>(slot * n_resources_));
  return slot;
}

void JobTable::remove(JobSlot slot) {
  records_[slot].progress = {};
  records_[slot].progress.state = JobState::free_slot;
  ++generation_[slot];
  free_.push_back(slot);
}

Priority JobTable::priority(JobSlot slot, PriorityRule rule, const DemandScale& scale) const {
  const JobColumns& job = records_[slot].columns;
  switch (rule) {
    case PriorityRule::wsjf: return quotient_priority(job.processing_time, 1, job.weight, job.id);
    case PriorityRule::wsvf: return quotient_priority(job.processing_time, scale.total(demand(slot)), job.weight, job.id);
    case PriorityRule::wsdf: return quotient_priority(1, scale.total(demand(slot)), job.weight, job.id);
    case PriorityRule::sjf: return quotient_priority(job.processing_time, 1, 1, job.id);
    case PriorityRule::svf: return quotient_priority(job.processing_time, scale.total(demand(slot)), 1, job.id);
    case PriorityRule::sdf: return quotient_priority(1, scale.total(demand(slot)), 1, job.id);
    case PriorityRule::erf: return number_priority(job.release_time, job.id);
    case PriorityRule::custom: return number_priority(job.custom_key, job.id);
    case PriorityRule::by_id: break;
  }
  return {0, 0, 0, job.id};
}

}  // namespace schedcore
