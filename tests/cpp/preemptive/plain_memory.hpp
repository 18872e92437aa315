// The knapsacks of the memory step as they are written down, and by trying every set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore::testing {

// best[c] for every c, items in order, an item only if it makes the total greater, traced back from the last item.
inline std::vector<std::uint8_t> plain_memory_table(std::span<const double> profit, std::span<const Amount> memory,
                                                    Amount capacity) {
  std::vector<std::vector<double>> best(1, std::vector<double>(static_cast<std::size_t>(capacity) + 1, 0.0));
  for (std::size_t i = 0; i < profit.size(); ++i) {
    best.push_back(best.back());
    const auto size = static_cast<std::size_t>(memory[i]);
    for (std::size_t c = size; c < best[i].size(); ++c) {
      best[i + 1][c] = std::max(best[i][c], best[i][c - size] + profit[i]);
    }
  }
  std::vector<std::uint8_t> taken(profit.size(), 0);
  auto c = static_cast<std::size_t>(capacity);
  for (std::size_t i = profit.size(); i-- > 0;) {
    if (best[i + 1][c] > best[i][c]) {
      taken[i] = 1;
      c -= static_cast<std::size_t>(memory[i]);
    }
  }
  return taken;
}

inline bool fits_together(std::span<const Amount> amount, std::span<const Amount> capacity, std::uint64_t set) {
  for (std::size_t r = 0; r < capacity.size(); ++r) {
    Amount used = 0;
    for (std::size_t i = 0; i * capacity.size() < amount.size(); ++i) {
      if ((set >> i & 1) != 0) used += amount[i * capacity.size() + r];
    }
    if (used > capacity[r]) return false;
  }
  return true;
}

inline double value_of(std::span<const double> profit, std::uint64_t set) {
  double value = 0.0;
  for (std::size_t i = 0; i < profit.size(); ++i) value += (set >> i & 1) != 0 ? profit[i] : 0.0;
  return value;
}

// The greatest profit among all sets that fit.
inline double greatest_profit(std::span<const double> profit, std::span<const Amount> amount,
                              std::span<const Amount> capacity) {
  double best = 0.0;
  for (std::uint64_t set = 0; set < std::uint64_t{1} << profit.size(); ++set) {
    if (fits_together(amount, capacity, set)) best = std::max(best, value_of(profit, set));
  }
  return best;
}

inline std::uint64_t set_of(std::span<const std::uint8_t> taken) {
  std::uint64_t set = 0;
  for (std::size_t i = 0; i < taken.size(); ++i) set |= std::uint64_t{taken[i]} << i;
  return set;
}

}  // namespace schedcore::testing
