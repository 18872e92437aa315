#include "schedcore/colocation/cluster_tasks.hpp"

#include <numeric>

#include "schedcore/packing/list_scheduling.hpp"

namespace schedcore {

ClusterTasks cluster_tasks(const ColocationView& view, std::span<const std::int64_t> label_of_type, TaskOrder order) {
  std::vector<std::uint32_t> sequence(view.n_tasks());
  if (order == TaskOrder::decreasing) {
    sequence = decreasing_order(view.size);
  } else {
    std::iota(sequence.begin(), sequence.end(), std::uint32_t{0});
  }
  const auto label_of = [&](std::uint32_t task) { return static_cast<std::size_t>(label_of_type[view.type_of(task)]); };
  std::vector<std::size_t> next(view.n_types + 1, 0);  // where the next task of a label goes
  for (const std::uint32_t task : sequence) ++next[label_of(task) + 1];
  ClusterTasks clusters;
  for (std::size_t label = 0; label < view.n_types; ++label) {
    if (next[label + 1] > 0) clusters.first.push_back(next[label]);
    next[label + 1] += next[label];
  }
  clusters.first.push_back(sequence.size());
  clusters.task.resize(sequence.size());
  for (const std::uint32_t task : sequence) clusters.task[next[label_of(task)]++] = task;
  return clusters;
}

}  // namespace schedcore
