#include "schedcore/preemptive/piece_recorder.hpp"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace schedcore {
namespace {

auto place_of(const SlotPiece& piece) { return std::tie(piece.job, piece.task, piece.machine); }

}  // namespace

void NarrowColumn::push_back(std::int64_t value) {
  if (size_ % kBlock == 0) blocks_.emplace_back().reserve(kBlock);
  blocks_.back().push_back(0);
  ++size_;
  set(size_ - 1, value);
}

void NarrowColumn::set(std::size_t index, std::int64_t value) {
  assert(value >= 0 && index < size_);
  const bool fits = value < static_cast<std::int64_t>(kWide);
  blocks_[index / kBlock][index % kBlock] = fits ? static_cast<std::uint32_t>(value) : kWide;
  if (!fits) wide_[index] = value;
}

std::int64_t NarrowColumn::operator[](std::size_t index) const {
  const std::uint32_t narrow = blocks_[index / kBlock][index % kBlock];
  return narrow == kWide ? wide_.at(index) : narrow;
}

void NarrowColumn::clear() { *this = NarrowColumn{}; }

void PieceRecorder::open(const SlotPiece& piece, Slot start) {
  if (starts_.empty() || starts_.back().second != start) starts_.emplace_back(n_pieces_, start);
  next_.push_back({piece, start, n_pieces_++});
  job_.push_back(piece.job);
  if (with_tasks_) task_.push_back(piece.task);
  machine_.push_back(piece.machine);
  amount_.push_back(piece.cores);
  length_.push_back(0);
}

void PieceRecorder::close(const Open& ended) { length_.set(ended.piece_index, last_slot_ - ended.start); }

void PieceRecorder::finish() {
  for (const Open& last : open_) close(last);
  open_.clear();
}

void PieceRecorder::record(Slot slot, std::span<const SlotPiece> pieces) {
  assert(slot > last_slot_);
  if (slot != last_slot_ + 1) finish();
  next_.clear();
  auto old = open_.begin();
  for (const SlotPiece& piece : pieces) {
    assert(piece.cores > 0 && (next_.empty() || place_of(next_.back().piece) < place_of(piece)));
    while (old != open_.end() && place_of(old->piece) < place_of(piece)) close(*old++);
    if (old != open_.end() && old->piece == piece) {
      next_.push_back(*old++);
    } else {
      open(piece, slot - 1);
    }
  }
  while (old != open_.end()) close(*old++);
  open_.swap(next_);
  last_slot_ = slot;
}

void PieceRecorder::take(NarrowColumn& column, std::span<std::int64_t> values) {
  assert(values.size() == column.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = column[i];
  column.clear();
}

void PieceRecorder::take_job(std::span<std::int64_t> job) { take(job_, job); }
void PieceRecorder::take_machine(std::span<std::int64_t> machine) { take(machine_, machine); }
void PieceRecorder::take_amount(std::span<Amount> amount) { take(amount_, amount); }

void PieceRecorder::take_task(std::span<std::int64_t> task) {
  if (with_tasks_) {
    take(task_, task);
  } else {
    std::ranges::fill(task, -1);
  }
}

void PieceRecorder::take_times(std::span<double> start, std::span<double> end) {
  assert(open_.empty() && start.size() == n_pieces_ && end.size() == n_pieces_);
  std::size_t group = 0;
  for (std::size_t i = 0; i < n_pieces_; ++i) {
    if (group + 1 < starts_.size() && starts_[group + 1].first == i) ++group;
    const Slot begin = starts_[group].second;
    start[i] = static_cast<double>(begin);
    end[i] = static_cast<double>(begin + length_[i]);
  }
  length_.clear();
}

}  // namespace schedcore
