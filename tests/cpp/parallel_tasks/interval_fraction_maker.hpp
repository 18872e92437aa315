// Fractions of tasks for tests, drawn without a linear program.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "schedcore/model/parallel_tasks.hpp"
#include "schedcore/parallel_tasks/capped_fractions.hpp"

namespace schedcore {

// Every task cut into up to `most` parts on random machines and intervals; with few distinct amounts, so that fractions
// complete together.
inline std::vector<IntervalFraction> random_fractions(std::mt19937_64& random, const ParallelTasksView& tasks,
                                                      std::size_t n_intervals, std::size_t most) {
  std::vector<IntervalFraction> fractions;
  for (std::size_t task = 0; task < tasks.n_tasks(); ++task) {
    const std::size_t first = tasks.first_placement(task);
    const std::size_t n_placements = tasks.first_placement(task + 1) - first;
    const std::size_t begin = fractions.size();
    std::int64_t left = kWholeTask;
    for (std::size_t part = random() % most + 1; left > 0; part = part > 0 ? part - 1 : 0) {
      const std::int64_t eighths = static_cast<std::int64_t>(random() % 4) + 1;
      const std::int64_t units = part == 0 ? left : std::min(left, eighths * (kWholeTask / 8));
      const std::size_t machine = tasks.machine_of(first + random() % n_placements);
      const std::size_t interval = random() % n_intervals;
      left -= units;
      const auto same = std::find_if(fractions.begin() + static_cast<std::ptrdiff_t>(begin), fractions.end(),
                                     [&](const auto& f) { return f.machine == machine && f.interval == interval; });
      if (same != fractions.end()) {
        same->units += units;
      } else {
        fractions.push_back({task, machine, interval, units});
      }
    }
  }
  std::shuffle(fractions.begin(), fractions.end(), random);
  return fractions;
}

}  // namespace schedcore
