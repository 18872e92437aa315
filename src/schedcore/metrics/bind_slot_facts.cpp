// The validator and the measures of slotted schedules: arrays in; the first violation, facts by job or curves out.
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "bindings.hpp"
#include "preemptive/core_matrix.hpp"
#include "schedcore/metrics/power_sums.hpp"
#include "schedcore/metrics/slot_facts.hpp"
#include "schedcore/metrics/work_curves.hpp"
#include "schedcore/validation/slot_validator.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

// Holds the arrays, so that views into them stay valid; schedcore.model has checked their values.
class SlotTasks {
 public:
  SlotTasks(Int64Array release_time, std::optional<Int64Array> first_task, std::optional<Int64Array> map_tasks,
            Int64Array processing_time, Int64Array demand, std::optional<Int64Array> estimated_demand,
            Int64Array capacity)
      : release_time_(std::move(release_time)),
        first_task_(std::move(first_task)),
        map_tasks_(std::move(map_tasks)),
        processing_time_(std::move(processing_time)),
        demand_(std::move(demand)),
        estimated_demand_(std::move(estimated_demand)),
        capacity_(std::move(capacity)),
        machines_(machines_view(capacity_)) {
    check_shape(release_time_.ndim() == 1 && processing_time_.ndim() == 1,
                "release_time and processing_time must have one dimension");
    check_shape(demand_.ndim() == 2 && demand_.shape(0) == processing_time_.size() &&
                    demand_.shape(1) == capacity_.shape(1) && demand_.shape(1) > 0,
                "demand must have shape (n_rows, n_resources)");
    check_shape(!estimated_demand_ || (estimated_demand_->ndim() == 2 && estimated_demand_->shape(0) == demand_.shape(0) &&
                                       estimated_demand_->shape(1) == demand_.shape(1)),
                "estimated_demand must have the shape of demand");
    check_shape(first_task_.has_value() == map_tasks_.has_value(), "first_task and map_tasks belong together");
    if (first_task_) {
      check_shape(!estimated_demand_, "tasks have no estimates");
      check_shape(first_task_->size() > 0, "first_task must begin with 0");
      check_shape(first_task_->size() == release_time_.size() + 1 && map_tasks_->size() == release_time_.size() &&
                      first_task_->data()[release_time_.size()] == processing_time_.size(),
                  "first_task and map_tasks do not match the numbers of jobs and tasks");
    } else {
      check_shape(processing_time_.size() == release_time_.size(), "processing_time needs a row a job");
    }
    check_range(span_of(release_time_), std::int64_t{0}, kLargestExact, "release_time");
    check_slot_rows(span_of(processing_time_), span_of(demand_), machines_.n_resources, "demand");
    if (estimated_demand_) check_range(span_of(*estimated_demand_), std::int64_t{0}, kLargestExact, "estimated_demand");
    if (first_task_) {
      const auto first = span_of(*first_task_), maps = span_of(*map_tasks_);
      check_shape(first[0] == 0, "first_task must begin with 0");
      for (std::size_t job = 0; job < maps.size(); ++job) {
        check_shape(first[job] <= first[job + 1], "first_task must ascend");
        check_number(maps[job], std::int64_t{0}, first[job + 1] - first[job], "map_tasks");
      }
    }
    view_ = {span_of(release_time_), span_or_empty(first_task_), span_or_empty(map_tasks_), span_of(processing_time_),
             span_of(demand_),       span_or_empty(estimated_demand_), machines_.n_resources};
  }

  [[nodiscard]] const SlotTasksView& view() const { return view_; }
  [[nodiscard]] const MachinesView& machines() const { return machines_; }

 private:
  static std::span<const std::int64_t> span_or_empty(const std::optional<Int64Array>& array) {
    return array ? span_of(*array) : std::span<const std::int64_t>();
  }

  Int64Array release_time_;
  std::optional<Int64Array> first_task_, map_tasks_;
  Int64Array processing_time_, demand_;
  std::optional<Int64Array> estimated_demand_;
  Int64Array capacity_;
  MachinesView machines_;
  SlotTasksView view_;
};

