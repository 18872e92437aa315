#include "task_tetris_scores.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace schedcore {
namespace {

// a * b as a term of a sum: exact, unless the sum is one of doubles, for which the caller knows that it is.
void add_product(double& sum, double a, double b) { sum += a * b; }
void add_product(DoubleDouble& sum, double a, double b) {
  const auto [value, error] = two_product(a, b);
  sum = sum + DoubleDouble(value, error);
}
double rounded(double sum) { return sum; }
double rounded(DoubleDouble sum) { return sum.hi; }

}  // namespace

TaskTetrisScores::TaskTetrisScores(const ParallelTasksView& tasks, const TaskTetrisScoring& scoring)
    : tasks_(tasks),
      scoring_(scoring),
      first_task_(tasks.n_jobs() + 1, 0),
      largest_capacity_(tasks.n_resources(), 0),
      sums_fit_doubles_(all_sums_fit_doubles()),
      place_(tasks.n_jobs()),
      n_unfinished_(tasks.n_jobs()),
      total_demand_(tasks.n_resources(), 0),
      base_(tasks.n_tasks(), 0),
      slope_(tasks.n_tasks(), 0),
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

bool TaskTetrisScores::all_sums_fit_doubles() const {
  const auto is_whole = [](Time time) { return std::trunc(time) == time; };
  if (!std::ranges::all_of(tasks_.release_time, is_whole)) return false;
  UInt128 sum = 0;
  for (std::size_t task = 0; task < tasks_.n_tasks(); ++task) {
    std::int64_t longest = 0;
    for (std::size_t p = tasks_.first_placement(task); p < tasks_.first_placement(task + 1); ++p) {
      longest = std::max(longest, tasks_.placement_time[p]);
    }
    for (const Amount amount : tasks_.demand_of(task)) {
      sum += multiply_words(static_cast<std::uint64_t>(amount), static_cast<std::uint64_t>(longest));
      if (bit_width(sum) > 53) return false;
    }
  }
  return true;
}

void TaskTetrisScores::arrive(std::size_t job) {
  place_[job] = active_.size();
  active_.push_back(job);
  n_unfinished_[job] = first_task_[job + 1] - first_task_[job];
  n_tasks_ += n_unfinished_[job];
  for (std::size_t task = first_task_[job]; task < first_task_[job + 1]; ++task) {
    const auto times = tasks_.placement_time.subspan(
        tasks_.first_placement(task), tasks_.first_placement(task + 1) - tasks_.first_placement(task));
    stop(task, static_cast<Time>(*std::ranges::min_element(times)));
    const auto demand = tasks_.demand_of(task);
    for (std::size_t r = 0; r < demand.size(); ++r) total_demand_[r] += demand[r];
  }
}

void TaskTetrisScores::complete(std::size_t task) {
  set(task, 0, 0);
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

template <class Sum>
double TaskTetrisScores::sum_volumes(Time now) {
  const std::size_t n_resources = tasks_.n_resources();
  std::vector<Sum> total(n_resources, 0);
  for (const std::size_t job : active_) {
    double volume = 0;
    for (std::size_t r = 0; r < n_resources; ++r) {
      Sum sum = 0;
      for (std::size_t task = first_task_[job]; task < first_task_[job + 1]; ++task) {
        add_product(sum, static_cast<double>(tasks_.demand[task * n_resources + r]), base_[task] - slope_[task] * now);
      }
      total[r] = total[r] + sum;
      if (largest_capacity_[r] > 0) volume += rounded(sum) / largest_capacity_[r];
    }
    second_term_[job] = volume;
  }
  double mean = 0;
  for (std::size_t r = 0; r < n_resources; ++r) {
    const double divisor = largest_capacity_[r] * static_cast<double>(active_.size());
    if (largest_capacity_[r] > 0) mean += rounded(total[r]) / divisor;
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
  const double mean_volume = sums_fit_doubles_ ? sum_volumes<double>(now) : sum_volumes<DoubleDouble>(now);
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
