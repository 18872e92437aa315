// The integer form in which every knapsack kernel sees its items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedcore/exact/wide.hpp"

namespace schedcore {

// weight > 0, their sum below 2^121; size >= 0.  `Int` is std::int64_t where all sums stay below 2^62, otherwise Int128
// where they stay below 2^121, otherwise Int256.
template <class Int>
struct KnapsackItems {
  std::vector<Int> weight;
  std::vector<Int> size;

  [[nodiscard]] std::size_t count() const { return weight.size(); }
};

// Item indices by decreasing weight / size, compared exactly, ties to the lower index; size 0 is infinitely dense.
// O(n log n).
template <class Int>
[[nodiscard]] std::vector<std::uint32_t> density_order(const KnapsackItems<Int>& items);

// Greedy forms; both return ascending indices.  Items larger than `largest` are left aside.  O(n log n).
//
// The densest items up to the first one that overflows `capacity`: those before it or that one alone, whichever
// weighs more (the former on equal weight).
template <class Int>
[[nodiscard]] std::vector<std::uint32_t> greedy_prefix(const KnapsackItems<Int>& items, Int capacity, Int largest);
// The densest items up to and including the first one that overflows `capacity`.
template <class Int>
[[nodiscard]] std::vector<std::uint32_t> greedy_union(const KnapsackItems<Int>& items, Int capacity);

// The canonical optimum of items with at most two distinct weights; sizes in 1..capacity.  O(n log n) time, no table.
template <class Int>
[[nodiscard]] std::vector<std::uint32_t> solve_two_weights(const KnapsackItems<Int>& items, Int capacity);

}  // namespace schedcore
