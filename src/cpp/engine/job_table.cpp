#include "schedcore/engine/job_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "schedcore/base/errors.hpp"

namespace schedcore {

const JobPlacements JobTable::kNoPlacements;
const Restart JobTable::kNoRestart;

void JobTable::assign(const JobsView& jobs, std::span<const Time> processing_time, std::span<const double> custom_key) {
  n_resources_ = jobs.n_resources;
  records_.resize(jobs.n_jobs());
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    records_[job] = {{jobs.release_time[job], processing_time[job], jobs.weight[job],
                      custom_key.empty() ? 0 : custom_key[job], static_cast<std::int64_t>(job)},
                     {}};
  }
  demand_.assign(jobs.demand.begin(), jobs.demand.end());
  placements_.clear();
  owned_bytes_ = 0;
  places_.clear();
  restarts_.clear();
  generation_.assign(jobs.n_jobs(), 0);
  free_.clear();
}

JobSlot JobTable::add(const JobColumns& columns, std::span<const Amount> demand, const JobPlacements* placements) {
  JobSlot slot = 0;
  if (free_.empty()) {
    slot = static_cast<JobSlot>(records_.size());
    records_.push_back({columns, {}});
    demand_.insert(demand_.end(), demand.begin(), demand.end());
    generation_.push_back(0);
  } else {
    slot = free_.back();
    free_.pop_back();
    records_[slot] = {columns, {}};
    std::copy(demand.begin(), demand.end(), demand_.begin() + static_cast<std::ptrdiff_t>(slot * n_resources_));
  }
  if (!placements_.empty()) placements_.resize(records_.size());  // where it grows at all, by one as a rule
  if (!places_.empty()) places_.resize(records_.size());
  if (!restarts_.empty()) restarts_.resize(records_.size());
  if (placements != nullptr) set_placements(slot, *placements);
  if (site_) set_parties(slot, parties_of(slot));
  return slot;
}

void JobTable::set_placements(JobSlot slot, const JobPlacements& placements) {
  placements_.resize(records_.size());
  placements_[slot] = placements;
  owned_bytes_ += placements.n_owned_bytes();
  if (!placements.shape.is_plain()) places_.resize(records_.size());
  if (placements.checkpoint_interval > 0) {
    restarts_.resize(records_.size());
    restarts_[slot] = {placements.checkpoint_interval, placements.restart_cost, 0, records_[slot].columns.processing_time};
  }
}

JobParties JobTable::parties_of(JobSlot slot) {
  return this->placements(slot).belongings ? site_->parties_of(*this->placements(slot).belongings) : JobParties();
}

void JobTable::save_work(JobSlot slot, Time run_length) {
  if (restarts_.empty() || !(restarts_[slot].interval > 0)) return;
  Restart& restart = restarts_[slot];
  const Time done = restart.saved > 0 ? std::max(0.0, run_length - restart.cost) : run_length;
  restart.saved += std::floor(done / restart.interval) * restart.interval;
  records_[slot].columns.processing_time = restart.left_of(restart.estimate);
}

JobSlot JobTable::add_copy(JobSlot slot) {
  const JobColumns columns = records_[slot].columns;
  const std::vector<Amount> demand(this->demand(slot).begin(), this->demand(slot).end());
  const JobPlacements placements = this->placements(slot);
  const Restart restart = this->restart(slot);
  const JobSlot copy = add(columns, demand, placements.is_plain() ? nullptr : &placements);
  if (restart.interval > 0) restarts_[copy] = restart;
  if (site_) site_->note_preempted(copy, site_->preempted_at(slot));
  return copy;
}

void JobTable::set_eligibility(JobSlot slot, const Eligibility& eligibility, std::shared_ptr<const std::string> constraint) {
  placements_.resize(records_.size());
  placements_[slot].eligibility = eligibility;
  placements_[slot].constraint = std::move(constraint);
}

void JobTable::set_run_estimate(JobSlot slot, Time estimate) {
  Time& processing_time = records_[slot].columns.processing_time;
  processing_time = estimate;
  if (restarts_.empty() || !(restarts_[slot].interval > 0)) return;
  Restart& restart = restarts_[slot];
  restart.estimate = estimate;
  if (!(restart.saved > 0)) return;
  restart.estimate = std::max(restart.saved + (estimate - restart.cost), std::nextafter(restart.saved, kNever));
  processing_time = restart.left_of(restart.estimate);  // which rounding may have changed
}

void JobTable::reserve(std::size_t n_jobs) {
  records_.reserve(n_jobs);
  demand_.reserve(n_jobs * n_resources_);
  placements_.reserve(n_jobs);
  generation_.reserve(n_jobs);
}

void JobTable::remove(JobSlot slot) {
  records_[slot].progress = {};
  records_[slot].progress.state = JobState::free_slot;
  ++generation_[slot];
  if (!placements_.empty()) {
    owned_bytes_ -= placements_[slot].n_owned_bytes();
    placements_[slot] = {};
  }
  if (!places_.empty()) places_[slot].clear();
  if (!restarts_.empty()) restarts_[slot] = {};
  if (site_) site_->remove(slot);
  free_.push_back(slot);
}

