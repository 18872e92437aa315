// List scheduling on identical parallel machines (P || Cmax): the longest task first, and first fit into bins.
//
// What the families that spread tasks over machines build on: they sort once with `decreasing_order`, gather the sizes
// in that order, and read machine[i] as the machine of the i-th task of the order.  Sizes are non-negative, all sums
// exact: 64 bits where they suffice, 128 where the total does not fit.
//
// Requires n_machines >= 1, fewer than 2^32 tasks and machines, spans of equal length; zero tasks and zero sizes are
// allowed.  For machines of unequal speeds see uniform_machines.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/base/types.hpp"

namespace schedcore {

// Indices of the tasks, the largest first, equal sizes by index.  O(n): a radix sort of the digits in which sizes
// differ, 8 bytes an entry where size and index fit one word together and 16 otherwise; O(n log n) for few tasks.
[[nodiscard]] std::vector<std::uint32_t> decreasing_order(std::span<const Amount> size);

// LPT: each task goes to the machine of least load, ties to the lowest machine [R. L. Graham, "Bounds on
// multiprocessing timing anomalies", 1969].  The makespan is at most 4/3 - 1/(3 n_machines) times the optimum.
//
// O(n log m + m).
void longest_first(std::span<const Amount> sorted_size, std::size_t n_machines, std::span<std::uint32_t> machine);

// MULTIFIT: the smallest capacity that a binary search finds for which first fit decreasing needs no more than
// n_machines bins [E. G. Coffman, M. R. Garey, D. S. Johnson, 1978].  The makespan is at most ceil(13/11 * optimum).
//
// With W the total and p the largest size, the search runs over the integers from max(ceil(W/m), p) to
// max(ceil(2W/m), p), where first fit always succeeds; a success at the middle makes it the upper end.  First fit is
// not monotone in the capacity, so the answer is the last packing found by exactly this search.
// O(log W) packings of O(n + m + b log m) each, where b counts how often a run of equal sizes changes its bin (b <= n).
// Polls `monitor`, which may be null, before every packing.
void multifit(std::span<const Amount> sorted_size, std::size_t n_machines, std::span<std::uint32_t> machine,
              Monitor* monitor = nullptr);

}  // namespace schedcore
