// Policies of parallel tasks that decide at arrivals and completions: columns of an instance in, pieces out.
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
#include "schedcore/parallel_tasks/task_tetris.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

// Without `scale` the terms are balanced.
template <auto policy>
py::tuple tetris(const ParallelTaskColumns& tasks, std::optional<double> scale, const std::string& remote,
                 py::object progress) {
  check_number(scale.value_or(1), kSmallestNumber, kLargestNumber, "scale");
  const bool divides_by_penalty = choice<bool>(remote, {{"divide", true}, {"ten_percent", false}});
  PythonMonitor monitor(std::move(progress));
  std::vector<TaskPiece> pieces;
  {
    const py::gil_scoped_release unlocked;
    pieces = policy(tasks.schedulable(), {!scale.has_value(), scale.value_or(1), divides_by_penalty}, &monitor);
  }
  return pieces_tuple(pieces);
}

py::tuple jsq(const ParallelTaskColumns& tasks, py::object progress) {
  PythonMonitor monitor(std::move(progress));
  std::vector<TaskPiece> pieces;
  {
    const py::gil_scoped_release unlocked;
    pieces = join_shortest_queue(tasks.schedulable(), &monitor);
  }
  return pieces_tuple(pieces);
}

}  // namespace

void bind_task_policies(py::module_& module) {
  module.def("task_tetris_preemptive", &tetris<task_tetris_preemptive>, "Tetris-p: the pieces.", py::arg("tasks"),
             py::kw_only(), py::arg("scale").none(true), py::arg("remote"), py::arg("progress") = py::none());
  module.def("task_tetris_nonpreemptive", &tetris<task_tetris_nonpreemptive>, "Tetris-np: the pieces.",
             py::arg("tasks"), py::kw_only(), py::arg("scale").none(true), py::arg("remote"),
             py::arg("progress") = py::none());
  module.def("join_shortest_queue", &jsq, "JSQ-MW: the pieces.", py::arg("tasks"), py::arg("progress") = py::none());
}

}  // namespace schedcore::python
