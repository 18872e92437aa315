#include "schedcore/parallel_tasks/smith_ratio.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "parallel_tasks/parallel_task_maker.hpp"

namespace schedcore {
namespace {

constexpr Amount kLarge = Amount{1} << 53;

// One job a task, all on one machine.
ParallelTaskMaker tasks_of(const std::vector<std::pair<double, std::vector<Amount>>>& rows,
                           const std::vector<Amount>& capacity) {
  ParallelTaskMaker made(capacity.size(), capacity);
  for (const auto& [weight, demand] : rows) {
    made.job(weight);
    made.task(demand, {{0, 1}});
  }
  return made;
}

TEST(SmithOrder, PutsTheLargerRatioFirstAndBreaksTiesByTask) {
  ParallelTaskMaker made = tasks_of({{1, {2}}, {3, {3}}, {2, {4}}}, {10});
  const ParallelTasksView view = made.view();
  const SmithOrder order(view, 0);
  EXPECT_TRUE(order.before(order.ratio(1, 1), order.ratio(0, 1)));
  EXPECT_TRUE(order.before(order.ratio(0, 5), order.ratio(2, 5)));
  EXPECT_FALSE(order.before(order.ratio(2, 5), order.ratio(0, 5)));
  EXPECT_TRUE(order.before(order.ratio(2, 4), order.ratio(0, 5)));  // 2/(4*4) > 1/(2*5)
}

TEST(SmithOrder, DecidesDifferencesThatDoublesCannotHold) {
  // 1 / ((2^53 - 1) (2^53 + 1)) against 1 / 2^106: the first is larger by the part 2^-106.
  ParallelTaskMaker made = tasks_of({{1, {kLarge}}, {1, {kLarge - 1}}}, {kLarge});
  const ParallelTasksView view = made.view();
  const SmithOrder order(view, 0);
  const auto below = order.ratio(0, kLarge), above = order.ratio(1, kLarge + 1);
  EXPECT_TRUE(order.before(above, below));
  EXPECT_FALSE(order.before(below, above));
}

TEST(SmithOrder, ComparesWeightsOfAnyMagnitude) {
  const double smallest = std::numeric_limits<double>::denorm_min();
  ParallelTaskMaker made = tasks_of({{smallest, {1}}, {2 * smallest, {2}}, {1e308, {1}}, {3 * smallest, {2}}}, {10});
  const ParallelTasksView view = made.view();
  const SmithOrder order(view, 0);
  EXPECT_TRUE(order.before(order.ratio(2, 1), order.ratio(0, 1)));
  EXPECT_TRUE(order.before(order.ratio(0, 1), order.ratio(1, 1)));  // equal: by task
  EXPECT_FALSE(order.before(order.ratio(1, 1), order.ratio(0, 1)));
  EXPECT_TRUE(order.before(order.ratio(3, 1000), order.ratio(1, 1000)));
}

TEST(SmithOrder, AddsSharesOfSeveralResourcesExactly) {
  // Shares of (7, 3): 1/7 + 2/3 = 17/21, 6/7 + 0 = 18/21 and 0 + 1 = 21/21; a resource without capacity does not count.
  ParallelTaskMaker made = tasks_of({{17, {1, 2, 0}}, {18, {6, 0, 0}}, {21, {0, 3, 0}}}, {7, 3, 0});
  const ParallelTasksView view = made.view();
  const SmithOrder order(view, 0);
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) EXPECT_EQ(order.before(order.ratio(a, 9), order.ratio(b, 9)), a < b);
  }
}

TEST(SmithOrder, IsATotalOrder) {
  std::mt19937_64 random(5);
  std::vector<std::pair<double, std::vector<Amount>>> rows;
  for (int i = 0; i < 30; ++i) {
    rows.push_back({static_cast<double>(1 + random() % 4) / 3, {static_cast<Amount>(1 + random() % 4)}});
  }
  ParallelTaskMaker made = tasks_of(rows, {8});
  const ParallelTasksView view = made.view();
  const SmithOrder order(view, 0);
  std::vector<SmithRatio> ratios;
  for (std::size_t task = 0; task < rows.size(); ++task) {
    ratios.push_back(order.ratio(task, static_cast<Ticks>(1 + random() % 4)));
  }
  std::sort(ratios.begin(), ratios.end(), [&](const auto& a, const auto& b) { return order.before(a, b); });
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    for (std::size_t j = 0; j < ratios.size(); ++j) EXPECT_EQ(order.before(ratios[i], ratios[j]), i < j);
  }
}

}  // namespace
}  // namespace schedcore
