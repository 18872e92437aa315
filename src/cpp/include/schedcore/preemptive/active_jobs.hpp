// The active jobs of a slotted run, one a row: what is left of each, how many cores it can use, and for how long that
// stays so.
//
// A job with d cores and R core-slots left can use min(d, R) cores in a slot: nobody gets cores for work that is not
// there.  Where decisions believe e cores, they offer min(e, ceil(R e / d)), and of u cores given the job really uses
// min(u, d, R).  All exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/model/slots.hpp"
#include "schedcore/preemptive/slot_calendar.hpp"

namespace schedcore {

// Most cores of use to a job, as decisions believe.  Requires 1 <= remaining.
[[nodiscard]] Amount core_limit(Amount demand, Amount believed, Amount remaining);
// Least remaining volume with which the limit is `limit` or more.  Requires 1 <= limit <= believed.
[[nodiscard]] Amount least_remaining(Amount demand, Amount believed, Amount limit);

class ActiveJobs {
 public:
  // `jobs` must outlive this.
  explicit ActiveJobs(const SlotJobs& jobs) : jobs_(jobs) {}

  // Lets jobs in, ascending by index; rows().new_rows() then says where they are.
  void add(std::span<const std::uint32_t> jobs);
  // Lets the rows go that have completed; ascending.
  void remove(std::span<const std::uint32_t> rows);

  // Where every row is after the last change, for columns that stand beside these.
  [[nodiscard]] const ActiveRows& rows() const { return rows_; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> jobs() const { return rows_.jobs(); }
  [[nodiscard]] std::span<const Amount> remaining() const { return remaining_; }
  [[nodiscard]] std::span<const Amount> demand() const { return demand_; }
  [[nodiscard]] std::span<const Amount> believed() const { return believed_; }
  [[nodiscard]] std::span<const Amount> limit() const { return limit_; }
  // Believed demands for resources 1, 2, ..., row-major.  O(rows) after a change.
  [[nodiscard]] std::span<const Amount> demand_other();

  // Core-slots that each row does in a slot with so many cores.
  void work_of(std::span<const Amount> cores, std::vector<Amount>& work) const;

  // For how many slots after this one, `most` at most, all rows do the same work and have the same limits; of the row
  // `cut` only that its limit stays above its cores.  O(rows).
  [[nodiscard]] Slot steady_slots(std::span<const Amount> cores, std::span<const Amount> work, std::size_t cut,
                                  Slot most) const;

  // Does the work of `n_slots` slots; `completed` becomes the rows with nothing left, ascending.
  void advance(std::span<const Amount> work, Slot n_slots, std::vector<std::uint32_t>& completed);

 private:
  void follow();

  SlotJobs jobs_;
  ActiveRows rows_;
  std::vector<Amount> remaining_;  // above 0
  std::vector<Amount> demand_;
  std::vector<Amount> believed_;
  std::vector<Amount> limit_;  // core_limit of the row
  std::vector<Amount> demand_other_;
  bool rows_changed_ = true;  // since demand_other_ was filled
};

}  // namespace schedcore
