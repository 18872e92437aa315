// The compiled module `schedcore._core`: where it may be loaded, and one submodule a room, lowest first.
#include "base/fork_guard.hpp"
#include "bindings.hpp"

namespace py = pybind11;

// Without the GIL, too: kernels read their inputs only, and what changes has a lock or says that it has none.
PYBIND11_MODULE(core_of_main_interpreter, module, py::mod_gil_not_used()) {
  using namespace schedcore::python;
  module.doc() = "Compiled core of schedcore; use it through the schedcore package.";
  ForkGuard::watch_forks();
  bind_errors(module);
  bind_build_config(module);
  const auto room = [&](const char* name, auto... bind) {
    py::module_ submodule = module.def_submodule(name);
    (bind(submodule), ...);
  };
  room("model", bind_parallel_tasks, bind_slot_tasks);
  room("index", bind_timeline);
  room("packing", bind_knapsack, bind_list_scheduling);
  room("validation", bind_validator, bind_task_validator, bind_slot_validator, bind_run_validator);
  room("bounds", bind_bounds);
  room("metrics", bind_overtaking, bind_processor_numbers, bind_slot_facts);
  room("workloads", bind_workload_models, bind_colocation_workloads);
  room("site", bind_site);
  room("whole_machines", bind_whole_machines);
  room("engine", bind_cluster_jobs, bind_engine, bind_cluster_simulation, bind_online_scheduler,
       bind_continuation, bind_python_policy, bind_compiled_policy);
  room("online", bind_online_policies);
  room("backfilling", bind_backfilling);
  room("gangs", bind_gangs, bind_explanations);
  room("colocation", bind_colocation, bind_colocation_improvement, bind_colocation_search);
  room("parallel_tasks", bind_preemptive_tasks, bind_task_fractions, bind_task_mapping, bind_task_policies);
  room("preemptive", bind_preemptive, bind_fair_sharing, bind_gittins, bind_slot_kernels, bind_switching,
       bind_mapreduce);
}

// What Python calls.  pybind11's own entry waits for ever for the GIL in a sub-interpreter that shares it, so the answer
// has to come before.
extern "C" PYBIND11_EXPORT PyObject* PyInit__core();
extern "C" PYBIND11_EXPORT PyObject* PyInit__core() {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError,
                    "schedcore cannot be imported in a sub-interpreter, only in the main interpreter of a process; use "
                    "threads or processes");
    return nullptr;
  }
  return PyInit_core_of_main_interpreter();
}
