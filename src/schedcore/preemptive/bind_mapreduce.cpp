// Jobs of map and reduce tasks: columns of an instance in, pieces out.  schedcore.algorithms.preemptive checks values.
#include <pybind11/stl.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/arrays.hpp"
#include "base/choice.hpp"
#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "preemptive/dual_arguments.hpp"
#include "preemptive/piece_columns.hpp"
#include "schedcore/preemptive/mapreduce_simulation.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

std::span<const std::int64_t> job_column(const Int64Array& column, const Int64Array& release_time, const char* name) {
  check_shape(column.ndim() == 1 && column.size() == release_time.size(),
              std::string(name) + " must have shape (n_jobs,)");
  return span_of(column);
}

// All jobs together have less than 2^31 tasks, each job less than 2^53 core-slots; reduce tasks may be none.
void check_phases(const MapReduceJobs& jobs) {
  check_range(jobs.release_time, std::int64_t{0}, kLargestExact, "release_time");
  const std::int64_t most = std::int64_t{1} << 31;
  const std::int64_t maps = checked_total(jobs.map.tasks, most - 1, "map_tasks");
  checked_total(jobs.reduce.tasks, most - 1 - maps, "reduce_tasks");
  check_range(jobs.map.tasks, std::int64_t{1}, most, "map_tasks");
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    double work = 0;
    for (const auto* phase : {&jobs.map, &jobs.reduce}) {
      if (phase->tasks[job] == 0) continue;
      check_number(phase->cores[job], std::int64_t{1}, kLargestExact - 1, "cores");
      check_number(phase->time[job], std::int64_t{1}, kLargestExact - 1, "time");
      work += static_cast<double>(phase->tasks[job]) * static_cast<double>(phase->cores[job]) *
              static_cast<double>(phase->time[job]);
    }
    check_shape(work < 0x1p53, "a job must need less than 2**53 core-slots");
  }
}

py::tuple mapreduce_pieces(const Int64Array& release_time, const Int64Array& map_tasks, const Int64Array& map_cores,
                           const Int64Array& map_time, const Int64Array& reduce_tasks, const Int64Array& reduce_cores,
                           const Int64Array& reduce_time, const Int64Array& capacity, const std::string& order,
                           unsigned k, double gamma, std::optional<double> mu, const FirstMultiplier& lambda0,
                           bool work_conserving, const std::string& packing, std::optional<Float64Array> latency,
                           std::optional<std::int64_t> max_slots, bool record, py::object progress) {
  check_shape(release_time.ndim() == 1, "release_time must have one dimension");
  const MapReduceJobs jobs{
      span_of(release_time),
      {job_column(map_tasks, release_time, "map_tasks"), job_column(map_cores, release_time, "map_cores"),
       job_column(map_time, release_time, "map_time")},
      {job_column(reduce_tasks, release_time, "reduce_tasks"), job_column(reduce_cores, release_time, "reduce_cores"),
       job_column(reduce_time, release_time, "reduce_time")}};
  check_shape(capacity.ndim() == 1, "capacity must have shape (n_machines,)");
  check_phases(jobs);
  check_shape(capacity.size() > 0, "there must be at least one machine");
  checked_total(span_of(capacity), kLargestInteger, "capacity");
  check_number(max_slots.value_or(0), std::int64_t{0}, kLargestInteger, "max_slots");
  MapReduceRules rules;
  rules.order = choice<MapReduceOrder>(order, {{"ocorp", MapReduceOrder::ocorp},
                                               {"srpt", MapReduceOrder::srpt},
                                               {"srvf", MapReduceOrder::srvf},
                                               {"svf", MapReduceOrder::svf},
                                               {"srf", MapReduceOrder::srf},
                                               {"fifo", MapReduceOrder::fifo}});
  rules.dual = dual_rules(k, gamma, mu, lambda0);
  rules.work_conserving = work_conserving;
  rules.sticky = is_sticky(packing);
  rules.max_slots = max_slots.value_or(kNoSlot);
  rules.record_multipliers = record;
  if (latency) {
    std::int64_t n_tasks = 0;
    for (std::size_t job = 0; job < jobs.n_jobs(); ++job) n_tasks += jobs.map.tasks[job] + jobs.reduce.tasks[job];
    check_shape(latency->ndim() == 2 && latency->shape(0) == n_tasks && latency->shape(1) == capacity.shape(0),
                "latency must have shape (n_tasks, n_machines)");
    rules.latency = span_of(*latency);
    check_range(rules.latency, 0.0, kLargestNumber, "latency");
  }
  MapReduceOutcome outcome;
  PythonMonitor monitor(std::move(progress));
  {
    const py::gil_scoped_release unlocked;
    outcome = run_mapreduce(jobs, span_of(capacity), rules, &monitor);
  }
  return py::make_tuple(array_of(outcome.completion_time), array_of(outcome.map_completion_time),
                        piece_columns(outcome.pieces), array_of(outcome.multiplier_slot),
                        array_of(outcome.multiplier_job), array_of(outcome.multiplier));
}

}  // namespace

void bind_mapreduce(py::module_& module) {
  module.def("run_mapreduce", &mapreduce_pieces,
             "Completion times of jobs and of their map phases, columns of pieces, and the multipliers recorded: "
             "slot, job, value.",
             py::arg("release_time"), py::arg("map_tasks"), py::arg("map_cores"), py::arg("map_time"),
             py::arg("reduce_tasks"), py::arg("reduce_cores"), py::arg("reduce_time"), py::arg("capacity"),
             py::kw_only(), py::arg("order"), py::arg("k") = 1, py::arg("gamma") = 1.0, py::arg("mu") = py::none(),
             py::arg("lambda0") = FirstMultiplier("zero", 0.0), py::arg("work_conserving") = true, py::arg("packing"),
             py::arg("latency").none(true), py::arg("max_slots").none(true), py::arg("record"),
             py::arg("progress").none(true));
}

}  // namespace schedcore::python
