#include "schedcore/parallel_tasks/mapping_graph.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "parallel_tasks/parallel_task_maker.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore::mapping_graph_test {
namespace {

constexpr std::int64_t kTenth = kWholeTask / 10;

TEST(MappingGraph, FillsTheCopiesOfAnIntervalByDescendingVolume) {
  // Volumes 20, 12 and 6 on one machine; interval 1 gets 0.5 + 0.8 + 0.4 tasks, interval 2 the rest: two copies each.
  ParallelTaskMaker tasks(1, {10});
  tasks.job(1);
  tasks.task({5}, {{0, 4}});
  tasks.job(1);
  tasks.task({4}, {{0, 3}});
  tasks.job(1);
  tasks.task({2}, {{0, 3}});
  const CappedFractions capped{{{0, 0, 1, 5 * kTenth},
                                {0, 0, 2, 5 * kTenth},
                                {1, 0, 1, 8 * kTenth},
                                {1, 0, 2, 2 * kTenth},
                                {2, 0, 1, 4 * kTenth},
                                {2, 0, 2, 6 * kTenth}},
                               kWholeTask};
  const MappingGraph mapping = mapping_graph(tasks.view(), capped);
  EXPECT_EQ(mapping.place, (std::vector<MachineInterval>{{0, 1}, {0, 1}, {0, 2}, {0, 2}}));
  EXPECT_EQ(mapping.graph.first_edge, (std::vector<std::uint32_t>{0, 2, 5, 8}));
  EXPECT_EQ(mapping.graph.neighbour, (std::vector<std::uint32_t>{0, 2, 0, 1, 2, 1, 2, 3}));
  EXPECT_EQ(mapping.weight, (std::vector<std::int64_t>{5 * kTenth, 5 * kTenth, 5 * kTenth, 3 * kTenth, 2 * kTenth,
                                                       4 * kTenth, 3 * kTenth, 3 * kTenth}));
  EXPECT_EQ(augmenting_matching(mapping.graph), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(map_tasks(mapping), (std::vector<MachineInterval>{{0, 1}, {0, 1}, {0, 2}}));
}

TEST(MappingGraph, BreaksTiesOfVolumesByTask) {
  ParallelTaskMaker tasks(1, {10});
  tasks.job(1);
  tasks.task({2}, {{0, 3}});
  tasks.task({3}, {{0, 2}});
  const std::int64_t part = kWholeTask / 2;
  const CappedFractions capped{{{0, 0, 1, part}, {0, 0, 2, part}, {1, 0, 1, part + 1}, {1, 0, 2, part - 1}},
                               kWholeTask};
  const MappingGraph mapping = mapping_graph(tasks.view(), capped);
  EXPECT_EQ(mapping.weight, (std::vector<std::int64_t>{part, part, part, 1, part - 1}));
}

TEST(MappingGraph, NumbersCopiesByIntervalThenMachine) {
  ParallelTaskMaker tasks(1, {10, 10});
  tasks.job(1);
  tasks.task({1}, {{0, 1}, {1, 1}});
  const std::int64_t part = kWholeTask / 4;
  const CappedFractions capped{{{0, 0, 1, part}, {0, 1, 1, part}, {0, 0, 2, part}, {0, 1, 2, part}}, kWholeTask};
  EXPECT_EQ(mapping_graph(tasks.view(), capped).place,
            (std::vector<MachineInterval>{{0, 1}, {1, 1}, {0, 2}, {1, 2}}));
}

// Weights of the edges add up to one at every task and to at most one at every copy, whatever lambda and the cap.
TEST(MappingGraph, IsAFractionalMatchingOfAllTasks) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n_machines = 1 + random() % 4;
    const std::size_t n_tasks = 1 + random() % 12;
    ParallelTaskMaker tasks(1, std::vector<Amount>(n_machines, 10));
    std::vector<IntervalFraction> fractions;
    for (std::size_t task = 0; task < n_tasks; ++task) {
      std::map<std::int64_t, std::int64_t> time_on;
      std::map<std::pair<std::size_t, std::size_t>, std::int64_t> units;
      for (std::int64_t left = kWholeTask; left > 0;) {
        const std::int64_t part =
            random() % 3 == 0 ? left : 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(left));
        const std::size_t machine = random() % n_machines;
        units[{1 + random() % 3, machine}] += part;
        time_on.emplace(machine, 1 + static_cast<std::int64_t>(random() % 4));
        left -= part;
      }
      tasks.job(1);
      tasks.task({1 + static_cast<Amount>(random() % 10)}, {time_on.begin(), time_on.end()});
      for (const auto& [where, amount] : units) fractions.push_back({task, where.second, where.first, amount});
    }
    const FractionCap cap = round % 2 == 0 ? FractionCap::task : FractionCap::machine;
    const std::int64_t lambda = 1 + static_cast<std::int64_t>(random() % kWholeTask);
    const CappedFractions capped = capped_fractions(fractions, lambda, cap);
    const MappingGraph mapping = mapping_graph(tasks.view(), capped);

    std::map<std::uint32_t, Int128> on_copy;
    std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::int64_t> by_place;
    for (std::size_t task = 0; task < n_tasks; ++task) {
      std::int64_t sum = 0;
      for (std::size_t edge = mapping.graph.first_edge[task]; edge < mapping.graph.first_edge[task + 1]; ++edge) {
        const std::uint32_t copy = mapping.graph.neighbour[edge];
        if (edge > mapping.graph.first_edge[task]) {
          EXPECT_LT(mapping.graph.neighbour[edge - 1], copy);
        }
        EXPECT_GT(mapping.weight[edge], 0);
        sum += mapping.weight[edge];
        on_copy[copy] += mapping.weight[edge];
        by_place[{task, mapping.place[copy].machine, mapping.place[copy].interval}] += mapping.weight[edge];
      }
      EXPECT_EQ(sum, capped.whole);
    }
    EXPECT_EQ(on_copy.size(), mapping.graph.n_right);
    for (const auto& [copy, weight] : on_copy) EXPECT_TRUE(weight <= capped.whole);
    for (const IntervalFraction& fraction : capped.fractions) {
      EXPECT_EQ((by_place[{fraction.task, fraction.machine, fraction.interval}]), fraction.units);
    }
    EXPECT_EQ(maximum_matching_size(mapping.graph), n_tasks);
    EXPECT_EQ(map_tasks(mapping).size(), n_tasks);
  }
}

}  // namespace
}  // namespace schedcore::mapping_graph_test
