// Policies behind the table of functions of schedcore/policy.h: schedcore._core.engine.CompiledPolicy.
#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>

#include "bindings.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/engine/compiled_policy.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

// Kept as long as any policy of it is; whoever lets go of it last may have let go of the interpreter, too.
std::shared_ptr<const void> kept(py::object object) {
  return {object.release().ptr(), [](const void* held) {
            if (Py_IsInitialized() == 0) return;
            const py::gil_scoped_acquire gil;
            Py_DECREF(static_cast<PyObject*>(const_cast<void*>(held)));
          }};
}

std::unique_ptr<CompiledPolicy> of_capsule(const py::object& capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), SCHEDCORE_POLICY_CAPSULE) == 0) {
    throw py::type_error(std::string("a policy is a capsule named \"") + SCHEDCORE_POLICY_CAPSULE + "\"");
  }
  const void* table = PyCapsule_GetPointer(capsule.ptr(), SCHEDCORE_POLICY_CAPSULE);
  return std::make_unique<CompiledPolicy>(static_cast<const schedcore_policy*>(table), kept(capsule));
}

// A table of a decide that remembers nothing, and of what keeps it.
struct OwnTable {
  std::string name;
  schedcore_policy table;
  std::shared_ptr<const void> owner;
};

std::unique_ptr<CompiledPolicy> of_function(std::uintptr_t address, const std::string& name, bool takes_gangs,
                                            const py::object& owner) {
  if (address == 0) throw InvalidInstanceError("the address of decide is 0");
  const auto own = std::make_shared<OwnTable>();
  own->name = name;
  own->owner = kept(owner);
  own->table = {};
  own->table.version = SCHEDCORE_POLICY_VERSION;
  own->table.flags = takes_gangs ? SCHEDCORE_TAKES_GANGS : 0;
  own->table.name = own->name.c_str();
  own->table.decide = reinterpret_cast<int (*)(void*, schedcore_turn*)>(address);
  return std::make_unique<CompiledPolicy>(&own->table, own);
}

py::dict function_addresses() {
  const schedcore_turn_functions& all = CompiledPolicy::functions();
  py::dict addresses;
  const auto add = [&](const char* name, auto function) { addresses[name] = reinterpret_cast<std::uintptr_t>(function); };
  add("now", all.now);
  add("n_resources", all.n_resources);
  add("n_ids", all.n_ids);
  add("ids", all.ids);
  add("runs", all.runs);
  add("capacity", all.capacity);
  add("free", all.free);
  add("job", all.job);
  add("demand", all.demand);
  add("is_waiting", all.is_waiting);
  add("first_fit", all.first_fit);
  add("n_fits", all.n_fits);
  add("fits", all.fits);
  add("start", all.start);
  add("start_tasks", all.start_tasks);
  add("wake", all.wake);
  add("fail", all.fail);
  add("room", all.room);
  return addresses;
}

}  // namespace

void bind_compiled_policy(py::module_& module) {
  py::class_<CompiledPolicy, Policy>(module, "CompiledPolicy", "A policy behind a table of functions of C.")
      .def(py::init(&of_capsule), py::arg("capsule"))
      .def_static("of_function", &of_function, py::arg("address"), py::kw_only(), py::arg("name"), py::arg("takes_gangs"),
                  py::arg("owner"), "A decide that remembers nothing; the owner keeps it.")
      .def_property_readonly("name", &CompiledPolicy::name)
      .def_property_readonly("takes_gangs", &CompiledPolicy::takes_gangs)
      .def_property_readonly("uses_estimates", &CompiledPolicy::uses_estimates);
  module.def("turn_function_addresses", &function_addresses, "Where the functions of schedcore_turn_functions are.");
}

}  // namespace schedcore::python