SlotPiecesView pieces_view(const Int64Array& job, const Int64Array& task, const Int64Array& machine,
                           const Float64Array& start, const Float64Array& end, const Int64Array& cores) {
  const auto n_pieces = job.size();
  check_shape(task.size() == n_pieces && machine.size() == n_pieces && start.size() == n_pieces &&
                  end.size() == n_pieces && cores.size() == n_pieces,
              "job, task, machine, start, end and cores must be equally long");
  return {span_of(job), span_of(task), span_of(machine), span_of(start), span_of(end), span_of(cores)};
}

void check_power(int k) {
  check_shape(k >= 1 && k <= PowerSums::kMaxExponent, "k must be from 1 to 64");
}

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
  const SlotPiecesView pieces = pieces_view(job, task, machine, start, end, cores);
  std::optional<SlotViolation> found;
  {
    const py::gil_scoped_release unlocked;  // the sweep reads plain arrays
    found = find_first_slot_violation(tasks.view(), tasks.machines(), pieces, complete);
  }
  if (!found) return py::none();
  return py::make_tuple(slot_violation_name(found->kind), found->job, found->task, found->machine, found->instant,
                        found->resource, found->excess);
}

py::tuple facts(const SlotTasks& tasks, const Int64Array& job, const Int64Array& task, const Int64Array& machine,
                const Float64Array& start, const Float64Array& end, const Int64Array& cores, int k, Slot end_of_run) {
  const SlotPiecesView pieces = pieces_view(job, task, machine, start, end, cores);
  check_power(k);
  SlotFacts found;
  {
    const py::gil_scoped_release unlocked;  // two passes over plain arrays
    require_measurable(tasks.view(), tasks.machines().n_machines, pieces);
    found = slot_facts(tasks.view(), pieces, k, end_of_run);
  }
  return py::make_tuple(array_of(found.completion_time), array_of(found.fractional), array_of(found.preemptions),
                        array_of(found.migrations), array_of(found.live_migrations), array_of(found.max_gap));
}

py::tuple curves(const SlotTasks& tasks, const Int64Array& job, const Int64Array& task, const Int64Array& machine,
                 const Float64Array& start, const Float64Array& end, const Int64Array& cores, int k,
                 const Int64Array& times) {
  const SlotPiecesView pieces = pieces_view(job, task, machine, start, end, cores);
  check_power(k);
  const std::span<const Slot> grid = span_of(times);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    check_shape(grid[i] >= 0 && (i == 0 || grid[i] > grid[i - 1]), "times must ascend strictly, from 0 on");
  }
  WorkCurves found;
  {
    const py::gil_scoped_release unlocked;  // passes over plain arrays
    require_measurable(tasks.view(), tasks.machines().n_machines, pieces);
    found = work_curves(tasks.view(), pieces, k, grid);
  }
  return py::make_tuple(array_of(found.offered_volume), array_of(found.unfinished_volume),
                        array_of(found.unfinished_time), array_of(found.flow_power), array_of(found.fractional));
}

}  // namespace

void bind_slot_facts(py::module_& module) {
  py::class_<SlotTasks>(module, "SlotTasks", "What a slotted schedule works off, as columns that are not copied.")
      .def(py::init<Int64Array, std::optional<Int64Array>, std::optional<Int64Array>, Int64Array, Int64Array,
                    std::optional<Int64Array>, Int64Array>(),
           py::arg("release_time"), py::arg("first_task"), py::arg("map_tasks"), py::arg("processing_time"),
           py::arg("demand"), py::arg("estimated_demand"), py::arg("capacity"));
  module.def("find_first_slot_violation", &find_slot_violation,
             "The first violation of a slotted schedule as (kind, job, task, machine, instant, resource, excess), or "
             "None.",
             py::arg("tasks"), py::arg("job"), py::arg("task"), py::arg("machine"), py::arg("start"), py::arg("end"),
             py::arg("cores"), py::arg("complete"));
  module.def("slot_facts", &facts,
             "Per job: completion time, fractional flow time, preemptions, migrations, live migrations, longest gap.",
             py::arg("tasks"), py::arg("job"), py::arg("task"), py::arg("machine"), py::arg("start"), py::arg("end"),
             py::arg("cores"), py::arg("k"), py::arg("end_of_run"));
  module.def("work_curves", &curves,
             "Per time: offered volume, unfinished volume, unfinished time, sum of f^k, fractional cost.",
             py::arg("tasks"), py::arg("job"), py::arg("task"), py::arg("machine"), py::arg("start"), py::arg("end"),
             py::arg("cores"), py::arg("k"), py::arg("times"));
}

}  // namespace schedcore::python
