#include "schedcore/colocation/colocation_ptas.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "colocation/plain_colocation.hpp"
#include "schedcore/base/errors.hpp"

namespace schedcore::colocation_ptas_test {
namespace {

using Machines = std::vector<std::int64_t>;

PtasDecision decision_of(const PlainColocation& tasks, CostNumerator target, std::int64_t k) {
  PtasBudget budget;
  PtasDecision decision = ptas_decision(tasks.view(), target, k, budget);
  EXPECT_TRUE(decision.complete);
  return decision;
}

PtasAssignment assignment_of(const PlainColocation& tasks, std::int64_t k, PtasBudget budget = {}) {
  return ptas_assignment(tasks.view(), Machines(tasks.size.size(), 0), k, budget);
}

CostNumerator cost_of(const PlainColocation& tasks, const Machines& machine) {
  return colocation_cost(tasks.view(), machine).largest;
}

// value <= (1 + 1/k) target
bool within_factor(CostNumerator value, CostNumerator target, std::int64_t k) {
  return Int128(value) * Int128(k) <= Int128(target) * Int128(k + 1);
}

TEST(ColocationPtas, KeepsTwoKindsOfShortTasksApart) {
  const PlainColocation tasks = worked_examples()[4].tasks;
  const PtasDecision decision = decision_of(tasks, 25, 1);
  ASSERT_TRUE(decision.machine);
  EXPECT_EQ(cost_of(tasks, *decision.machine), 25);
  for (std::size_t task = 1; task < 50; ++task) {
    EXPECT_EQ((*decision.machine)[task] == (*decision.machine)[0], task < 25);
  }
  EXPECT_EQ(cost_of(tasks, assignment_of(tasks, 1).machine), 25);
}

TEST(ColocationPtas, KeepsItsPromiseOnTheWorkedExamples) {
  for (const auto& [tasks, optimum] : worked_examples()) {
    for (const std::int64_t k : {1, 2}) {
      const PtasAssignment found = assignment_of(tasks, k);
      EXPECT_TRUE(found.complete);
      EXPECT_LE(found.target, optimum);
      EXPECT_TRUE(within_factor(cost_of(tasks, found.machine), optimum, k));
    }
  }
}

TEST(ColocationPtas, SucceedsFromTheOptimumOnAndNeverCostsMoreThanPromised) {
  std::mt19937_64 random(11);
  for (int repetition = 0; repetition < 400; ++repetition) {
    const PlainColocation tasks = random_tasks(random, 6, 3, 3);
    const CostNumerator optimum = best_of_all_assignments(tasks);
    const auto k = static_cast<std::int64_t>(1 + random() % 3);
    for (const CostNumerator target : {optimum / 2, optimum - 1, optimum, optimum + 1, 2 * optimum + 3}) {
      if (target < 0) continue;
      const PtasDecision decision = decision_of(tasks, target, k);
      if (target >= optimum) {
        ASSERT_TRUE(decision.machine) << "repetition " << repetition;
      }
      if (decision.machine) {
        ASSERT_TRUE(within_factor(cost_of(tasks, *decision.machine), target, k)) << "repetition " << repetition;
      }
    }
  }
}

TEST(ColocationPtas, ShortTasksOfUnequalSizesKeepThePromise) {
  std::mt19937_64 random(12);
  for (int repetition = 0; repetition < 60; ++repetition) {
    PlainColocation tasks{{}, {}, {10, 12, 15, 10}, 10, 2, 1 + random() % 3};
    for (int task = 0; task < 60; ++task) {
      tasks.size.push_back(static_cast<Amount>(1 + random() % 9));
      tasks.type.push_back(static_cast<std::int64_t>(random() % 2));
    }
    const PtasAssignment found = assignment_of(tasks, 1);
    EXPECT_TRUE(found.complete);
    EXPECT_TRUE(within_factor(cost_of(tasks, found.machine), found.target, 1));
  }
}

TEST(ColocationPtas, TasksTypesAndMachinesMayBeMissing) {
  const PlainColocation none{{}, {}, {1}, 1, 1, 3};
  EXPECT_TRUE(decision_of(none, 0, 1).machine);
  EXPECT_EQ(assignment_of(none, 1).target, 0);
  const PlainColocation one{{7}, {2}, {1, 9, 9, 9, 1, 9, 9, 9, 3}, 1, 3, 2};
  EXPECT_FALSE(decision_of(one, 0, 1).machine);
  EXPECT_EQ(assignment_of(one, 1).target, 21);
  const PlainColocation spread{{4, 3}, {0, 1}, {1, 2, 2, 1}, 1, 2, 1000};
  EXPECT_EQ(cost_of(spread, *decision_of(spread, 4, 2).machine), 4);
}

TEST(ColocationPtas, AWorkLimitEndsTheSearchWithTheCheapestSeen) {
  const PlainColocation tasks = worked_examples()[5].tasks;
  PtasBudget budget{.work_limit = 5};
  const PtasAssignment found = ptas_assignment(tasks.view(), Machines(9, 0), 1, budget);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(budget.work, 5u);
  EXPECT_LE(cost_of(tasks, found.machine), cost_of(tasks, Machines(9, 0)));
}

class StoppedByWatcher : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class StoppingMonitor final : public Monitor {
 public:
  void poll(std::uint64_t, std::uint64_t) override { throw StoppedByWatcher("stop"); }
};

TEST(ColocationPtas, AMonitorCanEndTheSearch) {
  PlainColocation tasks{{}, {}, {10, 12, 14, 11, 10, 13, 15, 12, 10}, 10, 3, 5};
  for (int task = 0; task < 200; ++task) {
    tasks.size.push_back(1 + task % 7);
    tasks.type.push_back(task % 3);
  }
  StoppingMonitor monitor;
  EXPECT_THROW(assignment_of(tasks, 2, {.monitor = &monitor}), StoppedByWatcher);
}

TEST(ColocationPtas, RefusesWhatDoesNotFitInto128Bits) {
  const PlainColocation small{{1}, {0}, {1}, 1, 1, 1};
  EXPECT_THROW(decision_of(small, 1, std::int64_t{1} << 62), UnsupportedError);
  const std::int64_t huge = std::int64_t{1} << 61;
  const PlainColocation dear{{1, 1}, {0, 1}, {1, huge, huge, 1}, 1, 2, 1};
  EXPECT_THROW(decision_of(dear, 1, 1), UnsupportedError);
}

TEST(ColocationPtas, LargeSizesAreRoundedExactly) {
  const std::int64_t huge = std::int64_t{1} << 61;
  const PlainColocation tasks{{huge, huge - 1, 1}, {0, 0, 0}, {1}, 1, 1, 2};
  EXPECT_TRUE(decision_of(tasks, huge, 2).machine);
  EXPECT_FALSE(decision_of(tasks, huge / 2, 2).machine);
}

}  // namespace
}  // namespace schedcore::colocation_ptas_test
