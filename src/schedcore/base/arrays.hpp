// NumPy arrays at the boundary: contiguous arrays of the right type pass without a copy, others are converted only
// where no information is lost (no forcecast: 0.9 never silently becomes 0).  Shapes are checked here, once.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/checked_columns.hpp"
#include "schedcore/base/types.hpp"

namespace schedcore::python {

using Int64Array = pybind11::array_t<std::int64_t, pybind11::array::c_style>;
using Float64Array = pybind11::array_t<double, pybind11::array::c_style>;

inline void check_shape(bool matches, const std::string& what) {
  if (!matches) throw pybind11::value_error(what);
}

template <class T>
[[nodiscard]] std::span<const T> span_of(const pybind11::array_t<T, pybind11::array::c_style>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

template <class T>
[[nodiscard]] std::span<T> writable_span_of(pybind11::array_t<T, pybind11::array::c_style>& array) {
  return {array.mutable_data(), static_cast<std::size_t>(array.size())};
}

// A number of each job; empty where the caller gave none.
[[nodiscard]] inline std::span<const double> column_span(const std::optional<Float64Array>& column, std::size_t n_jobs,
                                                         const char* name) {
  if (!column) return {};
  check_shape(static_cast<std::size_t>(column->size()) == n_jobs, std::string(name) + " must have shape (n_jobs,)");
  check_range(span_of(*column), -kInfinity, kInfinity, name);
  return span_of(*column);
}

template <class T>
[[nodiscard]] pybind11::array_t<T, pybind11::array::c_style> array_of(const std::vector<T>& values) {
  return pybind11::array_t<T, pybind11::array::c_style>(static_cast<pybind11::ssize_t>(values.size()), values.data());
}

[[nodiscard]] inline JobsView jobs_view(const Float64Array& release_time, const Float64Array& processing_time,
                                        const Float64Array& weight, const Int64Array& demand) {
  check_shape(processing_time.ndim() == 1, "processing_time must have one dimension");
  const auto n_jobs = processing_time.shape(0);
  check_shape(release_time.ndim() == 1 && release_time.shape(0) == n_jobs, "release_time must have shape (n_jobs,)");
  check_shape(weight.ndim() == 1 && weight.shape(0) == n_jobs, "weight must have shape (n_jobs,)");
  check_shape(demand.ndim() == 2 && demand.shape(0) == n_jobs, "demand must have shape (n_jobs, n_resources)");
  check_range(span_of(release_time), 0.0, kLargestNumber, "release_time");
  check_range(span_of(processing_time), 0.0, kLargestNumber, "processing_time");
  check_range(span_of(weight), 0.0, kLargestNumber, "weight");
  check_range(span_of(demand), std::int64_t{0}, kLargestExact, "demand");
  return {span_of(release_time), span_of(processing_time), span_of(weight), span_of(demand),
          static_cast<std::size_t>(demand.shape(1))};
}

[[nodiscard]] inline MachinesView machines_view(const Int64Array& capacity) {
  check_shape(capacity.ndim() == 2 && capacity.size() > 0,
              "capacity must have shape (n_machines, n_resources), both at least 1");
  check_range(span_of(capacity), std::int64_t{0}, kLargestExact, "capacity");
  return {span_of(capacity), static_cast<std::size_t>(capacity.shape(0)), static_cast<std::size_t>(capacity.shape(1))};
}

}  // namespace schedcore::python
