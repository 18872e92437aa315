// Dedicating machines to clusters of types (GREEDYDEDICATED, Pascual and Rzadca, TPDS 2019, section 8).
//
// How many machines shall each cluster get, if f[i][x - 1] is the cost of cluster i alone on x machines?  The published
// answer tries all vectors; a bottleneck dynamic program finds the same one.  f need not fall with x: list scheduling of
// several types can get worse with one machine more, so no greedy and no bisection over x is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/colocation/cluster_tasks.hpp"
#include "schedcore/colocation/colocation.hpp"
#include "schedcore/colocation/type_list_scheduling.hpp"

namespace schedcore {

struct Composition {
  std::int64_t value = 0;                // the largest cost of a cluster
  std::vector<std::int64_t> n_machines;  // of each cluster, at least 1; sums up to the number of machines
};

// The vector of least bottleneck cost, and of these the lexicographically smallest.  `cost` is row-major
// (n_clusters, n_machines - n_clusters + 1); requires 1 <= n_clusters <= n_machines.
// O(n_clusters * (n_machines - n_clusters + 1)^2) time, O(n_clusters * n_machines) memory.  Polls `monitor`, which may be
// null.
[[nodiscard]] Composition best_composition(std::span<const std::int64_t> cost, std::size_t n_clusters,
                                           std::size_t n_machines, Monitor* monitor = nullptr);

struct DedicatedOutcome {
  std::vector<std::int64_t> machine;              // of each task
  std::vector<std::int64_t> machines_of_cluster;  // how many
};

// Requires at least one cluster, no more clusters than machines, and `clusters` in decreasing order.
// n_machines - n_clusters + 1 runs of list scheduling for each cluster, but no more than twice its tasks; then
// best_composition.  Reports progress in runs.
[[nodiscard]] DedicatedOutcome greedy_dedicated(const ColocationView& view, const ClusterTasks& clusters,
                                                TypeMixing inner, SpreadRule rule, Monitor* monitor);

}  // namespace schedcore
