// Filling machines up to a threshold of load, cluster by cluster (Pascual and Rzadca, TPDS 2019, sections 5 and 6).
//
// FILLGREEDY gives every cluster of compatible types machines of its own and fills them by next fit; the smallest
// threshold for which the machines suffice is found by bisection.  GREEDYFOR2TYPES does so with two groups, and puts what
// no longer fits on the last machine of the first.  FILLREBALANCE fills to a threshold of cost, and then places what is
// left wherever types may mix.  As long as the diagonal coefficients are at most 1 and clusters hold compatible types
// only, a machine of one cluster costs at most its load.
//
// All three follow the published bisections exactly, step by step: acceptance is not monotone in the last two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/colocation/cluster_tasks.hpp"
#include "schedcore/colocation/colocation.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {

struct FilledMachines {
  std::vector<std::int64_t> machine;  // of each task
  UInt128 threshold = 0;              // a published one can be twice the total size
};

struct FillGreedyOutcome {
  FilledMachines filled;
  std::vector<std::int64_t> machines_of_cluster;  // how many each cluster uses
};

// Requires no more clusters than machines; without `searches` more machines than types: it then fills to
// Lmax = max(2 L, L + largest size), L = total size / (n_machines - n_types).
// O(n_tasks * log(total size)) after the clusters.
[[nodiscard]] FillGreedyOutcome fill_greedy(const ColocationView& view, const ClusterTasks& clusters, bool searches);

// Requires one or two clusters (or none, without tasks).  Without `searches` the threshold is
// L = (total size + max(total size, n_machines * largest size)) / n_machines, rounded down.  O(n_tasks) a packing.
[[nodiscard]] FilledMachines greedy_for_two_types(const ColocationView& view, const ClusterTasks& clusters,
                                                  bool searches);

// Where FILLREBALANCE puts a task that did not fit its own cluster: on the admissible machine that then costs least (ties
// to the lowest), or on the first admissible one.
enum class RebalanceRule { cheapest, first };

// Any number of clusters.  O(n_tasks + |left over| * n_machines * n_types) a step of the bisection, of which there are
// at most log2 of the upper end.  `clusters` in decreasing order.  Polls `monitor`, which may be null.
[[nodiscard]] FilledMachines fill_rebalance(const ColocationView& view, const ClusterTasks& clusters, RebalanceRule rule,
                                            Monitor* monitor);

}  // namespace schedcore
