// What this binary is: enough for a bug report to say what was built.
#include "base/source_commit.hpp"
#include "bindings.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

py::dict build_config() {
  py::dict config;
  config["version"] = SCHEDCORE_VERSION;
  config["commit"] = source_commit();
  config["build_type"] = SCHEDCORE_BUILD_TYPE;
  config["sanitizers"] = SCHEDCORE_SANITIZE;
  config["cpp_standard"] = static_cast<long>(__cplusplus);
#if defined(__clang__)
  config["compiler"] = "clang " __clang_version__;
#elif defined(__GNUC__)
  config["compiler"] = "gcc " __VERSION__;
#elif defined(_MSC_VER)
  config["compiler"] = "msvc " + std::to_string(_MSC_VER);
#else
  config["compiler"] = "unknown";
#endif
#if defined(__SIZEOF_INT128__)
  config["native_int128"] = true;
#else
  config["native_int128"] = false;
#endif
#if defined(NDEBUG)
  config["assertions"] = false;
#else
  config["assertions"] = true;
#endif
  config["pybind11"] = PYBIND11_TOSTRING(PYBIND11_VERSION_MAJOR) "." PYBIND11_TOSTRING(PYBIND11_VERSION_MINOR);
  return config;
}

}  // namespace

void bind_build_config(py::module_& module) {
  module.def("build_config", &build_config,
             "Return what this binary is: version, commit, compiler, build type, sanitizers.\n\n"
             "\"commit\" is the full hash of the git commit that the build was configured from, followed by\n"
             "\"+changes\" where tracked files differed from it. It is empty for a build from anything but a\n"
             "checkout (an sdist carries none) and where git is missing or declines.");
}

}  // namespace schedcore::python
