// Slots with a switching cost, and placement by latency.  schedcore.algorithms.preemptive.switching_slots has checked
// values and sums; shapes are checked here.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/arrays.hpp"
#include "base/choice.hpp"
#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "preemptive/core_matrix.hpp"
#include "schedcore/preemptive/place_by_latency.hpp"
#include "schedcore/preemptive/slot_packing.hpp"
#include "schedcore/preemptive/switching_slot.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

using FlagArray = py::array_t<std::uint8_t, py::array::c_style>;

Int64Array matrix_of(const std::vector<CorePiece>& pieces, py::ssize_t n_rows, py::ssize_t n_machines) {
  Int64Array matrix({n_rows, n_machines});
  write_pieces(pieces, static_cast<std::size_t>(n_machines), writable_span_of(matrix));
  return matrix;
}

Int64Array place_with_switching_cost(const Float64Array& cost, const Int64Array& demand, const Int64Array& limit,
                                     const Int64Array& capacity, double alpha, const Int64Array& previous,
                                     const FlagArray& first, const std::string& solver_name, bool work_conserving) {
  check_shape(capacity.ndim() == 1, "capacity must have shape (n_machines,)");
  check_shape(cost.ndim() == 1 && demand.ndim() == 1 && limit.ndim() == 1 && first.ndim() == 1 &&
                  demand.size() == cost.size() && limit.size() == cost.size() && first.size() == cost.size(),
              "cost, demand, limit and first must have shape (n_jobs,)");
  check_shape(previous.ndim() == 2 && previous.shape(0) == cost.size() && previous.shape(1) == capacity.size(),
              "previous must have shape (n_jobs, n_machines)");
  check_range(span_of(cost), -kLargestNumber, kLargestNumber, "cost");
  check_range(span_of(demand), std::int64_t{1}, kLargestExact - 1, "demand");
  check_range(span_of(limit), std::int64_t{0}, kLargestExact - 1, "limit");
  checked_total(span_of(capacity), kLargestInteger, "capacity");
  check_switching_price(alpha);
  check_core_matrix(span_of(previous), span_of(capacity), false, "previous");
  const auto solver = choice<SwitchingSolver>(solver_name, {{"joblevel", SwitchingSolver::joblevel},
                                                            {"greedy", SwitchingSolver::greedy},
                                                            {"flow", SwitchingSolver::flow}});
  const SwitchingRows rows{span_of(cost), span_of(demand), span_of(limit), {first.data(), span_of(cost).size()}};
  const std::span<const Amount> cores_of_machine = span_of(capacity);
  const std::span<const Amount> before_matrix = span_of(previous);
  std::vector<CorePiece> pieces;
  PythonMonitor monitor(py::none{});
  {
    const py::gil_scoped_release release;  // one core at a time may take long
    const std::vector<CorePiece> before = pieces_of(before_matrix, cores_of_machine.size());
    SwitchingSlot slot(cores_of_machine, alpha, solver, work_conserving, &monitor);
    if (solver == SwitchingSolver::joblevel) {
      std::vector<Amount> previous_total(rows.size(), 0);
      for (const CorePiece& piece : before) previous_total[piece.row] += piece.cores;
      std::vector<double> omega(rows.size());
      for (std::size_t row = 0; row < rows.size(); ++row) {
        omega[row] = rows.cost[row] / static_cast<double>(rows.demand[row]);
      }
      std::vector<Amount> total;
      const std::size_t cut = slot.rates(rows, previous_total, omega, total);
      SlotPacking(cores_of_machine).pack(total, cut, before, pieces);
    } else {
      slot.place(rows, before, pieces);
    }
  }
  return matrix_of(pieces, cost.size(), capacity.size());
}

std::tuple<Int64Array, double> place_tasks_by_latency(const Int64Array& demand, const Int64Array& cores,
                                                      const Int64Array& capacity, const Float64Array& latency) {
  check_shape(demand.ndim() == 1 && cores.ndim() == 1 && cores.size() == demand.size(),
              "demand and cores must have shape (n_tasks,)");
  check_shape(capacity.ndim() == 1, "capacity must have shape (n_machines,)");
  check_shape(latency.ndim() == 2 && latency.shape(0) == demand.size() && latency.shape(1) == capacity.size(),
              "latency must have shape (n_tasks, n_machines)");
  const std::int64_t room = checked_total(span_of(capacity), kLargestInteger, "capacity");
  checked_total(span_of(cores), room, "cores");
  check_range(span_of(demand), std::int64_t{1}, kLargestExact, "demand");
  check_range(span_of(latency), 0.0, kLargestNumber, "latency");
  std::vector<std::uint32_t> task(static_cast<std::size_t>(demand.size()));
  std::iota(task.begin(), task.end(), 0u);
  std::vector<CorePiece> pieces;
  double cost = 0;
  {
    const py::gil_scoped_release release;
    LatencyPlacement(span_of(capacity), span_of(latency)).place(task, span_of(demand), span_of(cores), pieces);
    cost = latency_cost(pieces, task, span_of(demand), span_of(latency), static_cast<std::size_t>(capacity.size()));
  }
  return {matrix_of(pieces, demand.size(), capacity.size()), cost};
}

}  // namespace

void bind_switching(py::module_& module) {
  module.def("switching_slot", &place_with_switching_cost, py::arg("cost"), py::arg("demand"), py::arg("limit"),
             py::arg("capacity"), py::kw_only(), py::arg("alpha"), py::arg("previous"), py::arg("first"),
             py::arg("solver"), py::arg("work_conserving"), "Cores of each job on each machine in one slot under a switching cost.");
  module.def("place_by_latency", &place_tasks_by_latency, py::arg("demand"), py::arg("cores"), py::arg("capacity"),
             py::arg("latency"), "Cores of each task on each machine at the least total latency, and that latency.");
}

}  // namespace schedcore::python
