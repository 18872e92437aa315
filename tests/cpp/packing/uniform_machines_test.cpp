#include "schedcore/packing/uniform_machines.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "packing/partition_makers.hpp"
#include "schedcore/packing/list_scheduling.hpp"

namespace schedcore {
namespace {

using Machines = std::vector<std::uint32_t>;

Machines lpt(const PartitionProblem& problem) {
  Machines machine(problem.sorted_size.size());
  longest_first(problem.sorted_size, problem.speed, machine);
  return machine;
}

Machines multifit_of(const PartitionProblem& problem) {
  Machines machine(problem.sorted_size.size());
  multifit(problem.sorted_size, problem.speed, machine);
  return machine;
}

Machines plain_longest_first(const PartitionProblem& problem) {
  std::vector<Amount> load(problem.speed.size());
  Machines machine;
  for (const Amount size : problem.sorted_size) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < load.size(); ++k) {
      if (CompletionTime{load[k] + size, problem.speed[k]} < CompletionTime{load[best] + size, problem.speed[best]}) {
        best = k;
      }
    }
    load[best] += size;
    machine.push_back(static_cast<std::uint32_t>(best));
  }
  return machine;
}

TEST(UniformLongestFirst, SmallCaseByHand) {
  // Speeds 1 and 2: the 6 ends at 3 on the fast machine, the 4 at 4 on the slow one (at 5 on the fast one), the 3 at
  // 9/2 on the fast one, the 1 at 5 on both: the lower index.
  EXPECT_EQ(lpt({{6, 4, 3, 1}, {1, 2}}), (Machines{1, 0, 1, 0}));
}

TEST(UniformLongestFirst, EqualsTheTextbookForm) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    const Amount largest_speed = round % 2 == 0 ? 3 : 1000;
    const PartitionProblem problem = random_problem(random, 40, 10, round % 3 == 0 ? 5 : 1000, largest_speed);
    ASSERT_EQ(lpt(problem), plain_longest_first(problem));
  }
}

TEST(UniformListScheduling, EqualsThatOfIdenticalMachinesWhenSpeedsAreEqual) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; ++round) {
    PartitionProblem problem = random_problem(random, 40, 10, 1000, 1);
    for (Amount& speed : problem.speed) speed = 1 + round % 7;
    const std::size_t n_machines = problem.speed.size();
    Machines expected(problem.sorted_size.size());
    longest_first(problem.sorted_size, n_machines, expected);
    ASSERT_EQ(lpt(problem), expected);
    multifit(problem.sorted_size, n_machines, expected);
    ASSERT_EQ(multifit_of(problem), expected);
  }
}

TEST(UniformListScheduling, StaysWithinItsRatioOfTheOptimum) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    const PartitionProblem problem = random_problem(random, 7, 3, 30, 6);
    const CompletionTime optimum = brute_force_optimum(problem);
    const auto n_machines = static_cast<Amount>(problem.speed.size());
    const CompletionTime limit{optimum.load * 2 * n_machines, optimum.speed * (n_machines + 1)};
    ASSERT_FALSE(limit < makespan_of(loads_of(problem.sorted_size, lpt(problem), problem.speed.size()), problem.speed));
    // 1.4 of Friesen and Langston, and the grid of capacities: one unit on the fastest machine.
    const CompletionTime found =
        makespan_of(loads_of(problem.sorted_size, multifit_of(problem), problem.speed.size()), problem.speed);
    const Amount fastest = *std::max_element(problem.speed.begin(), problem.speed.end());
    const CompletionTime most{7 * optimum.load * fastest + 5 * optimum.speed, 5 * optimum.speed * fastest};
    ASSERT_FALSE(most < found);
  }
}

TEST(UniformMultifit, FindsRoomWhereTwiceTheShareIsTooLittle) {
  // One fast machine and many slow ones that hold nothing: the share is small, the search has to double its way up.
  PartitionProblem problem{{10, 10, 10}, std::vector<Amount>(100, 1)};
  problem.speed[7] = 5;
  const Machines machine = multifit_of(problem);
  const CompletionTime found = makespan_of(loads_of(problem.sorted_size, machine, 100), problem.speed);
  EXPECT_EQ(found.load, 30);
  EXPECT_EQ(found.speed, 5);
}

TEST(UniformListScheduling, IsExactNearTheLimits) {
  const Amount large = (Amount{1} << 61) - 1;
  const PartitionProblem problem{{large, large, 1}, {(Amount{1} << 62) - 1, (Amount{1} << 62) - 2}};
  // Both long tasks side by side, and the 1 where it ends first: 2^61 / (2^62 - 1) against 2^61 / (2^62 - 2).
  EXPECT_EQ(lpt(problem), (Machines{0, 1, 0}));
  const CompletionTime found = makespan_of(loads_of(problem.sorted_size, multifit_of(problem), 2), problem.speed);
  EXPECT_FALSE((CompletionTime{large + 1, (Amount{1} << 62) - 2} < found));
}

TEST(UniformListScheduling, TakesNoTasks) {
  EXPECT_TRUE(lpt({{}, {2, 1}}).empty());
  EXPECT_TRUE(multifit_of({{}, {2, 1}}).empty());
}

}  // namespace
}  // namespace schedcore
