#include "schedcore/colocation/colocation_exact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "colocation/plain_colocation.hpp"
#include "schedcore/base/errors.hpp"

namespace schedcore {
namespace {

ExactColocation optimum_of(const PlainColocation& tasks, ExactColocationOptions options = {}) {
  const std::vector<std::int64_t> start(tasks.size.size(), 0);  // everything on one machine
  const ExactColocation found = exact_colocation(tasks.view(), start, options);
  EXPECT_EQ(colocation_cost(tasks.view(), found.machine).largest, found.cost);
  return found;
}

TEST(ExactColocation, FindsTheOptimaOfTheWorkedExamples) {
  for (const auto& [tasks, optimum] : worked_examples()) {
    const ExactColocation found = optimum_of(tasks);
    EXPECT_TRUE(found.proven);
    EXPECT_EQ(found.cost, optimum);
  }
}

TEST(ExactColocation, EqualsTheBestOfAllAssignments) {
  std::mt19937_64 random(5);
  for (int repetition = 0; repetition < 1500; ++repetition) {
    const PlainColocation tasks = random_tasks(random, 7, 4, 4);
    const ExactColocation found = optimum_of(tasks);
    EXPECT_TRUE(found.proven);
    ASSERT_EQ(found.cost, best_of_all_assignments(tasks)) << "repetition " << repetition;
  }
}

TEST(ExactColocation, EqualsTheBestOfAllAssignmentsWithMoreTypesThanDirectionsWeigh) {
  std::mt19937_64 random(6);
  for (int repetition = 0; repetition < 200; ++repetition) {
    const PlainColocation tasks = random_tasks(random, 8, 9, 3);
    ASSERT_EQ(optimum_of(tasks).cost, best_of_all_assignments(tasks)) << "repetition " << repetition;
  }
}

TEST(ExactColocation, EqualsTheProgramOverSetsOfTasks) {
  std::mt19937_64 random(8);
  for (int repetition = 0; repetition < 12; ++repetition) {
    PlainColocation tasks = random_tasks(random, 1, 4, 4);
    tasks.size.clear();
    tasks.type.clear();
    const std::uint64_t largest = repetition % 3 == 0 ? 4 : 1000;
    for (std::size_t task = 0; task < 11; ++task) {
      tasks.size.push_back(static_cast<Amount>(largest / 2 + 1 + random() % largest));
      tasks.type.push_back(static_cast<std::int64_t>(random() % tasks.n_types));
    }
    ASSERT_EQ(optimum_of(tasks).cost, best_of_all_partitions(tasks)) << "repetition " << repetition;
  }
}

TEST(ExactColocation, KeepsTheStartWhereItIsOptimalAndBranchesNoFurtherThanTheLowerBound) {
  const PlainColocation tasks = worked_examples().front().tasks;
  const std::vector<std::int64_t> optimal{0, 1, 1, 0, 1, 0};
  const ExactColocation kept = exact_colocation(tasks.view(), optimal, {.lower_bound = 135});
  EXPECT_EQ(kept.machine, optimal);
  EXPECT_EQ(kept.cost, 135);
  EXPECT_EQ(kept.nodes, 0u);
  EXPECT_TRUE(kept.proven);
  EXPECT_EQ(exact_colocation(tasks.view(), optimal, {}).machine, optimal);
}

TEST(ExactColocation, TasksTypesAndMachinesMayBeMissing) {
  const PlainColocation none{{}, {}, {1}, 1, 1, 3};
  EXPECT_TRUE(optimum_of(none).proven);
  EXPECT_EQ(optimum_of(none).cost, 0);
  const PlainColocation absent_types{{4, 4}, {2, 2}, {1, 9, 9, 9, 1, 9, 9, 9, 1}, 1, 3, 2};
  EXPECT_EQ(optimum_of(absent_types).cost, 4);
  const PlainColocation one_machine{{4, 3}, {0, 1}, {1, 2, 2, 1}, 1, 2, 1};
  EXPECT_EQ(optimum_of(one_machine).cost, 11);
  const PlainColocation many_machines{{4, 3}, {0, 1}, {1, 2, 2, 1}, 1, 2, 1000};
  EXPECT_EQ(optimum_of(many_machines).cost, 4);
}

TEST(ExactColocation, CostsUpToTheLargestInt64AreCompared) {
  const std::int64_t huge = std::int64_t{1} << 60;
  const PlainColocation tasks{{huge, huge - 1, huge - 2, 3}, {0, 1, 0, 1}, {1, 2, 2, 1}, 1, 2, 2};
  EXPECT_EQ(optimum_of(tasks).cost, best_of_all_assignments(tasks));
}

TEST(ExactColocation, ANodeLimitEndsTheSearchWithTheBestSoFar) {
  std::mt19937_64 random(7);
  PlainColocation tasks = random_tasks(random, 1, 3, 3);
  tasks.n_machines = 4;
  tasks.size.assign(40, 0);
  tasks.type.assign(40, 0);
  for (std::size_t task = 0; task < 40; ++task) {
    tasks.size[task] = static_cast<Amount>(1000 + random() % 1000);
    tasks.type[task] = static_cast<std::int64_t>(random() % tasks.n_types);
  }
  CostNumerator before = colocation_cost(tasks.view(), std::vector<std::int64_t>(40, 0)).largest;
  for (const std::uint64_t limit : {1u, 10u, 1000u, 5000u}) {
    const ExactColocation found = optimum_of(tasks, {.node_limit = limit});
    EXPECT_FALSE(found.proven);
    EXPECT_EQ(found.nodes, limit);
    EXPECT_LE(found.cost, before);
    before = found.cost;
  }
}

class StoppedByWatcher : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class StoppingMonitor final : public Monitor {
 public:
  void poll(std::uint64_t, std::uint64_t) override { throw StoppedByWatcher("stop"); }
};

TEST(ExactColocation, AMonitorCanEndTheSearch) {
  PlainColocation tasks{std::vector<Amount>(40), std::vector<std::int64_t>(40, 0), {1}, 1, 1, 7};
  for (std::size_t task = 0; task < 40; ++task) tasks.size[task] = static_cast<Amount>(1'000'003 + 7919 * task * task);
  StoppingMonitor monitor;
  EXPECT_THROW(optimum_of(tasks, {.monitor = &monitor}), StoppedByWatcher);
}

TEST(ExactColocation, RefusesWhatNoSearchCanFinish) {
  const PlainColocation tasks{std::vector<Amount>(5000, 1), std::vector<std::int64_t>(5000, 0), {1}, 1, 1, 5000};
  EXPECT_THROW(optimum_of(tasks), UnsupportedError);
}

}  // namespace
}  // namespace schedcore
