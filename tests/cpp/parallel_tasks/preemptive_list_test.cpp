#include "schedcore/parallel_tasks/preemptive_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include "parallel_tasks/parallel_task_maker.hpp"
#include "schedcore/parallel_tasks/machine_room.hpp"

namespace schedcore {
namespace {

constexpr WholePeriod kAlways{0, std::numeric_limits<std::int64_t>::max()};

std::vector<std::int64_t> whole_times(const ParallelTasksView& tasks) {
  return {tasks.placement_time.begin(), tasks.placement_time.end()};
}

void sort_pieces(std::vector<TaskPiece>& pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const TaskPiece& a, const TaskPiece& b) {
    return std::tie(a.machine, a.start, a.task) < std::tie(b.machine, b.start, b.task);
  });
}

// The definition: at every completion of the machine stop everything and scan the list from the top.
std::vector<TaskPiece> scan_from_the_top(const ParallelTasksView& tasks, std::span<const std::size_t> list,
                                         std::vector<std::int64_t>& remaining, WholePeriod period) {
  std::vector<TaskPiece> pieces;
  for (std::size_t machine = 0; machine < tasks.n_machines(); ++machine) {
    std::int64_t now = period.start;
    std::vector<std::size_t> latest_piece(tasks.n_tasks(), std::numeric_limits<std::size_t>::max());
    while (now < period.end) {
      MachineRoom room(tasks.machines);
      std::vector<std::size_t> running;
      std::int64_t step = period.end - now;
      for (const std::size_t task : list) {
        if (tasks.machine_of(task) != machine || remaining[task] == 0) continue;
        if (!room.fits(machine, tasks.demand_of(task))) continue;
        room.take(machine, tasks.demand_of(task));
        running.push_back(task);
        step = std::min(step, remaining[task]);
      }
      if (running.empty()) break;
      for (const std::size_t task : running) {
        remaining[task] -= step;
        std::size_t& piece = latest_piece[task];
        if (piece < pieces.size() && pieces[piece].end == static_cast<Time>(now)) {
          pieces[piece].end = static_cast<Time>(now + step);
        } else {
          piece = pieces.size();
          pieces.push_back({task, machine, static_cast<Time>(now), static_cast<Time>(now + step)});
        }
      }
      now += step;
    }
  }
  return pieces;
}

TEST(PreemptiveList, ReproducesTheSmallExample) {
  // Machines of 10.  J0: 6 for 4 on m0, 5 for 1 on m1; J1: 5 for 2 on m0, 10 for 2 on m1; J2: 4 for 3 on m0.  Order J1,
  // J2, J0.  m0: J1 and J2 (9) run, J0 waits for the end of J1 at 2 and goes on after J2.  m1: J1 alone, then J0.
  ParallelTaskMaker made(1, {10, 10});
  made.job(1);
  made.task({6}, {{0, 4}});
  made.task({5}, {{1, 1}});
  made.job(3);
  made.task({5}, {{0, 2}});
  made.task({10}, {{1, 2}});
  made.job(1);
  made.task({4}, {{0, 3}});
  std::vector<std::int64_t> remaining = whole_times(made.view());
  std::vector<TaskPiece> pieces;
  const std::vector<std::size_t> list{2, 3, 4, 0, 1};
  preemptive_list_schedule(made.view(), list, remaining, kAlways, pieces, nullptr);
  sort_pieces(pieces);
  const std::vector<TaskPiece> expected{{2, 0, 0, 2}, {4, 0, 0, 3}, {0, 0, 2, 6}, {3, 1, 0, 2}, {1, 1, 2, 3}};
  EXPECT_EQ(pieces, expected);
  EXPECT_EQ(remaining, std::vector<std::int64_t>(5, 0));
}

TEST(PreemptiveList, StopsWhatRanWhenSomethingAboveItFitsAgain) {
  // Capacity 10.  A: 4 for 1, B: 8 for 2, C: 5 for 3.  A and C run; at 1 B fits and C has to stop until 3.
  ParallelTaskMaker made(1, {10});
  made.job(1);
  made.task({4}, {{0, 1}});
  made.task({8}, {{0, 2}});
  made.task({5}, {{0, 3}});
  std::vector<std::int64_t> remaining = whole_times(made.view());
  std::vector<TaskPiece> pieces;
  preemptive_list_schedule(made.view(), std::vector<std::size_t>{0, 1, 2}, remaining, kAlways, pieces, nullptr);
  sort_pieces(pieces);
  const std::vector<TaskPiece> expected{{0, 0, 0, 1}, {2, 0, 0, 1}, {1, 0, 1, 3}, {2, 0, 3, 5}};
  EXPECT_EQ(pieces, expected);
}

TEST(PreemptiveList, EqualsScanningTheWholeListAtEveryCompletion) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 400; ++round) {
    ParallelTaskMaker made = random_parallel_tasks(random, 1 + random() % 8, 1 + random() % 3, 1 + random() % 3, true);
    const ParallelTasksView tasks = made.view();
    std::vector<std::size_t> list(tasks.n_tasks());
    std::iota(list.begin(), list.end(), std::size_t{0});
    std::shuffle(list.begin(), list.end(), random);
    list.resize(1 + random() % list.size());
    const auto start = static_cast<std::int64_t>(random() % 5);
    const WholePeriod period{start, start + 1 + static_cast<std::int64_t>(random() % 40)};
    std::vector<std::int64_t> remaining = whole_times(tasks), expected_remaining = remaining;
    std::vector<TaskPiece> pieces;
    preemptive_list_schedule(tasks, list, remaining, period, pieces, nullptr);
    std::vector<TaskPiece> expected = scan_from_the_top(tasks, list, expected_remaining, period);
    sort_pieces(pieces);
    sort_pieces(expected);
    ASSERT_EQ(pieces, expected);
    ASSERT_EQ(remaining, expected_remaining);
    ASSERT_TRUE(is_feasible(tasks, pieces));
  }
}

}  // namespace
}  // namespace schedcore
