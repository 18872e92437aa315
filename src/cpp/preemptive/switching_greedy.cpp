#include "switching_greedy.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace schedcore {
namespace {

constexpr std::uint32_t kCoresBetweenPolls = 1u << 14;

}  // namespace

void SwitchingGreedy::list_rows(const SwitchingRows& rows, std::span<const CorePiece> previous) {
  if (rows_.size() < rows.size()) rows_.resize(rows.size());
  heap_.clear();
  std::size_t piece = 0;
  for (std::uint32_t index = 0; index < rows.size(); ++index) {
    Row& row = rows_[index];
    const auto demand = static_cast<double>(rows.demand[index]);
    row.base = rows.cost[index] / demand;
    row.square = demand * demand;
    row.alpha = rows.first[index] != 0 ? 0.0 : alpha_;
    row.left = rows.limit[index];
    row.untouched = 0;
    row.touched.clear();
    row.previous = piece;
    for (; piece < previous.size() && previous[piece].row == index; ++piece) {
      const CorePiece& before = previous[piece];
      row.touched.push_back({row.marginal(1, before.cores), before.machine, 0, before.cores});
    }
    row.previous_end = piece;
    std::ranges::make_heap(row.touched, kLater);
    if (row.left == 0) continue;
    const double elsewhere = row.marginal(1, 0);
    heap_.push_back({row.touched.empty() ? elsewhere : std::min(elsewhere, row.touched.front().marginal), index});
  }
  std::ranges::make_heap(heap_, kLater);
}

std::uint32_t SwitchingGreedy::first_with_room(std::uint32_t machine) {
  while (skip_[machine] != machine) {
    skip_[machine] = skip_[skip_[machine]];
    machine = skip_[machine];
  }
  return machine;
}

// The marginal of the row's next core, which `give_core` then places; false if no machine has room.  Cores on machines
// that are full are final: they go to `pieces`.
bool SwitchingGreedy::find_next(std::uint32_t index, std::span<const CorePiece> previous,
                                std::vector<CorePiece>& pieces, double& marginal) {
  Row& row = rows_[index];
  while (!row.touched.empty() && room_[row.touched.front().machine] == 0) {
    std::ranges::pop_heap(row.touched, kLater);
    const Touched& full = row.touched.back();
    if (full.cores > 0) pieces.push_back({index, full.machine, full.cores});
    row.touched.pop_back();
  }
  for (;;) {
    row.untouched = first_with_room(row.untouched);
    while (row.previous < row.previous_end && previous[row.previous].machine < row.untouched) ++row.previous;
    if (row.previous == row.previous_end || previous[row.previous].machine != row.untouched) break;
    ++row.untouched;  // used in the slot before: not one of the untouched
  }
  if (row.untouched < capacity_.size()) {
    const Touched fresh{row.marginal(1, 0), row.untouched, 0, 0};
    if (row.touched.empty() || fresh < row.touched.front()) {
      row.touched.push_back(fresh);
      std::ranges::push_heap(row.touched, kLater);
      ++row.untouched;
    }
  }
  if (row.touched.empty()) return false;
  marginal = row.touched.front().marginal;
  return true;
}

void SwitchingGreedy::give_core(Row& row) {
  std::ranges::pop_heap(row.touched, kLater);
  Touched& chosen = row.touched.back();
  ++chosen.cores;
  chosen.marginal = row.marginal(chosen.cores + 1, chosen.previous);
  --row.left;
  if (--room_[chosen.machine] == 0) skip_[chosen.machine] = chosen.machine + 1;
  std::ranges::push_heap(row.touched, kLater);
}

void SwitchingGreedy::place(const SwitchingRows& rows, std::span<const CorePiece> previous,
                            std::vector<CorePiece>& pieces) {
  pieces.clear();
  room_.assign(capacity_.begin(), capacity_.end());
  skip_.resize(capacity_.size() + 1);
  std::iota(skip_.begin(), skip_.end(), 0u);
  for (std::uint32_t machine = 0; machine < capacity_.size(); ++machine) {
    if (room_[machine] == 0) skip_[machine] = machine + 1;
  }
  list_rows(rows, previous);
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, kLater);
    Next next = heap_.back();
    heap_.pop_back();
    if (!work_conserving_ && next.marginal >= 0) break;
    double marginal = 0;
    while (rows_[next.row].left > 0 && find_next(next.row, previous, pieces, marginal)) {
      next.marginal = marginal;
      const bool comes_later = !heap_.empty() && heap_.front() < next;
      if (comes_later || (!work_conserving_ && marginal >= 0)) {
        heap_.push_back(next);
        std::ranges::push_heap(heap_, kLater);
        break;
      }
      give_core(rows_[next.row]);
      poll(kCoresBetweenPolls);
    }
  }
  for (std::uint32_t index = 0; index < rows.size(); ++index) {
    for (const Touched& touched : rows_[index].touched) {
      if (touched.cores > 0) pieces.push_back({index, touched.machine, touched.cores});
    }
  }
  std::ranges::sort(pieces, {}, [](const CorePiece& piece) { return std::make_tuple(piece.row, piece.machine); });
}

}  // namespace schedcore
