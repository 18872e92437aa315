#include "schedcore/parallel_tasks/fraction_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

#include "parallel_tasks/interval_fraction_maker.hpp"
#include "parallel_tasks/parallel_task_maker.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/parallel_tasks/machine_room.hpp"

namespace schedcore {
namespace {

using Fractions = std::vector<IntervalFraction>;

constexpr FineTime kUnit = 1'000'000'000;

// The event loop to the letter: the whole list at every event.
FractionSchedule plain_schedule(const ParallelTasksView& tasks, const Fractions& fractions, std::size_t n_intervals) {
  struct Plain {
    std::size_t input;
    IntervalFraction given;
    FineTime remaining;
    std::optional<FineTime> running_since;
  };
  std::vector<Plain> list;
  for (std::size_t f = 0; f < fractions.size(); ++f) {
    const std::size_t placement = tasks.placement_on(fractions[f].task, fractions[f].machine);
    list.push_back({f, fractions[f], fractions[f].units * tasks.placement_time[placement], {}});
  }
  std::sort(list.begin(), list.end(), [](const Plain& a, const Plain& b) {
    return std::tie(a.given.interval, a.given.task, a.given.machine) <
           std::tie(b.given.interval, b.given.task, b.given.machine);
  });
  FractionSchedule made;
  made.tau.assign(n_intervals, 0);
  std::vector<std::pair<Plain*, FractionPiece>> pieces;
  FineTime now = 0;
  const auto stop = [&](Plain& one) {
    pieces.push_back({&one, {one.input, *one.running_since, now}});
    one.remaining -= now - *one.running_since;
    one.running_since.reset();
  };
  for (;;) {
    std::optional<std::size_t> lowest;
    for (const Plain& one : list) {
      if (one.remaining > 0 && !one.running_since) lowest = std::min(lowest.value_or(n_intervals), one.given.interval);
    }
    for (Plain& one : list) {
      if (lowest && one.running_since && one.given.interval > *lowest) stop(one);
    }
    for (Plain& one : list) {
      if (one.remaining == 0 || one.running_since) continue;
      MachineRoom room(tasks.machines);
      bool task_runs = false;
      for (const Plain& other : list) {
        if (!other.running_since) continue;
        task_runs = task_runs || other.given.task == one.given.task;
        room.take(other.given.machine, tasks.demand_of(other.given.task));
      }
      if (!task_runs && room.fits(one.given.machine, tasks.demand_of(one.given.task))) one.running_since = now;
    }
    std::optional<FineTime> next;
    for (const Plain& one : list) {
      if (!one.running_since) continue;
      const FineTime end = *one.running_since + one.remaining;
      next = std::min(next.value_or(end), end);
    }
    if (!next) break;
    now = *next;
    for (Plain& one : list) {
      if (!one.running_since || *one.running_since + one.remaining != now) continue;
      stop(one);
      for (std::size_t l = one.given.interval; l < n_intervals; ++l) made.tau[l] = now;
    }
  }
  // A fraction that stops and starts again at one instant was not interrupted.
  std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.start) < std::tie(b.first, b.second.start);
  });
  std::vector<std::pair<Plain*, FractionPiece>> merged;
  for (const auto& piece : pieces) {
    if (!merged.empty() && merged.back().first == piece.first && merged.back().second.end == piece.second.start) {
      merged.back().second.end = piece.second.end;
    } else {
      merged.push_back(piece);
    }
  }
  std::sort(merged.begin(), merged.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second.start, a.first->given.task) < std::tie(b.second.start, b.first->given.task);
  });
  for (const auto& piece : merged) made.pieces.push_back(piece.second);
  return made;
}

TEST(FractionSchedule, EqualsTheEventLoopThatScansTheWholeList) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 4000; ++round) {
    const std::size_t n_intervals = 1 + random() % 6;
    ParallelTaskMaker made = random_parallel_tasks(random, 1 + random() % 8, 1 + random() % 4, 1 + random() % 2);
    const ParallelTasksView tasks = made.view();
    const Fractions fractions = random_fractions(random, tasks, n_intervals, 1 + random() % 6);
    const FractionSchedule found = fraction_schedule(tasks, fractions, n_intervals);
    const FractionSchedule expected = plain_schedule(tasks, fractions, n_intervals);
    ASSERT_EQ(found.pieces, expected.pieces) << "round " << round;
    ASSERT_EQ(found.tau, expected.tau) << "round " << round;
  }
}

