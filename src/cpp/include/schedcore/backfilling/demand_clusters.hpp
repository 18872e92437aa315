// Demand vectors in clusters of some that are like each other, each with a corner: the minimum in every resource.
//
// What has no room for the corner has none for any vector of the cluster.  Clusters are the leaves of a tree that halves the
// vectors where they differ most, by ratio; vectors that come later only lower the corner of theirs.
// Cost: O(R n log kMost) to build from n vectors, O(log kMost + R) to place one.  Memory O(R kMost).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

class DemandClusters {
 public:
  using Cluster = std::uint32_t;
  static constexpr std::size_t kMost = 32;

  explicit DemandClusters(std::size_t n_resources = 0) : n_resources_(n_resources) {}

  // From rows of demands, row-major; one that stands there more often weighs as much more.
  void build(std::span<const Amount> rows);
  [[nodiscard]] std::size_t size() const { return n_clusters_; }
  // Where a vector belongs, after a build.
  [[nodiscard]] Cluster place(std::span<const Amount> demand);
  [[nodiscard]] std::span<const Amount> corner(std::size_t cluster) const {
    return {corner_.data() + cluster * n_resources_, n_resources_};
  }

 private:
  static constexpr std::uint32_t kLeaf = ~std::uint32_t{0};

  struct Node {
    std::uint32_t resource = kLeaf;  // that tells the children apart
    Amount least = 0;                // in the second child
    std::uint32_t first = 0;         // child, the second one behind it; of a leaf its cluster
  };

  void split(std::uint32_t node, std::span<std::uint32_t> members, std::size_t n_leaves, const Amount* rows);

  std::size_t n_resources_;
  std::size_t n_clusters_ = 0;
  std::vector<Node> nodes_;
  std::vector<Amount> corner_;  // row-major
};

}  // namespace schedcore
