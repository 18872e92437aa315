// Small colocation instances that own their columns, the worked examples, and the optimum by listing all assignments.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "schedcore/colocation/colocation.hpp"

namespace schedcore {

struct PlainColocation {
  std::vector<Amount> size;
  std::vector<std::int64_t> type;
  std::vector<CostNumerator> alpha;
  CostNumerator alpha_denominator;
  std::size_t n_types;
  std::size_t n_machines;

  [[nodiscard]] ColocationView view() const { return {size, type, alpha, alpha_denominator, n_types, n_machines}; }
};

struct WorkedExample {
  PlainColocation tasks;
  CostNumerator optimum;
};

inline std::vector<WorkedExample> worked_examples() {
  std::vector<std::int64_t> two_kinds(50, 0);
  std::fill(two_kinds.begin() + 25, two_kinds.end(), 1);
  return {
      {{{8, 7, 6, 5, 4, 3}, {0, 1, 0, 1, 0, 0}, {10, 5, 5, 10}, 10, 2, 2}, 135},
      {{{9, 8, 5, 3, 3, 3, 2}, {1, 1, 1, 1, 0, 1, 0}, {10, 15, 15, 10}, 10, 2, 3}, 125},
      {{{200, 100, 1}, {0, 0, 1}, {1, 2, 2, 1}, 1, 2, 2}, 201},
      {{{4, 4, 4, 4, 4}, {0, 1, 1, 0, 2}, {1, 0, 2, 0, 1, 2, 2, 2, 1}, 1, 3, 4}, 4},
      {{std::vector<Amount>(50, 1), two_kinds, {1, 4, 4, 1}, 1, 2, 2}, 25},
      {{{9, 8, 7, 6, 5, 4, 3, 2, 1}, {0, 1, 2, 0, 1, 2, 0, 1, 2}, {10, 4, 15, 8, 10, 12, 18, 11, 10}, 10, 3, 4}, 120},
  };
}

// Small sizes make ties, large ones do not; types may be absent, coefficients 0, the diagonal need not be 1.
inline PlainColocation random_tasks(std::mt19937_64& random, std::size_t most_tasks, std::size_t most_types,
                                    std::size_t most_machines) {
  const auto below = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random() % bound); };
  PlainColocation tasks{{}, {}, {}, 1 + below(12), 0, 0};
  tasks.n_types = 1 + static_cast<std::size_t>(below(most_types));
  tasks.n_machines = 1 + static_cast<std::size_t>(below(most_machines));
  const std::uint64_t largest = below(2) == 0 ? 5 : 60;
  for (std::int64_t task = below(most_tasks + 1); task-- > 0;) {
    tasks.size.push_back(1 + below(largest));
    tasks.type.push_back(below(tasks.n_types));
  }
  const bool unit_diagonal = below(2) == 0;
  for (std::size_t source = 0; source < tasks.n_types; ++source) {
    for (std::size_t destination = 0; destination < tasks.n_types; ++destination) {
      const std::int64_t drawn = below(3) == 0 ? 0 : below(40);
      const std::int64_t own = unit_diagonal ? tasks.alpha_denominator : 1 + drawn;
      tasks.alpha.push_back(source == destination ? own : drawn);
    }
  }
  return tasks;
}

// n_machines ^ n_tasks assignments.
inline CostNumerator best_of_all_assignments(const PlainColocation& tasks) {
  std::vector<std::int64_t> machine(tasks.size.size(), 0);
  CostNumerator best = std::numeric_limits<CostNumerator>::max();
  for (;;) {
    best = std::min(best, colocation_cost(tasks.view(), machine).largest);
    std::size_t task = 0;
    const auto last = static_cast<std::int64_t>(tasks.n_machines) - 1;
    while (task < machine.size() && machine[task] == last) machine[task++] = 0;
    if (task == machine.size()) return best;
    ++machine[task];
  }
}

// The same for more tasks, by a dynamic program over sets of tasks: 3 ^ n_tasks steps for every machine but the first.
inline CostNumerator best_of_all_partitions(const PlainColocation& tasks) {
  const std::size_t n_sets = std::size_t{1} << tasks.size.size();
  std::vector<CostNumerator> alone(n_sets);  // of a set on one machine
  for (std::size_t set = 0; set < n_sets; ++set) {
    PlainColocation part = tasks;
    part.size.clear();
    part.type.clear();
    for (std::size_t task = 0; task < tasks.size.size(); ++task) {
      if (((set >> task) & 1u) == 0) continue;
      part.size.push_back(tasks.size[task]);
      part.type.push_back(tasks.type[task]);
    }
    alone[set] = colocation_cost(part.view(), std::vector<std::int64_t>(part.size.size(), 0)).largest;
  }
  std::vector<CostNumerator> best = alone;
  for (std::size_t machine = 1; machine < tasks.n_machines; ++machine) {
    const std::vector<CostNumerator> fewer = best;
    for (std::size_t set = 0; set < n_sets; ++set) {
      for (std::size_t part = set; part != 0; part = (part - 1) & set) {
        best[set] = std::min(best[set], std::max(alone[part], fewer[set & ~part]));
      }
    }
  }
  return best.back();
}

}  // namespace schedcore
