// Which machines no plan holds, over time: intervals one after the other, from `begin` to `end`, each with its set.
//
// Plans hold whole machines from one edge to another; edges are multiples of the resolution.  Splitting an interval counts as
// an insertion, for ever.  After a plan was put in, the first pair of equal neighbours beside it is merged, one pair only.
//
// hold: O(k) for k intervals, and O(n / 64) for each interval that the plan covers; find: O(log k).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedcore/whole_machines/cycle_columns.hpp"
#include "schedcore/whole_machines/machine_set.hpp"

namespace schedcore {

class PlannedIntervals {
 public:
  // One interval in which `free` are free; begin <= end.
  PlannedIntervals(Seconds begin, Seconds end, MachineSet free);

  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  [[nodiscard]] Seconds begin(std::size_t i) const { return edges_[i]; }
  [[nodiscard]] Seconds end(std::size_t i) const { return edges_[i + 1]; }
  [[nodiscard]] const MachineSet& free(std::size_t i) const { return sets_[slots_[i]]; }
  // The first interval that ends after an instant; size() if none does.
  [[nodiscard]] std::size_t first_after(Seconds instant) const;
  // Whether all of these are free in every interval that reaches into [begin, end).
  [[nodiscard]] bool are_free(const MachineSet& machines, Seconds begin, Seconds end) const;

  // A plan holds these from begin to end, begin < end; what lies behind the last interval is not kept.
  void hold(const MachineSet& machines, Seconds begin, Seconds end);
  // 1 for the first interval, and one for each that was split since.
  [[nodiscard]] std::int64_t n_inserted() const { return n_inserted_; }

 private:
  void split(Seconds edge);

  std::vector<Seconds> edges_;        // interval i is [edges_[i], edges_[i + 1])
  std::vector<std::uint32_t> slots_;  // of the set of interval i
  std::vector<MachineSet> sets_;
  std::vector<std::uint32_t> unused_;  // slots
  std::int64_t n_inserted_ = 1;
};

}  // namespace schedcore
