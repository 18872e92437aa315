#include "mapreduce_phases.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "schedcore/base/errors.hpp"

namespace schedcore {

void MapReducePhases::add(std::span<const std::uint32_t> jobs, Slot slot) {
  if (jobs.empty()) return;
  rows_.add(jobs);
  rows_.follow(place_);
  for (const std::uint32_t row : rows_.new_rows()) {
    if (free_places_.empty()) {
      free_places_.push_back(static_cast<std::uint32_t>(pool_.size()));
      pool_.emplace_back();
    }
    place_[row] = free_places_.back();
    free_places_.pop_back();
    begin(pool_[place_[row]], job(row), true, slot);
  }
}

void MapReducePhases::begin(Active& active, std::size_t job, bool map, Slot slot) {
  const MapReduceJobs::Phases& phase = map ? jobs_.map : jobs_.reduce;
  const Slot map_time = jobs_.map.time[job], reduce_time = has_reduce(job) ? jobs_.reduce.time[job] : 0;
  active.tasks = PhaseTasks(static_cast<std::uint32_t>(phase.tasks[job]), phase.cores[job], phase.time[job]);
  active.first_task = map ? 0 : static_cast<std::uint32_t>(jobs_.map.tasks[job]);
  active.cores = phase.cores[job];
  active.n_tasks = static_cast<double>(phase.tasks[job]);
  if (rules_.order != MapReduceOrder::ocorp) return;
  const double release = static_cast<double>(jobs_.release_time[job]), gamma = rules_.dual.gamma;
  const double task_time =
      static_cast<double>(jobs_.map.tasks[job] * map_time + jobs_.reduce.tasks[job] * reduce_time);
  active.multiplier = rules_.dual.first_multiplier(slot - 1);  // as if the phase had just been released
  active.target = gamma > release ? std::min(1.0, task_time / (active.n_tasks * (gamma - release))) : 1.0;
  active.constant = ipow(static_cast<double>(map_time + reduce_time), rules_.dual.k);
  active.divisor = 2.0 * active.n_tasks * static_cast<double>(phase.time[job]);
  largest_first_ = std::max(largest_first_, active.multiplier);
  largest_constant_ = std::max(largest_constant_, active.constant);
}

void MapReducePhases::check_range(Slot slot) const {
  const DualRules& dual = rules_.dual;
  const auto t = static_cast<double>(slot);
  if (!std::isfinite(largest_first_ + t * dual.step(slot)) || !std::isfinite(2.0 * ipow(t, dual.k) + largest_constant_))
    throw UnsupportedError("multipliers or weights may exceed what a double holds in slot " + std::to_string(slot) +
                           " with k = " + std::to_string(dual.k) + "; use a smaller k, gamma or lambda0");
}

void MapReducePhases::keys(Slot slot, std::vector<double>& key_of) const {
  if (rules_.order == MapReduceOrder::ocorp) check_range(slot);
  key_of.resize(size());
  for (std::size_t row = 0; row < size(); ++row) key_of[row] = key(row, slot);
}

double MapReducePhases::key(std::size_t row, Slot slot) const {
  const Active& active = at(row);
  const std::size_t job = this->job(row);
  switch (rules_.order) {
    case MapReduceOrder::ocorp: {
      const double age = ipow(static_cast<double>(slot - jobs_.release_time[job]), rules_.dual.k);
      const double weight = (2.0 * age + active.constant) / active.divisor;
      return (weight - active.multiplier) / static_cast<double>(active.cores);
    }
    case MapReduceOrder::srpt: {
      const double now =
          static_cast<double>(active.tasks.largest_remaining()) / static_cast<double>(active.cores);
      return is_map(row) && has_reduce(job) ? now + static_cast<double>(jobs_.reduce.time[job]) : now;
    }
    case MapReduceOrder::srvf:
      return static_cast<double>(active.tasks.remaining() + (is_map(row) ? volume(jobs_.reduce, job) : 0));
    case MapReduceOrder::svf:
      return static_cast<double>(volume(jobs_.map, job) + volume(jobs_.reduce, job));
    case MapReduceOrder::srf:
      return static_cast<double>(active.cores);
    case MapReduceOrder::fifo:
      return static_cast<double>(jobs_.release_time[job]);
  }
  return 0;
}

bool MapReducePhases::update(Slot slot, std::span<const Amount> cores) {
  const double step = rules_.dual.step(slot);
  bool changing = false;
  for (std::size_t row = 0; row < size(); ++row) {
    Active& active = pool_[place_[row]];
    const double done = static_cast<double>(cores[row]) / static_cast<double>(active.cores) / active.n_tasks;
    const double lag = active.target - done;
    active.multiplier = std::max(0.0, active.multiplier + step * lag);
    changing |= lag > 0.0 || (lag < 0.0 && active.multiplier > 0.0);
  }
  return changing;
}

void MapReducePhases::record(Slot slot, MapReduceOutcome& outcome) const {
  for (std::size_t row = 0; row < size(); ++row) {
    outcome.multiplier_slot.push_back(slot);
    outcome.multiplier_job.push_back(job(row));
    outcome.multiplier.push_back(at(row).multiplier);
  }
}

std::size_t MapReducePhases::finish(Slot slot, MapReduceOutcome& outcome) {
  leaving_.clear();
  for (std::size_t row = 0; row < size(); ++row) {
    if (!tasks(row).done()) continue;
    const std::uint32_t job = this->job(row);
    if (is_map(row)) outcome.map_completion_time[job] = static_cast<double>(slot);
    if (is_map(row) && has_reduce(job)) {
      begin(pool_[place_[row]], job, false, slot + 1);
    } else {
      outcome.completion_time[job] = static_cast<double>(slot);
      free_places_.push_back(place_[row]);
      leaving_.push_back(static_cast<std::uint32_t>(row));
    }
  }
  if (!leaving_.empty()) {
    rows_.remove(leaving_);
    rows_.follow(place_);
  }
  return leaving_.size();
}

}  // namespace schedcore
