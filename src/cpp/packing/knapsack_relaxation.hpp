// The linear relaxation of a knapsack over items in density order, for any capacity.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "knapsack_items.hpp"

namespace schedcore {

// Takes the densest items whole, up to the break item, and a fraction of that.  O(n log n) once, O(log n) a query.
template <class Int>
class KnapsackRelaxation {
 public:
  explicit KnapsackRelaxation(const KnapsackItems<Int>& items) : items_(items), order_(density_order(items)) {
    weight_before_.reserve(order_.size() + 1);
    size_before_.reserve(order_.size() + 1);
    weight_before_.push_back(0);
    size_before_.push_back(0);
    // Sizes are at most the capacity, so a sum beyond the limit is beyond every capacity; it only must not overflow.
    const Int limit = static_cast<Int>(1) << static_cast<int>(8 * sizeof(Int) - 2);
    for (const std::uint32_t item : order_) {
      weight_before_.push_back(weight_before_.back() + items.weight[item]);
      size_before_.push_back(std::min(size_before_.back() + items.size[item], limit));
    }
  }

  // What the relaxation looks like at one capacity that is below the total size.
  struct Optimum {
    std::size_t position;  // of the break item in order()
    Int weight;            // of the whole items, those before it
    Int size;
    double slope;          // density of the break item
    double fraction;       // weight of the fractional part, rounded

    [[nodiscard]] double above(Int other) const { return static_cast<double>(weight - other) + fraction; }
  };
  [[nodiscard]] Optimum at(Int capacity) const {
    const auto beyond = std::upper_bound(size_before_.begin(), size_before_.end(), capacity);
    const auto position = static_cast<std::size_t>(beyond - size_before_.begin()) - 1;
    const std::uint32_t item = order_[position];
    const double slope = static_cast<double>(items_.weight[item]) / static_cast<double>(items_.size[item]);
    const Int room = capacity - size_before_[position];
    return {position, weight_before_[position], size_before_[position], slope, static_cast<double>(room) * slope};
  }
  // The largest integer weight that the relaxation allows, exactly.
  [[nodiscard]] Int integer_bound(const Optimum& optimum, Int capacity) const {
    const std::uint32_t item = order_[optimum.position];
    const auto weight = static_cast<UInt128>(items_.weight[item]);
    const UInt128 part =
        mul_div_floor(magnitude(capacity - optimum.size), weight, magnitude(items_.size[item]), 1, weight);
    return optimum.weight + static_cast<Int>(static_cast<Int128>(part));
  }

  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  const KnapsackItems<Int>& items_;
  std::vector<std::uint32_t> order_;
  std::vector<Int> weight_before_;  // weight_before_[k]: of the k densest items
  std::vector<Int> size_before_;
};

}  // namespace schedcore
