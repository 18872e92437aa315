// Instances of parallel tasks for the tests of the policies, owned and as views.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "schedcore/parallel_tasks.hpp"

namespace schedcore {

struct PlainTask {
  std::size_t job = 0;
  std::vector<Amount> demand;
  std::map<std::size_t, std::int64_t> time;  // on each machine of the placement set
  std::vector<std::size_t> local;            // machines among those
};

struct PlainInstance {
  std::vector<double> weight;
  std::vector<Time> release_time;
  std::vector<PlainTask> tasks;
  std::vector<std::vector<Amount>> capacity;
  double penalty = 1;
};

// The columns of an instance.
class TaskColumns {
 public:
  explicit TaskColumns(const PlainInstance& plain) : weight_(plain.weight), release_time_(plain.release_time) {
    for (const PlainTask& task : plain.tasks) {
      job_.push_back(static_cast<std::int64_t>(task.job));
      demand_.insert(demand_.end(), task.demand.begin(), task.demand.end());
      for (const auto& [machine, time] : task.time) {
        machine_.push_back(static_cast<std::int64_t>(machine));
        time_.push_back(time);
        local_.push_back(std::ranges::count(task.local, machine) > 0);
      }
      start_.push_back(std::ssize(machine_));
    }
    for (const auto& row : plain.capacity) capacity_.insert(capacity_.end(), row.begin(), row.end());
    flags_ = std::make_unique<bool[]>(local_.size());
    std::ranges::copy(local_, flags_.get());
    view_ = {weight_,
             release_time_,
             job_,
             demand_,
             start_,
             machine_,
             time_,
             {flags_.get(), local_.size()},
             {capacity_, plain.capacity.size(), plain.capacity.front().size()},
             plain.penalty};
  }
  TaskColumns(const TaskColumns&) = delete;
  TaskColumns& operator=(const TaskColumns&) = delete;

  [[nodiscard]] const ParallelTasksView& view() const { return view_; }

 private:
  std::vector<double> weight_;
  std::vector<Time> release_time_;
  std::vector<std::int64_t> job_, start_ = {0}, machine_, time_;
  std::vector<Amount> demand_, capacity_;
  std::deque<bool> local_;
  std::unique_ptr<bool[]> flags_;
  ParallelTasksView view_;
};

// A few jobs whose sizes, times and weights tie often; machines differ, and every task fits where it may run.
inline PlainInstance random_instance(std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  PlainInstance plain;
  const std::size_t n_machines = 1 + below(4), n_resources = 1 + below(2), n_jobs = 1 + below(6);
  for (std::size_t i = 0; i < n_machines; ++i) {
    plain.capacity.emplace_back();
    for (std::size_t r = 0; r < n_resources; ++r) plain.capacity.back().push_back(static_cast<Amount>(2 + below(9)));
  }
  plain.penalty = std::vector<double>{1, 1.5, 2, 3}[below(4)];
  const bool has_releases = below(2) == 1;
  const bool one_machine = below(3) == 0;
  for (std::size_t j = 0; j < n_jobs; ++j) {
    plain.weight.push_back(static_cast<double>(1 + below(3)));
    plain.release_time.push_back(has_releases ? static_cast<Time>(below(9)) : 0);
    for (std::size_t k = 0, n = 1 + below(4); k < n; ++k) {
      PlainTask task{j, {}, {}, {}};
      const std::size_t home = below(n_machines);
      for (std::size_t r = 0; r < n_resources; ++r) {
        const auto most = static_cast<std::size_t>(plain.capacity[home][r]);
        task.demand.push_back(static_cast<Amount>(r == 0 ? 1 + below(most) : below(most + 1)));
      }
      for (std::size_t i = 0; i < n_machines; ++i) {
        bool fits = true;
        for (std::size_t r = 0; r < n_resources; ++r) fits = fits && task.demand[r] <= plain.capacity[i][r];
        if (!fits || (i != home && (one_machine || below(2) == 0))) continue;
        task.time[i] = static_cast<std::int64_t>(1 + below(6));
        if (below(2) == 0) task.local.push_back(i);
      }
      plain.tasks.push_back(task);
    }
  }
  return plain;
}

}  // namespace schedcore
