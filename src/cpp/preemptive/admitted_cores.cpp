#include "schedcore/preemptive/admitted_cores.hpp"

#include <algorithm>
#include <numeric>

#include "schedcore/preemptive/slot_packing.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kNoPair = static_cast<std::size_t>(-1);

}  // namespace

AdmittedCores::AdmittedCores(std::span<const Amount> capacity)
    : order_(packing_order(capacity)), position_of_(capacity.size()) {
  for (std::size_t position = 0; position < order_.size(); ++position) {
    capacity_.push_back(capacity[order_[position]]);
    position_of_[order_[position]] = static_cast<std::uint32_t>(position);
  }
}

void AdmittedCores::assign(const MemoryRows& rows, std::vector<CorePiece>& admitted) {
  free_.assign(capacity_.begin(), capacity_.end());
  idle_ = std::reduce(free_.begin(), free_.end(), Amount{0});
  find_pairs(rows, admitted);
  find_movable(rows.n_rows());
  for (const std::uint32_t row : rows.order) {
    Amount need = rows.limit[row];
    const auto pairs = std::span(pairs_).subspan(row_end_[row], row_end_[row + 1] - row_end_[row]);
    for (Pair& pair : pairs) need -= give(pair, std::min(need, pair.placed));
    for (Pair& pair : pairs) need -= give(pair, need);
    if (pairs.empty() || movable_.empty()) continue;
    for (Amount gained = 1; need > 0 && idle_ > 0 && gained > 0; need -= gained) gained = augment(row, need);
  }
  admitted.clear();
  for (const Pair& pair : pairs_) {
    if (pair.cores > 0) admitted.push_back({pair.row, order_[pair.position], pair.cores});
  }
  std::ranges::sort(admitted, [](const CorePiece& a, const CorePiece& b) {
    return a.row != b.row ? a.row < b.row : a.machine < b.machine;
  });
}

// As many of these cores as are free on the machine.
Amount AdmittedCores::give(Pair& pair, Amount cores) {
  cores = std::min(cores, free_[pair.position]);
  pair.cores += cores;
  free_[pair.position] -= cores;
  idle_ -= cores;
  return cores;
}

void AdmittedCores::find_pairs(const MemoryRows& rows, std::span<const CorePiece> admitted) {
  pairs_.clear();
  row_end_.assign(rows.n_rows() + 1, 0);
  for (const CorePiece& piece : admitted) {
    pairs_.push_back({piece.row, position_of_[piece.machine], piece.cores, 0});
    ++row_end_[piece.row + 1];
  }
  std::partial_sum(row_end_.begin(), row_end_.end(), row_end_.begin());
  std::ranges::sort(pairs_, [](const Pair& a, const Pair& b) {
    return a.row != b.row ? a.row < b.row : a.position < b.position;
  });
}

void AdmittedCores::find_movable(std::size_t n_rows) {
  movable_.clear();
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (row_end_[row + 1] - row_end_[row] < 2) continue;
    for (std::size_t pair = row_end_[row]; pair < row_end_[row + 1]; ++pair) movable_.push_back(pair);
  }
  std::ranges::sort(movable_, [&](std::size_t a, std::size_t b) {
    return pairs_[a].position != pairs_[b].position ? pairs_[a].position < pairs_[b].position : a < b;
  });
  movable_end_.assign(capacity_.size() + 1, 0);
  for (const std::size_t pair : movable_) ++movable_end_[pairs_[pair].position + 1];
  std::partial_sum(movable_end_.begin(), movable_end_.end(), movable_end_.begin());
}

// Gives the row at most `need` cores along a shortest path; returns how many.
Amount AdmittedCores::augment(std::uint32_t row, Amount need) {
  const std::size_t end = search(row);
  if (end == kNoMachine) return 0;
  Amount cores = std::min(need, free_[end]);
  for (std::size_t position = end; step_[position].loses != kNoPair;) {
    const Pair& loses = pairs_[step_[position].loses];
    cores = std::min(cores, loses.cores);
    position = loses.position;
  }
  free_[end] -= cores;
  idle_ -= cores;
  for (std::size_t position = end;;) {
    const auto [loses, gains] = step_[position];
    pairs_[gains].cores += cores;
    if (loses == kNoPair) return cores;
    pairs_[loses].cores -= cores;
    position = pairs_[loses].position;
  }
}

// The nearest position with a free core that cores can be moved to in order to make room for the row, or kNoMachine.
std::size_t AdmittedCores::search(std::uint32_t row) {
  is_reached_.assign(capacity_.size(), 0);
  step_.resize(capacity_.size());
  queue_.clear();
  const auto reach = [&](std::size_t loses, std::size_t gains) {
    const std::uint32_t position = pairs_[gains].position;
    if (is_reached_[position] != 0) return;
    is_reached_[position] = 1;
    step_[position] = {loses, gains};
    queue_.push_back(position);
  };
  for (std::size_t pair = row_end_[row]; pair < row_end_[row + 1]; ++pair) reach(kNoPair, pair);
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const std::uint32_t position = queue_[next];
    if (free_[position] > 0) return position;
    for (std::size_t i = movable_end_[position]; i < movable_end_[position + 1]; ++i) {
      const Pair& loses = pairs_[movable_[i]];
      if (loses.cores == 0) continue;
      for (std::size_t pair = row_end_[loses.row]; pair < row_end_[loses.row + 1]; ++pair) reach(movable_[i], pair);
    }
  }
  return kNoMachine;
}

}  // namespace schedcore
