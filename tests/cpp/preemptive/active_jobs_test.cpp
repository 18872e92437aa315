#include "schedcore/preemptive/active_jobs.hpp"

#include <gtest/gtest.h>

#include <random>

namespace schedcore {
namespace {

TEST(ActiveJobs, NobodyCanUseMoreCoresThanThereIsWork) {
  EXPECT_EQ(core_limit(4, 4, 100), 4);
  EXPECT_EQ(core_limit(4, 4, 3), 3);
  EXPECT_EQ(core_limit(4, 6, 4), 6);
  EXPECT_EQ(core_limit(4, 6, 3), 5);  // ceil(18 / 4)
  EXPECT_EQ(core_limit(4, 1, 1), 1);
  constexpr Amount huge = (Amount{1} << 52) + 1;
  EXPECT_EQ(core_limit(huge, huge - 2, huge - 1), huge - 2);
}

TEST(ActiveJobs, LeastRemainingIsWhereTheLimitBegins) {
  for (Amount demand = 1; demand < 12; ++demand)
    for (Amount believed = 1; believed < 12; ++believed)
      for (Amount limit = 1; limit <= believed; ++limit) {
        const Amount least = least_remaining(demand, believed, limit);
        EXPECT_GE(core_limit(demand, believed, least), limit);
        if (least > 1) {
          EXPECT_LT(core_limit(demand, believed, least - 1), limit);
        }
      }
}

TEST(ActiveJobs, SteadySlotsAreTheOnesInWhichWorkAndLimitsStay) {
  std::mt19937_64 random(6);
  const auto draw = [&](int most) { return 1 + static_cast<Amount>(random() % static_cast<std::uint64_t>(most)); };
  for (int round = 0; round < 5000; ++round) {
    const std::vector<Slot> release{0, 0}, time{draw(20), draw(20)};
    const std::vector<Amount> demand{draw(6), draw(6)}, believed{draw(6), draw(6)};
    const SlotJobs jobs{release, time, demand, believed, 1};
    ActiveJobs active(jobs);
    active.add(std::vector<std::uint32_t>{0, 1});
    std::vector<Amount> cores{active.limit()[0], draw(static_cast<int>(active.limit()[1])) - 1};
    const std::size_t cut = cores[1] > 0 && random() % 2 == 0 && cores[1] < active.limit()[1] ? 1 : kNoRow;
    std::vector<Amount> work, now;
    std::vector<std::uint32_t> completed;
    active.work_of(cores, work);
    const Slot steady = active.steady_slots(cores, work, cut, 1000);
    const Amount first_limit = active.limit()[0], second_limit = active.limit()[1];
    for (Slot slot = 0; slot <= steady; ++slot) {
      active.work_of(cores, now);
      ASSERT_EQ(now, work);
      ASSERT_EQ(active.limit()[0], first_limit);
      ASSERT_TRUE(cut == kNoRow ? active.limit()[1] == second_limit : active.limit()[1] > cores[1]);
      active.advance(work, 1, completed);
      ASSERT_TRUE(completed.empty() || slot == steady);
    }
    if (!completed.empty()) continue;
    active.work_of(cores, now);
    ASSERT_TRUE(now != work || active.limit()[0] != first_limit ||
                (cut == kNoRow ? active.limit()[1] != second_limit : active.limit()[1] <= cores[1]));
  }
}

}  // namespace
}  // namespace schedcore
