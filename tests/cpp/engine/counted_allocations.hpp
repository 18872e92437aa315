// Every allocation of the program is counted: what a call costs shows without a clock.  One of them can be made to fail.
//
// It replaces `new` and `delete`, so only one source of a program may include it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace schedcore::testing {

inline std::atomic<std::uint64_t> allocated_bytes{0};
inline std::atomic<std::uint64_t> held_bytes{0};                 // of them, not given back
inline std::atomic<std::uint64_t> allocations_until_failure{0};  // 0: they do not fail
inline constexpr std::size_t kHeader = alignof(std::max_align_t);  // before every allocation: its size

}  // namespace schedcore::testing

// Not inlined, or compilers take `free` for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  using namespace schedcore::testing;
  allocated_bytes += size;
  if (allocations_until_failure > 0 && --allocations_until_failure == 0) throw std::bad_alloc();
  void* memory = std::malloc(size + kHeader);
  if (memory == nullptr) throw std::bad_alloc();
  held_bytes += size;
  std::memcpy(memory, &size, sizeof size);
  return static_cast<char*>(memory) + kHeader;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  using namespace schedcore::testing;
  void* begin = static_cast<char*>(memory) - kHeader;
  std::size_t size = 0;
  std::memcpy(&size, begin, sizeof size);
  held_bytes -= size;
  std::free(begin);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept { operator delete(memory); }

namespace schedcore::testing {

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
