// The workload models: arguments checked by schedcore.workloads in, new columns out.
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "base/arrays.hpp"
#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "schedcore/workloads/workload_models.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

// Calls draw(monitor) without the GIL; Ctrl-C ends it.
template <class Draw>
void draw_without_gil(const Draw& draw) {
  PythonMonitor monitor(py::none{});
  const py::gil_scoped_release release;
  draw(&monitor);
}

// Weights of a `WeightTable`.
void check_weights(std::span<const double> weight, const char* name) {
  check_range(weight, 0.0, kLargestNumber, name);
  const double sum = std::accumulate(weight.begin(), weight.end(), 0.0);
  check_shape(sum > 0 && sum < kInfinity, std::string(name) + " must have a positive, finite sum");
}

py::tuple feitelson_jobs(std::uint64_t seed, py::ssize_t n_jobs, const Float64Array& size_weight,
                         const Float64Array& stage_mean, const Float64Array& stage_probability,
                         const Float64Array& repetition_weight) {
  check_shape(stage_mean.size() == 2 && stage_probability.size() == 2, "the stages are two pairs");
  const RuntimeStages stages{stage_mean.data()[0], stage_mean.data()[1], stage_probability.data()[0],
                             stage_probability.data()[1]};
  const auto weight = span_of(size_weight);
  const auto repetition = span_of(repetition_weight);
  check_weights(weight, "size_weight");
  if (!repetition.empty()) check_weights(repetition, "repetition_weight");
  check_range(span_of(stage_mean), 0.0, kLargestNumber, "stage_mean");
  check_range(span_of(stage_probability), -kLargestNumber, kLargestNumber, "stage_probability");
  Int64Array size(n_jobs);
  Int64Array processing_time(n_jobs);
  const auto sizes = writable_span_of(size);
  const auto times = writable_span_of(processing_time);
  draw_without_gil([&](Monitor* monitor) { draw_feitelson(seed, weight, stages, repetition, monitor, sizes, times); });
  return py::make_tuple(std::move(size), std::move(processing_time));
}

py::tuple lublin_jobs(std::uint64_t seed, py::ssize_t n_jobs) {
  Int64Array size(n_jobs);
  Int64Array processing_time(n_jobs);
  const auto sizes = writable_span_of(size);
  const auto times = writable_span_of(processing_time);
  draw_without_gil([&](Monitor* monitor) { draw_lublin(seed, monitor, sizes, times); });
  return py::make_tuple(std::move(size), std::move(processing_time));
}

Int64Array k_resource_demands(std::uint64_t seed, const Int64Array& size, py::ssize_t n_resources, double variance,
                              double factor, std::int64_t largest_size) {
  check_shape(size.ndim() == 1, "size must have shape (n_jobs,)");
  check_number(std::int64_t{n_resources}, std::int64_t{1}, std::int64_t{1} << 31, "n_resources");
  check_number(largest_size, std::int64_t{1}, kLargestExact, "largest_size");
  check_range(span_of(size), std::int64_t{1}, largest_size, "size");
  check_number(variance, kSmallestNumber, kLargestNumber, "variance");
  check_number(factor, kSmallestNumber, kLargestNumber, "factor");
  Int64Array demand({size.shape(0), n_resources});
  const auto sizes = span_of(size);
  const auto demands = writable_span_of(demand);
  draw_without_gil([&](Monitor* monitor) {
    draw_demands(seed, sizes, static_cast<std::size_t>(n_resources), variance, factor, largest_size, monitor, demands);
  });
  return demand;
}

Float64Array unit_arrivals(std::uint64_t seed, py::ssize_t n_jobs) {
  Float64Array arrival(n_jobs);
  const auto arrivals = writable_span_of(arrival);
  draw_without_gil([&](Monitor* monitor) { draw_unit_arrivals(seed, monitor, arrivals); });
  return arrival;
}

Float64Array estimated_times(std::uint64_t seed, const Float64Array& processing_time, double factor) {
  check_shape(processing_time.ndim() == 1, "processing_time must have shape (n_jobs,)");
  check_range(span_of(processing_time), 0.0, kLargestNumber, "processing_time");
  check_number(factor, 1.0, kLargestNumber, "factor");
  Float64Array estimate(processing_time.shape(0));
  const auto times = span_of(processing_time);
  const auto estimates = writable_span_of(estimate);
  draw_without_gil([&](Monitor* monitor) { draw_estimates(seed, times, factor, monitor, estimates); });
  return estimate;
}

}  // namespace

void bind_workload_models(py::module_& module) {
  module.def("feitelson_jobs", &feitelson_jobs, py::arg("seed"), py::arg("n_jobs"), py::arg("size_weight"),
             py::arg("stage_mean"), py::arg("stage_probability"), py::arg("repetition_weight"),
             "Sizes and processing times of the Feitelson model.");
  module.def("lublin_jobs", &lublin_jobs, py::arg("seed"), py::arg("n_jobs"),
             "Sizes and processing times of the Lublin model.");
  module.def("k_resource_demands", &k_resource_demands, py::arg("seed"), py::arg("size"), py::arg("n_resources"),
             py::arg("variance"), py::arg("factor"), py::arg("largest_size"), "Demands in millionths of a machine.");
  module.def("unit_arrivals", &unit_arrivals, py::arg("seed"), py::arg("n_jobs"), "Poisson arrivals of rate 1.");
  module.def("estimated_times", &estimated_times, py::arg("seed"), py::arg("processing_time"), py::arg("factor"),
             "Estimates at or above the processing times.");
}

}  // namespace schedcore::python
