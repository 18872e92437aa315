#include "schedcore/parallel_tasks/psrs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <tuple>
#include <vector>

#include "parallel_tasks/parallel_task_maker.hpp"
#include "schedcore/base/errors.hpp"

namespace schedcore {
namespace {

constexpr PositiveFraction kUsual{209, 250};

TEST(Psrs, InterruptsEverybodyForAWideTaskThatHasWaitedLongEnough) {
  // Capacity 10; J0 (weight 40) 4 for 10, J1 (12) 3 for 4, J2 (8) 8 for 2, J3 (1) 2 for 3; ratios 1, 1, 1/2, 1/6.  Half is
  // free for good from 4 on, J2 would fit at 10: 6 >= 2 / 0.836, so it runs at 4 + 500/209 and J0 is cut.
  ParallelTaskMaker made(1, {10});
  const std::vector<std::tuple<double, Amount, std::int64_t>> rows{{40, 4, 10}, {12, 3, 4}, {8, 8, 2}, {1, 2, 3}};
  for (const auto& [weight, demand, time] : rows) {
    made.job(weight);
    made.task({demand}, {{0, time}});
  }
  const PsrsOutcome outcome = psrs(made.view(), kUsual, nullptr);
  const Time cut = 1336.0 / 209, resumed = 1754.0 / 209;
  const std::vector<TaskPiece> expected{
      {1, 0, 0, 4}, {0, 0, 0, cut}, {0, 0, resumed, 12}, {2, 0, cut, resumed}, {3, 0, cut, 1963.0 / 209}};
  ASSERT_EQ(outcome.pieces.size(), expected.size());
  for (const TaskPiece& piece : expected) {
    EXPECT_EQ(std::count(outcome.pieces.begin(), outcome.pieces.end(), piece), 1) << piece.task << ' ' << piece.start;
  }
  EXPECT_EQ(outcome.n_rounded_waits, 0U);
}

TEST(Psrs, PlansAnewFromEveryArrivalWithWhatRemains) {
  // Capacity 2, two tasks that take all of it: A (weight 1) 10 from 0, B (weight 1, released at 8.5) 2.  At 8.5 1.5 of A
  // remain: its ratio is larger than that of B, so it goes on, and both of its pieces are one.
  ParallelTaskMaker made(1, {2});
  made.job(1);
  made.task({2}, {{0, 10}});
  made.job(1, 8.5);
  made.task({2}, {{0, 2}});
  const std::vector<TaskPiece> expected{{0, 0, 0, 10}, {1, 0, 10, 12}};
  EXPECT_EQ(psrs(made.view(), kUsual, nullptr).pieces, expected);
}

TEST(Psrs, AnArrivalMayStopWhatRuns) {
  // As above, but B comes at 1: its ratio 1/4 is larger than 1/18, so that it runs first.
  ParallelTaskMaker made(1, {2});
  made.job(1);
  made.task({2}, {{0, 10}});
  made.job(1, 1);
  made.task({2}, {{0, 2}});
  std::vector<TaskPiece> pieces = psrs(made.view(), kUsual, nullptr).pieces;
  const std::vector<TaskPiece> expected{{0, 0, 0, 1}, {1, 0, 1, 3}, {0, 0, 3, 12}};
  EXPECT_EQ(pieces.size(), expected.size());
  for (const TaskPiece& piece : expected) EXPECT_EQ(std::count(pieces.begin(), pieces.end(), piece), 1);
}

TEST(Psrs, SchedulesAreFeasibleAndWhole) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const bool arrivals = round % 2 == 1;
    const std::size_t n_resources = 1 + random() % 3;
    ParallelTaskMaker made(n_resources, std::vector<Amount>(2 * n_resources, 10));
    for (std::size_t job = 0; job < 12; ++job) {
      made.job(static_cast<double>(1 + random() % 9), arrivals ? static_cast<Time>(random() % 100) / 4 : 0);
      for (std::size_t k = 1 + random() % 2; k > 0; --k) {
        std::vector<Amount> demand(n_resources);
        for (Amount& amount : demand) amount = static_cast<Amount>(1 + random() % 10);
        made.task(demand, {{static_cast<std::int64_t>(random() % 2), static_cast<std::int64_t>(1 + random() % 9)}});
      }
    }
    const ParallelTasksView tasks = made.view();
    const PsrsOutcome outcome = psrs(tasks, kUsual, nullptr);
    ASSERT_TRUE(is_feasible(tasks, outcome.pieces));
    std::vector<Time> work(tasks.n_tasks());
    for (const TaskPiece& piece : outcome.pieces) work[piece.task] += piece.end - piece.start;
    for (std::size_t task = 0; task < work.size(); ++task) {
      ASSERT_NEAR(work[task], static_cast<Time>(tasks.placement_time[task]), 1e-9);
    }
  }
}

TEST(Psrs, RefusesReleaseTimesWithTooManyDigits) {
  ParallelTaskMaker made(1, {2});
  made.job(1, 1e-40);
  made.task({2}, {{0, 10}});
  EXPECT_THROW((void)psrs(made.view(), kUsual, nullptr), UnsupportedError);
}

}  // namespace
}  // namespace schedcore
