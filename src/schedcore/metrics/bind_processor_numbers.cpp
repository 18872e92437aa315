// The processors of a schedule: arrays in, intervals of numbers out.  Python has validated the schedule.
#include "base/arrays.hpp"
#include "bindings.hpp"
#include "schedcore/metrics/processor_numbers.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

py::tuple processor_numbers(const Float64Array& start_time, const Float64Array& processing_time,
                            const Int64Array& processors, const Int64Array& machine, const Int64Array& capacity) {
  const auto n_jobs = start_time.size();
  check_shape(capacity.ndim() == 1, "capacity must have shape (n_machines,)");
  check_shape(processing_time.size() == n_jobs && processors.size() == n_jobs && machine.size() == n_jobs,
              "start_time, processing_time, processors and machine must have the same length");
  check_range(span_of(start_time), 0.0, kLargestNumber, "start_time");
  check_range(span_of(processing_time), 0.0, kLargestNumber, "processing_time");
  check_range(span_of(processors), std::int64_t{0}, kLargestExact, "processors");
  check_range(span_of(machine), std::int64_t{0}, capacity.size() - 1, "machine");
  checked_total(span_of(capacity), kLargestInteger, "capacity");
  ProcessorNumbers numbers;
  {
    const py::gil_scoped_release unlocked;  // sorts and reads plain arrays
    numbers = lowest_free_processors(span_of(start_time), span_of(processing_time), span_of(processors),
                                     span_of(machine), span_of(capacity));
  }
  return py::make_tuple(array_of(numbers.offset), array_of(numbers.first), array_of(numbers.last));
}

}  // namespace

void bind_processor_numbers(py::module_& module) {
  module.def("lowest_free_processors", &processor_numbers, py::arg("start_time"), py::arg("processing_time"),
             py::arg("processors"), py::arg("machine"), py::arg("capacity"),
             "Processors of each job of a feasible schedule as intervals: (offset, first, last).");
}

}  // namespace schedcore::python
