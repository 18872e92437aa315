#include "schedcore/parallel_tasks/task_tetris_scores.hpp"

#include <algorithm>

namespace schedcore {
namespace {

constexpr Time kLastInstant = 0x1p62;

// Below 2^126.
Int128 in_units(Time time) { return floor_to_int128(std::min(time, kLastInstant) * 0x1p64); }

// amount * time; both are whole numbers of one word as a rule.
Int256 volume_in_units(UInt128 amount, UInt128 time) {
  if (high_word(amount) != 0 || low_word(time) != 0) return Int256(multiply(amount, time));
  const UInt128 product = multiply_words(low_word(amount), high_word(time));
  return {static_cast<Int128>(product >> 64), product << 64};
}

double from_units(double units) { return units * 0x1p-64; }

}  // namespace

TaskTetrisScores::TaskTetrisScores(const MachinesView& machines, const TaskTetrisScoring& scoring, double remote_penalty)
    : scoring_(scoring),
      remote_penalty_(remote_penalty),
      n_resources_(machines.n_resources),
      capacity_(machines.capacity.begin(), machines.capacity.end()),
      largest_capacity_(machines.n_resources, 0),
      total_demand_(machines.n_resources, 0) {
  for (std::size_t i = 0; i < capacity_.size(); ++i) {
    double& largest = largest_capacity_[i % n_resources_];
    largest = std::max(largest, static_cast<double>(capacity_[i]));
  }
}

std::uint32_t TaskTetrisScores::new_job() {
  std::uint32_t job = 0;
  if (free_.empty()) {
    job = static_cast<std::uint32_t>(jobs_.size());
    jobs_.emplace_back();
    second_term_.push_back(0);
    volume_.resize(volume_.size() + n_resources_);
  } else {
    job = free_.back();
    free_.pop_back();
    jobs_[job] = {};
  }
  jobs_[job].place = static_cast<std::uint32_t>(active_.size());
  active_.push_back(job);
  return job;
}

void TaskTetrisScores::arrive(std::size_t task, std::int64_t job, std::span<const Amount> demand, Time remaining) {
  const auto [known, is_new] = job_of_number_.try_emplace(job);
  if (is_new) {
    known->second = new_job();
    jobs_[known->second].number = job;
    jobs_[known->second].is_numbered = true;
  }
  add_task(task, known->second, demand, remaining);
}

void TaskTetrisScores::arrive_alone(std::size_t task, std::span<const Amount> demand, Time remaining) {
  add_task(task, new_job(), demand, remaining);
}

void TaskTetrisScores::add_task(std::size_t task, std::uint32_t job, std::span<const Amount> demand, Time remaining) {
  if (tasks_.size() <= task) {
    tasks_.resize(std::max(task + 1, 2 * tasks_.size()));
    job_.resize(tasks_.size());
  }
  tasks_[task] = {};
  job_[task] = job;
  ++jobs_[job].n_unfinished;
  ++n_tasks_;
  for (std::size_t r = 0; r < demand.size(); ++r) total_demand_[r] += demand[r];
  stop(task, demand, remaining);
}

void TaskTetrisScores::complete(std::size_t task, std::span<const Amount> demand) {
  stop(task, demand, 0);
  for (std::size_t r = 0; r < demand.size(); ++r) total_demand_[r] -= demand[r];
  --n_tasks_;
  Job& job = jobs_[job_[task]];
  if (--job.n_unfinished > 0) return;
  // Nothing is left of its volume, which counts exactly: the next job may take its place as it is.
  if (job.is_numbered) job_of_number_.erase(job.number);
  const std::uint32_t last = active_.back();
  active_[job.place] = last;
  jobs_[last].place = job.place;
  active_.pop_back();
  free_.push_back(job_[task]);
}

void TaskTetrisScores::set(std::size_t task, std::span<const Amount> demand, Time base, bool runs) {
  Task& state = tasks_[task];
  const Int128 longer = in_units(base) - in_units(state.base);
  const int faster = static_cast<int>(runs) - static_cast<int>(state.runs);
  state.base = base;
  state.runs = runs;
  FallingVolume* volume = &volume_[job_[task] * n_resources_];
  const bool is_longer = longer >= 0;
  const auto change = static_cast<UInt128>(is_longer ? longer : -longer);
  for (std::size_t r = 0; r < demand.size(); ++r) {
    const Int256 units = volume_in_units(static_cast<UInt128>(demand[r]), change);
    volume[r].constant += is_longer ? units : -units;
    volume[r].decrease += static_cast<Int128>(demand[r]) * faster;
  }
}

double TaskTetrisScores::sum_volumes(Time now) {
  const auto now_in_units = static_cast<UInt128>(in_units(now));
  std::vector<Int256> total(n_resources_);
  for (const std::uint32_t job : active_) {
    double volume = 0;
    for (std::size_t r = 0; r < n_resources_; ++r) {
      const FallingVolume& falling = volume_[job * n_resources_ + r];
      Int256 sum = falling.constant;
      if (falling.decrease != 0) sum -= volume_in_units(static_cast<UInt128>(falling.decrease), now_in_units);
      total[r] += sum;
      if (largest_capacity_[r] > 0) volume += from_units(nearest_double(sum)) / largest_capacity_[r];
    }
    second_term_[job] = volume;
  }
  double mean = 0;
  for (std::size_t r = 0; r < n_resources_; ++r) {
    const double divisor = largest_capacity_[r] * static_cast<double>(active_.size());
    if (largest_capacity_[r] > 0) mean += from_units(nearest_double(total[r])) / divisor;
  }
  return mean;
}

double TaskTetrisScores::mean_size() const {
  double mean = 0;
  for (std::size_t r = 0; r < total_demand_.size(); ++r) {
    const double divisor = largest_capacity_[r] * static_cast<double>(n_tasks_);
    if (largest_capacity_[r] > 0) mean += static_cast<double>(total_demand_[r]) / divisor;
  }
  return mean;
}

void TaskTetrisScores::prepare(Time now) {
  const double mean_volume = sum_volumes(now);
  if (scoring_.is_balanced) {
    const double factor = mean_size() * mean_volume;
    for (const std::uint32_t job : active_) second_term_[job] = factor / second_term_[job];
  } else {
    for (const std::uint32_t job : active_) second_term_[job] = 1 / (scoring_.e * second_term_[job]);
  }
}

double TaskTetrisScores::alignment(std::span<const Amount> demand, std::size_t machine) const {
  const Amount* const capacity = capacity_.data() + machine * n_resources_;
  double sum = 0;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] > 0) sum += static_cast<double>(demand[r]) / static_cast<double>(capacity[r]);
  }
  return sum;
}

}  // namespace schedcore
