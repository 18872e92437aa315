#include "schedcore/parallel_tasks/fitting_queue.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace schedcore {
namespace {

TEST(FittingQueue, FindsTheNextTaskThatFitsAndForgetsWhoLeft) {
  FittingQueue queue(1);
  const std::vector<Amount> demands = {5, 2, 7, 2};
  for (std::size_t task = 0; task < demands.size(); ++task) queue.push(10 + task, {&demands[task], 1});
  const std::vector<Amount> free = {4};
  EXPECT_EQ(queue.next_fitting(0, free), 1u);
  EXPECT_EQ(queue.task_at(1), 11u);
  EXPECT_EQ(queue.next_fitting(2, free), 3u);
  queue.remove(1);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(queue.end(), 4u);
  EXPECT_EQ(queue.next_fitting(0, free), 3u);
  queue.remove(3);
  EXPECT_EQ(queue.next_fitting(0, free), FittingQueue::kNoPlace);
}

TEST(FittingQueue, EqualsAScanWhileTasksComeAndGo) {
  std::mt19937 random(3);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (const std::size_t n_resources : {1u, 2u, 5u}) {
    FittingQueue queue(n_resources);
    std::vector<std::vector<Amount>> waiting;  // empty: has left
    std::size_t n_waiting = 0;
    for (int round = 0; round < 6000; ++round) {
      if (waiting.empty() || below(3) > 0) {
        std::vector<Amount> demand;
        for (std::size_t r = 0; r < n_resources; ++r) demand.push_back(static_cast<Amount>(below(1000)));
        queue.push(waiting.size(), demand);
        waiting.push_back(demand);
        ++n_waiting;
      }
      std::vector<Amount> free;
      const std::size_t scale = below(2) == 0 ? 20 : 1000;
      for (std::size_t r = 0; r < n_resources; ++r) free.push_back(static_cast<Amount>(below(scale)));
      const std::size_t from = below(waiting.size() + 1);
      std::size_t expected = FittingQueue::kNoPlace;
      for (std::size_t place = from; place < waiting.size(); ++place) {
        if (!waiting[place].empty() && fits(waiting[place], free)) {
          expected = place;
          break;
        }
      }
      ASSERT_EQ(queue.next_fitting(from, free), expected);
      if (expected != FittingQueue::kNoPlace && below(2) == 0) {
        queue.remove(expected);
        waiting[expected].clear();
        --n_waiting;
      }
      ASSERT_EQ(queue.size(), n_waiting);
    }
  }
}

}  // namespace
}  // namespace schedcore