TEST(FractionSchedule, WorkedExampleD) {
  ParallelTaskMaker made(1, {10, 10});
  made.job(1);
  made.task({6}, {{0, 2}, {1, 4}});
  made.job(2);
  made.task({6}, {{0, 2}});
  made.job(1);
  made.task({8}, {{0, 4}});
  made.job(1);
  made.task({4}, {{0, 4}});
  const Fractions fractions{{0, 0, 1, kUnit / 2}, {0, 1, 2, kUnit / 2}, {1, 0, 1, kUnit},
                            {2, 0, 2, kUnit / 4}, {2, 0, 3, 3 * kUnit / 4}, {3, 0, 3, kUnit}};
  const FractionSchedule s1 = fraction_schedule(made.view(), fractions, 5);
  EXPECT_EQ(s1.pieces, (std::vector<FractionPiece>{{0, 0, kUnit},
                                                   {5, 0, 3 * kUnit},
                                                   {1, kUnit, 3 * kUnit},
                                                   {2, kUnit, 3 * kUnit},
                                                   {3, 3 * kUnit, 4 * kUnit},
                                                   {4, 4 * kUnit, 7 * kUnit},
                                                   {5, 7 * kUnit, 8 * kUnit}}));
  EXPECT_EQ(s1.tau, (std::vector<FineTime>{0, 3 * kUnit, 4 * kUnit, 8 * kUnit, 8 * kUnit}));
}

TEST(FractionSchedule, AFractionEarlierInTheListTakesItsTaskFromAMachineThatNothingElseHappensOn) {
  // Task 0 runs on machine 1 (interval 2) until the room for its part of interval 1 is free on machine 0; interval 0
  // has work waiting all the while, so that both may be stopped.
  ParallelTaskMaker made(1, {10, 10, 10});
  made.job(1);
  made.task({6}, {{0, 4}, {1, 8}});
  made.job(1);
  made.task({6}, {{0, 2}});
  made.job(1);
  made.task({6}, {{2, 9}});
  made.job(1);
  made.task({6}, {{2, 9}});
  const Fractions fractions{
      {0, 0, 1, kUnit / 2}, {0, 1, 2, kUnit / 2}, {1, 0, 0, kUnit}, {2, 2, 0, kUnit}, {3, 2, 0, kUnit}};
  const FractionSchedule s1 = fraction_schedule(made.view(), fractions, 3);
  EXPECT_EQ(s1.pieces, (std::vector<FractionPiece>{{1, 0, 2 * kUnit},
                                                   {2, 0, 2 * kUnit},
                                                   {3, 0, 9 * kUnit},
                                                   {0, 2 * kUnit, 4 * kUnit},
                                                   {1, 4 * kUnit, 6 * kUnit},
                                                   {4, 9 * kUnit, 18 * kUnit}}));
}

TEST(FractionSchedule, AMachineWhoseTaskIsTakenMayStartAnEarlierFractionThatWaitedForThatRoom) {
  // At 1/4 task 1 moves to machine 1, where its part is of interval 1; that leaves room on machine 0 for task 0, whose
  // other part has just completed and which comes first there.
  ParallelTaskMaker made(1, {12, 8});
  made.job(1);
  made.task({5}, {{0, 2}, {1, 1}});
  made.job(1);
  made.task({7}, {{0, 8}, {1, 2}});
  const Fractions fractions{
      {0, 0, 2, 3 * kUnit / 4}, {1, 0, 2, kUnit / 8}, {1, 1, 1, 7 * kUnit / 8}, {0, 1, 1, kUnit / 4}};
  const FractionSchedule s1 = fraction_schedule(made.view(), fractions, 3);
  EXPECT_EQ(s1.pieces, (std::vector<FractionPiece>{{3, 0, kUnit / 4},
                                                   {1, 0, kUnit / 4},
                                                   {0, kUnit / 4, 7 * kUnit / 4},
                                                   {2, kUnit / 4, 2 * kUnit},
                                                   {1, 2 * kUnit, 11 * kUnit / 4}}));
}

TEST(FractionSchedule, TimesBeyond63BitsAreRefused) {
  ParallelTaskMaker made(1, {10});
  made.job(1);
  made.task({6}, {{0, 5'000'000'000}});
  EXPECT_EQ(fraction_schedule(made.view(), Fractions{{0, 0, 0, kUnit}}, 1).tau.back(), 5 * kUnit * kUnit);
  made.job(1);
  made.task({6}, {{0, 5'000'000'000}});
  const Fractions both{{0, 0, 0, kUnit}, {1, 0, 0, kUnit}};
  EXPECT_THROW((void)fraction_schedule(made.view(), both, 1), UnsupportedError);
  made.job(1);
  made.task({6}, {{0, 10'000'000'000}});
  EXPECT_THROW((void)fraction_schedule(made.view(), Fractions{{2, 0, 0, kUnit}}, 1), UnsupportedError);
}

TEST(FractionSchedule, NothingToScheduleTakesNoTime) {
  ParallelTaskMaker made(1, {10});
  const FractionSchedule s1 = fraction_schedule(made.view(), Fractions{}, 2);
  EXPECT_TRUE(s1.pieces.empty());
  EXPECT_EQ(s1.tau, (std::vector<FineTime>{0, 0}));
}

}  // namespace
}  // namespace schedcore
