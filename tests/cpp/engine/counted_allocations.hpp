// Every allocation of the program is counted: what a call costs shows without a clock.  One of them can be made to fail.
//
// counted_allocations.cpp replaces `new` and `delete` in the whole program that it is linked to.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <new>

namespace schedcore::testing {

extern std::atomic<std::uint64_t> allocated_bytes;
extern std::atomic<std::uint64_t> held_bytes;                 // of them, not given back
extern std::atomic<std::uint64_t> allocations_until_failure;  // 0: they do not fail

// Lets the first allocation of `call` fail, then the second, and so on until there is none left to fail.  Returns how many
// failed; `state()` is what it was before each time.
template <class State, class Call>
int fail_every_allocation(State state, Call call) {
  const auto before = state();
  for (int n_failed = 0;; ++n_failed) {
    allocations_until_failure = static_cast<std::uint64_t>(n_failed) + 1;
    try {
      call();
      allocations_until_failure = 0;
      return n_failed;
    } catch (const std::bad_alloc&) {
      EXPECT_EQ(state(), before) << "after allocation " << n_failed;
    } catch (...) {
      allocations_until_failure = 0;
      throw;
    }
  }
}

}  // namespace schedcore::testing
