// What a slotted schedule works off, and its pieces, as columns at the boundary: read by the validator and the measures;
// schedcore.model has checked their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/arrays.hpp"
#include "schedcore/model/slot_pieces.hpp"

namespace schedcore::python {

// Holds the arrays, so that views into them stay valid.
class SlotTasks {
 public:
  SlotTasks(Int64Array release_time, std::optional<Int64Array> first_task, std::optional<Int64Array> map_tasks,
            Int64Array processing_time, Int64Array demand, std::optional<Int64Array> estimated_demand,
            Int64Array capacity);

  [[nodiscard]] const SlotTasksView& view() const { return view_; }
  [[nodiscard]] const MachinesView& machines() const { return machines_; }

 private:
  Int64Array release_time_;
  std::optional<Int64Array> first_task_, map_tasks_;
  Int64Array processing_time_, demand_;
  std::optional<Int64Array> estimated_demand_;
  Int64Array capacity_;
  MachinesView machines_;
  SlotTasksView view_;
};

// Rows that slotted kernels take: at least one slot and one core, less than 2^53 core-slots.
void check_slot_rows(std::span<const Amount> processing_time, std::span<const Amount> demand, std::size_t n_resources,
                     const char* name);

// Views of columns that must be equally long.
[[nodiscard]] SlotPiecesView slot_pieces_view(const Int64Array& job, const Int64Array& task, const Int64Array& machine,
                                              const Float64Array& start, const Float64Array& end,
                                              const Int64Array& cores);

}  // namespace schedcore::python
