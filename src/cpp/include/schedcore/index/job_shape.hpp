// How a job of several equal tasks spreads over machines: how many tasks, how many of them on one machine, and whether
// others may be there.  A job that says nothing of it is one task on one machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "schedcore/base/types.hpp"

namespace schedcore {

inline constexpr Amount kAnyNumber = std::numeric_limits<Amount>::max();
// No job has more tasks, so that what fits on ten million machines can be counted in 64 bits.
inline constexpr Amount kMostTasks = Amount{1} << 38;

struct JobShape {
  Amount n_tasks = 1;
  Amount spread = kAnyNumber;  // at most so many tasks on one machine
  bool is_exclusive = false;   // no other job on its machines

  [[nodiscard]] bool is_plain() const { return n_tasks == 1 && !is_exclusive; }
  friend bool operator==(const JobShape&, const JobShape&) = default;
};

// Tasks of a job on one machine.
struct TaskPlace {
  std::uint32_t machine = 0;
  Amount n_tasks = 0;
  friend bool operator==(const TaskPlace&, const TaskPlace&) = default;
};

// How many times the demand fits into what is free; kAnyNumber for a demand of nothing.  Where anything is below 0, because
// a job outlives its plan, nothing fits.  O(R) divisions.
[[nodiscard]] inline Amount tasks_that_fit(std::span<const Amount> demand, std::span<const Amount> free) {
  Amount most = kAnyNumber;
  for (std::size_t k = 0; k < demand.size(); ++k) {
    if (free[k] < demand[k]) return 0;
    if (demand[k] == 0) continue;
    if (demand[k] == 1) {
      most = std::min(most, free[k]);
    } else if (free[k] - demand[k] < demand[k]) {
      most = std::min(most, Amount{1});  // a division takes many times as long
    } else {
      most = std::min(most, free[k] / demand[k]);
    }
  }
  return most;
}

}  // namespace schedcore
