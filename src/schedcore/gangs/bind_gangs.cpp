// Policies for jobs that span machines, and which of them can run at all.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "backfilling/backfill_arguments.hpp"
#include "base/choice.hpp"
#include "bindings.hpp"
#include "engine/cluster_jobs.hpp"
#include "site/site_arguments.hpp"
#include "schedcore/engine/empty_cluster.hpp"
#include "schedcore/gangs/gang_queue_policy.hpp"
#include "schedcore/gangs/gang_reservation_policy.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

Int64Array tasks_that_fit_empty(const Int64Array& demand, const Int64Array& capacity, const ClusterJobs& cluster_jobs) {
  check_shape(demand.ndim() == 2, "demand must have shape (n_jobs, n_resources)");
  check_range(span_of(demand), std::int64_t{0}, kLargestExact, "demand");
  const MachinesView machines = machines_view(capacity);
  const auto n_jobs = static_cast<std::size_t>(demand.shape(0));
  check_shape(static_cast<std::size_t>(demand.shape(1)) == machines.n_resources,
              "demand and capacity differ in n_resources");
  const std::vector<Time> unused(n_jobs);
  const JobsView jobs{unused, unused, unused, span_of(demand), machines.n_resources};
  const ClusterColumns columns = cluster_jobs.columns(n_jobs, machines.n_machines);
  std::vector<Amount> room;
  {
    const py::gil_scoped_release release;
    room = tasks_on_empty_cluster(jobs, columns, machines);
  }
  return array_of(room);
}

// What reservations hold, and where jobs go.
std::optional<RebuiltPlan> rebuilt_argument(const std::optional<std::pair<std::string, std::string>>& words) {
  if (!words) return std::nullopt;
  return RebuiltPlan{choice<bool>(words->first, {{"tasks", false}, {"machines", true}}),
                     choice<bool>(words->second, {{"first", false}, {"consecutive", true}})};
}

}  // namespace

void bind_gangs(py::module_& module) {
  py::class_<GangQueuePolicy, Policy>(module, "GangQueuePolicy")
      .def(py::init([](const std::string& overtaking, const std::string& order, const SelectionArgument& selection,
                       const std::optional<std::uint64_t>& queue_depth, const std::optional<Time>& window,
                       const std::optional<Time>& resolution, const std::optional<Time>& interval, bool record,
                       const std::optional<Time>& last_release_time, bool ties_by_id) {
             if (last_release_time) check_number(*last_release_time, 0.0, kInfinity, "last_release_time");
             return std::make_unique<GangQueuePolicy>(overtaking_argument(overtaking), order_argument(order, ties_by_id),
                                                      selection_argument(selection),
                                                      limits_argument(queue_depth, window, resolution, interval), record,
                                                      last_release_time);
           }),
           py::arg("overtaking"), py::kw_only(), py::arg("order") = "erf", py::arg("selection") = kFirstFit,
           py::arg("queue_depth") = py::none(), py::arg("window") = py::none(), py::arg("resolution") = py::none(), py::arg("interval") = py::none(),
           py::arg("record") = false, py::arg("last_release_time") = py::none(), py::arg("ties_by_id") = false);
  py::class_<GangReservationPolicy, Policy>(module, "GangReservationPolicy")
      .def(py::init([](const std::optional<std::uint64_t>& protected_jobs, const std::string& compression,
                       const std::optional<std::pair<std::string, std::string>>& rebuilt,
                       const SelectionArgument& selection,
                       const std::optional<std::uint64_t>& queue_depth, const std::optional<Time>& window,
                       const std::optional<Time>& resolution, const std::optional<Time>& interval, bool record,
                       const std::string& order) {
             return std::make_unique<GangReservationPolicy>(order_argument(order, false), selection_argument(selection),
                                                            limits_argument(queue_depth, window, resolution, interval),
                                                            reservation_options(protected_jobs, compression), rebuilt_argument(rebuilt),
                                                            record);
           }),
           py::kw_only(), py::arg("protected_jobs") = py::none(), py::arg("compression") = "pass",
           py::arg("rebuilt") = py::none(), py::arg("selection") = kFirstFit,
           py::arg("queue_depth") = py::none(), py::arg("window") = py::none(),
           py::arg("resolution") = py::none(), py::arg("interval") = py::none(), py::arg("record") = false,
           py::arg("order") = "erf");
  module.def("tasks_on_empty_cluster", &tasks_that_fit_empty, py::arg("demand"), py::arg("capacity"),
             py::arg("cluster_jobs"), "Return of every job the number of tasks that have room on the empty cluster.");
}

}  // namespace schedcore::python
