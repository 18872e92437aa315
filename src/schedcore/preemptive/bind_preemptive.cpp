// Slotted preemptive runs: columns of an instance in, pieces out.  schedcore.algorithms.preemptive checks values.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/arrays.hpp"
#include "base/choice.hpp"
#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "model/slot_task_arrays.hpp"
#include "preemptive/core_matrix.hpp"
#include "preemptive/dual_arguments.hpp"
#include "preemptive/fair_arguments.hpp"
#include "preemptive/piece_columns.hpp"
#include "schedcore/preemptive/slotted_simulation.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

SlotJobs slot_jobs(const Int64Array& release_time, const Int64Array& processing_time, const Int64Array& demand,
                   const std::optional<Int64Array>& estimated_demand, const std::optional<Float64Array>& weight) {
  check_shape(processing_time.ndim() == 1, "processing_time must have one dimension");
  const auto n_jobs = processing_time.shape(0);
  check_shape(release_time.ndim() == 1 && release_time.shape(0) == n_jobs, "release_time must have shape (n_jobs,)");
  check_shape(demand.ndim() == 2 && demand.shape(0) == n_jobs, "demand must have shape (n_jobs, n_resources)");
  SlotJobs jobs{span_of(release_time), span_of(processing_time), span_of(demand), {},
                static_cast<std::size_t>(demand.shape(1)), column_span(weight, static_cast<std::size_t>(n_jobs), "weight")};
  check_job_weights(jobs.weight);
  if (estimated_demand) {
    check_shape(estimated_demand->ndim() == 2 && estimated_demand->shape(0) == n_jobs &&
                    estimated_demand->shape(1) == demand.shape(1),
                "estimated_demand must have shape (n_jobs, n_resources)");
    jobs.estimated_demand = span_of(*estimated_demand);
  }
  check_range(jobs.release_time, std::int64_t{0}, kLargestExact, "release_time");
  check_slot_rows(jobs.processing_time, jobs.demand, jobs.n_resources, "demand");
  if (estimated_demand) {
    check_slot_rows(jobs.processing_time, jobs.estimated_demand, jobs.n_resources, "estimated_demand");
  }
  return jobs;
}

py::tuple slotted_pieces(const Int64Array& release_time, const Int64Array& processing_time, const Int64Array& demand,
                         const std::optional<Int64Array>& estimated_demand, const Int64Array& capacity,
                         const std::string& policy, unsigned k, double gamma, std::optional<double> mu,
                         const FirstMultiplier& lambda0, bool work_conserving, const std::string& packing,
                         const std::string& mem_mode, double alpha, const std::string& solver,
                         const std::string& service, bool skip, const std::optional<Float64Array>& weight,
                         const std::string& remainders, std::optional<Slot> max_slots, bool record,
                         py::object progress) {
  const SlotJobs jobs = slot_jobs(release_time, processing_time, demand, estimated_demand, weight);
  const MachinesView machines = machines_view(capacity);
  check_shape(machines.n_resources == jobs.n_resources, "demand and capacity must have as many resources");
  SlotRules rules;
  rules.policy = choice<SlotPolicy>(policy, {{"ocorp", SlotPolicy::ocorp},
                                             {"ocorp_plus", SlotPolicy::ocorp_plus},
                                             {"srpt", SlotPolicy::srpt},
                                             {"srvf", SlotPolicy::srvf},
                                             {"svf", SlotPolicy::svf},
                                             {"srf", SlotPolicy::srf},
                                             {"fifo", SlotPolicy::fifo},
                                             {"las", SlotPolicy::las},
                                             {"gittins", SlotPolicy::gittins},
                                             {"proportional_fairness", SlotPolicy::proportional_fairness},
                                             {"drf", SlotPolicy::drf}});
  rules.dual = dual_rules(k, gamma, mu, lambda0);
  rules.work_conserving = work_conserving;
  rules.sticky = is_sticky(packing);
  rules.memory = choice<MemoryMode>(
      mem_mode, {{"once", MemoryMode::once}, {"twice", MemoryMode::twice}, {"backfill", MemoryMode::backfill}});
  rules.alpha = alpha;
  rules.solver = choice<SwitchingSolver>(solver, {{"joblevel", SwitchingSolver::joblevel},
                                                  {"greedy", SwitchingSolver::greedy},
                                                  {"flow", SwitchingSolver::flow}});
  rules.service = choice<Service>(
      service, {{"shared", Service::shared}, {"whole", Service::whole}, {"repacked", Service::repacked}});
  rules.skip = skip;
  check_switching_price(alpha);
  rules.carries_remainders = choice<bool>(remainders, {{"carried", true}, {"dropped", false}});
  if (shares_fairly(rules.policy)) check_pool(estimated_demand ? jobs.estimated_demand : jobs.demand, machines);
  check_number(max_slots.value_or(0), std::int64_t{0}, kLargestInteger, "max_slots");
  PythonMonitor monitor(std::move(progress));
  PreemptiveOutcome outcome;
  {
    const py::gil_scoped_release unlocked;
    outcome = run_slots(jobs, machines, rules, max_slots.value_or(kNoSlot), record, &monitor);
  }
  const SlotRecord& kept = outcome.record;
  return py::make_tuple(
      array_of(outcome.completion_time), piece_columns(outcome.pieces), outcome.n_refused,
      py::make_tuple(array_of(kept.multiplier_slot), array_of(kept.multiplier_job), array_of(kept.multiplier)),
      py::make_tuple(array_of(kept.refused_slot), array_of(kept.refused_job), array_of(kept.refused_machine)));
}

}  // namespace

void bind_preemptive(py::module_& module) {
  module.def("run_slots", &slotted_pieces,
             "Completion times, columns of pieces, how many pieces were refused their memory, and what was recorded: "
             "multipliers (slot, job, value) and refusals (slot, job, machine).",
             py::arg("release_time"), py::arg("processing_time"), py::arg("demand"),
             py::arg("estimated_demand").none(true), py::arg("capacity"), py::kw_only(), py::arg("policy"),
             py::arg("k") = 1, py::arg("gamma") = 1.0, py::arg("mu") = py::none(),
             py::arg("lambda0") = FirstMultiplier("zero", 0.0), py::arg("work_conserving") = true, py::arg("packing"),
             py::arg("mem_mode"), py::arg("alpha") = 0.0, py::arg("solver") = "joblevel",
             py::arg("service") = "shared", py::arg("skip") = false, py::arg("weight") = py::none(),
             py::arg("remainders") = "carried",
             py::arg("max_slots").none(true), py::arg("record"), py::arg("progress").none(true));
}

}  // namespace schedcore::python
