#include "schedcore/parallel_tasks/capped_fractions.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace schedcore {
namespace {

using Fractions = std::vector<IntervalFraction>;

constexpr std::int64_t kTenth = kWholeTask / 10;

// Random parts of each task on a few machines and intervals, by task, interval and machine.
Fractions draw(std::mt19937_64& random, std::size_t n_tasks) {
  Fractions drawn;
  for (std::size_t task = 0; task < n_tasks; ++task) {
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> units;
    std::int64_t left = kWholeTask;
    while (left > 0) {
      const std::int64_t part =
          random() % 3 == 0 ? left : 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(left));
      units[{random() % 5, random() % 4}] += part;
      left -= part;
    }
    for (const auto& [where, amount] : units) drawn.push_back({task, where.second, where.first, amount});
  }
  return drawn;
}

TEST(CappedFractions, StopATaskThatIsWholeOverAllMachines) {
  // 0.6 on machine 0 in interval 1 and 0.4 on machine 1 in interval 3, at half speed.
  const Fractions fractions{{0, 0, 1, 6 * kTenth}, {0, 1, 3, 4 * kTenth}};
  const CappedFractions capped = capped_fractions(fractions, 5 * kTenth, FractionCap::task);
  EXPECT_EQ(capped.whole, 5 * kTenth);
  EXPECT_EQ(capped.fractions, (Fractions{{0, 0, 1, 5 * kTenth}}));
}

TEST(CappedFractions, StopATaskOnEachMachineWhereThatIsTheCap) {
  const Fractions fractions{{0, 0, 1, 6 * kTenth}, {0, 1, 3, 4 * kTenth}};
  const CappedFractions capped = capped_fractions(fractions, 5 * kTenth, FractionCap::machine);
  EXPECT_EQ(capped.whole, kWholeTask * 5 * kTenth);
  EXPECT_EQ(capped.fractions,
            (Fractions{{0, 0, 1, 6 * kTenth * 5 * kTenth}, {0, 1, 3, 4 * kTenth * 5 * kTenth}}));
}

TEST(CappedFractions, OfATaskAddUpToOneTask) {
  std::mt19937_64 random(1);
  for (const FractionCap cap : {FractionCap::task, FractionCap::machine}) {
    for (int round = 0; round < 200; ++round) {
      const Fractions fractions = draw(random, 6);
      const std::int64_t lambda =
          round == 0 ? kWholeTask : round == 1 ? 1 : 1 + static_cast<std::int64_t>(random() % kWholeTask);
      const CappedFractions capped = capped_fractions(fractions, lambda, cap);
      std::vector<std::int64_t> sum(6, 0);
      for (const IntervalFraction& fraction : capped.fractions) {
        EXPECT_GT(fraction.units, 0);
        sum[fraction.task] += fraction.units;
      }
      EXPECT_EQ(sum, std::vector<std::int64_t>(6, capped.whole));
    }
  }
}

TEST(CappedFractions, AtFullSpeedAreTheFractions) {
  std::mt19937_64 random(2);
  const Fractions fractions = draw(random, 10);
  EXPECT_EQ(capped_fractions(fractions, kWholeTask, FractionCap::task).fractions, fractions);
  Fractions finer = fractions;
  for (IntervalFraction& fraction : finer) fraction.units *= kWholeTask;
  EXPECT_EQ(capped_fractions(fractions, kWholeTask, FractionCap::machine).fractions, finer);
}

TEST(CappedFractions, OnOneMachineAreTheSameForBothCaps) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    Fractions fractions;
    std::int64_t left = kWholeTask;
    for (std::size_t interval = 0; interval < 5; ++interval) {
      const std::int64_t part =
          interval == 4 ? left : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(left));
      if (part > 0) fractions.push_back({0, 0, interval, part});
      left -= part;
    }
    const std::int64_t lambda = 1 + static_cast<std::int64_t>(random() % kWholeTask);
    Fractions by_task = capped_fractions(fractions, lambda, FractionCap::task).fractions;
    for (IntervalFraction& fraction : by_task) fraction.units *= kWholeTask;
    EXPECT_EQ(capped_fractions(fractions, lambda, FractionCap::machine).fractions, by_task);
  }
}

}  // namespace
}  // namespace schedcore
