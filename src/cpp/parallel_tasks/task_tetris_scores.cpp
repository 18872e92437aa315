#include "task_tetris_scores.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace schedcore {
namespace {

std::span<const std::int64_t> times_of(const ParallelTasksView& tasks, std::size_t task) {
  const std::size_t first = tasks.first_placement(task);
  return tasks.placement_time.subspan(first, tasks.first_placement(task + 1) - first);
}

// The most units, a power of 2, that a time of 1 can have so that no instant and no sum of volumes reaches 2^125 units.
double finest_units(const ParallelTasksView& tasks) {
  double horizon = tasks.n_jobs() > 0 ? std::ranges::max(tasks.release_time) : 0;
  std::vector<double> volume(tasks.n_resources(), 0);
  for (std::size_t task = 0; task < tasks.n_tasks(); ++task) {
    const auto longest = static_cast<double>(std::ranges::max(times_of(tasks, task)));
    const auto demand = tasks.demand_of(task);
    horizon += longest;
    for (std::size_t r = 0; r < demand.size(); ++r) volume[r] += static_cast<double>(demand[r]) * longest;
  }
  double largest = std::max(horizon, 1.0);
  for (const double sum : volume) largest = std::max(largest, sum);
  return std::ldexp(1.0, 124 - std::ilogb(largest));
}

}  // namespace

TaskTetrisScores::TaskTetrisScores(const ParallelTasksView& tasks, const TaskTetrisScoring& scoring)
    : tasks_(tasks),
      scoring_(scoring),
      first_task_(tasks.n_jobs() + 1, 0),
      largest_capacity_(tasks.n_resources(), 0),
      units_(finest_units(tasks)),
      place_(tasks.n_jobs()),
      n_unfinished_(tasks.n_jobs()),
      total_demand_(tasks.n_resources(), 0),
      base_(tasks.n_tasks(), 0),
      runs_(tasks.n_tasks(), 0),
      volume_(tasks.n_jobs() * tasks.n_resources()),
      second_term_(tasks.n_jobs(), 0) {
  for (std::size_t task = 0; task < tasks.n_tasks(); ++task) ++first_task_[tasks.job_of(task) + 1];
  std::partial_sum(first_task_.begin(), first_task_.end(), first_task_.begin());
  for (std::size_t machine = 0; machine < tasks.n_machines(); ++machine) {
    const auto capacity = tasks.machines.capacity_of(machine);
    for (std::size_t r = 0; r < capacity.size(); ++r) {
      largest_capacity_[r] = std::max(largest_capacity_[r], static_cast<double>(capacity[r]));
    }
  }
}

void TaskTetrisScores::arrive(std::size_t job) {
  place_[job] = active_.size();
  active_.push_back(job);
  n_unfinished_[job] = first_task_[job + 1] - first_task_[job];
  n_tasks_ += n_unfinished_[job];
  for (std::size_t task = first_task_[job]; task < first_task_[job + 1]; ++task) {
    stop(task, static_cast<Time>(std::ranges::min(times_of(tasks_, task))));
    const auto demand = tasks_.demand_of(task);
    for (std::size_t r = 0; r < demand.size(); ++r) total_demand_[r] += demand[r];
  }
}

void TaskTetrisScores::complete(std::size_t task) {
  stop(task, 0);
  const auto demand = tasks_.demand_of(task);
  for (std::size_t r = 0; r < demand.size(); ++r) total_demand_[r] -= demand[r];
  --n_tasks_;
  const std::size_t job = tasks_.job_of(task);
  if (--n_unfinished_[job] > 0) return;
  const std::size_t last = active_.back();
  active_[place_[job]] = last;
  place_[last] = place_[job];
  active_.pop_back();
}

void TaskTetrisScores::set(std::size_t task, Time base, bool runs) {
  const UInt128 longer = in_units(base) - in_units(base_[task]);
  const UInt128 faster = static_cast<UInt128>(runs ? 1 : 0) - static_cast<UInt128>(runs_[task]);
  base_[task] = base;
  runs_[task] = runs ? 1 : 0;
  const auto demand = tasks_.demand_of(task);
  FallingVolume* volume = &volume_[tasks_.job_of(task) * demand.size()];
  for (std::size_t r = 0; r < demand.size(); ++r) {
    volume[r].constant += static_cast<UInt128>(demand[r]) * longer;
    volume[r].decrease += static_cast<UInt128>(demand[r]) * faster;
  }
}

double TaskTetrisScores::sum_volumes(Time now) {
  const std::size_t n_resources = tasks_.n_resources();
  const UInt128 now_in_units = in_units(now);
  std::vector<UInt128> total(n_resources, 0);
  for (const std::size_t job : active_) {
    double volume = 0;
    for (std::size_t r = 0; r < n_resources; ++r) {
      const FallingVolume& falling = volume_[job * n_resources + r];
      const UInt128 sum = falling.constant - falling.decrease * now_in_units;
      total[r] += sum;
      if (largest_capacity_[r] > 0) volume += static_cast<double>(sum) / units_ / largest_capacity_[r];
    }
    second_term_[job] = volume;
  }
  double mean = 0;
  for (std::size_t r = 0; r < n_resources; ++r) {
    const double divisor = largest_capacity_[r] * static_cast<double>(active_.size());
    if (largest_capacity_[r] > 0) mean += static_cast<double>(total[r]) / units_ / divisor;
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
    for (const std::size_t job : active_) second_term_[job] = factor / second_term_[job];
  } else {
    for (const std::size_t job : active_) second_term_[job] = 1 / (scoring_.e * second_term_[job]);
  }
}

double TaskTetrisScores::alignment(std::size_t task, std::size_t machine) const {
  const auto demand = tasks_.demand_of(task);
  const auto capacity = tasks_.machines.capacity_of(machine);
  double sum = 0;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] > 0) sum += static_cast<double>(demand[r]) / static_cast<double>(capacity[r]);
  }
  return sum;
}

}  // namespace schedcore
