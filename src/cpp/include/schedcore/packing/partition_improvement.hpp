// Spreading tasks over machines as evenly as a given amount of work allows, with a proof where there is one.
//
// Starts from any assignment (LPT, MULTIFIT) and aims at capacities: first those of the proven lower bound.  On
// machines of equal speed bin completion looks there for a packing, or raises the bound by proving that there is none;
// otherwise, and with unequal speeds, pair exchange walks towards the capacities.  Where it does not arrive, the aim
// moves, halfway each time, from the bound to the best makespan found.  Deterministic; never worse than the start.
//
// Sizes are non-negative, in decreasing order, with a sum below 2^62; speeds positive, below 2^62.
#pragma once

#include <cstdint>
#include <span>

#include "schedcore/base/monitor.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/packing/uniform_machines.hpp"

namespace schedcore {

struct ImprovementLimits {
  std::uint64_t work_limit = 0;  // in steps of about 30 nanoseconds; 0 computes the bound alone
  double gap = 0;                // content with a makespan within 1 + gap times the bound; >= 0
  Monitor* monitor = nullptr;
};

struct ImprovedPartition {
  CompletionTime makespan;
  CompletionTime lower_bound;
  std::uint64_t work = 0;  // at most about one step of a search beyond the limit
};

// Improves `machine`, the machine of each task, in place.
[[nodiscard]] ImprovedPartition improve_partition(std::span<const Amount> sorted_size, std::span<const Amount> speed,
                                                  std::span<std::uint32_t> machine, const ImprovementLimits& limits);

}  // namespace schedcore
