#include "schedcore/colocation/colocation_improvement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "schedcore/base/random_stream.hpp"
#include "schedcore/colocation/levelling.hpp"
#include "schedcore/colocation/placed_tasks.hpp"
#include "schedcore/colocation/target_walk.hpp"
#include "schedcore/colocation/targeted_placement.hpp"
#include "schedcore/colocation/work_meter.hpp"

namespace schedcore {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

struct Tasks {
  std::vector<Amount> size;
  std::vector<std::int64_t> type;
  std::vector<CostNumerator> alpha;
  std::size_t n_types = 1;
  std::size_t n_machines = 1;

  [[nodiscard]] ColocationView view() const { return {size, type, alpha, 10, n_types, n_machines}; }
};

using Machines = std::vector<std::int64_t>;

std::size_t drawn(RandomStream& random, std::size_t bound) { return static_cast<std::size_t>(random.below(bound)); }

Tasks random_tasks(RandomStream& random, std::size_t n_tasks, std::size_t n_types, std::size_t n_machines,
                   std::uint64_t largest) {
  Tasks tasks{{}, {}, {}, n_types, n_machines};
  for (std::size_t i = 0; i < n_tasks; ++i) {
    tasks.size.push_back(1 + static_cast<Amount>(random.below(largest)));
    tasks.type.push_back(static_cast<std::int64_t>(random.below(n_types)));
  }
  for (std::size_t i = 0; i < n_types * n_types; ++i) {
    const bool diagonal = i % (n_types + 1) == 0;
    tasks.alpha.push_back(static_cast<CostNumerator>(random.below(25)) + (diagonal ? 1 : 0));
  }
  return tasks;
}

Tasks few_tasks(RandomStream& random, std::size_t at_most) {
  return random_tasks(random, 1 + drawn(random, at_most), 1 + drawn(random, 4), 2 + drawn(random, 4), 9);
}

Machines random_machines(RandomStream& random, const Tasks& tasks) {
  Machines machine(tasks.size.size());
  for (std::int64_t& own : machine) own = static_cast<std::int64_t>(random.below(tasks.n_machines));
  return machine;
}

std::vector<CostNumerator> sorted_costs(const PlacedTasks& tasks) {
  std::vector<CostNumerator> costs;
  for (std::size_t machine = 0; machine < tasks.n_machines(); ++machine) costs.push_back(tasks.cost(machine));
  std::sort(costs.begin(), costs.end(), std::greater<>());
  return costs;
}

// Every assignment, one after the other.
CostNumerator optimum(const Tasks& tasks) {
  Machines machine(tasks.size.size(), 0);
  CostNumerator best = std::numeric_limits<CostNumerator>::max();
  for (;;) {
    best = std::min(best, colocation_cost(tasks.view(), machine).largest);
    std::size_t i = 0;
    while (i < machine.size() && ++machine[i] == static_cast<std::int64_t>(tasks.n_machines)) machine[i++] = 0;
    if (i == machine.size()) return best;
  }
}

// A random exchange of single tasks or of whole types; false if the draw was in vain.
bool draw_exchange(RandomStream& random, const PlacedTasks& tasks, Exchange& exchange) {
  exchange = {drawn(random, tasks.n_machines()), drawn(random, tasks.n_machines()), {}, {}};
  if (exchange.from == exchange.to || tasks.n_tasks(exchange.from) == 0) return false;
  exchange.given = tasks.numbered_task(exchange.from, drawn(random, tasks.n_tasks(exchange.from)));
  if (tasks.n_tasks(exchange.to) > 0 && random.below(2) == 0) {
    exchange.returned = tasks.numbered_task(exchange.to, drawn(random, tasks.n_tasks(exchange.to)));
  }
  if (random.below(3) == 0) {
    exchange.given = tasks.whole_type(exchange.from, exchange.given.type);
    const bool none = exchange.returned.size == 0 || exchange.returned.type == exchange.given.type;
    exchange.returned = none ? Parcel{} : tasks.whole_type(exchange.to, exchange.returned.type);
  }
  return true;
}

TEST(PlacedTasks, ExchangesKeepWhatIsComputedAnewFromTheLists) {
  RandomStream random(1);
  for (int round = 0; round < 30; ++round) {
    const Tasks drawn_tasks = few_tasks(random, 30);
    PlacedTasks tasks(drawn_tasks.view(), random_machines(random, drawn_tasks));
    ASSERT_TRUE(tasks.check_invariants());
    for (int step = 0; step < 40; ++step) {
      Exchange exchange;
      if (!draw_exchange(random, tasks, exchange)) continue;
      tasks.exchange(exchange);
      ASSERT_TRUE(tasks.check_invariants());
    }
  }
}

TEST(PlacedTasks, AnExchangeIsWeighedAsItTurnsOut) {
  RandomStream random(2);
  for (int round = 0; round < 300; ++round) {
    const Tasks drawn_tasks = few_tasks(random, 12);
    PlacedTasks tasks(drawn_tasks.view(), random_machines(random, drawn_tasks));
    Exchange exchange;
    if (!draw_exchange(random, tasks, exchange)) continue;
    const CostNumerator from = tasks.cost_after(exchange.from, exchange.given, exchange.returned);
    const CostNumerator to = tasks.cost_after(exchange.to, exchange.returned, exchange.given);
    tasks.exchange(exchange);
    EXPECT_EQ(tasks.cost(exchange.from), from);
    EXPECT_EQ(tasks.cost(exchange.to), to);
    Machines machine(drawn_tasks.size.size());
    tasks.write(machine);
    EXPECT_EQ(tasks.largest(), colocation_cost(drawn_tasks.view(), machine).largest);
  }
}

TEST(Levelling, SortedCostsFallLexicographicallyWithEveryExchange) {
  RandomStream random(3);
  std::uint64_t n_steps = 0;
  for (int round = 0; round < 20; ++round) {
    const Tasks drawn_tasks = random_tasks(random, 30, 3, 5, 50);
    const Machines start = random_machines(random, drawn_tasks);
    PlacedTasks before(drawn_tasks.view(), start);
    // The same levelling, stopped one evaluation later each time, shows every state that it passes through.
    std::uint64_t moves = 0;
    for (std::uint64_t limit = 1; limit < 1500; ++limit) {
      PlacedTasks after(drawn_tasks.view(), start);
      WorkMeter work(limit, nullptr);
      const std::uint64_t now = level(after, 0, work);
      if (now > moves) {
        EXPECT_LT(sorted_costs(after), sorted_costs(before));
        ++n_steps;
      }
      moves = now;
      before = after;
    }
  }
  EXPECT_GT(n_steps, 100U);
}

TEST(Levelling, EndsWhereNoMoveOrSwapLowersTheWorstMachine) {
  RandomStream random(4);
  for (int round = 0; round < 40; ++round) {
    // One type: the two lists are searched completely.
    const Tasks drawn_tasks = random_tasks(random, 25, 1, 4, 40);
    PlacedTasks tasks(drawn_tasks.view(), random_machines(random, drawn_tasks));
    WorkMeter work(kUnlimited, nullptr);
    level(tasks, 0, work);
    ASSERT_TRUE(tasks.check_invariants());
    const CostNumerator largest = tasks.largest();
    for (std::size_t from = 0; from < 4; ++from) {
      if (tasks.cost(from) != largest) continue;
      bool admits_none = true;
      for (std::size_t to = 0; to < 4; ++to) {
        if (to == from) continue;
        for (std::size_t given = 0; given < tasks.n_tasks(from); ++given) {
          for (std::size_t returned = 0; returned <= tasks.n_tasks(to); ++returned) {
            const Parcel out = tasks.one_task(from, 0, given);
            const Parcel in = returned == tasks.n_tasks(to) ? Parcel{} : tasks.one_task(to, 0, returned);
            if (std::max(tasks.cost_after(from, out, in), tasks.cost_after(to, in, out)) < largest) admits_none = false;
          }
        }
      }
      // Of several worst machines the last one in order is stuck.
      if (admits_none) break;
      EXPECT_NE(from, 3U) << "a worst machine can still be lowered";
    }
  }
}

TEST(Levelling, PullsTypesApartThatShouldNotShareMachines) {
  // Two machines with half of each type cost 20 + 3 * 20; apart they cost 40.
  Tasks tasks{std::vector<Amount>(8, 10), {0, 0, 1, 1, 0, 0, 1, 1}, {10, 30, 30, 10}, 2, 2};
  PlacedTasks placed(tasks.view(), Machines{0, 0, 0, 0, 1, 1, 1, 1});
  EXPECT_EQ(placed.largest(), 800);
  WorkMeter work(kUnlimited, nullptr);
  EXPECT_EQ(level(placed, 0, work), 1U);
  EXPECT_EQ(placed.largest(), 400);
}

TEST(TargetWalk, ReachesItsTargetOrKeepsTheExcessFromGrowing) {
  RandomStream random(5);
  int reached = 0;
  for (std::uint64_t round = 0; round < 40; ++round) {
    const Tasks drawn_tasks = random_tasks(random, 20, 2, 4, 30);
    PlacedTasks tasks(drawn_tasks.view(), random_machines(random, drawn_tasks));
    const CostNumerator target = tasks.largest() / 2;
    const auto excess = [&] {
      CostNumerator sum = 0;
      for (const CostNumerator cost : sorted_costs(tasks)) sum += std::max<CostNumerator>(0, cost - target);
      return sum;
    };
    WorkMeter work(kUnlimited, nullptr);
    TargetWalk walk(tasks, work, round);
    CostNumerator before = excess();
    bool at_target = false;
    for (int step = 0; step < 50 && !at_target; ++step) {
      at_target = walk.reach(target, 10);
      EXPECT_LE(excess(), before);
      before = excess();
      EXPECT_EQ(at_target, tasks.largest() <= target);
    }
    ASSERT_TRUE(tasks.check_invariants());
    reached += at_target;
  }
  EXPECT_GT(reached, 0);
}

TEST(ImproveAssignment, NeverCostsMoreThanTheStartAndReportsItsCost) {
  RandomStream random(6);
  for (int round = 0; round < 60; ++round) {
    const Tasks tasks = random_tasks(random, drawn(random, 40), 1 + drawn(random, 5), 1 + drawn(random, 6), 30);
    Machines machine = random_machines(random, tasks);
    const CostNumerator start = colocation_cost(tasks.view(), machine).largest;
    const AssignmentOutcome outcome = improve_assignment(tasks.view(), machine, {0, random.below(3000), 1}, nullptr);
    EXPECT_LE(outcome.cost, start);
    EXPECT_EQ(outcome.cost, colocation_cost(tasks.view(), machine).largest);
    EXPECT_TRUE(std::all_of(machine.begin(), machine.end(), [&](std::int64_t own) {
      return 0 <= own && own < static_cast<std::int64_t>(tasks.n_machines);
    }));
  }
}

TEST(ImproveAssignment, KeepsItsBudgetAndSpendsItUnlessItEndsEarlier) {
  RandomStream random(7);
  const Tasks tasks = random_tasks(random, 60, 3, 6, 90);
  const Machines start = random_machines(random, tasks);
  CostNumerator last = std::numeric_limits<CostNumerator>::max();
  for (const std::uint64_t limit : {0U, 1U, 2U, 10U, 100U, 1000U, 10000U, 20000U}) {
    Machines machine = start;
    const AssignmentOutcome outcome = improve_assignment(tasks.view(), machine, {0, limit, 1}, nullptr);
    EXPECT_EQ(outcome.work, limit);
    EXPECT_EQ(outcome.end, AssignmentEnd::work_limit);
    EXPECT_LE(outcome.cost, last) << "more work gave a dearer assignment";
    last = outcome.cost;
    EXPECT_TRUE(limit > 0 || machine == start);
  }
}

TEST(ImproveAssignment, StopsAtItsTarget) {
  RandomStream random(8);
  const Tasks tasks = random_tasks(random, 40, 2, 4, 20);
  const Machines start = random_machines(random, tasks);
  const CostNumerator begin = colocation_cost(tasks.view(), start).largest;
  Machines machine = start;
  EXPECT_EQ(improve_assignment(tasks.view(), machine, {begin, kUnlimited, 1}, nullptr).work, 0U);
  EXPECT_EQ(machine, start);
  const CostNumerator target = begin * 9 / 10;
  const AssignmentOutcome outcome = improve_assignment(tasks.view(), machine, {target, kUnlimited, 1}, nullptr);
  EXPECT_EQ(outcome.end, AssignmentEnd::target);
  EXPECT_LE(outcome.cost, target);
}

TEST(ImproveAssignment, TheSameSeedGivesTheSameAssignment) {
  RandomStream random(9);
  const Tasks tasks = random_tasks(random, 80, 3, 5, 60);
  const Machines start = random_machines(random, tasks);
  Machines first = start;
  Machines second = start;
  static_cast<void>(improve_assignment(tasks.view(), first, {0, 30000, 7}, nullptr));
  static_cast<void>(improve_assignment(tasks.view(), second, {0, 30000, 7}, nullptr));
  EXPECT_EQ(first, second);
}

TEST(ImproveAssignment, FindsTheOptimumOfTinyInstancesFromAnyStart) {
  RandomStream random(10);
  for (int round = 0; round < 40; ++round) {
    const Tasks tasks = random_tasks(random, 8, 1 + drawn(random, 3), 3, 20);
    Machines machine = random_machines(random, tasks);
    const AssignmentOutcome outcome = improve_assignment(tasks.view(), machine, {0, kUnlimited, 1}, nullptr);
    EXPECT_EQ(outcome.cost, optimum(tasks));
    EXPECT_EQ(outcome.end, AssignmentEnd::stuck);
  }
}

TEST(ImproveAssignment, HasNothingToDoWithoutTasksOrWithOneMachine) {
  Tasks none{{}, {}, {10}, 1, 3};
  Machines machine;
  EXPECT_EQ(improve_assignment(none.view(), machine, {0, 100, 1}, nullptr).end, AssignmentEnd::target);
  Tasks lone{{3, 4}, {0, 0}, {10}, 1, 1};
  machine = {0, 0};
  const AssignmentOutcome outcome = improve_assignment(lone.view(), machine, {0, 100, 1}, nullptr);
  EXPECT_EQ(outcome.cost, 70);
  EXPECT_EQ(outcome.work, 0U);
  EXPECT_EQ(outcome.end, AssignmentEnd::stuck);
}

TEST(ImproveAssignment, TakesSizesAsLargeAs64BitsAllow) {
  // Four tasks of nearly 2^63 / 40 cost 10 each on their own machine, and nearly 2^63 together.
  const Amount large = std::numeric_limits<Amount>::max() / 40;
  Tasks tasks{{large, large - 1, large - 2, large - 3}, {0, 1, 0, 1}, {10, 10, 10, 10}, 2, 2};
  Machines machine{0, 0, 0, 0};
  const AssignmentOutcome outcome = improve_assignment(tasks.view(), machine, {0, 5000, 1}, nullptr);
  EXPECT_EQ(outcome.cost, 10 * (2 * large - 3));
}

class CountingMonitor final : public Monitor {
 public:
  void poll(std::uint64_t done, std::uint64_t total) override {
    EXPECT_LE(done, total);
    ++polls;
  }
  int polls = 0;
};

TEST(ImproveAssignment, IsInterruptible) {
  RandomStream random(11);
  const Tasks tasks = random_tasks(random, 60, 3, 6, 90);
  Machines machine = random_machines(random, tasks);
  CountingMonitor monitor;
  static_cast<void>(improve_assignment(tasks.view(), machine, {0, 50000, 1}, &monitor));
  EXPECT_GE(monitor.polls, 10);
}

TEST(PlaceByTargets, LargestTasksGoWhereMostIsLacking) {
  // Type 0 wants 9 on machine 0 and 3 on machine 1: 5, 3 and (tie at 1) ... by hand: 5 -> 0 (4 left), 3 -> 0 (1 left),
  // 2 -> 1 (1 left), 1 -> 0, the lower of two that lack 1.  Type 1 wants machine 1 only.
  Tasks tasks{{5, 7, 3, 2, 1}, {0, 1, 0, 0, 0}, {10, 10, 10, 10}, 2, 2};
  Machines machine(5);
  place_by_targets(tasks.view(), std::vector<Amount>{9, 0, 3, 7}, machine);
  EXPECT_EQ(machine, (Machines{0, 1, 0, 1, 0}));
}

TEST(PlaceByTargets, MachinesThatShouldHoldNoneOfATypeGetNone) {
  // More than wanted of type 0, and type 1 that none wants: 4 and 3 on machine 1, then 9 on 0, 8 on 1, 2 on 2.
  Tasks tasks{{4, 3, 9, 8, 2}, {0, 0, 1, 1, 1}, {10, 10, 10, 10}, 2, 3};
  Machines machine(5);
  place_by_targets(tasks.view(), std::vector<Amount>{0, 0, 1, 0, 0, 0}, machine);
  EXPECT_EQ(machine, (Machines{1, 1, 0, 1, 2}));
}

TEST(PlaceByCost, EveryTaskGoesWhereItCostsLeast) {
  // 8 -> 0; 7 of the other type, which costs 3 a unit beside it, -> 1; 6 -> 2; 5 of type 0: 13, 5 + 21, 5 + 6 -> 2.
  Tasks tasks{{8, 7, 6, 5}, {0, 1, 0, 0}, {10, 30, 30, 10}, 2, 3};
  Machines machine(4);
  place_by_cost(tasks.view(), machine, nullptr);
  EXPECT_EQ(machine, (Machines{0, 1, 2, 2}));
}

}  // namespace
}  // namespace schedcore
