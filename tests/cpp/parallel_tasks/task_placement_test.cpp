#include "schedcore/parallel_tasks/task_placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "parallel_tasks/parallel_task_maker.hpp"

namespace schedcore {
namespace {

using Pieces = std::vector<TaskPiece>;

TEST(TaskPlacement, PutsTasksBesideWhatRuns) {
  ParallelTaskMaker tasks(1, {10, 10});
  tasks.job(1);
  tasks.task({6}, {{0, 9}});
  tasks.job(1);
  tasks.task({5}, {{0, 2}});
  tasks.task({4}, {{0, 3}});
  tasks.job(1);
  tasks.task({10}, {{1, 1}});
  // Task 0 holds 6 units of machine 0 until 9.
  EXPECT_EQ(place_plan(tasks.view(), Pieces{{0, 0, 0, 9}}, Pieces{{1, 0, 0, 2}, {3, 1, 0, 1}, {2, 0, 2, 5}}, 4),
            (Pieces{{1, 0, 9, 11}, {3, 1, 4, 5}, {2, 0, 4, 7}}));
}

TEST(TaskPlacement, FollowsThePlannedStartsThenTheTasks) {
  ParallelTaskMaker tasks(1, {10});
  tasks.job(1);
  tasks.task({10}, {{0, 2}});
  tasks.task({10}, {{0, 2}});
  tasks.job(1);
  tasks.task({10}, {{0, 2}});
  EXPECT_EQ(place_plan(tasks.view(), {}, Pieces{{0, 0, 4, 6}, {2, 0, 0, 2}, {1, 0, 0, 2}}, 0),
            (Pieces{{1, 0, 0, 2}, {2, 0, 2, 4}, {0, 0, 4, 6}}));
}

TEST(TaskPlacement, DoesNotHeedWhatHasEnded) {
  ParallelTaskMaker tasks(1, {10});
  tasks.job(1);
  tasks.task({10}, {{0, 2}});
  tasks.task({10}, {{0, 2}});
  EXPECT_EQ(place_plan(tasks.view(), Pieces{{0, 0, 5, 7}}, Pieces{{1, 0, 0, 2}}, 7), (Pieces{{1, 0, 7, 9}}));
}

// The definition: candidates are `from` and the ends of all pieces, and the task fits during its whole time.
TEST(TaskPlacement, EqualsTheScanOfAllCandidates) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 300; ++round) {
    constexpr Time from = 10;
    ParallelTaskMaker tasks(1, {10, 7});
    std::vector<Amount> size;
    Pieces running, plan;
    for (std::size_t task = 0; task < 14; ++task) {
      size.push_back(1 + static_cast<Amount>(random() % 7));
      const std::size_t machine = random() % 2;
      const auto time = 1 + static_cast<std::int64_t>(random() % 6);
      tasks.job(1);
      tasks.task({size.back()}, {{static_cast<std::int64_t>(machine), time}});
      if (task < 2) {  // 7 + 7 units may not fit beside each other, so one runs on each machine
        const std::size_t own = task;
        if (machine == own) running.push_back({task, machine, 8, 8 + static_cast<Time>(time)});
        continue;
      }
      const auto start = static_cast<Time>(random() % 5);
      plan.push_back({task, machine, start, start + static_cast<Time>(time)});
    }
    const ParallelTasksView view = tasks.view();
    std::stable_sort(plan.begin(), plan.end(), [](const auto& a, const auto& b) { return a.start < b.start; });

    Pieces beside = running, expected;
    for (const TaskPiece& piece : plan) {
      const Time duration = piece.end - piece.start;
      const Amount capacity = view.machines.capacity_of(piece.machine)[0];
      std::vector<Time> candidates{from};
      for (const TaskPiece& other : beside) {
        if (other.machine == piece.machine && other.end > from) candidates.push_back(other.end);
      }
      std::sort(candidates.begin(), candidates.end());
      const auto height = [&](Time t) {
        Amount sum = size[piece.task];
        for (const TaskPiece& other : beside) {
          if (other.machine == piece.machine && other.start <= t && t < other.end) sum += size[other.task];
        }
        return sum;
      };
      const auto fits = [&](Time start) {
        if (height(start) > capacity) return false;
        return std::all_of(beside.begin(), beside.end(), [&](const TaskPiece& other) {
          return other.start <= start || other.start >= start + duration || height(other.start) <= capacity;
        });
      };
      const Time start = *std::find_if(candidates.begin(), candidates.end(), fits);
      expected.push_back({piece.task, piece.machine, start, start + duration});
      beside.push_back(expected.back());
    }
    EXPECT_EQ(place_plan(view, running, plan, from), expected);
  }
}

}  // namespace
}  // namespace schedcore
