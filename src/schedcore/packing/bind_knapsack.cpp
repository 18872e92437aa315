// The knapsack kernels: arrays in, ascending item indices out.  schedcore.algorithms.knapsack checks the values.
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "packing/epsilon_argument.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/packing/knapsack.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

KnapsackMethod method_of(const std::string& name) {
  if (name == "exact") return KnapsackMethod::exact;
  if (name == "cadp") return KnapsackMethod::cadp;
  if (name == "greedy") return KnapsackMethod::greedy;
  if (name == "greedy_union") return KnapsackMethod::greedy_union;
  if (name == "greedy_prefix") return KnapsackMethod::greedy_prefix;
  throw InvalidInstanceError("unknown method '" + name + "'");
}

// `solve` runs the kernel with the options; it may take minutes, so other Python threads go on meanwhile.
template <class Solve>
Int64Array solve_without_gil(const std::string& method, const Epsilon& epsilon, std::uint64_t memory_limit,
                             py::object progress, Solve solve) {
  const Ratio accuracy = checked_epsilon(epsilon);
  PythonMonitor monitor(std::move(progress));
  const KnapsackOptions options{method_of(method), accuracy, memory_limit, &monitor};
  std::vector<std::uint32_t> chosen;
  {
    const py::gil_scoped_release release;
    chosen = solve(options);
  }
  Int64Array items(static_cast<py::ssize_t>(chosen.size()));
  std::copy(chosen.begin(), chosen.end(), items.mutable_data());
  return items;
}

template <class Weights, class Sizes>
void check_columns(const Weights& weight, const Sizes& size, typename Sizes::value_type capacity,
                   typename Sizes::value_type largest) {
  check_shape(weight.ndim() == 1 && size.ndim() == 1 && weight.shape(0) == size.shape(0),
              "weight and size must have shape (n_items,)");
  check_range(span_of(weight), kSmallestNumber, kLargestNumber, "weight");
  check_range(span_of(size), typename Sizes::value_type{0}, largest, "size");
  check_number(capacity, typename Sizes::value_type{0}, largest, "capacity");
}

Int64Array knapsack_of_integers(const Float64Array& weight, const Int64Array& size, std::int64_t capacity,
                                const std::string& method, const Epsilon& epsilon, std::uint64_t memory_limit,
                                py::object progress) {
  check_columns(weight, size, capacity, kLargestInteger);
  const auto narrow = span_of(size);
  return solve_without_gil(method, epsilon, memory_limit, std::move(progress),
                           [&](const KnapsackOptions& options) {
                             const std::vector<Int128> wide(narrow.begin(), narrow.end());
                             return solve_knapsack(span_of(weight), wide, capacity, options);
                           });
}

Int64Array knapsack_of_reals(const Float64Array& weight, const Float64Array& size, double capacity,
                             const std::string& method, const Epsilon& epsilon, std::uint64_t memory_limit,
                             py::object progress) {
  check_columns(weight, size, capacity, kLargestNumber);
  return solve_without_gil(method, epsilon, memory_limit, std::move(progress),
                           [&](const KnapsackOptions& options) {
                             return solve_knapsack(span_of(weight), span_of(size), capacity, options);
                           });
}

}  // namespace

void bind_knapsack(py::module_& module) {
  module.def("knapsack_of_integers", &knapsack_of_integers, py::arg("weight"), py::arg("size"), py::arg("capacity"),
             py::kw_only(), py::arg("method"), py::arg("epsilon"), py::arg("memory_limit"), py::arg("progress").none(true),
             "Ascending indices of the chosen items, exact integer sizes.");
  module.def("knapsack_of_reals", &knapsack_of_reals, py::arg("weight"), py::arg("size"), py::arg("capacity"),
             py::kw_only(), py::arg("method"), py::arg("epsilon"), py::arg("memory_limit"), py::arg("progress").none(true),
             "Ascending indices of the chosen items, sizes in double.");
}

}  // namespace schedcore::python
