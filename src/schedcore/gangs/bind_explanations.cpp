// Why jobs of an embedded engine wait: schedcore._core.gangs.explanations.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "base/arrays.hpp"
#include "bindings.hpp"
#include "engine/shared_scheduler.hpp"
#include "schedcore/gangs/explanations.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

std::string name_of(WaitingReason reason) {
  switch (reason) {
    case WaitingReason::held: return "held";
    case WaitingReason::dependency: return "dependency";
    case WaitingReason::limit: return "limit";
    case WaitingReason::down: return "down";
    case WaitingReason::outage: return "outage";
    case WaitingReason::reservation: return "reservation";
    case WaitingReason::resources: return "resources";
    case WaitingReason::reserved: return "reserved";
    case WaitingReason::planned: return "planned";
    case WaitingReason::order: return "order";
  }
  return {};
}

// Of each job: id, reason, jobs, machines, time or None, shortage, how many come before it or None, and the limit or None.
py::list explain(SharedScheduler& shared, const std::optional<Int64Array>& ids) {
  std::vector<std::vector<std::int64_t>> machines;  // as callers number them
  const std::vector<Explanation> found = shared.locked([&](const OnlineScheduler& scheduler) {
    const DecidedState& state = scheduler.state();
    std::vector<Explanation> all = ids ? explanations(state, span_of(*ids)) : explanations(state, state.waiting());
    for (const Explanation& each : all) {
      std::vector<std::int64_t>& numbers = machines.emplace_back();
      for (const std::uint32_t machine : each.machines) numbers.push_back(scheduler.machine_table().number_of(machine));
      if (each.reason != WaitingReason::resources) std::ranges::sort(numbers);
    }
    return all;
  });
  py::list rows;
  for (std::size_t row = 0; row < found.size(); ++row) {
    const Explanation& each = found[row];
    const bool has_time = each.reason == WaitingReason::resources || each.reason == WaitingReason::planned ||
                          (each.reason == WaitingReason::reservation && each.time < kNever);
    rows.append(py::make_tuple(each.id, name_of(each.reason), each.jobs, machines[row],
                               has_time ? py::object(py::float_(each.time)) : py::none(), each.shortage,
                               each.reason == WaitingReason::order ? py::object(py::int_(each.n_before)) : py::none(),
                               each.reason == WaitingReason::limit ? py::object(py::int_(each.limit)) : py::none()));
  }
  return rows;
}

}  // namespace

void bind_explanations(py::module_& module) {
  module.def("explanations", &explain, py::arg("scheduler"), py::arg("ids") = py::none());
}

}  // namespace schedcore::python
