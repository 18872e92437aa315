// Lower bounds: columns in, proven numbers out.
#include "base/arrays.hpp"
#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "schedcore/bounds/bounds.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <vector>

namespace py = pybind11;

namespace schedcore::python {
namespace {

void check_resources(const JobsView& jobs, const MachinesView& machines) {
  check_shape(machines.n_resources == jobs.n_resources, "demand and capacity must have the same number of columns");
}

py::tuple completion_time_bounds_of(const Float64Array& release_time, const Float64Array& processing_time,
                                    const Float64Array& weight, const Int64Array& demand, const Int64Array& capacity) {
  const JobsView jobs = jobs_view(release_time, processing_time, weight, demand);
  const MachinesView machines = machines_view(capacity);
  check_resources(jobs, machines);
  PythonMonitor monitor{py::none()};
  CompletionTimeBounds bounds;
  {
    const py::gil_scoped_release unlocked;  // dozens of sorts and sweeps over plain arrays
    bounds = completion_time_bounds(jobs, machines, &monitor);
  }
  return py::make_tuple(bounds.trivial, bounds.mean_busy, bounds.split, bounds.fractional_split, bounds.best);
}

py::tuple mean_busy_time_bound_of(const Float64Array& release_time, const Float64Array& processing_time,
                                  const Float64Array& weight, const Float64Array& load) {
  const py::ssize_t n_jobs = processing_time.size();
  const Int64Array no_demand(std::vector<py::ssize_t>{n_jobs, 0});  // the loads take its place
  const JobsView jobs = jobs_view(release_time, processing_time, weight, no_demand);
  check_shape(load.ndim() == 1 && load.shape(0) == n_jobs, "load must have shape (n_jobs,)");
  check_range(span_of(load), 0.0, kLargestNumber, "load");
  PythonMonitor monitor{py::none()};
  MeanBusyTimeBound bound;
  {
    const py::gil_scoped_release unlocked;
    bound = mean_busy_time_bound(jobs, span_of(load), &monitor);
  }
  Float64Array mean_busy_time(n_jobs);
  std::copy(bound.mean_busy_time.begin(), bound.mean_busy_time.end(), mean_busy_time.mutable_data());
  return py::make_tuple(bound.value, mean_busy_time);
}

double makespan_bound_of(const Float64Array& release_time, const Float64Array& processing_time,
                         const Int64Array& demand, const Int64Array& capacity) {
  // The bound reads no weights; any column of the right length completes the view.
  const JobsView jobs = jobs_view(release_time, processing_time, processing_time, demand);
  const MachinesView machines = machines_view(capacity);
  check_resources(jobs, machines);
  PythonMonitor monitor{py::none()};
  const py::gil_scoped_release unlocked;
  return makespan_bound(jobs, machines, &monitor);
}

}  // namespace

void bind_bounds(py::module_& module) {
  module.def("completion_time_bounds", &completion_time_bounds_of,
             "Lower bounds on sum w C as (trivial, mean_busy, split, fractional_split, best).", py::arg("release_time"),
             py::arg("processing_time"), py::arg("weight"), py::arg("demand"), py::arg("capacity"));
  module.def("mean_busy_time_bound", &mean_busy_time_bound_of,
             "Lower bound on sum w C for given loads on one unit-speed machine, and the mean busy times.",
             py::arg("release_time"), py::arg("processing_time"), py::arg("weight"), py::arg("load"));
  module.def("makespan_bound", &makespan_bound_of, "Lower bound on the makespan.", py::arg("release_time"),
             py::arg("processing_time"), py::arg("demand"), py::arg("capacity"));
}

}  // namespace schedcore::python
