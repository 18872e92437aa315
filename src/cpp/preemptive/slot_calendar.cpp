#include "schedcore/preemptive/slot_calendar.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace schedcore {

SlotArrivals::SlotArrivals(std::span<const Slot> release_time)
    : release_time_(release_time), order_(release_time.size()) {
  std::iota(order_.begin(), order_.end(), 0u);
  if (!std::ranges::is_sorted(release_time))
    std::ranges::stable_sort(order_, {}, [&](std::uint32_t job) { return release_time[job]; });
}

std::span<const std::uint32_t> SlotArrivals::take(Slot slot) {
  const std::size_t first = next_;
  while (next_ < order_.size() && release_time_[order_[next_]] < slot) ++next_;
  const std::span<std::uint32_t> taken(order_.data() + first, next_ - first);
  std::ranges::sort(taken);  // several release times may come together after a jump
  return taken;
}

Slot SlotArrivals::next_release() const {
  return next_ < order_.size() ? release_time_[order_[next_]] : kNoSlot;
}

void ActiveRows::add(std::span<const std::uint32_t> jobs) {
  assert(std::ranges::is_sorted(jobs));
  before_ = jobs_.size();
  new_rows_.resize(jobs.size());
  first_changed_ = before_;
  if (!jobs.empty())
    first_changed_ = static_cast<std::size_t>(std::ranges::lower_bound(jobs_, jobs.front()) - jobs_.begin());
  jobs_.resize(before_ + jobs.size());
  origin_.assign(jobs_.size() - first_changed_, kNewRow);
  std::size_t old = before_, fresh = jobs.size();
  for (std::size_t row = jobs_.size(); row-- > first_changed_;) {
    if (old > first_changed_ && (fresh == 0 || jobs_[old - 1] > jobs[fresh - 1])) {
      jobs_[row] = jobs_[--old];
      origin_[row - first_changed_] = static_cast<std::uint32_t>(old);
    } else {
      jobs_[row] = jobs[--fresh];
      new_rows_[fresh] = static_cast<std::uint32_t>(row);
    }
  }
}

void ActiveRows::remove(std::span<const std::uint32_t> rows) {
  assert(std::ranges::is_sorted(rows));
  before_ = jobs_.size();
  new_rows_.clear();
  first_changed_ = rows.empty() ? before_ : rows.front();
  origin_.clear();
  std::size_t gone = 0, to = first_changed_;
  for (std::size_t row = first_changed_; row < before_; ++row) {
    if (gone < rows.size() && rows[gone] == row) {
      ++gone;
    } else {
      origin_.push_back(static_cast<std::uint32_t>(row));
      jobs_[to++] = jobs_[row];
    }
  }
  jobs_.resize(to);
}

void ActiveRows::follow(std::vector<CorePiece>& pieces) const {
  std::size_t kept = 0, row = first_changed_;
  for (const CorePiece& piece : pieces) {
    if (piece.row < first_changed_) {
      pieces[kept++] = piece;
      continue;
    }
    const auto was = [&] { return origin_[row - first_changed_]; };
    while (row < jobs_.size() && (was() == kNewRow || was() < piece.row)) ++row;
    if (row < jobs_.size() && was() == piece.row)
      pieces[kept++] = {static_cast<std::uint32_t>(row), piece.machine, piece.cores};
  }
  pieces.resize(kept);
}

}  // namespace schedcore
