// The colocation searches: the exact optimum and the approximation scheme.  schedcore.algorithms.colocation checks the
// options and brings the assignment to start from.
#include <span>
#include <utility>
#include <vector>

#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "colocation/colocation_arrays.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/colocation/colocation_exact.hpp"
#include "schedcore/colocation/colocation_ptas.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

std::span<const std::int64_t> checked_start(const Int64Array& start, const ColocationView& view) {
  check_shape(start.ndim() == 1 && static_cast<std::size_t>(start.shape(0)) == view.n_tasks(),
              "start must have shape (n_tasks,)");
  for (const std::int64_t machine : span_of(start)) {
    check_shape(machine >= 0 && static_cast<std::size_t>(machine) < view.n_machines, "start must be below n_machines");
  }
  return span_of(start);
}

py::tuple exact(const Int64Array& size, const Int64Array& type, const Int64Array& alpha, std::size_t n_machines,
                const Int64Array& start, CostNumerator lower_bound, std::uint64_t node_limit, py::object progress) {
  const ColocationView view = colocation_view(size, type, alpha, 1, n_machines);
  const std::span<const std::int64_t> from = checked_start(start, view);
  PythonMonitor monitor(std::move(progress));
  ExactColocation found;
  {
    const py::gil_scoped_release unlocked;  // a search of seconds to hours
    found = exact_colocation(view, from, {lower_bound, node_limit, &monitor});
  }
  return py::make_tuple(array_of(found.machine), found.cost, found.nodes, found.proven);
}

py::object decision(const Int64Array& size, const Int64Array& type, const Int64Array& alpha,
                    CostNumerator alpha_denominator, std::size_t n_machines, CostNumerator target, std::int64_t k) {
  const ColocationView view = colocation_view(size, type, alpha, alpha_denominator, n_machines);
  PythonMonitor monitor(py::none{});
  check_number(target, std::int64_t{0}, kLargestInteger, "target");
  check_number(k, std::int64_t{1}, kLargestInteger, "k");
  PtasBudget budget{0, &monitor, 0};
  PtasDecision decided;
  {
    const py::gil_scoped_release unlocked;
    decided = ptas_decision(view, target, k, budget);
  }
  if (!decided.complete) {
    throw UnsupportedError("the decision of the approximation scheme needs more memory than it may take; "
                           "use a smaller k or fewer tasks");
  }
  if (!decided.machine) return py::none();
  return array_of(*decided.machine);
}

py::tuple scheme(const Int64Array& size, const Int64Array& type, const Int64Array& alpha,
                 CostNumerator alpha_denominator, std::size_t n_machines, const Int64Array& start, std::int64_t k,
                 std::uint64_t work_limit, py::object progress) {
  const ColocationView view = colocation_view(size, type, alpha, alpha_denominator, n_machines);
  const std::span<const std::int64_t> from = checked_start(start, view);
  PythonMonitor monitor(std::move(progress));
  check_number(k, std::int64_t{1}, kLargestInteger, "k");
  PtasBudget budget{work_limit, &monitor, 0};
  PtasAssignment found;
  {
    const py::gil_scoped_release unlocked;
    found = ptas_assignment(view, from, k, budget);
  }
  return py::make_tuple(array_of(found.machine), found.target, budget.work, found.complete);
}

}  // namespace

void bind_colocation_search(py::module_& module) {
  module.def("exact_colocation", &exact,
             "Machines of the tasks, cost, nodes, and whether the cost is optimal; node_limit 0: no limit.",
             py::arg("size"), py::arg("type"), py::arg("alpha"), py::arg("n_machines"), py::arg("start"),
             py::kw_only(), py::arg("lower_bound"), py::arg("node_limit"), py::arg("progress").none(true));
  module.def("ptas_decision", &decision, "Machines of the tasks, or None: no assignment costs at most the target.",
             py::arg("size"), py::arg("type"), py::arg("alpha"), py::arg("alpha_denominator"), py::arg("n_machines"),
             py::kw_only(), py::arg("target"), py::arg("k"));
  module.def("ptas_assignment", &scheme,
             "Machines of the tasks, the final target, work, and whether no limit was reached; work_limit 0: no limit.",
             py::arg("size"), py::arg("type"), py::arg("alpha"), py::arg("alpha_denominator"), py::arg("n_machines"),
             py::arg("start"), py::kw_only(), py::arg("k"), py::arg("work_limit"), py::arg("progress").none(true));
}

}  // namespace schedcore::python
