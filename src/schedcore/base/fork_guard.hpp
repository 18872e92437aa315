// A mutex that survives fork(), or says that it cannot: only the forking thread lives on in the child, so a mutex that
// another thread held stays locked for ever, and what it protects may be half changed.
//
// Promise: in a child, `check` throws where the guarded state was in use at the fork, instead of waiting for ever, and
// costs one comparison otherwise.  Call it, and destroy, while attached to Python (with the GIL): a fork by Python cannot
// come in between then.  Not for state that a thread changes without holding the mutex.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace schedcore::python {

class ForkGuard {
 public:
  // Once, when the module is loaded.
  static void watch_forks();

  ForkGuard() : generation_(current()) {}
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;

  // Before every lock: UnsupportedError if a thread that is no more held the mutex when this process was forked.
  void check();
  // Whether it held it; then the state must neither be used nor destroyed.
  [[nodiscard]] bool is_abandoned();
  [[nodiscard]] std::timed_mutex& mutex() { return mutex_; }
  // By whoever holds the mutex, before letting go of it: a thread that forked inside its own call has all of it.
  void hold_was_ours() { is_abandoned_.store(false, std::memory_order_relaxed); }

 private:
  static std::uint64_t current();

  std::timed_mutex mutex_;
  std::atomic<std::uint64_t> generation_;
  std::atomic<bool> is_abandoned_ = false;
};

}  // namespace schedcore::python
