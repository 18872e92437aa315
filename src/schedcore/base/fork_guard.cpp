#include "base/fork_guard.hpp"

#ifndef _WIN32
#include <pthread.h>
#endif

#include "schedcore/base/errors.hpp"

namespace schedcore::python {
namespace {

std::atomic<std::uint64_t> forks_so_far = 0;  // from the first process to this one

}  // namespace

void ForkGuard::watch_forks() {
#ifndef _WIN32
  pthread_atfork(nullptr, nullptr, [] { forks_so_far.fetch_add(1, std::memory_order_relaxed); });
#endif
}

std::uint64_t ForkGuard::current() { return forks_so_far.load(std::memory_order_relaxed); }

bool ForkGuard::is_abandoned() {
  if (generation_.load(std::memory_order_acquire) != current()) {
    // The first call in this process; nobody here has locked the mutex yet, because everybody comes past here first.
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    if (generation_.load(std::memory_order_relaxed) != current()) {
      const bool is_free = mutex_.try_lock();
      if (is_free) mutex_.unlock();
      is_abandoned_.store(!is_free, std::memory_order_relaxed);
      generation_.store(current(), std::memory_order_release);
    }
  }
  return is_abandoned_.load(std::memory_order_relaxed);
}

void ForkGuard::check() {
  if (!is_abandoned()) return;
  throw UnsupportedError(
      "this scheduler was at work in another thread when the process was forked, so its state in this process is "
      "incomplete; use a copy made before the fork");
}

}  // namespace schedcore::python
