#include "schedcore/preemptive/slot_packing.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace schedcore {

std::vector<std::uint32_t> packing_order(std::span<const Amount> cores) {
  std::vector<std::uint32_t> order(cores.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return cores[a] > cores[b]; });
  return order;
}

SlotPacking::SlotPacking(std::span<const Amount> capacity)
    : capacity_(capacity.begin(), capacity.end()), order_(packing_order(capacity)), free_(capacity_) {}

void SlotPacking::pack(std::span<const Amount> cores, std::size_t cut, std::span<const CorePiece> previous,
                       std::vector<CorePiece>& pieces) {
  assert(std::reduce(cores.begin(), cores.end(), Amount{0}) <=
         std::reduce(capacity_.begin(), capacity_.end(), Amount{0}));
  free_.assign(capacity_.begin(), capacity_.end());
  unplaced_.assign(cores.begin(), cores.end());
  placed_.clear();
  keep(previous);
  sort_rows(cut);
  group_rows();
  place_whole();
  split(cut);
  sort_pieces(pieces);
}

void SlotPacking::place(std::uint32_t row, std::uint32_t machine, Amount cores) {
  placed_.push_back({row, machine, cores});
  free_[machine] -= cores;
  unplaced_[row] -= cores;
}

void SlotPacking::keep(std::span<const CorePiece> previous) {
  for (std::size_t first = 0, last = 0; first < previous.size(); first = last) {
    const std::uint32_t row = previous[first].row;
    while (last < previous.size() && previous[last].row == row) ++last;
    kept_.assign(previous.begin() + static_cast<std::ptrdiff_t>(first),
                 previous.begin() + static_cast<std::ptrdiff_t>(last));
    std::ranges::sort(kept_, [](const CorePiece& a, const CorePiece& b) {
      return a.cores != b.cores ? a.cores > b.cores : a.machine < b.machine;
    });
    for (const CorePiece& piece : kept_) {
      const Amount cores = std::min({unplaced_[row], piece.cores, free_[piece.machine]});
      if (cores > 0) place(row, piece.machine, cores);
    }
  }
}

void SlotPacking::sort_rows(std::size_t cut) {
  sorted_.clear();
  Amount largest = 0;
  for (std::size_t row = 0; row < unplaced_.size(); ++row) {
    if (unplaced_[row] == 0 || row == cut) continue;
    sorted_.push_back(static_cast<std::uint32_t>(row));
    largest = std::max(largest, unplaced_[row]);
  }
  if (largest > 256 + 4 * static_cast<Amount>(sorted_.size())) {  // counting would cost more than comparing
    std::ranges::sort(sorted_, [&](std::uint32_t a, std::uint32_t b) {
      return unplaced_[a] != unplaced_[b] ? unplaced_[a] > unplaced_[b] : a < b;
    });
    return;
  }
  place_.assign(static_cast<std::size_t>(largest) + 1, 0);
  for (const std::uint32_t row : sorted_) ++place_[static_cast<std::size_t>(unplaced_[row])];
  std::size_t next = 0;
  for (std::size_t amount = place_.size(); amount-- > 0;) next += std::exchange(place_[amount], next);
  sorted_.clear();
  sorted_.resize(next);
  for (std::size_t row = 0; row < unplaced_.size(); ++row) {
    if (unplaced_[row] == 0 || row == cut) continue;
    sorted_[place_[static_cast<std::size_t>(unplaced_[row])]++] = static_cast<std::uint32_t>(row);
  }
}

void SlotPacking::group_rows() {
  groups_.clear();
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    const Amount amount = unplaced_[sorted_[i]];
    if (groups_.empty() || groups_.back().amount != amount) groups_.push_back({amount, i, i});
    ++groups_.back().last;
  }
  next_.resize(groups_.size() + 1);
  std::iota(next_.begin(), next_.end(), std::size_t{0});
}

std::size_t SlotPacking::first_filled(std::size_t group) {
  while (next_[group] != group) group = next_[group] = next_[next_[group]];
  return group;
}

void SlotPacking::place_whole() {
  const auto first_within = [&](std::size_t from, Amount room) {
    const auto found = std::partition_point(groups_.begin() + static_cast<std::ptrdiff_t>(from), groups_.end(),
                                            [room](const Group& group) { return group.amount > room; });
    return first_filled(static_cast<std::size_t>(found - groups_.begin()));
  };
  for (const std::uint32_t machine : order_) {
    if (first_filled(0) == groups_.size()) return;
    std::size_t group = first_within(0, free_[machine]);
    while (group < groups_.size()) {
      auto& [amount, first, last] = groups_[group];
      for (Amount left = free_[machine] / amount; left > 0 && first < last; --left) {
        place(sorted_[first++], machine, amount);
      }
      if (first == last) next_[group] = group + 1;
      group = first_within(group + 1, free_[machine]);
    }
  }
}

void SlotPacking::split(std::size_t cut) {
  std::size_t position = 0;
  for (std::size_t group = first_filled(0); group < groups_.size(); group = first_filled(group + 1)) {
    for (std::size_t i = groups_[group].first; i < groups_[group].last; ++i) split_row(sorted_[i], position);
  }
  if (cut != kNoRow) split_row(static_cast<std::uint32_t>(cut), position);
}

// Machines before `position` in the packing order are full.
void SlotPacking::split_row(std::uint32_t row, std::size_t& position) {
  while (unplaced_[row] > 0) {
    const std::uint32_t machine = order_[position];
    if (free_[machine] > 0) place(row, machine, std::min(unplaced_[row], free_[machine]));
    if (free_[machine] == 0) ++position;
  }
}

void SlotPacking::sort_pieces(std::vector<CorePiece>& pieces) {
  const std::size_t n_rows = unplaced_.size();
  end_.assign(n_rows + 1, 0);
  for (const CorePiece& piece : placed_) ++end_[piece.row + 1];
  std::partial_sum(end_.begin(), end_.end(), end_.begin());
  pieces.resize(placed_.size());
  for (const CorePiece& piece : placed_) pieces[end_[piece.row]++] = piece;
  // A row may have come to the same machine in two steps: one piece.
  std::size_t n_pieces = 0;
  for (std::size_t row = 0, first = 0; row < n_rows; ++row) {
    const std::size_t last = end_[row], start = n_pieces;
    if (last - first > 1) {
      std::sort(pieces.begin() + static_cast<std::ptrdiff_t>(first), pieces.begin() + static_cast<std::ptrdiff_t>(last),
                [](const CorePiece& a, const CorePiece& b) { return a.machine < b.machine; });
    }
    for (; first < last; ++first) {
      if (n_pieces > start && pieces[n_pieces - 1].machine == pieces[first].machine) {
        pieces[n_pieces - 1].cores += pieces[first].cores;
      } else {
        pieces[n_pieces++] = pieces[first];
      }
    }
  }
  pieces.resize(n_pieces);
}

}  // namespace schedcore
