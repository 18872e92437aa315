#include "schedcore/engine/continuation.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "schedcore/engine/drawn_future.hpp"
#include "schedcore/engine/online_scheduler.hpp"
#include "schedcore/online/priority_queue.hpp"

namespace schedcore {
namespace {

// Jobs of one to four units that take 3, 4, 5 ... on two machines of four; the first ones run.
OnlineScheduler crowded(std::size_t n_jobs) {
  const std::vector<Amount> capacity{4, 4};
  OnlineScheduler scheduler({capacity, 2, 1}, std::make_unique<PriorityQueuePolicy>(PriorityRule::sjf));
  std::vector<Time> processing_time;
  std::vector<Amount> demand;
  for (std::size_t job = 0; job < n_jobs; ++job) {
    processing_time.push_back(3 + static_cast<Time>(job));
    demand.push_back(1 + static_cast<Amount>(job * 7 % 4));
  }
  const std::vector<double> weight(n_jobs, 1);
  static_cast<void>(scheduler.submit({{}, processing_time, weight, demand, 1}, {}, {}, 0));
  static_cast<void>(scheduler.advance(0, nullptr));
  return scheduler;
}

const std::atomic<bool> kGoesOn{false};

TEST(Continuation, SeveralThreadsMayAskAtATime) {
  const OnlineScheduler scheduler = crowded(60);
  const Continuation continuation(scheduler.state());
  const std::vector<std::int64_t> ids = scheduler.state().waiting();
  const std::vector<double> share{0.25, 0.5, 1, 1.5};
  const std::vector<std::int64_t> first{0, 4};
  const RunHistory history{share, first};
  const auto sample = [&](std::uint64_t number) {
    DrawnFuture future(history, nullptr, 5, number, scheduler.now());
    return continuation.first_starts(ids, future, kGoesOn);
  };
  std::vector<std::vector<Time>> expected;
  for (std::uint64_t number = 0; number < 16; ++number) expected.push_back(sample(number));
  EXPECT_NE(expected[0], expected[1]);
  std::vector<std::vector<Time>> found(expected.size());
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t number = t; number < found.size(); number += 4) found[number] = sample(number);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, expected);
}

TEST(Continuation, StopsWhenItIsTold) {
  const OnlineScheduler scheduler = crowded(20);
  const Continuation continuation(scheduler.state());
  const std::atomic<bool> stops{true};
  FutureByEstimates future;
  EXPECT_TRUE(continuation.first_starts(scheduler.state().waiting(), future, stops).empty());
}

TEST(Continuation, ChangesNothing) {
  const OnlineScheduler scheduler = crowded(20);
  const std::string before = scheduler.snapshot();
  const Continuation continuation(scheduler.state());
  FutureByEstimates future;
  const std::vector<std::int64_t> ids = scheduler.state().waiting();
  const std::vector<Time> first = continuation.first_starts(ids, future, kGoesOn);
  EXPECT_EQ(continuation.first_starts(ids, future, kGoesOn), first);
  EXPECT_EQ(scheduler.snapshot(), before);
}

TEST(RunEnds, KeepsNoMoreThanTwiceWhatRuns) {
  // A job of a million ends at once, over and over.
  const std::vector<Amount> capacity{1};
  OnlineScheduler scheduler({capacity, 1, 1}, std::make_unique<PriorityQueuePolicy>(PriorityRule::by_id));
  const std::vector<Time> processing_time{1e6};
  const std::vector<double> weight{1};
  const std::vector<Amount> demand{1};
  std::size_t n_bytes = 0;
  for (int round = 0; round < 5000; ++round) {
    const Time now = round;
    const auto id = scheduler.submit({{}, processing_time, weight, demand, 1}, {}, {}, now);
    static_cast<void>(scheduler.advance(now, nullptr));
    scheduler.complete(id, now);
    if (round == 100) n_bytes = scheduler.snapshot().size();
  }
  EXPECT_EQ(scheduler.snapshot().size(), n_bytes);
  EXPECT_LE(scheduler.state().n_expected_ends(), 2 * scheduler.n_running() + 65);
}

}  // namespace
}  // namespace schedcore
