// Tasks spread over machines: sizes and speeds in, machines, loads and exact times out.
// schedcore.algorithms.list_scheduling checks the values and brings them to whole numbers.
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/packing/list_scheduling.hpp"
#include "schedcore/packing/partition_improvement.hpp"
#include "schedcore/packing/uniform_machines.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

using Machines = std::vector<std::uint32_t>;
using LoadAndSpeed = std::pair<std::int64_t, std::int64_t>;

class Spreading {
 public:
  Spreading(std::span<const Amount> sorted_size, std::span<const Amount> speed, Monitor& monitor)
      : size_(sorted_size),
        speed_(speed),
        monitor_(monitor),
        speeds_differ_(std::adjacent_find(speed.begin(), speed.end(), std::not_equal_to<>()) != speed.end()) {}

  [[nodiscard]] Machines by(const std::string& method) const {
    if (method == "lpt") return by_longest_first();
    if (method == "multifit") return by_multifit();
    if (method != "best") throw InvalidInstanceError("unknown method '" + method + "'");
    Machines longest = by_longest_first();
    Machines multi = by_multifit();
    return makespan(multi) < makespan(longest) ? multi : longest;
  }

 private:
  [[nodiscard]] Machines by_longest_first() const {
    Machines machine(size_.size());
    if (speeds_differ_) {
      longest_first(size_, speed_, machine);
    } else {
      longest_first(size_, speed_.size(), machine);
    }
    return machine;
  }
  [[nodiscard]] Machines by_multifit() const {
    Machines machine(size_.size());
    if (speeds_differ_) {
      multifit(size_, speed_, machine, &monitor_);
    } else {
      multifit(size_, speed_.size(), machine, &monitor_);
    }
    return machine;
  }
  [[nodiscard]] CompletionTime makespan(const Machines& machine) const {
    return makespan_of(loads_of(size_, machine, speed_.size()), speed_);
  }

  std::span<const Amount> size_;
  std::span<const Amount> speed_;
  Monitor& monitor_;
  bool speeds_differ_;
};

// The improvement may take seconds, so other Python threads go on meanwhile; Ctrl-C ends it.
std::tuple<Int64Array, Int64Array, LoadAndSpeed, LoadAndSpeed, std::uint64_t> spread_tasks(
    const Int64Array& size, const Int64Array& speed, const std::string& method, std::uint64_t work_limit, double gap) {
  check_shape(size.ndim() == 1 && speed.ndim() == 1 && speed.size() > 0,
              "size must have shape (n_tasks,), speed (n_machines,) with at least one machine");
  const std::span<const Amount> sizes = span_of(size);
  const std::span<const Amount> speeds = span_of(speed);
  checked_total(sizes, kLargestInteger, "size");
  check_range(speeds, std::int64_t{1}, kLargestInteger, "speed");
  check_number(gap, 0.0, kInfinity, "gap");
  Int64Array machine_of_task(size.size());
  Int64Array load_of_machine(speed.size());
  const std::span<std::int64_t> machines = writable_span_of(machine_of_task);
  const std::span<std::int64_t> loads = writable_span_of(load_of_machine);
  PythonMonitor monitor{py::none()};
  ImprovedPartition improved;
  {
    const py::gil_scoped_release release;
    const std::vector<std::uint32_t> order = decreasing_order(sizes);
    std::vector<Amount> sorted_size(order.size());
    std::transform(order.begin(), order.end(), sorted_size.begin(), [&](std::uint32_t task) { return sizes[task]; });
    Machines machine = Spreading(sorted_size, speeds, monitor).by(method);
    improved = improve_partition(sorted_size, speeds, machine, {method == "best" ? work_limit : 0, gap, &monitor});
    for (std::size_t i = 0; i < order.size(); ++i) machines[order[i]] = machine[i];
    const std::vector<Amount> load = loads_of(sorted_size, machine, speeds.size());
    std::copy(load.begin(), load.end(), loads.begin());
  }
  return {machine_of_task, load_of_machine, LoadAndSpeed{improved.makespan.load, improved.makespan.speed},
          LoadAndSpeed{improved.lower_bound.load, improved.lower_bound.speed}, improved.work};
}

}  // namespace

void bind_list_scheduling(py::module_& module) {
  module.def("spread_tasks", &spread_tasks, py::arg("size"), py::arg("speed"), py::kw_only(), py::arg("method"),
             py::arg("work_limit"), py::arg("gap"),
             "Machine of each task, load of each machine, makespan and lower bound as (load, speed), and the work.");
}

}  // namespace schedcore::python
