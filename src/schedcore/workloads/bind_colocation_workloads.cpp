// What colocation instances are drawn from: arguments checked by schedcore.workloads in, new columns out.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "base/choice.hpp"
#include "bindings.hpp"
#include "schedcore/workloads/colocation_workloads.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

Int64Array distinct_indices(std::uint64_t seed, py::ssize_t population, py::ssize_t n_chosen) {
  check_shape(0 <= n_chosen && n_chosen <= population, "0 <= n_chosen <= population is needed");
  Int64Array chosen(n_chosen);
  const auto written = writable_span_of(chosen);
  {
    const py::gil_scoped_release unlocked;  // populations of millions
    draw_distinct(seed, static_cast<std::size_t>(population), written);
  }
  return chosen;
}

py::tuple usage_records(std::uint64_t seed, py::ssize_t n_records) {
  Float64Array cpu(n_records);
  Float64Array memory(n_records);
  draw_usage_records(seed, writable_span_of(cpu), writable_span_of(memory));
  return py::make_tuple(std::move(cpu), std::move(memory));
}

py::tuple colocation_draw(std::uint64_t seed, const Int64Array& type, py::ssize_t n_types, const std::string& cls,
                          py::ssize_t n_tasks, bool symmetric) {
  const auto coefficients = choice<CoefficientClass>(cls, {{"compatible", CoefficientClass::compatible},
                                                           {"incompatible", CoefficientClass::incompatible},
                                                           {"clashing", CoefficientClass::clashing},
                                                           {"mixed", CoefficientClass::mixed}});
  check_shape(type.ndim() == 1, "type must have shape (n_available,)");
  check_shape(1 <= n_types && n_types <= n_tasks && n_tasks <= type.size(),
              "1 <= n_types <= n_tasks <= len(type) is needed");
  check_range(span_of(type), std::int64_t{0}, static_cast<std::int64_t>(n_types) - 1, "type");
  std::vector<bool> occurs(static_cast<std::size_t>(n_types), false);
  for (const std::int64_t own : span_of(type)) occurs[static_cast<std::size_t>(own)] = true;
  check_shape(std::find(occurs.begin(), occurs.end(), false) == occurs.end(), "every type must occur");
  Int64Array chosen(n_tasks);
  Int64Array alpha({n_types, n_types});
  const auto types = span_of(type);
  const auto tasks = writable_span_of(chosen);
  const auto written = writable_span_of(alpha);
  {
    const py::gil_scoped_release unlocked;
    draw_colocation(seed, types, static_cast<std::size_t>(n_types), coefficients, symmetric, tasks, written);
  }
  return py::make_tuple(std::move(chosen), std::move(alpha));
}

}  // namespace

void bind_colocation_workloads(py::module_& module) {
  module.def("distinct_indices", &distinct_indices, py::arg("seed"), py::arg("population"), py::arg("n_chosen"),
             "Distinct indices below the population, in the order of a partial Fisher-Yates shuffle.");
  module.def("usage_records", &usage_records, py::arg("seed"), py::arg("n_records"),
             "CPU and memory of made-up usage records.");
  module.def("colocation_draw", &colocation_draw, py::arg("seed"), py::arg("type"), py::arg("n_types"), py::arg("cls"),
             py::arg("n_tasks"), py::arg("symmetric"),
             "Indices of the tasks of an instance, and its coefficients over 1000; every type must occur.");
}

}  // namespace schedcore::python
