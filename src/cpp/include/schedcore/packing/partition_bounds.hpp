// Proven lower bounds on the makespan of tasks spread over machines, none of them from a solver.
//
// Sizes are positive and in decreasing order, with a sum below 2^62; at least one machine.
#pragma once

#include <cstddef>
#include <span>

#include "schedcore/base/types.hpp"
#include "schedcore/packing/uniform_machines.hpp"

namespace schedcore {

// P || Cmax, a whole number; no larger than `makespan`, which must be that of some schedule.  The largest of
//
// * ceil(total / m) and the longest task;
// * for the l longest tasks and any number k <= m of machines: some k machines hold at least
//   q = k floor(l/m) + min(k, l mod m) of them, so ceil(sum of the q smallest of the l / k)
//   [M. Haouari, A. Gharbi, M. Jemmali, 2006]; k = 1 is the pigeonhole bound p_m + p_{m+1};
// * C + 1 for a capacity C, found by bisection, whose bin packing bound L2 [S. Martello, P. Toth, 1990] exceeds m.
//
// O(n m) while n m <= kMostPairs, beyond which k is 1 or m; and O(n log n) for each of at most 64 capacities.
inline constexpr std::size_t kMostPairs = std::size_t{1} << 24;
[[nodiscard]] Amount identical_makespan_bound(std::span<const Amount> sorted_size, std::size_t n_machines,
                                              Amount makespan);

// Whether L2 proves that the tasks do not fit into n_machines bins of this capacity; O(n).
[[nodiscard]] bool exceeds_bins(std::span<const Amount> sorted_size, std::size_t n_machines, Amount capacity);

// Q || Cmax: the largest of k longest tasks over the k fastest speeds and all tasks over all speeds (what a preemptive
// schedule needs), the largest quotient of either kind raised to the first instant by which whole loads can add up to
// enough.  O(n + m log m).
[[nodiscard]] CompletionTime uniform_makespan_bound(std::span<const Amount> sorted_size,
                                                    std::span<const Amount> speed);

}  // namespace schedcore
