// The polynomial-time approximation scheme for the largest cost of colocated tasks, with declared sets of types.
//
// Source: F. Pascual, K. Rzadca, IEEE TPDS 2019, Proposition 3, corrected.  For a target cost C and epsilon = 1/k let
// gamma = T alpha_max (2 + 1/alpha_min) over the T types that occur and g = ceil(k gamma).  Sizes of tasks of at least
// C/g are rounded down to units of C/g^2; shorter tasks are poured into containers of C/g, type by type.  Every machine
// declares a set of types, takes long tasks and containers of those types up to a cost of C, and afterwards one more
// container of each declared type.  If the optimum is at most C this succeeds, and what it gives costs at most
// (1 + 1/k) C.  The published procedure puts a container of every type back on every machine and misses that bound.
//
// All decisions are exact; UnsupportedError where 128 bits cannot hold the units of a machine.  The search for the
// machines' contents remembers what failed, cuts what cannot fit all machines together, and is exponential in
// T g^2: for a dozen long tasks with k of 1 or 2, or a few dozen tasks that are all short.  Deterministic.  Memory: at
// most 96 MiB for states that failed, and 256 MiB for configurations still to be tried.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/colocation/colocation.hpp"

namespace schedcore {

// Configurations and states that a search may look at, over all its decisions, and who watches it.
struct PtasBudget {
  std::uint64_t work_limit = 0;  // 0: no limit
  Monitor* monitor = nullptr;    // polled with (work, work_limit)
  std::uint64_t work = 0;        // done so far
};

struct PtasDecision {
  std::optional<std::vector<std::int64_t>> machine;  // of each task; none: every assignment costs more than the target
  bool complete = true;                              // false: a limit ended the search before an answer
};

// Requires k >= 1 and target >= 0.
[[nodiscard]] PtasDecision ptas_decision(const ColocationView& view, CostNumerator target, std::int64_t k,
                                         PtasBudget& budget);

struct PtasAssignment {
  std::vector<std::int64_t> machine;  // the cheapest assignment seen
  CostNumerator target = 0;           // the smallest that succeeded in the search; at most the optimum where complete
  bool complete = true;               // the cost is at most (1 + 1/k) times the optimum
};

// Binary search for the target between the simple lower bounds and the cost of `start`, any assignment, or of all tasks
// on one machine.  Targets that an assignment seen before meets succeed without a search, as they must.
[[nodiscard]] PtasAssignment ptas_assignment(const ColocationView& view, std::span<const std::int64_t> start,
                                             std::int64_t k, PtasBudget& budget);

}  // namespace schedcore
