// Which jobs are there in a slot: arrivals in order, and the rows of those that are active.
//
// Rows hold the active jobs in ascending index; what is known of each row stands in columns beside them, which follow
// every change of the rows.  A change costs O(rows), in a slot that costs that much anyway; arrivals with ascending
// indices are appended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "schedcore/model/slots.hpp"

namespace schedcore {

inline constexpr Slot kNoSlot = std::numeric_limits<Slot>::max();
inline constexpr std::uint32_t kNewRow = 0xffffffffu;

// Jobs by (release time, index), each handed out once.
class SlotArrivals {
 public:
  // `release_time` must outlive this.  O(n), O(n log n) where the times do not ascend.
  explicit SlotArrivals(std::span<const Slot> release_time);

  // The jobs released before `slot` that have not been handed out, ascending by index; valid until the next call.
  std::span<const std::uint32_t> take(Slot slot);

  // Release time of the next job to be handed out; kNoSlot if there is none.  It can run from the slot after it.
  [[nodiscard]] Slot next_release() const;

 private:
  std::span<const Slot> release_time_;
  std::vector<std::uint32_t> order_;
  std::size_t next_ = 0;
};

// The active jobs.  After `add` or `remove`, call `follow` once for every column, before the next change.
class ActiveRows {
 public:
  [[nodiscard]] std::span<const std::uint32_t> jobs() const { return jobs_; }
  [[nodiscard]] std::size_t size() const { return jobs_.size(); }
  [[nodiscard]] bool empty() const { return jobs_.empty(); }

  // Adds jobs, ascending by index and none of them active.
  void add(std::span<const std::uint32_t> jobs);
  // Removes rows, ascending.
  void remove(std::span<const std::uint32_t> rows);

  // After `add`: every row of `column` where it belongs now, value-initialised for new rows.  After `remove`: without
  // the rows removed.
  template <class T>
  void follow(std::vector<T>& column) const {
    if (jobs_.size() >= before_) {
      column.resize(jobs_.size());
      for (std::size_t row = jobs_.size(); row-- > first_changed_;)
        column[row] = origin_[row - first_changed_] == kNewRow ? T{} : column[origin_[row - first_changed_]];
    } else {
      for (std::size_t row = first_changed_; row < jobs_.size(); ++row)
        column[row] = column[origin_[row - first_changed_]];
      column.resize(jobs_.size());
    }
  }

  // Rows that are new since the last `add`, ascending.
  [[nodiscard]] std::span<const std::uint32_t> new_rows() const { return new_rows_; }

  // The same pieces, sorted by row, with the rows of now; pieces of removed rows are dropped.
  void follow(std::vector<CorePiece>& pieces) const;

 private:
  std::vector<std::uint32_t> jobs_;       // ascending
  std::vector<std::uint32_t> new_rows_;
  std::vector<std::uint32_t> origin_;     // of rows first_changed_, ...: the row before the change, or kNewRow
  std::size_t first_changed_ = 0;         // rows below are where they were
  std::size_t before_ = 0;                // rows before the change
};

}  // namespace schedcore
