#include "schedcore/parallel_tasks/task_volumes.hpp"

#include <gtest/gtest.h>

#include "parallel_tasks/parallel_task_maker.hpp"

namespace schedcore {
namespace {

using Order = std::vector<std::uint32_t>;

Order order_of(ParallelTaskMaker& tasks, std::size_t n_tasks) {
  std::vector<std::size_t> task(n_tasks);
  for (std::size_t i = 0; i < n_tasks; ++i) task[i] = i;
  return descending_volumes(tasks.view(), 0, task);
}

TEST(TaskVolumes, DescendAndTiesKeepTheirOrder) {
  ParallelTaskMaker tasks(1, {10});
  tasks.job(1);
  tasks.task({2}, {{0, 3}});
  tasks.task({5}, {{0, 2}});
  tasks.task({3}, {{0, 2}});
  tasks.task({1}, {{0, 6}});
  EXPECT_EQ(order_of(tasks, 4), (Order{1, 0, 2, 3}));
}

TEST(TaskVolumes, DifferInTheLastDigitOfLargeNumbers) {
  constexpr std::int64_t large = std::int64_t{1} << 53;
  ParallelTaskMaker tasks(1, {large});
  // large^2 - 1 < (large - 1) (large + 1) + 1 = large^2
  tasks.job(1);
  tasks.task({large - 1}, {{0, large + 1}});
  tasks.task({large}, {{0, large}});
  EXPECT_EQ(order_of(tasks, 2), (Order{1, 0}));
}

TEST(TaskVolumes, AddTheSharesOfAllResources) {
  // Capacities 3 and 4: shares 2/3 + 1/4 = 11/12, 1/3 + 2/4 = 10/12, 0 + 4/4 = 1.
  ParallelTaskMaker tasks(2, {3, 4});
  tasks.job(1);
  tasks.task({2, 1}, {{0, 1}});
  tasks.task({1, 2}, {{0, 1}});
  tasks.task({0, 4}, {{0, 1}});
  EXPECT_EQ(order_of(tasks, 3), (Order{2, 0, 1}));
}

TEST(TaskVolumes, AreExactWhereCapacitiesHaveNoSmallCommonMultiple) {
  // 2^53 - 1 and 2^53 - 111 have no common multiple below 2^105.  One unit of the smaller capacity weighs more.
  constexpr std::int64_t a = (std::int64_t{1} << 53) - 1;
  constexpr std::int64_t b = (std::int64_t{1} << 53) - 111;
  ParallelTaskMaker tasks(3, {a, b, 0});
  tasks.job(1);
  tasks.task({1000, 1000, 0}, {{0, 7}});
  tasks.task({999, 1001, 0}, {{0, 7}});
  tasks.task({1001, 999, 0}, {{0, 7}});
  EXPECT_EQ(order_of(tasks, 3), (Order{1, 0, 2}));
}

}  // namespace
}  // namespace schedcore
