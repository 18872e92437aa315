// A planning pass over whole machines: schedcore._core.whole_machines.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "schedcore/whole_machines/cycle_columns.hpp"
#include "schedcore/whole_machines/cycle_plan.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

using CycleFlags = py::array_t<bool, py::array::c_style>;

// Columns are copied: they are short beside the work, and nobody can change them while it goes on.
std::vector<std::int64_t> copied_column(const Int64Array& array) {
  check_shape(array.ndim() == 1, "columns must have one dimension");
  const auto values = span_of(array);
  return {values.begin(), values.end()};
}

std::vector<std::uint8_t> copied_flags(const CycleFlags& array) {
  check_shape(array.ndim() == 1, "columns must have one dimension");
  std::vector<std::uint8_t> flags;
  for (const bool flag : span_of(array)) flags.push_back(flag ? 1 : 0);
  return flags;
}

CycleMachines machines_of(const Int64Array& processors, const Int64Array& memory, const Int64Array& weight, const CycleFlags& is_up) {
  return {copied_column(processors), copied_column(memory), copied_column(weight), copied_flags(is_up)};
}

MachineLists lists_of(const Int64Array& offset, const Int64Array& machine) { return {copied_column(offset), copied_column(machine)}; }

CycleRuns runs_of(const Int64Array& end, const Int64Array& likely_end, const Int64Array& offset, const Int64Array& machine,
                  const Int64Array& processors, const Int64Array& memory) {
  return {copied_column(end),     copied_column(likely_end), copied_column(offset),
          copied_column(machine), copied_column(processors), copied_column(memory)};
}

CycleRequests requests_of(const Int64Array& limit, const Int64Array& min_machines, const Int64Array& max_machines,
                          const Int64Array& n_tasks, const Int64Array& processors_per_task, const Int64Array& tasks_per_machine,
                          const Int64Array& least_processors, const Int64Array& memory_kind, const Int64Array& memory,
                          const CycleFlags& is_exclusive, const Int64Array& partition, const Int64Array& eligible,
                          const Int64Array& required, const Int64Array& reservation, const Int64Array& n_copies,
                          const Int64Array& array, const CycleFlags& may_wait, const Int64Array& selection) {
  return {copied_column(limit),
          copied_column(min_machines),
          copied_column(max_machines),
          copied_column(n_tasks),
          copied_column(processors_per_task),
          copied_column(tasks_per_machine),
          copied_column(least_processors),
          copied_column(memory_kind),
          copied_column(memory),
          copied_flags(is_exclusive),
          copied_column(partition),
          copied_column(eligible),
          copied_column(required),
          copied_column(reservation),
          copied_column(n_copies),
          copied_column(array),
          copied_flags(may_wait),
          copied_column(selection)};
}

CycleReservations reservations_of(const Int64Array& start, const Int64Array& end, const Int64Array& machines,
                                  const CycleFlags& takes_all, const CycleFlags& is_maintenance, const CycleFlags& is_flexible) {
  return {copied_column(start),    copied_column(end),           copied_column(machines),
          copied_flags(takes_all), copied_flags(is_maintenance), copied_flags(is_flexible)};
}

py::tuple plan(const CycleMachines& machines, const MachineLists& sets, const CycleRuns& runs, const CycleRequests& requests,
               const CycleReservations& reservations, Seconds now, Seconds window, Seconds resolution, std::int64_t depth,
               std::int64_t most_intervals, Seconds growth) {
  const CycleSettings settings{now, window, resolution, depth, most_intervals, growth};
  PythonMonitor monitor{py::none()};
  CyclePlan planned;
  {
    const py::gil_scoped_release unlocked;  // the columns are copies that Python cannot change
    check_cycle(machines, sets, runs, requests, reservations, settings);
    planned = plan_cycle(machines, sets, runs, requests, reservations, settings, &monitor);
  }
  std::vector<std::int64_t> outcome;
  for (const CycleOutcome each : planned.outcome) outcome.push_back(static_cast<std::int64_t>(each));
  return py::make_tuple(array_of(planned.start), array_of(outcome), array_of(planned.machines.offset), array_of(planned.machines.machine),
                        planned.n_tried, planned.n_inserted);
}

}  // namespace

void bind_whole_machines(py::module_& module) {
  py::class_<CycleMachines>(module, "CycleMachines", "The machines, in the order in which they are neighbours.")
      .def(py::init(&machines_of), py::kw_only(), py::arg("processors"), py::arg("memory"), py::arg("weight"), py::arg("is_up"));
  py::class_<MachineLists>(module, "MachineSets", "Sets of machines by number.")
      .def(py::init(&lists_of), py::kw_only(), py::arg("offset"), py::arg("machine"));
  py::class_<CycleRuns>(module, "CycleRuns", "What runs.")
      .def(py::init(&runs_of), py::kw_only(), py::arg("end"), py::arg("likely_end"), py::arg("offset"), py::arg("machine"),
           py::arg("processors"), py::arg("memory"));
  py::class_<CycleRequests>(module, "CycleRequests", "What waits, in the order in which it is looked at.")
      .def(py::init(&requests_of), py::kw_only(), py::arg("limit"), py::arg("min_machines"), py::arg("max_machines"), py::arg("n_tasks"),
           py::arg("processors_per_task"), py::arg("tasks_per_machine"), py::arg("least_processors"), py::arg("memory_kind"),
           py::arg("memory"), py::arg("is_exclusive"), py::arg("partition"), py::arg("eligible"), py::arg("required"),
           py::arg("reservation"), py::arg("n_copies"), py::arg("array"), py::arg("may_wait"), py::arg("selection"));
  py::class_<CycleReservations>(module, "CycleReservations", "Advance reservations.")
      .def(py::init(&reservations_of), py::kw_only(), py::arg("start"), py::arg("end"), py::arg("machines"), py::arg("takes_all"),
           py::arg("is_maintenance"), py::arg("is_flexible"));
  module.def("plan_cycle", &plan, py::arg("machines"), py::arg("sets"), py::arg("runs"), py::arg("requests"), py::arg("reservations"),
             py::kw_only(), py::arg("now"), py::arg("window"), py::arg("resolution"), py::arg("depth"), py::arg("most_intervals"),
             py::arg("growth"), "One pass: starts, outcomes, sets of machines (offset, machine), jobs tried, insertions.");
}

}  // namespace schedcore::python
