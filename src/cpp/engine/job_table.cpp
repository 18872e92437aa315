#include "schedcore/engine/job_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

void JobTable::write(SnapshotWriter& archive) const {
  std::vector<JobSlot> order;
  for (JobSlot slot = 0; slot < records_.size(); ++slot) {
    if (state(slot) != JobState::free_slot) order.push_back(slot);
  }
  std::sort(order.begin(), order.end(), [&](JobSlot a, JobSlot b) { return id(a) < id(b); });
  archive.name_jobs(order, generation_);
  archive(static_cast<std::uint64_t>(order.size()));
  for (const JobSlot slot : order) {
    const JobColumns& job = records_[slot].columns;
    archive(job.release_time, job.processing_time, job.weight, job.custom_key, job.id);
    for (const Amount amount : demand(slot)) archive(amount);
  }
}

void JobTable::read(SnapshotReader& archive) {
  const std::size_t n_jobs = archive.length((5 + n_resources_) * sizeof(double));
  archive.require(n_jobs < std::numeric_limits<JobSlot>::max(), "it holds too many jobs");
  records_.assign(n_jobs + 1, {});
  demand_.assign((n_jobs + 1) * n_resources_, 0);
  generation_.assign(n_jobs + 1, 0);
  std::int64_t least_id = 0;
  for (std::size_t slot = 0; slot < n_jobs; ++slot) {
    JobColumns& job = records_[slot].columns;
    archive(job.release_time, job.processing_time, job.weight, job.custom_key, job.id);
    archive.require(std::isfinite(job.weight), "a weight is infinite");
    archive.require(job.id >= least_id && job.id < std::numeric_limits<std::int64_t>::max(), "ids do not increase");
    least_id = job.id + 1;
    for (std::size_t r = 0; r < n_resources_; ++r) {
      Amount& amount = demand_[slot * n_resources_ + r];
      archive(amount);
      archive.require(amount >= 0, "a demand is negative");
    }
  }
  // Whoever remembers a job that has gone names this slot, at a generation that it will never have again.
  const auto spare = static_cast<JobSlot>(n_jobs);
  records_[spare].progress.state = JobState::free_slot;
  generation_[spare] = 1;
  free_ = {spare};
  archive.name_jobs(spare);
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
