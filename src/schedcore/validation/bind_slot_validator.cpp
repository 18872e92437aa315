// The exact validator of slotted schedules: arrays in, the first violation out.
#include <optional>

#include "bindings.hpp"
#include "model/slot_task_arrays.hpp"
#include "schedcore/validation/slot_validator.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

const char* slot_violation_name(SlotViolationKind kind) {
  switch (kind) {
    case SlotViolationKind::time_not_integer:
      return "time_not_integer";
    case SlotViolationKind::unknown_job:
      return "unknown_job";
    case SlotViolationKind::unknown_task:
      return "unknown_task";
    case SlotViolationKind::unknown_machine:
      return "unknown_machine";
    case SlotViolationKind::no_progress:
      return "no_progress";
    case SlotViolationKind::no_cores:
      return "no_cores";
    case SlotViolationKind::start_before_release:
      return "start_before_release";
    case SlotViolationKind::reduce_before_map:
      return "reduce_before_map";
    case SlotViolationKind::piece_overlaps:
      return "piece_overlaps";
    case SlotViolationKind::demand_exceeded:
      return "demand_exceeded";
    case SlotViolationKind::capacity_exceeded:
      return "capacity_exceeded";
    case SlotViolationKind::work_exceeded:
      return "work_exceeded";
    case SlotViolationKind::work_missing:
      return "work_missing";
  }
  return "";
}

py::object find_slot_violation(const SlotTasks& tasks, const Int64Array& job, const Int64Array& task,
                               const Int64Array& machine, const Float64Array& start, const Float64Array& end,
                               const Int64Array& cores, bool complete) {
  const SlotPiecesView pieces = slot_pieces_view(job, task, machine, start, end, cores);
  std::optional<SlotViolation> found;
  {
    const py::gil_scoped_release unlocked;  // the sweep reads plain arrays
    found = find_first_slot_violation(tasks.view(), tasks.machines(), pieces, complete);
  }
  if (!found) return py::none();
  return py::make_tuple(slot_violation_name(found->kind), found->job, found->task, found->machine, found->instant,
                        found->resource, found->excess);
}

}  // namespace

void bind_slot_validator(py::module_& module) {
  module.def("find_first_slot_violation", &find_slot_violation,
             "The first violation of a slotted schedule as (kind, job, task, machine, instant, resource, excess), or "
             "None.",
             py::arg("tasks"), py::arg("job"), py::arg("task"), py::arg("machine"), py::arg("start"), py::arg("end"),
             py::arg("cores"), py::arg("complete"));
}

}  // namespace schedcore::python
