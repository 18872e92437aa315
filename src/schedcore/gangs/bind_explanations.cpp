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
    case WaitingReason::down: return "down";
    case WaitingReason::outage: return "outage";
    case WaitingReason::resources: return "resources";
    case WaitingReason::reserved: return "reserved";
    case WaitingReason::planned: return "planned";
    case WaitingReason::order: return "order";
  }
  return {};
}

// Of each job: id, reason, jobs, machines, time or None, shortage, and how many come before it or None.
py::list explain(SharedScheduler& shared, const std::optional<Int64Array>& ids) {
  const std::vector<Explanation> found = shared.locked([&](const OnlineScheduler& scheduler) {
    if (ids) return explanations(scheduler.state(), span_of(*ids));
    return explanations(scheduler.state(), scheduler.state().waiting());
  });
  py::list rows;
  for (const Explanation& each : found) {
    const bool has_time = each.reason == WaitingReason::resources || each.reason == WaitingReason::planned;
    rows.append(py::make_tuple(each.id, name_of(each.reason), each.jobs, array_of(std::vector<std::int64_t>(each.machines.begin(), each.machines.end())),
                               has_time ? py::object(py::float_(each.time)) : py::none(), each.shortage,
                               each.reason == WaitingReason::order ? py::object(py::int_(each.n_before)) : py::none()));
  }
  return rows;
}

}  // namespace

void bind_explanations(py::module_& module) {
  module.def("explanations", &explain, py::arg("scheduler"), py::arg("ids") = py::none());
}

}  // namespace schedcore::python
