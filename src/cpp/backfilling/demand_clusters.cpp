#include "schedcore/backfilling/demand_clusters.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace schedcore {

void DemandClusters::build(std::span<const Amount> rows) {
  nodes_.assign(1, {});
  corner_.clear();
  n_clusters_ = 0;
  std::vector<std::uint32_t> members(n_resources_ > 0 ? rows.size() / n_resources_ : 0);
  std::iota(members.begin(), members.end(), 0U);
  split(0, members, kMost, rows.data());
}

void DemandClusters::split(std::uint32_t node, std::span<std::uint32_t> members, std::size_t n_leaves, const Amount* rows) {
  std::uint32_t widest = kLeaf;
  double most = 1.0;
  std::vector<Amount> corner(n_resources_, std::numeric_limits<Amount>::max());
  for (std::uint32_t l = 0; l < n_resources_; ++l) {
    const auto amount = [&](std::uint32_t member) { return rows[member * n_resources_ + l]; };
    Amount largest = 0;
    for (const std::uint32_t member : members) {
      corner[l] = std::min(corner[l], amount(member));
      largest = std::max(largest, amount(member));
    }
    const double ratio = (static_cast<double>(largest) + 1) / (static_cast<double>(corner[l]) + 1);
    if (members.empty() || ratio <= most) continue;
    most = ratio;
    widest = l;
  }
  if (widest == kLeaf || n_leaves < 2) {
    nodes_[node].first = static_cast<std::uint32_t>(n_clusters_++);
    corner_.insert(corner_.end(), corner.begin(), corner.end());
    return;
  }
  // At the median; behind it where that is the least.
  const auto amount = [&](std::uint32_t member) { return rows[member * n_resources_ + widest]; };
  const auto middle = members.begin() + static_cast<std::ptrdiff_t>(members.size() / 2);
  std::nth_element(members.begin(), middle, members.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return amount(a) < amount(b); });
  Amount least = amount(*middle);
  if (least == corner[widest]) {
    least = std::numeric_limits<Amount>::max();
    for (const std::uint32_t member : members) {
      if (amount(member) > corner[widest]) least = std::min(least, amount(member));
    }
  }
  const auto second = std::partition(members.begin(), members.end(),
                                     [&](std::uint32_t member) { return amount(member) < least; });
  const auto n_first = static_cast<std::size_t>(second - members.begin());
  const auto first = static_cast<std::uint32_t>(nodes_.size());
  nodes_[node] = {widest, least, first};
  nodes_.resize(nodes_.size() + 2);
  split(first, members.first(n_first), n_leaves / 2, rows);
  split(first + 1, members.subspan(n_first), n_leaves / 2, rows);
}

DemandClusters::Cluster DemandClusters::place(std::span<const Amount> demand) {
  std::uint32_t node = 0;
  while (nodes_[node].resource != kLeaf) {
    node = nodes_[node].first + (demand[nodes_[node].resource] < nodes_[node].least ? 0U : 1U);
  }
  const Cluster cluster = nodes_[node].first;
  Amount* corner = corner_.data() + cluster * n_resources_;
  for (std::size_t l = 0; l < n_resources_; ++l) corner[l] = std::min(corner[l], demand[l]);
  return cluster;
}

}  // namespace schedcore
