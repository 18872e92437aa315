// What a policy is, and the simulation of a whole workload.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/arrays.hpp"
#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "engine/cluster_jobs.hpp"
#include "engine/machine_arrays.hpp"
#include "engine/policy_records.hpp"
#include "schedcore/engine/engine.hpp"
#include "schedcore/engine/simulation.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

py::tuple simulate_workload(const Policy& policy, const Float64Array& release_time, const Float64Array& processing_time,
                            const Float64Array& weight, const Int64Array& demand, const Int64Array& capacity,
                            const std::optional<Float64Array>& custom_key, py::object progress,
                            const std::optional<Float64Array>& estimated_processing_time, const ClusterJobs* cluster_jobs,
                            const std::optional<Int64Array>& machine_number, const std::optional<Int64Array>& machine_weight) {
  const JobsView jobs = jobs_view(release_time, processing_time, weight, demand);
  const MachinesView machines = machines_view(capacity);
  check_shape(jobs.n_resources == machines.n_resources, "demand and capacity differ in n_resources");
  const auto names = machine_names(machine_number, machine_weight, machines.n_machines);
  const auto key = column_span(custom_key, jobs.n_jobs(), "custom_key");
  const auto estimate = column_span(estimated_processing_time, jobs.n_jobs(), "estimated_processing_time");
  const ClusterColumns columns = ClusterJobs::columns_or_none(cluster_jobs, jobs.n_jobs(), machines.n_machines);
  Float64Array start_time(static_cast<py::ssize_t>(jobs.n_jobs()));
  Int64Array machine(static_cast<py::ssize_t>(jobs.n_jobs()));
  const auto starts = writable_span_of(start_time);
  const auto chosen = writable_span_of(machine);
  PythonMonitor monitor(std::move(progress));
  SimulationCounts counts;
  py::dict stats;
  std::unique_ptr<Engine> engine;
  {
    const py::gil_scoped_release release;
    engine = std::make_unique<Engine>(machines, policy.clone());
    engine->name_machines(names);
    counts = simulate(jobs, estimate, key, columns, *engine, machines, &monitor, starts, chosen);
  }
  add_mris_records(engine->policy(), stats);
  add_backfill_records(engine->policy(), stats);
  {
    const py::gil_scoped_release release;
    engine.reset();  // tens of megabytes of vectors
  }
  stats["events"] = counts.n_events;
  stats["wakeups"] = counts.n_wakeups;
  return py::make_tuple(std::move(start_time), std::move(machine), std::move(stats));
}

}  // namespace

void bind_engine(py::module_& module) {
  py::class_<Policy>(module, "Policy", "A scheduling policy of the C++ engine; a prototype that engines copy.")
      .def_property_readonly("heeds_eligibility", &Policy::heeds_eligibility,
                             "Whether jobs may say on which machines they may run.")
      .def_property_readonly("heeds_clusters", &Policy::heeds_clusters,
                             "Whether it heeds all that happens on clusters, such as failures.")
      .def_property_readonly("heeds_placements", &Policy::heeds_placements,
                             "Whether jobs may say on which machines they may run, and how long they take there.");
  module.def("simulate", &simulate_workload, py::arg("policy"), py::arg("release_time"), py::arg("processing_time"),
             py::arg("weight"), py::arg("demand"), py::arg("capacity"), py::kw_only(),
             py::arg("custom_key") = py::none(), py::arg("progress") = py::none(),
             py::arg("estimated_processing_time") = py::none(), py::arg("cluster_jobs") = nullptr,
             py::arg("machine_number") = py::none(), py::arg("machine_weight") = py::none(),
             "Run a whole workload through a policy; returns (start_time, machine, stats).");
}

}  // namespace schedcore::python
