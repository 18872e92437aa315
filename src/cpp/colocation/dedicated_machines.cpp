#include "schedcore/colocation/dedicated_machines.hpp"

#include <algorithm>
#include <limits>

namespace schedcore {

Composition best_composition(std::span<const std::int64_t> cost, std::size_t n_clusters, std::size_t n_machines,
                             Monitor* monitor) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  constexpr std::size_t kEntriesBetweenPolls = 256;
  const std::size_t spare = n_machines - n_clusters;  // beyond one machine a cluster
  const std::size_t width = spare + 1;
  // best[i * width + r]: the least bottleneck of the clusters from i on with r machines to spare among them.
  std::vector<std::int64_t> best((n_clusters + 1) * width, kNone);
  best[n_clusters * width] = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = n_clusters; i-- > 0;) {
    for (std::size_t r = 0; r < width; ++r) {
      if (monitor != nullptr && r % kEntriesBetweenPolls == 0) monitor->poll(0, 0);
      std::int64_t least = kNone;
      for (std::size_t x = 0; x <= r; ++x) {
        least = std::min(least, std::max(cost[i * width + x], best[(i + 1) * width + r - x]));
      }
      best[i * width + r] = least;
    }
  }
  Composition composition{best[spare], {}};
  for (std::size_t i = 0, r = spare; i < n_clusters; ++i) {
    std::size_t x = 0;
    if (i + 1 == n_clusters) x = r;  // the last takes the rest
    while (std::max(cost[i * width + x], best[(i + 1) * width + r - x]) > composition.value) ++x;
    composition.n_machines.push_back(static_cast<std::int64_t>(x) + 1);
    r -= x;
  }
  return composition;
}

DedicatedOutcome greedy_dedicated(const ColocationView& view, const ClusterTasks& clusters, TypeMixing inner,
                                  SpreadRule rule, Monitor* monitor) {
  const std::size_t n_clusters = clusters.n_clusters();
  const std::size_t width = view.n_machines - n_clusters + 1;
  std::vector<TypeListScheduling> scheduling;
  scheduling.reserve(n_clusters);
  std::vector<CostNumerator> cost;
  cost.reserve(n_clusters * width);
  for (std::size_t i = 0; i < n_clusters; ++i) {
    scheduling.emplace_back(view, clusters.of(i));
    // With twice as many machines as tasks nothing changes any more: what goes to the first machines and what is
    // mirrored to the last ones is apart, and every task, or full bin, has a machine for itself.
    const std::size_t changing = std::min(width, 2 * clusters.of(i).size());
    for (std::size_t x = 1; x <= changing; ++x) {
      if (monitor != nullptr) monitor->poll(cost.size(), n_clusters * width);
      cost.push_back(scheduling[i].run(inner, rule, x));
    }
    cost.insert(cost.end(), width - changing, CostNumerator{cost.back()});
  }
  DedicatedOutcome outcome{std::vector<std::int64_t>(view.n_tasks()),
                           best_composition(cost, n_clusters, view.n_machines, monitor).n_machines};
  std::int64_t first_machine = 0;
  for (std::size_t i = 0; i < n_clusters; ++i) {
    const std::int64_t count = outcome.machines_of_cluster[i];
    scheduling[i].run(inner, rule, static_cast<std::size_t>(count));
    scheduling[i].write(first_machine, outcome.machine);
    first_machine += count;
  }
  return outcome;
}

}  // namespace schedcore
