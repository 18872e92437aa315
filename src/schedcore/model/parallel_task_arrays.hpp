// The columns of a parallel-task instance at the boundary, wrapped once and handed to every kernel of the family;
// schedcore.model.ParallelTaskInstance has checked their values.
#pragma once

#include <cstdint>
#include <vector>

#include "base/arrays.hpp"
#include "schedcore/model/parallel_tasks.hpp"

namespace schedcore::python {

using BoolArray = pybind11::array_t<bool, pybind11::array::c_style>;

// Holds the arrays, so that views into them stay valid.
class ParallelTaskColumns {
 public:
  ParallelTaskColumns(Float64Array weight, Float64Array release_time, Int64Array task_job, Int64Array demand,
                      Int64Array placement_start, Int64Array placement_machine, Int64Array placement_time,
                      BoolArray placement_local, Int64Array capacity, double remote_penalty);

  [[nodiscard]] const ParallelTasksView& view() const { return view_; }
  // The same for whatever puts tasks on machines: a ValueError if a task does not fit an empty machine of its own.
  // O(n_placements * n_resources).
  [[nodiscard]] const ParallelTasksView& schedulable() const;

 private:
  Float64Array weight_, release_time_;
  Int64Array task_job_, demand_, placement_start_, placement_machine_, placement_time_;
  BoolArray placement_local_;
  Int64Array capacity_;
  ParallelTasksView view_;
};

// Pieces as columns: task, machine (int64), start, end (float64).
[[nodiscard]] pybind11::tuple pieces_tuple(const std::vector<TaskPiece>& pieces);

// The same columns as pieces; tasks and machines must be those of the instance.
[[nodiscard]] std::vector<TaskPiece> pieces_of(const ParallelTasksView& view, const Int64Array& task,
                                               const Int64Array& machine, const Float64Array& start,
                                               const Float64Array& end);

}  // namespace schedcore::python
