// A Monitor that lets Ctrl-C through and calls a Python progress callback, from kernels that run without the GIL.
//
// Looks at the clock on every poll and takes the GIL only after kInterval; the callback gets (done, total).
// An exception of the callback, or KeyboardInterrupt, leaves the kernel as pybind11::error_already_set.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <cstdint>
#include <utility>

#include "schedcore/base/monitor.hpp"

namespace schedcore::python {

// Runs the handlers of signals that wait, with the GIL held; what a handler raises is thrown.
inline void handle_signals() {
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

class PythonMonitor final : public Monitor {
 public:
  // `progress` is None or a callable; construct and destroy with the GIL held.
  explicit PythonMonitor(pybind11::object progress) : progress_(std::move(progress)) {}

  void poll(std::uint64_t done, std::uint64_t total) override {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kInterval) return;
    last_ = now;
    const pybind11::gil_scoped_acquire gil;
    handle_signals();
    if (!progress_.is_none()) progress_(done, total);
  }

 private:
  static constexpr std::chrono::milliseconds kInterval{50};

  pybind11::object progress_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace schedcore::python
