// The colocation heuristics on the worked examples of the paper's specification, and what each kernel promises.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "schedcore/base/random_stream.hpp"
#include "schedcore/colocation/cluster_tasks.hpp"
#include "schedcore/colocation/colocation.hpp"
#include "schedcore/colocation/dedicated_machines.hpp"
#include "schedcore/colocation/machine_costs.hpp"
#include "schedcore/colocation/threshold_fill.hpp"
#include "schedcore/colocation/type_clusters.hpp"
#include "schedcore/colocation/type_list_scheduling.hpp"
#include "schedcore/packing/list_scheduling.hpp"

namespace schedcore {
namespace {

using Integers = std::vector<std::int64_t>;

struct Example {
  Integers size;
  Integers type;
  Integers alpha;
  CostNumerator denominator;
  std::size_t n_types;
  std::size_t n_machines;

  [[nodiscard]] ColocationView view() const { return {size, type, alpha, denominator, n_types, n_machines}; }
  [[nodiscard]] Integers labels() const { return first_fit_clusters({alpha, denominator, n_types}); }
  [[nodiscard]] ClusterTasks clusters() const { return cluster_tasks(view(), labels(), TaskOrder::decreasing); }
  [[nodiscard]] CostNumerator cost(const Integers& machine) const { return colocation_cost(view(), machine).largest; }
};

// Two types that cost each other half a unit, and one and a half.
const Example kCompatible{{8, 7, 6, 5, 4, 3}, {0, 1, 0, 1, 0, 0}, {10, 5, 5, 10}, 10, 2, 2};
const Example kIncompatible{{9, 8, 5, 3, 3, 3, 2}, {1, 1, 1, 1, 0, 1, 0}, {10, 15, 15, 10}, 10, 2, 3};
const Example kThreeTypes{{9, 8, 7, 6, 5, 4, 3, 2, 1}, {0, 1, 2, 0, 1, 2, 0, 1, 2}, {10, 4, 15, 8, 10, 12, 18, 11, 10},
                          10, 3, 4};

Integers spread(const Example& example, TypeMixing mixing, SpreadRule rule) {
  Integers machine(example.size.size());
  TypeListScheduling scheduling(example.view(), decreasing_order(example.size));
  const CostNumerator cost = scheduling.run(mixing, rule, example.n_machines);
  scheduling.write(0, machine);
  EXPECT_EQ(cost, example.cost(machine));
  return machine;
}

TEST(TypeListScheduling, PlacesTheExamplesAsWorkedOut) {
  EXPECT_EQ(spread(kCompatible, TypeMixing::mixed, SpreadRule::longest_first), (Integers{0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(spread(kCompatible, TypeMixing::juxtaposed, SpreadRule::longest_first), (Integers{0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(spread(kCompatible, TypeMixing::best, SpreadRule::longest_first), (Integers{0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(spread(kCompatible, TypeMixing::mixed, SpreadRule::multifit), (Integers{0, 0, 1, 1, 1, 0}));
  EXPECT_EQ(spread(kThreeTypes, TypeMixing::juxtaposed, SpreadRule::longest_first),
            (Integers{0, 3, 0, 1, 2, 1, 2, 1, 2}));
}

TEST(FillGreedy, FindsTheSmallestThreshold) {
  const FillGreedyOutcome outcome = fill_greedy(kIncompatible.view(), kIncompatible.clusters(), true);
  EXPECT_EQ(outcome.filled.machine, (Integers{1, 1, 2, 2, 0, 2, 0}));
  EXPECT_EQ(outcome.filled.threshold, UInt128(17));
  EXPECT_EQ(outcome.machines_of_cluster, (Integers{1, 2}));
}

TEST(GreedyForTwoTypes, SharesAMachineOnlyAtASearchedThreshold) {
  const ClusterTasks as_given = cluster_tasks(kIncompatible.view(), kIncompatible.labels(), TaskOrder::as_given);
  EXPECT_EQ(greedy_for_two_types(kIncompatible.view(), as_given, false).machine, (Integers{1, 1, 1, 2, 0, 2, 0}));
  const FilledMachines searched = greedy_for_two_types(kIncompatible.view(), kIncompatible.clusters(), true);
  EXPECT_EQ(searched.machine, (Integers{1, 2, 2, 0, 0, 0, 0}));
  EXPECT_EQ(searched.threshold, UInt128(14));
}

TEST(FillRebalance, PlacesWhatIsLeftWhereItCostsLeast) {
  const FilledMachines filled =
      fill_rebalance(kIncompatible.view(), kIncompatible.clusters(), RebalanceRule::cheapest, nullptr);
  EXPECT_EQ(filled.machine, (Integers{1, 2, 2, 0, 0, 1, 0}));
  EXPECT_EQ(filled.threshold, UInt128(13));
  EXPECT_EQ(kIncompatible.cost(filled.machine), 130);
}

TEST(GreedyDedicated, TakesTheLexicographicallySmallestVector) {
  const DedicatedOutcome outcome = greedy_dedicated(kThreeTypes.view(), kThreeTypes.clusters(), TypeMixing::best,
                                                    SpreadRule::longest_first, nullptr);
  EXPECT_EQ(outcome.machines_of_cluster, (Integers{3, 1}));
  EXPECT_EQ(outcome.machine, (Integers{0, 1, 3, 2, 2, 3, 1, 0, 3}));
  EXPECT_EQ(kThreeTypes.cost(outcome.machine), 120);
}

TEST(BestComposition, EqualsTheSearchOfAllVectorsAlsoWhereCostsRise) {
  RandomStream random(7);
  for (int round = 0; round < 500; ++round) {
    const std::size_t n_clusters = 1 + random.below(4);
    const std::size_t width = 1 + random.below(5);
    Integers cost(n_clusters * width);
    for (auto& value : cost) value = static_cast<std::int64_t>(random.below(6));
    Integers best;
    std::int64_t best_value = 100;
    Integers vector(n_clusters, 1);
    const auto search = [&](auto&& self, std::size_t cluster, std::size_t left, std::int64_t value) -> void {
      if (cluster == n_clusters) {
        if (left == 0 && value < best_value) {
          best_value = value;
          best = vector;
        }
        return;
      }
      for (std::size_t x = 0; x <= left && x < width; ++x) {
        vector[cluster] = static_cast<std::int64_t>(x) + 1;
        self(self, cluster + 1, left - x, std::max(value, cost[cluster * width + x]));
      }
    };
    search(search, 0, width - 1, 0);
    const Composition composition = best_composition(cost, n_clusters, n_clusters + width - 1);
    ASSERT_EQ(composition.value, best_value);
    ASSERT_EQ(composition.n_machines, best);
  }
}

TEST(TypeClusters, FewestNeedNotBeFirstFit) {
  // 0 may share with 1 or 2, and 1 with 3: first fit joins 0 and 1, which leaves 2 and 3 alone.
  const auto alpha = [](std::vector<std::pair<std::size_t, std::size_t>> compatible) {
    Integers matrix(16, 2);
    for (std::size_t i = 0; i < 4; ++i) matrix[i * 4 + i] = 1;
    for (const auto& [a, b] : compatible) matrix[a * 4 + b] = matrix[b * 4 + a] = 1;
    return matrix;
  };
  const Integers chain = alpha({{0, 1}, {0, 2}, {1, 3}});
  EXPECT_EQ(first_fit_clusters({chain, 1, 4}), (Integers{0, 0, 1, 2}));
  EXPECT_EQ(fewest_clusters({chain, 1, 4}, nullptr), (Integers{0, 1, 0, 1}));
}

TEST(MachineCosts, ForesightEqualsWhatComes) {
  RandomStream random(3);
  const ColocationView view = kThreeTypes.view();
  MachineCosts costs(view, 2);
  Integers machine(view.n_tasks());
  for (std::size_t task = 0; task < view.n_tasks(); ++task) {
    const std::size_t k = random.below(2);
    const CostNumerator foreseen = costs.cost_with(k, view.type_of(task), view.size[task]);
    costs.add(k, view.type_of(task), view.size[task]);
    machine[task] = static_cast<std::int64_t>(k);
    ASSERT_EQ(costs.cost(k), foreseen);
  }
  for (std::size_t out = 0; out < view.n_tasks(); ++out) {
    const auto k = static_cast<std::size_t>(machine[out]);
    for (std::size_t in = 0; in < view.n_tasks(); ++in) {
      if (machine[in] == machine[out]) continue;
      MachineCosts after = costs;
      after.remove(k, view.type_of(out), view.size[out]);
      ASSERT_EQ(costs.cost_without(k, view.type_of(out), view.size[out]), after.cost(k));
      after.add(k, view.type_of(in), view.size[in]);
      ASSERT_EQ(costs.cost_after(k, view.type_of(out), view.size[out], view.type_of(in), view.size[in]), after.cost(k));
    }
  }
}

}  // namespace
}  // namespace schedcore
