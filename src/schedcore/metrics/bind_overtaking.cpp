// Overtaking in the queue: two columns in, counts out.
#include "base/arrays.hpp"
#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "schedcore/metrics/overtaking.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

Int64Array times_overtaken(const Float64Array& release_time, const Float64Array& start_time) {
  check_shape(release_time.ndim() == 1 && start_time.ndim() == 1 && release_time.size() == start_time.size(),
              "release_time and start_time must have one dimension and the same length");
  check_range(span_of(release_time), -kInfinity, kInfinity, "release_time");
  check_range(span_of(start_time), -kInfinity, kInfinity, "start_time");
  Int64Array counts(release_time.size());
  PythonMonitor monitor{py::none()};
  const std::span<std::int64_t> written = writable_span_of(counts);
  {
    const py::gil_scoped_release unlocked;  // sorts of plain arrays
    count_overtakers(span_of(release_time), span_of(start_time), written, &monitor);
  }
  return counts;
}

}  // namespace

void bind_overtaking(py::module_& module) {
  module.def("times_overtaken", &times_overtaken, py::arg("release_time"), py::arg("start_time"),
             "For each job the number of jobs that arrived later and started earlier.");
}

}  // namespace schedcore::python
