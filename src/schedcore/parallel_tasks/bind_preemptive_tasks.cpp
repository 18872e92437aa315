// Tasks with one machine each, preemptively: list scheduling (SynchPack-3) and PSRS.  schedcore.algorithms.parallel_tasks
// checks what each of them needs.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "model/parallel_task_arrays.hpp"
#include "schedcore/parallel_tasks/preemptive_list.hpp"
#include "schedcore/parallel_tasks/psrs.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

void check_one_machine_each(const ParallelTasksView& view) {
  check_shape(view.placement_machine.size() == view.n_tasks(), "every task must have one placement");
}

py::tuple list_schedule(const ParallelTaskColumns& tasks, const Int64Array& list, const Int64Array& remaining,
                        std::int64_t start, std::int64_t end, py::object progress) {
  const ParallelTasksView& view = tasks.schedulable();
  check_one_machine_each(view);
  check_shape(remaining.ndim() == 1 && static_cast<std::size_t>(remaining.size()) == view.n_tasks(),
              "remaining must have shape (n_tasks,)");
  std::vector<std::size_t> listed(static_cast<std::size_t>(list.size()));
  std::transform(list.data(), list.data() + list.size(), listed.begin(), [&](std::int64_t task) {
    check_shape(task >= 0 && static_cast<std::size_t>(task) < view.n_tasks(), "list must hold task rows");
    check_shape(remaining.data()[task] > 0, "a listed task must have remaining > 0");
    return static_cast<std::size_t>(task);
  });
  check_distinct_rows(span_of(list), view.n_tasks(), "list");
  check_range(span_of(remaining), std::int64_t{0}, kLargestExact, "remaining");
  check_number(start, std::int64_t{0}, kLargestExact, "start");
  check_number(end, start, kLargestInteger, "end");
  Int64Array left(remaining.size());
  std::copy_n(remaining.data(), remaining.size(), left.mutable_data());
  std::vector<TaskPiece> pieces;
  PythonMonitor monitor(std::move(progress));
  {
    const std::span<std::int64_t> rows = writable_span_of(left);
    const py::gil_scoped_release unlocked;
    preemptive_list_schedule(view, listed, rows, {start, end}, pieces, &monitor);
  }
  return py::make_tuple(pieces_tuple(pieces), left);
}

py::tuple psrs_schedule(const ParallelTaskColumns& tasks, std::uint64_t v_numerator, std::uint64_t v_denominator,
                        py::object progress) {
  const ParallelTasksView& view = tasks.schedulable();
  check_one_machine_each(view);
  check_shape(v_numerator > 0 && v_numerator < std::uint64_t{1} << 31 && v_denominator > 0 &&
                  v_denominator < std::uint64_t{1} << 31,
              "numerator and denominator of v must be at least 1 and below 2**31");
  PsrsOutcome outcome;
  PythonMonitor monitor(std::move(progress));
  {
    const py::gil_scoped_release unlocked;
    outcome = psrs(view, {v_numerator, v_denominator}, &monitor);
  }
  return py::make_tuple(pieces_tuple(outcome.pieces), outcome.n_rounded_waits);
}

}  // namespace

void bind_preemptive_tasks(py::module_& module) {
  module.def("preemptive_list_schedule", &list_schedule,
             "Pieces of the listed tasks within [start, end), and what remains of every task.", py::arg("tasks"),
             py::arg("list"), py::arg("remaining"), py::arg("start"), py::arg("end"), py::arg("progress").none(true));
  module.def("psrs", &psrs_schedule, "Pieces of all tasks, and how many waits had to be rounded.", py::arg("tasks"),
             py::kw_only(), py::arg("v_numerator"), py::arg("v_denominator"), py::arg("progress").none(true));
}

}  // namespace schedcore::python
