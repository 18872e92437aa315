// C++ exceptions become the classes of schedcore.errors: defined once, in Python, picklable and documented there.
#include <string_view>

#include "bindings.hpp"
#include "schedcore/base/errors.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

void raise(const char* class_name, const std::exception& error) {
  const py::object error_class = py::module_::import("schedcore.errors").attr(class_name);
  // What others say may be no UTF-8.
  const std::string_view what = error.what();
  const auto text = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(what.data(), static_cast<py::ssize_t>(what.size()), "replace"));
  PyErr_SetObject(error_class.ptr(), text.ptr());
}

}  // namespace

void bind_errors(py::module_&) {
  py::register_local_exception_translator([](std::exception_ptr pointer) {
    if (!pointer) return;
    try {
      std::rethrow_exception(pointer);
    } catch (const InvalidInstanceError& error) {
      raise("InvalidInstanceError", error);
    } catch (const InfeasibleError& error) {
      raise("InfeasibleError", error);
    } catch (const PolicyError& error) {
      raise("PolicyError", error);
    } catch (const UnsupportedError& error) {
      raise("UnsupportedError", error);
    } catch (const Error& error) {
      raise("SchedcoreError", error);
    }
  });
}

}  // namespace schedcore::python
