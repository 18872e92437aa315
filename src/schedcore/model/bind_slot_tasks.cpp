// The columns of slotted jobs or of map and reduce tasks, which validator and measures take as their first argument.
#include <pybind11/stl.h>

#include <utility>

#include "bindings.hpp"
#include "model/slot_task_arrays.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

std::span<const std::int64_t> span_or_empty(const std::optional<Int64Array>& array) {
  return array ? span_of(*array) : std::span<const std::int64_t>();
}

}  // namespace

void check_slot_rows(std::span<const Amount> processing_time, std::span<const Amount> demand, std::size_t n_resources,
                     const char* name) {
  check_shape(n_resources >= 1, "there must be at least one resource, cores");
  check_range(processing_time, std::int64_t{1}, kLargestExact, "processing_time");
  check_range(demand, std::int64_t{0}, kLargestExact, name);
  for (std::size_t row = 0; row < processing_time.size(); ++row) {
    const Amount cores = demand[row * n_resources];
    check_shape(cores >= 1 && processing_time[row] <= (kLargestExact - 1) / cores,
                "every row needs at least one core and less than 2**53 core-slots");
  }
}

SlotTasks::SlotTasks(Int64Array release_time, std::optional<Int64Array> first_task, std::optional<Int64Array> map_tasks,
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

SlotPiecesView slot_pieces_view(const Int64Array& job, const Int64Array& task, const Int64Array& machine,
                                const Float64Array& start, const Float64Array& end, const Int64Array& cores) {
  const auto n_pieces = job.size();
  check_shape(task.size() == n_pieces && machine.size() == n_pieces && start.size() == n_pieces &&
                  end.size() == n_pieces && cores.size() == n_pieces,
              "job, task, machine, start, end and cores must be equally long");
  return {span_of(job), span_of(task), span_of(machine), span_of(start), span_of(end), span_of(cores)};
}

void bind_slot_tasks(py::module_& module) {
  py::class_<SlotTasks>(module, "SlotTasks", "What a slotted schedule works off, as columns that are not copied.")
      .def(py::init<Int64Array, std::optional<Int64Array>, std::optional<Int64Array>, Int64Array, Int64Array,
                    std::optional<Int64Array>, Int64Array>(),
           py::arg("release_time"), py::arg("first_task"), py::arg("map_tasks"), py::arg("processing_time"),
           py::arg("demand"), py::arg("estimated_demand"), py::arg("capacity"));
}

}  // namespace schedcore::python
