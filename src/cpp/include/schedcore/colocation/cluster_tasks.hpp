// The tasks of each cluster of types, in the order in which the threshold fills place them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/colocation/colocation.hpp"

namespace schedcore {

enum class TaskOrder { decreasing, as_given };

// Tasks cluster by cluster, the clusters by increasing label; clusters without a task are left out.
struct ClusterTasks {
  std::vector<std::uint32_t> task;   // of all clusters, one after the other
  std::vector<std::size_t> first;    // where each cluster begins in `task`, and the end

  [[nodiscard]] std::size_t n_clusters() const { return first.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t cluster) const {
    return std::span(task).subspan(first[cluster], first[cluster + 1] - first[cluster]);
  }
};

// `label_of_type` has a label in 0..n_types-1 for every type.  O(n_tasks), with the sort of decreasing_order.
[[nodiscard]] ClusterTasks cluster_tasks(const ColocationView& view, std::span<const std::int64_t> label_of_type,
                                         TaskOrder order);

}  // namespace schedcore
