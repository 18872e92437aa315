// Instances of parallel tasks as lists, for the tests that compare a policy with its literal definition.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "parallel_tasks/parallel_task_maker.hpp"

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

inline ParallelTaskMaker columns_of(const PlainInstance& plain) {
  std::vector<Amount> capacity;
  for (const auto& row : plain.capacity) capacity.insert(capacity.end(), row.begin(), row.end());
  ParallelTaskMaker made(plain.capacity.front().size(), std::move(capacity));
  made.set_remote_penalty(plain.penalty);
  auto task = plain.tasks.begin();
  for (std::size_t j = 0; j < plain.weight.size(); ++j) {
    made.job(plain.weight[j], plain.release_time[j]);
    for (; task != plain.tasks.end() && task->job == j; ++task) {
      made.task(task->demand, {task->time.begin(), task->time.end()}, task->local);
    }
  }
  return made;
}

// Tasks of job 0 are local to machine 0, those of job 1 to machine 1; elsewhere they take twice as long.
inline PlainInstance two_jobs_with_local_machines() {
  return {{1, 1},
          {0, 0},
          {{0, {6}, {{0, 2}, {1, 4}}, {0}},
           {0, {6}, {{0, 3}, {1, 6}}, {0}},
           {0, {5}, {{0, 2}, {1, 4}}, {0}},
           {1, {5}, {{0, 6}, {1, 3}}, {1}},
           {1, {4}, {{0, 4}, {1, 2}}, {1}}},
          {{10}, {10}},
          2};
}

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
