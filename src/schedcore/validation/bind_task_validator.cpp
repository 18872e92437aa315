// The exact validator of parallel-task schedules: arrays in, the first violation out.
#include <optional>
#include <string>

#include "base/choice.hpp"
#include "bindings.hpp"
#include "model/parallel_task_arrays.hpp"
#include "schedcore/validation/task_validator.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

const char* task_violation_name(TaskViolationKind kind) {
  switch (kind) {
    case TaskViolationKind::time_not_finite:
      return "time_not_finite";
    case TaskViolationKind::unknown_job:
      return "unknown_job";
    case TaskViolationKind::unknown_task:
      return "unknown_task";
    case TaskViolationKind::unknown_machine:
      return "unknown_machine";
    case TaskViolationKind::machine_not_allowed:
      return "machine_not_allowed";
    case TaskViolationKind::no_progress:
      return "no_progress";
    case TaskViolationKind::start_before_release:
      return "start_before_release";
    case TaskViolationKind::task_overlaps_itself:
      return "task_overlaps_itself";
    case TaskViolationKind::task_migrated:
      return "task_migrated";
    case TaskViolationKind::task_interrupted:
      return "task_interrupted";
    case TaskViolationKind::capacity_exceeded:
      return "capacity_exceeded";
    case TaskViolationKind::task_missing:
      return "task_missing";
    case TaskViolationKind::wrong_processing:
      return "wrong_processing";
  }
  return "";
}

py::object find_task_violation(const ParallelTaskColumns& tasks, const Int64Array& job, const Int64Array& task,
                               const Int64Array& machine, const Float64Array& start, const Float64Array& end,
                               const std::string& kind) {
  const auto n_pieces = job.size();
  check_shape(task.size() == n_pieces && machine.size() == n_pieces && start.size() == n_pieces &&
                  end.size() == n_pieces,
              "job, task, machine, start and end must be equally long");
  const auto schedule_kind = choice<TaskScheduleKind>(kind, {{"migrate", TaskScheduleKind::migrate},
                                                             {"preempt", TaskScheduleKind::preempt},
                                                             {"nonpreempt", TaskScheduleKind::nonpreempt}});
  const TaskPiecesView pieces{span_of(job), span_of(task), span_of(machine), span_of(start), span_of(end)};
  std::optional<TaskViolation> found;
  {
    const py::gil_scoped_release unlocked;  // the sweep sorts and reads plain arrays
    found = find_first_task_violation(tasks.view(), pieces, schedule_kind);
  }
  if (!found) return py::none();
  return py::make_tuple(task_violation_name(found->kind), found->job, found->task, found->machine, found->instant,
                        found->resource, found->units, found->measure);
}

}  // namespace

void bind_task_validator(py::module_& module) {
  module.def("find_first_task_violation", &find_task_violation,
             "The first violation of a schedule of parallel tasks as (kind, job, task, machine, instant, resource, "
             "units, measure), or None.",
             py::arg("tasks"), py::arg("job"), py::arg("task"), py::arg("machine"), py::arg("start"), py::arg("end"),
             py::arg("kind"));
}

}  // namespace schedcore::python
