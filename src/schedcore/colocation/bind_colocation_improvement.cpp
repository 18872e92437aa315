// Improving an assignment of typed tasks, and assignments to begin with.  schedcore.algorithms.colocation checks
// values.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "colocation/colocation_arrays.hpp"
#include "schedcore/colocation/colocation_improvement.hpp"
#include "schedcore/colocation/targeted_placement.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

std::string end_name(AssignmentEnd end) {
  switch (end) {
    case AssignmentEnd::target:
      return "target";
    case AssignmentEnd::stuck:
      return "stuck";
    case AssignmentEnd::work_limit:
      break;
  }
  return "work_limit";
}

py::tuple improve(const Int64Array& size, const Int64Array& type, const Int64Array& alpha, std::size_t n_machines,
                  const Int64Array& start, CostNumerator target, std::uint64_t work_limit, std::uint64_t seed,
                  py::object progress) {
  const ColocationView view = colocation_view(size, type, alpha, 1, n_machines);
  check_shape(start.ndim() == 1 && start.shape(0) == size.shape(0), "start must have shape (n_tasks,)");
  check_number(target, CostNumerator{0}, CostNumerator{kLargestInteger}, "target");
  PythonMonitor monitor(std::move(progress));
  std::vector<std::int64_t> machine(span_of(start).begin(), span_of(start).end());
  AssignmentOutcome outcome;
  {
    const py::gil_scoped_release unlocked;
    for (const std::int64_t own : machine) {
      check_shape(own >= 0 && static_cast<std::size_t>(own) < n_machines, "start must be below n_machines");
    }
    outcome = improve_assignment(view, machine, {target, work_limit, seed}, &monitor);
  }
  return py::make_tuple(array_of(machine), outcome.moves, outcome.work, end_name(outcome.end));
}

Int64Array place_on_targets(const Int64Array& size, const Int64Array& type, const Int64Array& alpha,
                            std::size_t n_machines, const Int64Array& target) {
  const ColocationView view = colocation_view(size, type, alpha, 1, n_machines);
  check_shape(target.ndim() == 2 && static_cast<std::size_t>(target.shape(0)) == n_machines &&
                  static_cast<std::size_t>(target.shape(1)) == view.n_types,
              "target must have shape (n_machines, n_types)");
  std::vector<std::int64_t> machine(view.n_tasks());
  {
    const py::gil_scoped_release unlocked;
    for (const Amount wanted : span_of(target)) check_shape(wanted >= 0, "target must be at least 0");
    place_by_targets(view, span_of(target), machine);
  }
  return array_of(machine);
}

Int64Array place_on_cheapest(const Int64Array& size, const Int64Array& type, const Int64Array& alpha,
                             std::size_t n_machines, py::object progress) {
  const ColocationView view = colocation_view(size, type, alpha, 1, n_machines);
  PythonMonitor monitor(std::move(progress));
  std::vector<std::int64_t> machine(view.n_tasks());
  {
    const py::gil_scoped_release unlocked;
    place_by_cost(view, machine, &monitor);
  }
  return array_of(machine);
}

}  // namespace

void bind_colocation_improvement(py::module_& module) {
  module.def("improve_assignment", &improve,
             "Machines of the tasks, exchanges carried out and evaluated, and the end: target, stuck or work_limit.",
             py::arg("size"), py::arg("type"), py::arg("alpha"), py::arg("n_machines"), py::arg("start"),
             py::kw_only(), py::arg("target"), py::arg("work_limit"), py::arg("seed"), py::arg("progress").none(true));
  module.def("place_by_targets", &place_on_targets, "Machines of the tasks, by the loads that machines should have.",
             py::arg("size"), py::arg("type"), py::arg("alpha"), py::arg("n_machines"), py::arg("target"));
  module.def("place_by_cost", &place_on_cheapest, "Machines of the tasks, each on the machine that then costs least.",
             py::arg("size"), py::arg("type"), py::arg("alpha"), py::arg("n_machines"), py::arg("progress").none(true));
}

}  // namespace schedcore::python
