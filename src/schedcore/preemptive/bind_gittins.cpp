// The Gittins index as a function of its own, learnt from sizes at hand.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/arrays.hpp"
#include "bindings.hpp"
#include "schedcore/preemptive/gittins_index.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

Float64Array indices(const Int64Array& attained, const Int64Array& completed) {
  check_shape(attained.ndim() == 1, "attained must have one dimension");
  check_shape(completed.ndim() == 1, "completed must have one dimension");
  check_range(span_of(attained), std::int64_t{0}, kLargestExact, "attained");
  check_range(span_of(completed), std::int64_t{1}, kLargestExact, "completed");
  check_shape(completed.size() < std::int64_t{1} << 32, "completed must have fewer than 2^32 sizes");
  std::vector<double> found(static_cast<std::size_t>(attained.size()));
  {
    const py::gil_scoped_release unlocked;
    GittinsIndex index;
    index.learn(span_of(completed));
    std::ranges::transform(span_of(attained), found.begin(), [&](Amount got) { return index.at(got); });
  }
  return array_of(found);
}

}  // namespace

void bind_gittins(py::module_& module) {
  module.def("gittins_index", &indices, py::arg("attained"), py::arg("completed"),
             "Gittins index of jobs by the service that they have got; 0 where no completed job had got more.");
}

}  // namespace schedcore::python
