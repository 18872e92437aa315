// An order in which points that are near each other stand together: every run of 64 of them covers a small box.
//
// Halves are taken at the median of one coordinate, the one whose spread is greatest among them as a share of its
// spread among all, down to runs of 64; the first coordinate divides the first levels, into eight.  Ties go to the
// smaller item, and a run stands in order of its items, so the order is the same on every platform.
//
// O(n (D + log n)) for each of log(n / 64) levels.  Nothing keeps the order when points come or go; see
// WaitingIndex::regroup.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace schedcore {

// `coordinate(item, k)` for k in [0, n_coordinates) is a finite number.
template <class Coordinate>
class NearbyOrder {
 public:
  NearbyOrder(std::size_t n_coordinates, const Coordinate& coordinate)
      : coordinate_(coordinate), spread_of_all_(n_coordinates, 0) {}

  void arrange(std::span<std::uint32_t> items) {
    for (std::size_t k = 0; k < spread_of_all_.size(); ++k) spread_of_all_[k] = spread(items, k);
    halve(items, 0);
  }

 private:
  static constexpr std::size_t kRun = 64;
  static constexpr std::size_t kFirstLevels = 3;  // that the first coordinate divides

  [[nodiscard]] double spread(std::span<const std::uint32_t> items, std::size_t k) const {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -least;
    for (const std::uint32_t item : items) {
      least = std::min(least, coordinate_(item, k));
      greatest = std::max(greatest, coordinate_(item, k));
    }
    return items.empty() ? 0 : greatest - least;
  }

  [[nodiscard]] std::size_t widest(std::span<const std::uint32_t> items) const {
    std::size_t widest = 0;
    double greatest = -1;
    for (std::size_t k = 1; k < spread_of_all_.size(); ++k) {
      const double share = spread_of_all_[k] > 0 ? spread(items, k) / spread_of_all_[k] : 0;
      if (share > greatest) std::tie(widest, greatest) = std::pair(k, share);
    }
    return widest;
  }

  void halve(std::span<std::uint32_t> items, std::size_t level) {
    if (items.size() <= kRun) {
      std::ranges::sort(items);
      return;
    }
    const std::size_t k = level < kFirstLevels ? 0 : widest(items);
    const std::size_t middle = (items.size() + kRun - 1) / kRun / 2 * kRun;
    std::ranges::nth_element(items, items.begin() + static_cast<std::ptrdiff_t>(middle),
                             [&](std::uint32_t a, std::uint32_t b) {
                               return std::pair(coordinate_(a, k), a) < std::pair(coordinate_(b, k), b);
                             });
    halve(items.first(middle), level + 1);
    halve(items.subspan(middle), level + 1);
  }

  const Coordinate& coordinate_;
  std::vector<double> spread_of_all_;
};

}  // namespace schedcore
