// The policies of the online family, and the simulation of a whole workload.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/arrays.hpp"
#include "base/choice.hpp"
#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "engine/policy_records.hpp"
#include "packing/epsilon_argument.hpp"
#include "schedcore/engine/engine.hpp"
#include "schedcore/engine/simulation.hpp"
#include "schedcore/online/best_fit_execution.hpp"
#include "schedcore/online/mris.hpp"
#include "schedcore/online/mris_dynamic.hpp"
#include "schedcore/online/priority_queue.hpp"
#include "schedcore/online/tetris.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

py::dict records(const MrisRecords& policy) {
  py::list iterations;
  for (const MrisIteration& iteration : policy.iterations()) {
    py::dict record;
    record["k"] = iteration.k;
    record["gamma"] = iteration.gamma;
    record["origin"] = iteration.origin;
    record["n_candidates"] = iteration.n_candidates;
    record["chosen"] = iteration.chosen;
    record["makespan"] = iteration.makespan;
    iterations.append(std::move(record));
  }
  py::dict stats;
  stats["iterations"] = std::move(iterations);
  stats["early_starts"] = policy.n_early_starts();
  stats["replans"] = policy.n_replans();
  return stats;
}

py::tuple simulate_workload(const Policy& policy, const Float64Array& release_time, const Float64Array& processing_time,
                            const Float64Array& weight, const Int64Array& demand, const Int64Array& capacity,
                            const std::optional<Float64Array>& custom_key, py::object progress,
                            const std::optional<Float64Array>& estimated_processing_time) {
  const JobsView jobs = jobs_view(release_time, processing_time, weight, demand);
  const MachinesView machines = machines_view(capacity);
  check_shape(jobs.n_resources == machines.n_resources, "demand and capacity differ in n_resources");
  const auto key = column_span(custom_key, jobs.n_jobs(), "custom_key");
  const auto estimate = column_span(estimated_processing_time, jobs.n_jobs(), "estimated_processing_time");
  Float64Array start_time(static_cast<py::ssize_t>(jobs.n_jobs()));
  Int64Array machine(static_cast<py::ssize_t>(jobs.n_jobs()));
  const auto starts = writable_span_of(start_time);
  const auto chosen = writable_span_of(machine);
  PythonMonitor monitor(std::move(progress));
  SimulationCounts counts;
  py::dict stats;
  std::unique_ptr<Engine> engine;
  {
    const py::gil_scoped_release release;
    engine = std::make_unique<Engine>(machines, policy.clone());
    counts = simulate(jobs, estimate, key, *engine, machines, &monitor, starts, chosen);
  }
  if (const auto* mris = dynamic_cast<const MrisRecords*>(&engine->policy())) stats = records(*mris);
  add_backfill_records(engine->policy(), stats);
  {
    const py::gil_scoped_release release;
    engine.reset();  // tens of megabytes of vectors
  }
  stats["events"] = counts.n_events;
  stats["wakeups"] = counts.n_wakeups;
  return py::make_tuple(std::move(start_time), std::move(machine), std::move(stats));
}

PriorityRule priority_rule(const std::string& name) {
  return choice<PriorityRule>(name, {{"wsjf", PriorityRule::wsjf},
                                     {"wsvf", PriorityRule::wsvf},
                                     {"wsdf", PriorityRule::wsdf},
                                     {"sjf", PriorityRule::sjf},
                                     {"svf", PriorityRule::svf},
                                     {"sdf", PriorityRule::sdf},
                                     {"erf", PriorityRule::erf},
                                     {"custom", PriorityRule::custom},
                                     {"by_id", PriorityRule::by_id}});
}

// MrisPolicy and MrisDynamicPolicy take the same options; the latter reads neither placement nor replan.
template <class MrisForm>
void bind_mris(py::module_& module, const char* name) {
  py::class_<MrisForm, Policy>(module, name)
      .def(py::init([](const std::string& rule, const std::string& knapsack, const Epsilon& epsilon,
                       std::uint64_t memory_limit, const std::string& placement, Time gamma0,
                       std::optional<Time> origin, bool opportunistic, double patience, bool replan, bool record) {
             check_number(gamma0, kSmallestNumber, kLargestNumber, "gamma0");
             check_number(origin.value_or(0), 0.0, kLargestNumber, "origin");
             check_number(patience, 0.0, kInfinity, "patience");
             return std::make_unique<MrisForm>(MrisOptions{
                 .rule = priority_rule(rule),
                 .knapsack = choice<KnapsackMethod>(knapsack, {{"exact", KnapsackMethod::exact},
                                                               {"cadp", KnapsackMethod::cadp},
                                                               {"greedy", KnapsackMethod::greedy},
                                                               {"greedy_union", KnapsackMethod::greedy_union}}),
                 .epsilon = checked_epsilon(epsilon),
                 .memory_limit = memory_limit,
                 .placement = choice<MrisPlacement>(placement, {{"scan", MrisPlacement::scan},
                                                                {"list", MrisPlacement::list},
                                                                {"nobackfill", MrisPlacement::nobackfill}}),
                 .gamma0 = gamma0,
                 .origin = origin.value_or(0),
                 .origin_is_busy = !origin.has_value(),
                 .opportunistic = opportunistic,
                 .patience = patience,
                 .replan = replan,
                 .record = record});
           }),
           py::kw_only(), py::arg("rule"), py::arg("knapsack"), py::arg("epsilon"), py::arg("memory_limit"),
           py::arg("placement"), py::arg("gamma0"), py::arg("origin").none(true), py::arg("opportunistic"),
           py::arg("patience"), py::arg("replan"), py::arg("record"));
}

void bind_policies(py::module_& module) {
  py::class_<Policy>(module, "Policy", "A scheduling policy of the C++ engine; a prototype that engines copy.");
  py::class_<PriorityQueuePolicy, Policy>(module, "PriorityQueuePolicy")
      .def(py::init([](const std::string& rule, std::optional<Time> last_release_time) {
             check_number(last_release_time.value_or(0), 0.0, kInfinity, "last_release_time");
             return std::make_unique<PriorityQueuePolicy>(priority_rule(rule), last_release_time);
           }),
           py::arg("rule"), py::arg("last_release_time") = py::none());
  py::class_<TetrisPolicy, Policy>(module, "TetrisPolicy")
      .def(py::init([](const std::string& mode) {
             return std::make_unique<TetrisPolicy>(choice<TetrisMode>(
                 mode, {{"inverse", TetrisMode::inverse}, {"minus", TetrisMode::minus}, {"plus", TetrisMode::plus}}));
           }),
           py::arg("mode"));
  py::class_<BestFitExecutionPolicy, Policy>(module, "BestFitExecutionPolicy").def(py::init<>());
  bind_mris<MrisPolicy>(module, "MrisPolicy");
  bind_mris<MrisDynamicPolicy>(module, "MrisDynamicPolicy");
}

}  // namespace

void bind_engine(py::module_& module) {
  bind_policies(module);
  module.def("simulate", &simulate_workload, py::arg("policy"), py::arg("release_time"), py::arg("processing_time"),
             py::arg("weight"), py::arg("demand"), py::arg("capacity"), py::kw_only(),
             py::arg("custom_key") = py::none(), py::arg("progress") = py::none(),
             py::arg("estimated_processing_time") = py::none(),
             "Run a whole workload through a policy; returns (start_time, machine, stats).");
}

}  // namespace schedcore::python
