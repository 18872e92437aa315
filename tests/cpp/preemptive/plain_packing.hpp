// The packing of one slot by its three steps as they are written down: every machine asks every row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "schedcore/model/slots.hpp"
#include "schedcore/preemptive/slot_packing.hpp"

namespace schedcore::testing {

inline std::vector<CorePiece> plain_packing(std::span<const Amount> capacity, std::span<const Amount> cores,
                                            std::size_t cut, std::span<const CorePiece> previous) {
  const std::vector<std::uint32_t> order = packing_order(capacity);
  std::vector<Amount> free(capacity.begin(), capacity.end()), left(cores.begin(), cores.end());
  std::vector<Amount> given(cores.size() * capacity.size(), 0);
  const auto place = [&](std::size_t row, std::size_t machine, Amount amount) {
    given[row * capacity.size() + machine] += amount;
    left[row] -= amount;
    free[machine] -= amount;
  };
  std::vector<CorePiece> before(previous.begin(), previous.end());
  std::ranges::stable_sort(before, [](const CorePiece& a, const CorePiece& b) {
    return a.row != b.row ? a.row < b.row : a.cores > b.cores;
  });
  for (const auto& [row, machine, amount] : before) place(row, machine, std::min({left[row], amount, free[machine]}));

  std::vector<std::size_t> rows(cores.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto larger = [&](std::size_t a, std::size_t b) { return left[a] > left[b]; };
  std::ranges::stable_sort(rows, larger);
  for (const std::uint32_t machine : order) {
    for (const std::size_t row : rows) {
      if (row != cut && left[row] > 0 && left[row] <= free[machine]) place(row, machine, left[row]);
    }
  }
  std::ranges::sort(rows);
  std::ranges::stable_sort(rows, larger);
  std::stable_partition(rows.begin(), rows.end(), [cut](std::size_t row) { return row != cut; });
  for (const std::size_t row : rows) {
    for (const std::uint32_t machine : order) place(row, machine, std::min(left[row], free[machine]));
  }

  std::vector<CorePiece> pieces;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == 0) continue;
    pieces.push_back({static_cast<std::uint32_t>(i / capacity.size()), static_cast<std::uint32_t>(i % capacity.size()),
                      given[i]});
  }
  return pieces;
}

}  // namespace schedcore::testing
