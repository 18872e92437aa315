// Policies of parallel tasks that decide at arrivals and completions.
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/choice.hpp"
#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "model/parallel_task_arrays.hpp"
#include "schedcore/parallel_tasks/join_shortest_queue.hpp"
#include "schedcore/parallel_tasks/task_simulation.hpp"
#include "schedcore/parallel_tasks/task_tetris.hpp"
#include "schedcore/parallel_tasks/task_tetris_policy.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

// Without `scale` the terms are balanced.
TaskTetrisScoring scoring(std::optional<double> scale, const std::string& remote) {
  check_number(scale.value_or(1), kSmallestNumber, kLargestNumber, "scale");
  return {!scale.has_value(), scale.value_or(1), choice<bool>(remote, {{"divide", true}, {"ten_percent", false}})};
}

py::tuple preemptive_tetris(const ParallelTaskColumns& tasks, std::optional<double> scale, const std::string& remote,
                            py::object progress) {
  const TaskTetrisScoring how = scoring(scale, remote);
  PythonMonitor monitor(std::move(progress));
  std::vector<TaskPiece> pieces;
  {
    const py::gil_scoped_release unlocked;
    pieces = task_tetris_preemptive(tasks.schedulable(), how, &monitor);
  }
  return pieces_tuple(pieces);
}

py::tuple run_tasks(const Policy& policy, const ParallelTaskColumns& tasks, py::object progress) {
  PythonMonitor monitor(std::move(progress));
  std::vector<TaskPiece> pieces;
  {
    const py::gil_scoped_release unlocked;
    pieces = simulate_tasks(tasks.schedulable(), policy.clone(), &monitor);
  }
  return pieces_tuple(pieces);
}

void check_penalty(double remote_penalty) { check_number(remote_penalty, 1.0, kLargestNumber, "remote_penalty"); }

}  // namespace

void bind_task_policies(py::module_& module) {
  module.def("task_tetris_preemptive", &preemptive_tetris, "Tetris-p: the pieces.", py::arg("tasks"), py::kw_only(),
             py::arg("scale").none(true), py::arg("remote"), py::arg("progress") = py::none());
  module.def("simulate_tasks", &run_tasks, "Run a whole instance through a policy that heeds placements: the pieces.",
             py::arg("policy"), py::arg("tasks"), py::arg("progress") = py::none());
  py::class_<TaskTetrisPolicy, Policy>(module, "TaskTetrisPolicy")
      .def(py::init([](std::optional<double> scale, const std::string& remote, double remote_penalty) {
             check_penalty(remote_penalty);
             return std::make_unique<TaskTetrisPolicy>(scoring(scale, remote), remote_penalty);
           }),
           py::kw_only(), py::arg("scale").none(true), py::arg("remote"), py::arg("remote_penalty"));
  py::class_<JoinShortestQueuePolicy, Policy>(module, "JoinShortestQueuePolicy")
      .def(py::init([](double remote_penalty) {
             check_penalty(remote_penalty);
             return std::make_unique<JoinShortestQueuePolicy>(remote_penalty);
           }),
           py::kw_only(), py::arg("remote_penalty"));
}

}  // namespace schedcore::python