void JobTable::write(SnapshotWriter& archive, std::size_t n_machines) const {
  std::vector<JobSlot> order;
  for (JobSlot slot = 0; slot < records_.size(); ++slot) {
    if (state(slot) != JobState::free_slot) order.push_back(slot);
  }
  std::sort(order.begin(), order.end(), [&](JobSlot a, JobSlot b) { return id(a) < id(b); });
  archive.name_jobs(order, generation_);
  if (site_) site_->write_names(archive);
  archive(static_cast<std::uint64_t>(order.size()));
  for (const JobSlot slot : order) {
    const JobColumns& job = records_[slot].columns;
    archive(job.release_time, job.processing_time, job.weight, job.custom_key, job.id);
    for (const Amount amount : demand(slot)) archive(amount);
  }
  const bool any_placed = std::ranges::any_of(order, [&](JobSlot slot) { return !placements(slot).is_plain(); });
  archive(any_placed);
  for (std::size_t k = 0; any_placed && k < order.size(); ++k) {
    write_placements(archive, placements(order[k]), n_machines);
    if (placements(order[k]).checkpoint_interval > 0) archive(restart(order[k]).saved, restart(order[k]).estimate);
  }
  for (const JobSlot slot : order) {
    if (site_) archive(site_->preempted_at(slot));
  }
}

void JobTable::read(SnapshotReader& archive, std::size_t n_machines) {
  if (site_) site_->read_names(archive);
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
  bool any_placed = false;
  archive(any_placed);
  if (any_placed) {
    EligibilitySets sets;
    placements_.resize(n_jobs + 1);
    for (std::size_t slot = 0; slot < n_jobs; ++slot) {
      set_placements(static_cast<JobSlot>(slot), read_placements(archive, n_machines, sets));
      if (!(placements_[slot].checkpoint_interval > 0)) continue;
      Restart& restart = restarts_[slot];
      archive(restart.saved, restart.estimate);
      archive.require(restart.saved >= 0 && restart.saved < kNever && restart.estimate > 0 && restart.estimate < kNever &&
                          restart.left_of(restart.estimate) == records_[slot].columns.processing_time,
                      "what is left of a job does not follow from what was saved");
    }
  }
  for (JobSlot slot = 0; site_ && slot < n_jobs; ++slot) {
    set_parties(slot, parties_of(slot));
    Time preempted_at = -kNever;
    archive(preempted_at);
    archive.require(preempted_at < kNever, "a job is preempted at no time");
    site_->note_preempted(slot, preempted_at);
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
  const Time work = whole_processing_time(slot);
  // Of all tasks together.
  const auto total = [&] {
    const auto of_task = scale.total(demand(slot));
    const auto n_tasks = static_cast<std::uint64_t>(shape(slot).n_tasks);
    if (of_task <= std::numeric_limits<std::int64_t>::max() / n_tasks) return of_task * n_tasks;
    throw UnsupportedError("job " + std::to_string(job.id) + " demands more with its " + std::to_string(n_tasks) +
                           " tasks than keys by volume can count");
  };
  switch (rule) {
    case PriorityRule::wsjf: return quotient_priority(work, 1, job.weight, job.id);
    case PriorityRule::wsvf: return quotient_priority(work, total(), job.weight, job.id);
    case PriorityRule::wsdf: return quotient_priority(1, total(), job.weight, job.id);
    case PriorityRule::sjf: return quotient_priority(work, 1, 1, job.id);
    case PriorityRule::svf: return quotient_priority(work, total(), 1, job.id);
    case PriorityRule::sdf: return quotient_priority(1, total(), 1, job.id);
    case PriorityRule::erf: return number_priority(job.release_time, job.id);
    case PriorityRule::custom: return number_priority(job.custom_key, job.id);
    case PriorityRule::by_id: break;
  }
  return {0, 0, 0, job.id};
}

QueueOrder JobTable::queue_order(JobSlot slot, const OrderRule& rule, const DemandScale& scale) const {
  const JobColumns& job = records_[slot].columns;
  if (rule.source != OrderRule::Source::key && (!site_ || (rule.source == OrderRule::Source::multifactor && !site_->rules().multifactor))) {
    throw UnsupportedError("the queue is in the order of a site's priorities, and there are none");
  }
  Priority key;
  switch (rule.source) {  // higher priorities first
    case OrderRule::Source::key: key = priority(slot, rule.key, scale); break;
    case OrderRule::Source::priority: key = number_priority(-site_->parties(slot).priority, job.id); break;
    case OrderRule::Source::multifactor: key = number_priority(-site_->priority(slot), job.id); break;
    case OrderRule::Source::formula: break;
  }
  const bool says_release = rule.ties_by_id || rule.is_by_arrival();
  return {site_ ? site_->tier(slot) : 0, key, says_release ? 0 : number_rank(job.release_time)};
}

void JobTable::set_total_capacity(std::vector<Amount> total) {
  if (!site_) return;
  site_->set_total_capacity(std::move(total));
  for (JobSlot slot = 0; slot < n_slots(); ++slot) {
    if (state(slot) != JobState::free_slot) site_->set_size(slot, shape(slot).n_tasks, demand(slot));
  }
}

void JobTable::set_priority(JobSlot slot, double priority) {
  if (!site_) return;
  site_->set_priority(slot, priority);
  placements_.resize(records_.size());
  JobBelongings belongings;
  if (placements_[slot].belongings) belongings = *placements_[slot].belongings;
  belongings.priority = priority;
  placements_[slot].belongings = belongings.says_nothing() ? nullptr : std::make_shared<const JobBelongings>(std::move(belongings));
}

}  // namespace schedcore
