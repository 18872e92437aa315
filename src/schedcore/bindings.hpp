// What module.cpp calls: every bind_<concept>.cpp registers one concept in the submodule of its room.
#pragma once

#include <pybind11/pybind11.h>

namespace schedcore::python {

void bind_errors(pybind11::module_& module);
void bind_build_config(pybind11::module_& module);
void bind_parallel_tasks(pybind11::module_& module);
void bind_slot_tasks(pybind11::module_& module);
void bind_timeline(pybind11::module_& module);
void bind_site(pybind11::module_& module);
void bind_whole_machines(pybind11::module_& module);
void bind_knapsack(pybind11::module_& module);
void bind_list_scheduling(pybind11::module_& module);
void bind_validator(pybind11::module_& module);
void bind_task_validator(pybind11::module_& module);
void bind_slot_validator(pybind11::module_& module);
void bind_run_validator(pybind11::module_& module);
void bind_bounds(pybind11::module_& module);
void bind_overtaking(pybind11::module_& module);
void bind_processor_numbers(pybind11::module_& module);
void bind_slot_facts(pybind11::module_& module);
void bind_workload_models(pybind11::module_& module);
void bind_colocation_workloads(pybind11::module_& module);
void bind_cluster_jobs(pybind11::module_& module);
void bind_engine(pybind11::module_& module);
void bind_cluster_simulation(pybind11::module_& module);
void bind_online_scheduler(pybind11::module_& module);
void bind_python_policy(pybind11::module_& module);
void bind_compiled_policy(pybind11::module_& module);
void bind_continuation(pybind11::module_& module);
void bind_online_policies(pybind11::module_& module);
void bind_backfilling(pybind11::module_& module);
void bind_gangs(pybind11::module_& module);
void bind_explanations(pybind11::module_& module);
void bind_colocation(pybind11::module_& module);
void bind_colocation_improvement(pybind11::module_& module);
void bind_colocation_search(pybind11::module_& module);
void bind_preemptive_tasks(pybind11::module_& module);
void bind_task_fractions(pybind11::module_& module);
void bind_task_mapping(pybind11::module_& module);
void bind_task_policies(pybind11::module_& module);
void bind_preemptive(pybind11::module_& module);
void bind_fair_sharing(pybind11::module_& module);
void bind_gittins(pybind11::module_& module);
void bind_slot_kernels(pybind11::module_& module);
void bind_switching(pybind11::module_& module);
void bind_mapreduce(pybind11::module_& module);

}  // namespace schedcore::python
