#include "schedcore/packing/partition_improvement.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <vector>

#include "packing/partition_makers.hpp"
#include "schedcore/packing/pair_exchange.hpp"

namespace schedcore {
namespace {

struct Improved {
  ImprovedPartition result;
  std::vector<std::uint32_t> machine;
};

Improved improved(const PartitionProblem& problem, std::uint64_t work_limit, double gap = 0) {
  Improved made{{}, std::vector<std::uint32_t>(problem.sorted_size.size())};
  longest_first(problem.sorted_size, problem.speed, made.machine);
  made.result = improve_partition(problem.sorted_size, problem.speed, made.machine, {work_limit, gap, nullptr});
  return made;
}

bool equal(const CompletionTime& a, const CompletionTime& b) { return !(a < b) && !(b < a); }

void expect_certificate(const PartitionProblem& problem, const Improved& made) {
  const std::vector<Amount> load = loads_of(problem.sorted_size, made.machine, problem.speed.size());
  ASSERT_TRUE(equal(makespan_of(load, problem.speed), made.result.makespan));
  ASSERT_FALSE(made.result.makespan < made.result.lower_bound);
}

TEST(PartitionImprovement, IsOptimalAndProvesItOnSmallIdenticalMachines) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 400; ++round) {
    PartitionProblem problem = random_problem(random, 9, 4, round % 2 == 0 ? 20 : 1000, 1);
    for (Amount& speed : problem.speed) speed = 3;
    const Improved made = improved(problem, 100'000);
    expect_certificate(problem, made);
    const CompletionTime optimum = brute_force_optimum(problem);
    ASSERT_TRUE(equal(made.result.makespan, optimum));
    ASSERT_TRUE(equal(made.result.lower_bound, optimum));
  }
}

TEST(PartitionImprovement, IsOptimalOnSmallUniformMachines) {
  std::mt19937_64 random(12);
  int optimal = 0;
  for (int round = 0; round < 200; ++round) {
    const PartitionProblem problem = random_problem(random, 8, 3, round % 2 == 0 ? 20 : 1000, 4);
    const Improved made = improved(problem, 30'000);
    expect_certificate(problem, made);
    const CompletionTime optimum = brute_force_optimum(problem);
    ASSERT_FALSE(optimum < made.result.lower_bound);
    optimal += equal(made.result.makespan, optimum) ? 1 : 0;
  }
  EXPECT_EQ(optimal, 200);
}

TEST(PartitionImprovement, IsNeverWorseThanItsStartAndTakesNoMoreWorkThanAllowed) {
  std::mt19937_64 random(13);
  for (int round = 0; round < 60; ++round) {
    const PartitionProblem problem = random_problem(random, 200, 12, 100'000, round % 2 == 0 ? 1 : 9);
    const Improved start = improved(problem, 0);
    const Improved made = improved(problem, 20'000);
    expect_certificate(problem, start);
    expect_certificate(problem, made);
    EXPECT_FALSE(start.result.makespan < made.result.makespan);
    EXPECT_FALSE(made.result.lower_bound < start.result.lower_bound);
    EXPECT_LE(made.result.work, 40'000U);
  }
}

TEST(PartitionImprovement, IsContentWithinTheGap) {
  std::mt19937_64 random(14);
  PartitionProblem problem{{}, {1, 1, 1, 2, 2}};
  for (int i = 0; i < 60; ++i) problem.sorted_size.push_back(static_cast<Amount>(random() >> 12));
  std::sort(problem.sorted_size.begin(), problem.sorted_size.end(), std::greater<>());
  const Improved made = improved(problem, 50'000'000, 0.001);
  expect_certificate(problem, made);
  EXPECT_LT(made.result.work, 1'000'000U);
}

TEST(PartitionImprovement, LeavesTasksWithoutLengthWhereTheyAre) {
  const PartitionProblem problem{{4, 3, 3, 0, 0}, {1, 1}};
  std::vector<std::uint32_t> machine{0, 0, 0, 1, 0};
  const ImprovedPartition result = improve_partition(problem.sorted_size, problem.speed, machine, {1000, 0, nullptr});
  EXPECT_EQ(result.makespan.load, 6);
  EXPECT_EQ(result.lower_bound.load, 6);
  EXPECT_EQ(machine[3], 1U);
  EXPECT_EQ(machine[4], 0U);
}

TEST(PartitionImprovement, RaisesTheBoundToTheUnitOfTheSizes) {
  // 70 on two machines is 35 each, but all loads are multiples of 10.
  const Improved made = improved({{30, 20, 20}, {1, 1}}, 0);
  EXPECT_EQ(made.result.makespan.load, 40);
  EXPECT_EQ(made.result.lower_bound.load, 40);
}

class StopAtOnce final : public Monitor {
 public:
  void poll(std::uint64_t, std::uint64_t) override { throw std::runtime_error("enough"); }
};

TEST(PartitionImprovement, CanBeInterrupted) {
  PartitionProblem problem{{}, {1, 1, 2}};
  for (int i = 0; i < 40; ++i) problem.sorted_size.push_back((Amount{1} << 40) - 977 * i * i);
  std::vector<std::uint32_t> machine(problem.sorted_size.size());
  StopAtOnce monitor;
  const ImprovementLimits limits{1000000, 0, &monitor};
  EXPECT_THROW(static_cast<void>(improve_partition(problem.sorted_size, problem.speed, machine, limits)),
               std::runtime_error);
}

TEST(PairExchange, KeepsItsBooksThroughAWalk) {
  std::mt19937_64 random(16);
  for (int round = 0; round < 100; ++round) {
    const PartitionProblem problem = random_problem(random, 60, 8, 500, 5);
    const std::vector<std::uint32_t> all_on_one(problem.sorted_size.size());
    PairExchange exchange(problem.sorted_size, all_on_one, problem.speed.size());
    std::uint64_t work = 0;
    std::vector<Amount> capacity;
    for (const Amount speed : problem.speed) capacity.push_back(load_by(CompletionTime{400, 1}, speed));
    const bool arrived = exchange.walk(capacity, 2000, work, nullptr);
    ASSERT_TRUE(exchange.check_invariants());
    std::vector<std::uint32_t> machine(problem.sorted_size.size());
    exchange.write(machine);
    const std::vector<Amount> load = loads_of(problem.sorted_size, machine, problem.speed.size());
    bool is_within = true;
    for (std::size_t k = 0; k < load.size(); ++k) is_within &= load[k] <= capacity[k];
    ASSERT_EQ(arrived, is_within);
  }
}

TEST(PairExchange, MakesTheSameWalkEveryTime) {
  std::mt19937_64 random(17);
  const PartitionProblem problem = random_problem(random, 100, 7, 1'000'000, 3);
  EXPECT_EQ(improved(problem, 50'000).machine, improved(problem, 50'000).machine);
}

}  // namespace
}  // namespace schedcore
