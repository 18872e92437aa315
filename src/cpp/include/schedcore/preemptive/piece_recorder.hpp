// From who runs where in each slot to a schedule of pieces: a job that keeps its allocation is one piece.
//
// A piece [start, end) says that (job, task) has `cores` cores on `machine` in the slots start + 1 .. end.  It stays
// open while the same piece comes again in the next slot; it ends where the piece is missing or has other cores, or
// where a slot is left out.  A piece takes its place when it opens, so the columns come out sorted by
// (start, job, task, machine) without sorting.  O(pieces of this and of the last slot) a slot.
//
// Runs of a million jobs make tens of millions of pieces, so the record is narrow: 16 bytes each (20 with tasks);
// starts are kept once a slot, and the rare lengths and amounts beyond 32 bits beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedcore/model/slots.hpp"

namespace schedcore {

// The cores of one job, or of one of its tasks, on one machine in one slot.  Without tasks `task` is 0.
struct SlotPiece {
  std::uint32_t job;
  std::uint32_t task;
  std::uint32_t machine;
  Amount cores;
  friend bool operator==(const SlotPiece&, const SlotPiece&) = default;
};

// A column of numbers from 0 that are nearly always below 2^32 - 1.  Grows in blocks, so that it is never moved.
class NarrowColumn {
 public:
  void push_back(std::int64_t value);
  void set(std::size_t index, std::int64_t value);
  [[nodiscard]] std::int64_t operator[](std::size_t index) const;
  [[nodiscard]] std::size_t size() const { return size_; }
  // Gives the memory back.
  void clear();

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;
  static constexpr std::uint32_t kWide = 0xffffffffu;  // look the number up in wide_
  std::vector<std::vector<std::uint32_t>> blocks_;
  std::unordered_map<std::size_t, std::int64_t> wide_;
  std::size_t size_ = 0;
};

class PieceRecorder {
 public:
  explicit PieceRecorder(bool with_tasks = false) : with_tasks_(with_tasks) {}

  // The pieces of `slot`, ascending by (job, task, machine), no cores of 0.  Slots come in ascending order; those left
  // out are idle.
  void record(Slot slot, std::span<const SlotPiece> pieces);

  // What ran in the last recorded slot keeps running for `n_slots` more.  O(1).
  void extend(Slot n_slots) { last_slot_ += n_slots; }

  // Ends what is open; after this only the columns are read.
  void finish();

  [[nodiscard]] std::size_t n_pieces() const { return n_pieces_; }

  // The finished columns, one call each, into n_pieces() entries; the memory of a column is given back when it has
  // been taken.  Tasks are -1 where there are none.
  void take_job(std::span<std::int64_t> job);
  void take_task(std::span<std::int64_t> task);
  void take_machine(std::span<std::int64_t> machine);
  void take_amount(std::span<Amount> amount);
  void take_times(std::span<double> start, std::span<double> end);

 private:
  struct Open {
    SlotPiece piece;
    Slot start;
    std::size_t piece_index;
  };
  void open(const SlotPiece& piece, Slot start);
  void close(const Open& ended);
  static void take(NarrowColumn& column, std::span<std::int64_t> values);

  bool with_tasks_;
  std::size_t n_pieces_ = 0;
  Slot last_slot_ = 0;      // the slot that open_ describes
  std::vector<Open> open_;  // ascending by (job, task, machine)
  std::vector<Open> next_;
  NarrowColumn job_, task_, machine_, amount_, length_;
  std::vector<std::pair<std::size_t, Slot>> starts_;  // (first piece, start), ascending in both
};

}  // namespace schedcore
