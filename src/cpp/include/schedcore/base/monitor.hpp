// How a long-running kernel stays interruptible and reports progress without knowing who watches.
//
// A kernel calls `poll` every few thousand steps.  The watcher may throw to end the computation: kernels hold their
// state in objects with destructors, so nothing leaks.  A null monitor means that nobody watches.
#pragma once

#include <cstdint>

namespace schedcore {

class Monitor {
 public:
  Monitor() = default;
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  virtual ~Monitor() = default;
  // `done` of `total` units of work (jobs started, items decided) are finished; total 0 means unknown.
  virtual void poll(std::uint64_t done, std::uint64_t total) = 0;
};

}  // namespace schedcore
