#include "schedcore/preemptive/phase_tasks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace schedcore {
namespace {

TEST(PhaseTasks, TasksAreServedByNumberUntilTheCoresRunOut) {
  PhaseTasks phase(3, 4, 2);
  std::vector<TaskCores> shares;
  EXPECT_EQ(phase.limit(), 12);
  const PhaseTasks::Share share = phase.spread(6, shares);
  EXPECT_EQ(shares, (std::vector<TaskCores>{{0, 4}, {1, 2}}));
  EXPECT_TRUE(share.has_cut);
  EXPECT_EQ(share.n_slots, 2);  // then task 0 has finished
  phase.work(shares.data(), shares.size(), 2);
  // 0, 4 and 8 core-slots are left.
  EXPECT_EQ(phase.remaining(), 12);
  EXPECT_EQ(phase.largest_remaining(), 8);
  EXPECT_EQ(phase.limit(), 8);
}

TEST(PhaseTasks, TasksThatHaveNotBegunTakeNoMemory) {
  constexpr std::uint32_t kMany = 2'000'000'000;
  PhaseTasks phase(kMany, 2, 1000);
  std::vector<TaskCores> shares;
  const PhaseTasks::Share share = phase.spread(3, shares);
  phase.work(shares.data(), shares.size(), share.n_slots);
  EXPECT_EQ(phase.limit(), 2 * (Amount{kMany} - 1));
  EXPECT_EQ(phase.remaining(), Amount{kMany} * 2000 - 3 * share.n_slots);
}

TEST(PhaseTasks, EqualsARowOfTasks) {
  std::mt19937_64 random(3);
  const auto draw = [&](Amount from, Amount to) { return std::uniform_int_distribution<Amount>(from, to)(random); };
  for (int round = 0; round < 500; ++round) {
    const auto n_tasks = static_cast<std::uint32_t>(draw(1, 6));
    const Amount cores = draw(1, 5);
    const Slot time = draw(1, 6);
    PhaseTasks phase(n_tasks, cores, time);
    std::vector<Amount> remaining(n_tasks, cores * time);
    while (!phase.done()) {
      const auto usable = [&](Amount left) { return std::min(cores, left); };
      Amount limit = 0;
      for (const Amount left : remaining) limit += usable(left);
      ASSERT_EQ(phase.limit(), limit);
      ASSERT_EQ(phase.remaining(), std::reduce(remaining.begin(), remaining.end(), Amount{0}));
      ASSERT_EQ(phase.largest_remaining(), *std::max_element(remaining.begin(), remaining.end()));
      const Amount given = draw(0, limit);
      std::vector<TaskCores> shares;
      const PhaseTasks::Share share = phase.spread(given, shares);
      // The same amounts are right for n_slots slots; some of them are worked off.
      const Slot n_slots = given == 0 ? 0 : draw(1, share.n_slots);
      phase.work(shares.data(), shares.size(), n_slots);
      for (Slot slot = 0; slot < n_slots; ++slot) {
        Amount pool = given;
        std::vector<TaskCores> plain;
        for (std::uint32_t task = 0; task < n_tasks; ++task) {
          const Amount amount = std::min(usable(remaining[task]), pool);
          if (amount > 0) plain.push_back({task, amount});
          pool -= amount;
        }
        ASSERT_EQ(plain, shares);
        for (const TaskCores& one : plain) remaining[one.task] -= one.cores;
      }
    }
    ASSERT_EQ(phase.limit(), 0);
    ASSERT_EQ(phase.largest_remaining(), 0);
  }
}

}  // namespace
}  // namespace schedcore
