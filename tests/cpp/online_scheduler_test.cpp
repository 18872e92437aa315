#include "schedcore/online_scheduler.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "schedcore/priority_queue.hpp"

namespace {

std::atomic<std::uint64_t> allocated_bytes{0};

}  // namespace

// Every allocation of this program is counted: what a call costs shows without a clock.  Not inlined, or compilers
// take `free` for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocated_bytes += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace schedcore {
namespace {

// `n_jobs` jobs of one unit that run side by side from 0 on.
OnlineScheduler with_running_jobs(std::int64_t n_jobs) {
  const std::vector<Amount> capacity{n_jobs};
  OnlineScheduler scheduler({capacity, 1, 1}, std::make_unique<PriorityQueuePolicy>(PriorityRule::by_id));
  const auto n = static_cast<std::size_t>(n_jobs);
  const std::vector<Time> processing_time(n, 10);
  const std::vector<double> weight(n, 1);
  const std::vector<Amount> demand(n, 1);
  static_cast<void>(scheduler.submit({{}, processing_time, weight, demand, 1}, {}, {}, 0));
  static_cast<void>(scheduler.advance(0, nullptr));
  return scheduler;
}

TEST(OnlineScheduler, ACompletionCostsTheSameHoweverManyAreRecordedAtItsInstant) {
  constexpr std::int64_t kJobs = 16000;
  OnlineScheduler scheduler = with_running_jobs(kJobs);
  const std::uint64_t before = allocated_bytes;
  for (std::int64_t id = 0; id < kJobs; ++id) scheduler.complete({&id, 1}, 5);
  // A hundred bytes a call; a set of what is recorded, made by each call, would take 5 GB.
  EXPECT_LT(allocated_bytes - before, 1000 * kJobs);
  static_cast<void>(scheduler.advance(5, nullptr));
  EXPECT_EQ(scheduler.n_running(), 0U);
}

}  // namespace
}  // namespace schedcore
