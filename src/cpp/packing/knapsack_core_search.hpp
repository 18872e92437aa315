// The canonical knapsack optimum of items with many distinct weights: a dynamic program over undominated states of the
// core, the items that bounds leave undecided.
//
// A region {weight >= floor, size <= ceiling} around the linear relaxation is searched completely; it grows until it
// holds a solution.  By the relaxation's reduced costs most items are the same in every solution of the region.  The
// others are decided in index order; a state (size, weight) is dropped when another one is no larger and no lighter
// (of equal ones the one that leaves the latest item out stays) or when the relaxation of the items still to come
// cannot lift it into the region.  Neither drops a solution that could be the canonical one, so the best state left
// at the end is it.  Each region costs about as much as all before it together, so guessing low costs little.
//
// Costs O(n log n) plus the states kept, summed over the core; exponential in the worst case, and then ended by one of
// the KnapsackLimits.  Memory: 80 bytes (120 and 200 for wider sums) per state at a time and 12 bytes per state for
// every 64 core items.
#pragma once

#include <cstdint>
#include <vector>

#include "knapsack_items.hpp"
#include "schedcore/packing/knapsack.hpp"

namespace schedcore {

// Sizes in 1..capacity, their sum above the capacity.  `n_reported` is the caller's number of items, for messages.
template <class Int>
[[nodiscard]] std::vector<std::uint32_t> solve_by_core_search(const KnapsackItems<Int>& items, Int capacity,
                                                              std::size_t n_reported, const KnapsackOptions& options);

}  // namespace schedcore
