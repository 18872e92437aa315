// The compiled module `schedcore._core`: where it may be loaded, and one line a concept.
#include "base/fork_guard.hpp"
#include "bindings.hpp"

namespace py = pybind11;

// Without the GIL, too: kernels read their inputs only, and what changes has a lock or says that it has none.
PYBIND11_MODULE(core_of_main_interpreter, module, py::mod_gil_not_used()) {
  module.doc() = "Compiled core of schedcore; use it through the schedcore package.";
  schedcore::python::ForkGuard::watch_forks();
  schedcore::python::bind_errors(module);
  schedcore::python::bind_build_config(module);
  schedcore::python::bind_timeline(module);
  schedcore::python::bind_validator(module);
  schedcore::python::bind_bounds(module);
  schedcore::python::bind_knapsack(module);
  schedcore::python::bind_list_scheduling(module);
  schedcore::python::bind_colocation(module);
  schedcore::python::bind_colocation_improvement(module);
  schedcore::python::bind_colocation_search(module);
  schedcore::python::bind_engine(module);
  schedcore::python::bind_online_scheduler(module);
  schedcore::python::bind_backfilling(module);
  schedcore::python::bind_overtaking(module);
  schedcore::python::bind_processor_numbers(module);
  schedcore::python::bind_workload_models(module);
  schedcore::python::bind_colocation_workloads(module);
  schedcore::python::bind_parallel_tasks(module);
  schedcore::python::bind_preemptive_tasks(module);
  schedcore::python::bind_task_fractions(module);
  schedcore::python::bind_task_mapping(module);
  schedcore::python::bind_task_validator(module);
  schedcore::python::bind_task_policies(module);
  schedcore::python::bind_preemptive(module);
  schedcore::python::bind_slot_kernels(module);
  schedcore::python::bind_switching(module);
  schedcore::python::bind_mapreduce(module);
  schedcore::python::bind_slot_facts(module);
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
