// The columns of a parallel-task instance, which the kernels of the family take as their first argument.
#include <algorithm>
#include <utility>

#include "bindings.hpp"
#include "model/parallel_task_arrays.hpp"
#include "schedcore/index/fit.hpp"

namespace py = pybind11;

namespace schedcore::python {

namespace {

// Jobs are runs of consecutive tasks, none of them empty.
void check_jobs_of_tasks(const ParallelTasksView& view) {
  std::int64_t next = 0;
  for (const std::int64_t job : view.task_job) {
    check_shape(job == next || job == next - 1, "task_job must ascend from 0, with at least one task a job");
    check_shape(job >= 0, "task_job must ascend from 0");
    next = job + 1;
  }
  check_shape(static_cast<std::size_t>(next) == view.n_jobs(), "every job needs at least one task");
}

// Every task has placements on ascending machines, and all times together are exact.
void check_placements(const ParallelTasksView& view) {
  check_shape(view.placement_start[0] == 0, "placement_start must begin with 0");
  std::int64_t left = kLargestExact;
  for (const Time released : view.release_time) left = std::min(left, kLargestExact - static_cast<std::int64_t>(released));
  for (std::size_t task = 0; task < view.n_tasks(); ++task) {
    check_shape(view.placement_start[task] < view.placement_start[task + 1] &&
                    static_cast<std::size_t>(view.placement_start[task + 1]) <= view.placement_machine.size(),
                "placement_start must ascend, with at least one placement a task");
    std::int64_t longest = 0;
    for (std::size_t i = view.first_placement(task); i < view.first_placement(task + 1); ++i) {
      check_shape(i == view.first_placement(task) || view.placement_machine[i - 1] < view.placement_machine[i],
                  "the machines of a task must ascend");
      longest = std::max(longest, view.placement_time[i]);
    }
    check_shape(longest <= left, "release and processing times must add up to at most 2**53");
    left -= longest;
  }
}

}  // namespace

ParallelTaskColumns::ParallelTaskColumns(Float64Array weight, Float64Array release_time, Int64Array task_job,
                                         Int64Array demand, Int64Array placement_start, Int64Array placement_machine,
                                         Int64Array placement_time, BoolArray placement_local, Int64Array capacity,
                                         double remote_penalty)
    : weight_(std::move(weight)),
      release_time_(std::move(release_time)),
      task_job_(std::move(task_job)),
      demand_(std::move(demand)),
      placement_start_(std::move(placement_start)),
      placement_machine_(std::move(placement_machine)),
      placement_time_(std::move(placement_time)),
      placement_local_(std::move(placement_local)),
      capacity_(std::move(capacity)),
      view_{span_of(weight_),          span_of(release_time_),      span_of(task_job_),
            span_of(demand_),          span_of(placement_start_),   span_of(placement_machine_),
            span_of(placement_time_),  span_of(placement_local_),   machines_view(capacity_),
            remote_penalty} {
  check_shape(release_time_.ndim() == 1 && release_time_.size() == weight_.size(), "release_time needs a row a job");
  check_shape(demand_.ndim() == 2 && demand_.shape(0) == task_job_.size() && demand_.shape(1) == capacity_.shape(1),
              "demand must have shape (n_tasks, n_resources)");
  check_shape(placement_start_.size() == task_job_.size() + 1, "placement_start must have shape (n_tasks + 1,)");
  const auto n_placements = placement_machine_.size();
  check_shape(placement_start_.data()[task_job_.size()] == n_placements, "placement_start must end at n_placements");
  check_shape(placement_time_.size() == n_placements && placement_local_.size() == n_placements,
              "placement_machine, placement_time and placement_local must be equally long");
  check_range(span_of(weight_), 0.0, kLargestNumber, "weight");
  check_range(span_of(release_time_), 0.0, static_cast<double>(kLargestExact), "release_time");
  check_range(span_of(demand_), std::int64_t{0}, kLargestExact, "demand");
  check_range(span_of(placement_machine_), std::int64_t{0}, capacity_.shape(0) - 1, "placement_machine");
  check_range(span_of(placement_time_), std::int64_t{1}, kLargestExact, "placement_time");
  check_number(remote_penalty, 1.0, kLargestNumber, "remote_penalty");
  check_jobs_of_tasks(view_);
  check_placements(view_);
}

const ParallelTasksView& ParallelTaskColumns::schedulable() const {
  for (std::size_t task = 0; task < view_.n_tasks(); ++task) {
    const auto demand = view_.demand_of(task);
    for (std::size_t i = view_.first_placement(task); i < view_.first_placement(task + 1); ++i) {
      check_shape(fits(demand.data(), view_.machines.capacity_of(view_.machine_of(i)).data(), demand.size()),
                  "a task must fit the machines of its placements");
    }
  }
  return view_;
}

py::tuple pieces_tuple(const std::vector<TaskPiece>& pieces) {
  const auto n = static_cast<py::ssize_t>(pieces.size());
  Int64Array task(n), machine(n);
  Float64Array start(n), end(n);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    task.mutable_data()[i] = static_cast<std::int64_t>(pieces[i].task);
    machine.mutable_data()[i] = static_cast<std::int64_t>(pieces[i].machine);
    start.mutable_data()[i] = pieces[i].start;
    end.mutable_data()[i] = pieces[i].end;
  }
  return py::make_tuple(task, machine, start, end);
}

std::vector<TaskPiece> pieces_of(const ParallelTasksView& view, const Int64Array& task, const Int64Array& machine,
                                 const Float64Array& start, const Float64Array& end) {
  check_shape(machine.size() == task.size() && start.size() == task.size() && end.size() == task.size(),
              "task, machine, start and end must be equally long");
  std::vector<TaskPiece> pieces(static_cast<std::size_t>(task.size()));
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::int64_t own = task.data()[i], there = machine.data()[i];
    check_shape(own >= 0 && static_cast<std::size_t>(own) < view.n_tasks(), "task must be below n_tasks");
    check_shape(there >= 0 && static_cast<std::size_t>(there) < view.n_machines(), "machine must be below n_machines");
    pieces[i] = {static_cast<std::size_t>(own), static_cast<std::size_t>(there), start.data()[i], end.data()[i]};
  }
  return pieces;
}

void bind_parallel_tasks(py::module_& module) {
  py::class_<ParallelTaskColumns>(module, "ParallelTasks", "The columns of a parallel-task instance, not copied.")
      .def(py::init<Float64Array, Float64Array, Int64Array, Int64Array, Int64Array, Int64Array, Int64Array, BoolArray,
                    Int64Array, double>(),
           py::arg("weight"), py::arg("release_time"), py::arg("task_job"), py::arg("demand"),
           py::arg("placement_start"), py::arg("placement_machine"), py::arg("placement_time"),
           py::arg("placement_local"), py::arg("capacity"), py::arg("remote_penalty"));
}

}  // namespace schedcore::python
