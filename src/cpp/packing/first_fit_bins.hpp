// First fit decreasing into bins: each task goes into the lowest-numbered bin with room for it.
//
// A tournament tree over the free room of the bins finds that bin in O(log n_bins).  Equal sizes stand together, so a
// bin takes as many of them as fit at once: the lowest bin with room stays the lowest until it is full.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

template <class Load>
class FirstFitBins {
 public:
  explicit FirstFitBins(std::size_t n_bins)
      : n_bins_(n_bins), first_leaf_(std::bit_ceil(n_bins)), room_(2 * first_leaf_) {}

  // Whether the tasks fit; then bin[i] is the bin of the i-th.  `sorted_size` is decreasing and non-negative,
  // `capacity_of(b)` is the capacity of bin b.
  template <class CapacityOf>
  [[nodiscard]] bool pack(std::span<const Amount> sorted_size, const CapacityOf& capacity_of,
                          std::span<std::uint32_t> bin) {
    empty_all(capacity_of);
    for (std::size_t i = 0; i < sorted_size.size();) {
      const Load size = sorted_size[i];
      if (room_[1] < size) return false;
      const std::size_t node = lowest_with_room(size);
      do {
        bin[i++] = static_cast<std::uint32_t>(node - first_leaf_);
        room_[node] -= size;
      } while (i < sorted_size.size() && sorted_size[i] == size && !(room_[node] < size));
      pass_up(node);
    }
    return true;
  }

 private:
  template <class CapacityOf>
  void empty_all(const CapacityOf& capacity_of) {
    for (std::size_t b = 0; b < n_bins_; ++b) room_[first_leaf_ + b] = capacity_of(b);
    // No bins: not even zero fits.
    std::fill(room_.begin() + static_cast<std::ptrdiff_t>(first_leaf_ + n_bins_), room_.end(), Load{-1});
    for (std::size_t node = first_leaf_ - 1; node > 0; --node) {
      room_[node] = std::max(room_[2 * node], room_[2 * node + 1]);
    }
  }

  [[nodiscard]] std::size_t lowest_with_room(Load size) const {
    std::size_t node = 1;
    while (node < first_leaf_) node = 2 * node + (room_[2 * node] < size ? 1 : 0);
    return node;
  }

  void pass_up(std::size_t node) {
    for (; node > 1; node /= 2) room_[node / 2] = std::max(room_[node], room_[node ^ 1]);
  }

  std::size_t n_bins_;
  std::size_t first_leaf_;
  std::vector<Load> room_;  // room_[i] = max(room_[2i], room_[2i + 1]); the leaves begin at first_leaf_
};

}  // namespace schedcore
