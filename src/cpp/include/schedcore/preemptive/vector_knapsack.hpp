// 0/1 knapsack with several capacities: a set of items of greatest profit that fits in every resource.
//
// Depth first branch and bound over items by decreasing profit per share of the capacities (the sum over resources of
// amount / capacity), ties in the order given, "take it" first.  The bound is the least of the fractional knapsacks
// over each resource alone and over the sum of shares, among the items that still fit.
//
// The set is optimal up to the rounding of sums of doubles, unless kNodeBudget nodes were not enough; then it is the
// best found, never worth less than the first one, the greedy.  Nodes are counted, not timed: the same set everywhere.
// Cost O(n log n) to sort and O(n * n_resources) a node, at most kNodeBudget nodes.  For one resource the dynamic
// programs of memory_knapsack.hpp and knapsack.hpp are exact and faster.  No allocation once the buffers have grown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

class VectorKnapsack {
 public:
  static constexpr std::uint64_t kNodeBudget = 1u << 14;

  // `amount` is row-major (n_items, n_resources), `capacity` has one entry a resource.  Sets taken[item] to 0 or 1 and
  // returns whether the search was complete.  Requires positive profits and that every item fits alone.
  bool solve(std::span<const double> profit, std::span<const Amount> amount, std::span<const Amount> capacity,
             std::vector<std::uint8_t>& taken);

 private:
  struct Step {
    std::size_t position;  // of an item that is taken
    double value;          // of those taken before it
  };

  void sort_items(std::span<const double> profit, std::span<const Amount> amount, std::span<const Amount> capacity);
  void sort_by_measures();
  void descend(std::size_t position);
  [[nodiscard]] bool fits(std::size_t position) const;
  [[nodiscard]] double bound(std::size_t position);

  // A position is an item's place in the order of the search.  Measures of size: the sum of shares, then each share.
  std::size_t n_items_ = 0, n_resources_ = 0;
  std::vector<std::uint32_t> item_;   // by position
  std::vector<double> profit_;        // by position
  std::vector<Amount> amount_;        // row-major, by position
  std::vector<double> size_;          // row-major (n_measures, n_items), by position
  std::vector<std::uint32_t> order_;  // row-major (n_measures, n_items): positions by decreasing profit / size
  std::vector<Amount> capacity_, free_;
  std::vector<double> density_, room_;
  std::vector<Step> path_, best_path_;
  double value_ = 0.0, best_value_ = 0.0;
};

}  // namespace schedcore
