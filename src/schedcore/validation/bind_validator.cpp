// The exact validator: arrays in, the first violation out.
#include "base/arrays.hpp"
#include "bindings.hpp"
#include "schedcore/validation/validator.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

const char* violation_name(ViolationKind kind) {
  switch (kind) {
    case ViolationKind::start_not_finite:
      return "start_not_finite";
    case ViolationKind::unknown_machine:
      return "unknown_machine";
    case ViolationKind::start_before_release:
      return "start_before_release";
    case ViolationKind::no_progress:
      return "no_progress";
    case ViolationKind::capacity_exceeded:
      return "capacity_exceeded";
  }
  return "";
}

py::object find_violation(const Float64Array& release_time, const Float64Array& processing_time,
                          const Int64Array& demand, const Int64Array& capacity, const Float64Array& start_time,
                          const Int64Array& machine) {
  // The validator reads no weights; any column of the right length completes the view.
  const JobsView jobs = jobs_view(release_time, processing_time, processing_time, demand);
  const MachinesView machines = machines_view(capacity);
  check_shape(machines.n_resources == jobs.n_resources, "demand and capacity must have the same number of columns");
  check_shape(start_time.ndim() == 1 && start_time.shape(0) == processing_time.shape(0),
              "start_time must have shape (n_jobs,)");
  check_shape(machine.ndim() == 1 && machine.shape(0) == processing_time.shape(0), "machine must have shape (n_jobs,)");
  std::optional<Violation> found;
  {
    const py::gil_scoped_release unlocked;  // the sweep sorts and reads plain arrays
    found = find_first_violation(jobs, machines, span_of(start_time), span_of(machine));
  }
  if (!found) return py::none();
  return py::make_tuple(violation_name(found->kind), found->job, found->machine, found->instant, found->resource,
                        found->excess);
}

}  // namespace

void bind_validator(py::module_& module) {
  module.def("find_first_violation", &find_violation,
             "The first violation of a schedule as (kind, job, machine, instant, resource, excess), or None.",
             py::arg("release_time"), py::arg("processing_time"), py::arg("demand"), py::arg("capacity"),
             py::arg("start_time"), py::arg("machine"));
}

}  // namespace schedcore::python
