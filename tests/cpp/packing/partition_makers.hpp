// Small random partition problems, and their optima by trying every assignment.
#pragma once

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "schedcore/packing/uniform_machines.hpp"

namespace schedcore {

struct PartitionProblem {
  std::vector<Amount> sorted_size;
  std::vector<Amount> speed;
};

inline PartitionProblem random_problem(std::mt19937_64& random, std::size_t most_tasks, std::size_t most_machines,
                                       Amount largest_size, Amount largest_speed) {
  PartitionProblem problem;
  problem.sorted_size.resize(random() % (most_tasks + 1));
  problem.speed.resize(1 + random() % most_machines);
  const auto draw = [&](Amount largest) {
    return 1 + static_cast<Amount>(random() % static_cast<std::uint64_t>(largest));
  };
  for (Amount& size : problem.sorted_size) size = draw(largest_size);
  for (Amount& speed : problem.speed) speed = draw(largest_speed);
  std::sort(problem.sorted_size.begin(), problem.sorted_size.end(), std::greater<>());
  return problem;
}

// m^n assignments.
inline CompletionTime brute_force_optimum(const PartitionProblem& problem) {
  const std::size_t n_machines = problem.speed.size();
  std::vector<std::uint32_t> machine(problem.sorted_size.size());
  CompletionTime best = makespan_of(loads_of(problem.sorted_size, machine, n_machines), problem.speed);
  for (;;) {
    std::size_t task = 0;
    while (task < machine.size() && ++machine[task] == n_machines) machine[task++] = 0;
    if (task == machine.size()) return best;
    best = std::min(best, makespan_of(loads_of(problem.sorted_size, machine, n_machines), problem.speed));
  }
}

}  // namespace schedcore
