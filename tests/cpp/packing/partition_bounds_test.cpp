#include "schedcore/packing/partition_bounds.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "packing/partition_makers.hpp"

namespace schedcore {
namespace {

using Sizes = std::vector<Amount>;

TEST(IdenticalBound, CountsTasksThatMustShareAMachine) {
  // Four tasks on three machines: two share one, 5 + 4.
  EXPECT_EQ(identical_makespan_bound(Sizes{9, 6, 5, 4}, 3, 9), 9);
  // Seven tasks of 3 on three machines: three share one.
  EXPECT_EQ(identical_makespan_bound(Sizes{3, 3, 3, 3, 3, 3, 3}, 3, 9), 9);
  // Eight of 5 on three machines: some machine holds 3, some two hold 6 of them, all hold 40: 15.
  EXPECT_EQ(identical_makespan_bound(Sizes(8, 5), 3, 15), 15);
}

TEST(IdenticalBound, KnowsThatLargeTasksKeepSmallOnesOut) {
  // 30 in two bins of 16, but no 4 fits beside 13, and 9 leaves 7 for two of them.
  EXPECT_TRUE(exceeds_bins(Sizes{13, 9, 4, 4}, 2, 16));
  EXPECT_FALSE(exceeds_bins(Sizes{12, 8, 4, 4}, 2, 16));
}

TEST(IdenticalBound, NeverExceedsTheOptimum) {
  std::mt19937_64 random(6);
  int reached = 0;
  for (int round = 0; round < 500; ++round) {
    const PartitionProblem problem = random_problem(random, 8, 4, round % 2 == 0 ? 10 : 100, 1);
    const Amount optimum = brute_force_optimum(problem).load;
    const Amount total = std::accumulate(problem.sorted_size.begin(), problem.sorted_size.end(), Amount{0});
    const Amount bound = identical_makespan_bound(problem.sorted_size, problem.speed.size(), total);
    ASSERT_LE(bound, optimum);
    reached += bound == optimum ? 1 : 0;
    for (Amount capacity = 0; capacity <= total; ++capacity) {
      ASSERT_FALSE(capacity >= optimum && exceeds_bins(problem.sorted_size, problem.speed.size(), capacity));
    }
  }
  EXPECT_GT(reached, 400);
}

TEST(UniformBound, NeverExceedsTheOptimum) {
  std::mt19937_64 random(7);
  int reached = 0;
  for (int round = 0; round < 500; ++round) {
    const PartitionProblem problem = random_problem(random, 7, 3, round % 2 == 0 ? 10 : 100, 5);
    const CompletionTime optimum = brute_force_optimum(problem);
    const CompletionTime bound = uniform_makespan_bound(problem.sorted_size, problem.speed);
    ASSERT_FALSE(optimum < bound);
    reached += bound < optimum ? 0 : 1;
  }
  EXPECT_GT(reached, 200);
}

TEST(UniformBound, WaitsForWholeUnitsOfLoad) {
  // Two units on speeds 2 and 3 would take 2/5; whole units are done at 1/3, 1/2, 2/3: two of them at 1/2.
  const CompletionTime bound = uniform_makespan_bound(Sizes{1, 1}, Sizes{2, 3});
  EXPECT_EQ(bound.load, 1);
  EXPECT_EQ(bound.speed, 2);
}

TEST(UniformBound, IsExactNearTheLimits) {
  const Amount large = (Amount{1} << 61) - 1;
  const CompletionTime bound = uniform_makespan_bound(Sizes{large, large}, Sizes(3, (Amount{1} << 62) - 1));
  EXPECT_EQ(bound.load, large);
}

}  // namespace
}  // namespace schedcore
