// Making an assignment of typed tasks cheaper by moves and exchanges between machines.
//
// Two searches take turns.  *Levelling* looks at the worst machine alone: an exchange with another machine is
// accepted if both then cost less than the worst did, so that the sorted costs fall lexicographically with every
// step.  Whole types are exchanged as well as single tasks: that is what pulls types apart that should not share
// machines.  Where no exchange is left, a *walk to a target* sets a cost below the best one and makes random
// exchanges that do not add to what two machines exceed it by; machines below the target exchange freely, which is
// how room comes together.  The target starts half-way to what is known to be impossible to beat, and moves up to the
// best cost while walks fail; then the assignment is shaken a little.
//
// Everything is exact, and all random numbers come from a seed: the result depends on the arguments alone, not on the
// machine or the clock.  The result never costs more than the start.
//
// When not to use it: for a dozen tasks branch and bound is exact (colocation_exact.hpp).  Which types share machines
// is changed one pair of machines at a time, so that a start with the right types together (targeted_placement.hpp)
// ends lower, and much sooner, than one with the wrong ones.
#pragma once

#include <cstdint>
#include <span>

#include "schedcore/base/monitor.hpp"
#include "schedcore/colocation/colocation.hpp"

namespace schedcore {

struct AssignmentLimits {
  CostNumerator target = 0;      // stop at this cost: nothing below is possible, or wanted
  std::uint64_t work_limit = 0;  // exchanges to evaluate at most
  std::uint64_t seed = 0;
};

enum class AssignmentEnd {
  target,      // the cost is at most the target
  stuck,       // a hundred walks in a row failed, or there is nothing to exchange
  work_limit,  // as many exchanges were evaluated as allowed
};

struct AssignmentOutcome {
  CostNumerator cost = 0;  // of the worst machine
  std::uint64_t moves = 0;  // exchanges carried out, those of failed walks included
  std::uint64_t work = 0;   // exchanges evaluated
  AssignmentEnd end = AssignmentEnd::stuck;
};

// Improve `machine`, where machine[j] < n_machines is the machine of task j, in place.
//
// O(n log n + n_machines * n_types) to begin, then O(n_types) an evaluated exchange, and O(n log n) whenever a walk
// that failed is taken back (no more often than once in 32 n evaluations).  Polls `monitor`, which may be null.
[[nodiscard]] AssignmentOutcome improve_assignment(const ColocationView& view, std::span<std::int64_t> machine,
                                                    const AssignmentLimits& limits, Monitor* monitor);

}  // namespace schedcore
