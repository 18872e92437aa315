// 0/1 knapsack: a maximum-weight subset of items whose sizes add up to at most a capacity.
//
// Every method is deterministic down to the set.  `exact` returns the canonical optimum: among all subsets within the
// capacity maximum weight, then minimum size, then the one that leaves the latest items out (indicator vector read
// from the last item to the first, lexicographically smallest).  With n items:
//
//   exact          O(n log n) where everything fits or at most two distinct weights occur; otherwise a dynamic program
//                  over undominated (size, weight) states of the few items that a bound cannot decide.  Good for
//                  thousands of items with unrelated weights; exponential in the worst case, when sizes and
//                  weights are large and closely correlated, and then refused.
//   cadp           constraint-approximate: the canonical optimum for sizes rounded down to multiples of
//                  epsilon * capacity / n [Fan and Liang, ICPP 2024, Lemma 6.1].  Weight >= the optimum at the capacity,
//                  size <= (1 + epsilon) * capacity.  At most n / epsilon states at a time.
//   greedy         densest prefix at twice the capacity; weight >= the optimum at the capacity, size <= 2 * capacity.
//   greedy_union   densest prefix at the capacity and the item that overflows it; same guarantees, smaller size.
//   greedy_prefix  the better of densest prefix and overflowing item, within the capacity; weight >= optimum / 2.
//                  The greedy forms cost O(n log n) and compare densities exactly, ties to the lower index.
//
// Sizes are exact.  Weights and sizes given as doubles count as exact fractions: they are scaled by a power of two to
// integers below 2^120, sums included.  Only where the values span more binary digits than that (ratios beyond 2^60
// or so) are the smallest ones rounded up to a multiple of the unit; a set then still never exceeds the capacity.
//
// `memory_limit` bounds the dynamic program of `exact` and `cadp`, its memory and its work, and UnsupportedError,
// naming n, the bytes, the limit and the alternatives, ends it before it would exceed
//   memory   states and history take at most memory_limit bytes (arrays of O(n) come on top); or
//   work     it reads at most 16 * max(memory_limit, 1 GiB) bytes of states, of 32 bytes each (48 or 80 where sums need
//            more than 62 or 120 bits), every state once for every item decided, where what is still to be read counts
//            as if the states of now were read for an eighth of the items to come.
// Both are counted, not timed: the same call is refused or answered on every machine.  Reading 16 GiB takes about ten
// seconds.  `monitor` is polled every few milliseconds.  A `budget` pays a step for every state that is read, and
// WorkBudgetSpent ends the dynamic program where it does not suffice.
//
// Requires weight > 0, size >= 0, capacity >= 0, equal lengths below 2^32, epsilon strictly between 0 and 1 with a
// denominator up to 2^30, Int128 sizes and n * capacity below 2^120, Int256 sizes and their sum below 2^221.  Items of
// size 0 are always taken, items larger than the capacity never (cadp: only if they still fit after rounding).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/base/work_budget.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {

enum class KnapsackMethod { exact, cadp, greedy, greedy_union, greedy_prefix };

struct Ratio {
  std::int64_t num = 0;
  std::int64_t den = 1;
};

struct KnapsackOptions {
  KnapsackMethod method = KnapsackMethod::exact;
  Ratio epsilon{1, 10};                       // read by cadp alone
  std::uint64_t memory_limit = 1ull << 30;    // bytes
  Monitor* monitor = nullptr;
  WorkBudget* budget = nullptr;               // null: without a limit
};

// The chosen items, ascending.
[[nodiscard]] std::vector<std::uint32_t> solve_knapsack(std::span<const double> weight, std::span<const Int128> size,
                                                        Int128 capacity, const KnapsackOptions& options);
[[nodiscard]] std::vector<std::uint32_t> solve_knapsack(std::span<const double> weight, std::span<const Int256> size,
                                                        Int256 capacity, const KnapsackOptions& options);

// Integer weights are exact up to 2^63 - 1 each.
[[nodiscard]] std::vector<std::uint32_t> solve_knapsack(std::span<const std::int64_t> weight,
                                                        std::span<const std::int64_t> size, std::int64_t capacity,
                                                        const KnapsackOptions& options);

// Sizes that are not integers.  cadp computes its unit K = epsilon * capacity / n and floor(size / K) in double.
[[nodiscard]] std::vector<std::uint32_t> solve_knapsack(std::span<const double> weight, std::span<const double> size,
                                                        double capacity, const KnapsackOptions& options);

}  // namespace schedcore
