// The smallest possible largest cost of colocated tasks, by branch and bound.
//
// Tasks are placed in decreasing order, on machines in the order of their cost with the task; of machines that hold the
// same loads only the first is tried.  Costs never decrease when a task is added, so a machine that reaches the cost of
// the best assignment known is not tried.  Beyond that a node is cut where
//   - the largest remaining task of some type fits no machine below that cost,
//   - the remaining tasks of some type do not fit all machines together,
//   - the remaining loads exceed what all machines can take in some direction that weighs several types, or
//   - the same tasks have been placed before with the same loads on all machines that can still take a task.
// Bounds in double are rounded outwards; everything else is exact, so a proven answer is the optimum.
//
// Exponential in the number of tasks: for some 20 tasks on a few machines.  A node costs O(n_machines * n_types), with
// up to six types also O(2^n_types * n_types^2) on the machine that changed.  Deterministic.  Memory: at most 192 MiB
// for the placements seen, and O(n_tasks * n_machines) for what is still to be tried.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/colocation/colocation.hpp"

namespace schedcore {

struct ExactColocationOptions {
  CostNumerator lower_bound = 0;  // proven: an assignment that costs no more is optimal
  std::uint64_t node_limit = 0;   // placements of a task to try; 0: no limit
  Monitor* monitor = nullptr;     // polled with (nodes, node_limit)
};

struct ExactColocation {
  std::vector<std::int64_t> machine;  // of each task; no dearer than the start
  CostNumerator cost = 0;
  std::uint64_t nodes = 0;
  bool proven = false;  // `cost` is the optimum; false where the node limit ended the search
};

// `start` is any assignment.  UnsupportedError where n_tasks * n_machines exceeds 2^22: no search of that size ends.
[[nodiscard]] ExactColocation exact_colocation(const ColocationView& view, std::span<const std::int64_t> start,
                                               const ExactColocationOptions& options);

}  // namespace schedcore
