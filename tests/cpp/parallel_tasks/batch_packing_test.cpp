#include "schedcore/parallel_tasks/batch_packing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "parallel_tasks/parallel_task_maker.hpp"
#include "schedcore/parallel_tasks/machine_room.hpp"

namespace schedcore {
namespace {

using Pieces = std::vector<TaskPiece>;
using Places = std::vector<MachineInterval>;

TEST(BatchPacking, StartsABatchWhenTheOneBeforeHasEnded) {
  // Two machines of capacity 10: on machine 0 task 2 alone in interval 1, then tasks 0 and 3; machine 1 on its own.
  ParallelTaskMaker tasks(1, {10, 10});
  tasks.job(1);
  tasks.task({6}, {{0, 4}});
  tasks.task({5}, {{1, 1}});
  tasks.job(1);
  tasks.task({5}, {{0, 2}});
  tasks.job(1);
  tasks.task({4}, {{0, 3}});
  tasks.job(1);
  tasks.task({10}, {{1, 2}});
  const Places place{{0, 2}, {1, 2}, {0, 1}, {0, 2}, {1, 1}};
  EXPECT_EQ(pack_batches(tasks.view(), place, std::vector<std::int64_t>(4, 0)),
            (Pieces{{2, 0, 0, 2}, {0, 0, 2, 6}, {3, 0, 2, 5}, {4, 1, 0, 2}, {1, 1, 2, 3}}));
}

TEST(BatchPacking, LetsLaterTasksOfTheListUseTheRoom) {
  ParallelTaskMaker tasks(1, {10});
  tasks.job(1);
  tasks.task({6}, {{0, 4}});
  tasks.task({6}, {{0, 1}});
  tasks.task({4}, {{0, 2}});
  tasks.task({4}, {{0, 2}});
  EXPECT_EQ(pack_batches(tasks.view(), Places(4, {0, 1}), std::vector<std::int64_t>{0}),
            (Pieces{{0, 0, 0, 4}, {2, 0, 0, 2}, {3, 0, 2, 4}, {1, 0, 4, 5}}));
}

TEST(BatchPacking, OrdersTheListByTheRanksOfTheJobs) {
  ParallelTaskMaker tasks(1, {1});
  tasks.job(1);
  tasks.task({1}, {{0, 1}});
  tasks.job(1);
  tasks.task({1}, {{0, 1}});
  tasks.job(1);
  tasks.task({1}, {{0, 1}});
  EXPECT_EQ(pack_batches(tasks.view(), Places(3, {0, 1}), std::vector<std::int64_t>{1, 0, 0}),
            (Pieces{{1, 0, 0, 1}, {2, 0, 1, 2}, {0, 0, 2, 3}}));
}

TEST(BatchPacking, HandlesCompletionsOfAnInstantAtOnce) {
  // The task that needs both halves starts when both end.
  ParallelTaskMaker tasks(1, {10});
  tasks.job(1);
  tasks.task({5}, {{0, 3}});
  tasks.task({5}, {{0, 3}});
  tasks.task({10}, {{0, 1}});
  tasks.task({5}, {{0, 1}});
  EXPECT_EQ(pack_batches(tasks.view(), Places(4, {0, 1}), std::vector<std::int64_t>{0}),
            (Pieces{{0, 0, 0, 3}, {1, 0, 0, 3}, {2, 0, 3, 4}, {3, 0, 4, 5}}));
}

// At every whole instant the list is scanned once.
TEST(BatchPacking, EqualsTheLiteralScanOnRandomInstances) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t n_resources = 1 + random() % 3;
    const ParallelTaskMaker tasks = random_parallel_tasks(random, 1 + random() % 15, 1, n_resources);
    const ParallelTasksView view = tasks.view();
    std::vector<bool> has_started(view.n_tasks());
    Pieces expected;
    for (Time now = 0; expected.size() < view.n_tasks(); ++now) {
      MachineRoom room(view.machines);
      for (const TaskPiece& piece : expected) {
        if (piece.end > now) room.take(0, view.demand_of(piece.task));
      }
      for (std::size_t task = 0; task < view.n_tasks(); ++task) {
        if (has_started[task] || !room.fits(0, view.demand_of(task))) continue;
        room.take(0, view.demand_of(task));
        has_started[task] = true;
        expected.push_back({task, 0, now, now + static_cast<Time>(view.placement_time[task])});
      }
    }
    const std::vector<std::int64_t> rank(view.n_jobs(), 0);
    EXPECT_EQ(pack_batches(view, Places(view.n_tasks(), {0, 1}), rank), expected);
  }
}

// Sizes up to m, times up to p, total volume V: the batch takes at most 2 max(p, V / m).
TEST(BatchPacking, OfABatchTakesAtMostTwiceItsVolumeOrItsLongestTask) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 500; ++round) {
    ParallelTaskMaker tasks(1, {10});
    const std::size_t n = 1 + random() % 15;
    std::int64_t longest = 0, volume = 0;
    for (std::size_t task = 0; task < n; ++task) {
      const auto size = 1 + static_cast<Amount>(random() % 10);
      const auto time = 1 + static_cast<std::int64_t>(random() % 8);
      longest = std::max(longest, time);
      volume += size * time;
      tasks.job(1);
      tasks.task({size}, {{0, time}});
    }
    const Pieces pieces = pack_batches(tasks.view(), Places(n, {0, 1}), std::vector<std::int64_t>(n, 0));
    Time end = 0;
    for (const TaskPiece& piece : pieces) end = std::max(end, piece.end);
    EXPECT_LE(10 * end, static_cast<Time>(2 * std::max(10 * longest, volume)));
  }
}

}  // namespace
}  // namespace schedcore
