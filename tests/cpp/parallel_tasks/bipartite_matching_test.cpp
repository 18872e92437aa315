#include "schedcore/parallel_tasks/bipartite_matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace schedcore {
namespace {

using Neighbours = std::vector<std::vector<std::uint32_t>>;

BipartiteGraph graph_of(const Neighbours& neighbours, std::size_t n_right) {
  BipartiteGraph graph;
  graph.n_right = n_right;
  for (const auto& row : neighbours) {
    graph.neighbour.insert(graph.neighbour.end(), row.begin(), row.end());
    graph.first_edge.push_back(static_cast<std::uint32_t>(graph.neighbour.size()));
  }
  return graph;
}

Neighbours draw(std::mt19937_64& random, std::size_t n_left, std::size_t n_right, std::size_t most) {
  Neighbours neighbours(n_left);
  for (auto& row : neighbours) {
    for (std::size_t edge = random() % (most + 1); edge > 0; --edge) {
      const auto right = static_cast<std::uint32_t>(random() % n_right);
      if (std::find(row.begin(), row.end(), right) == row.end()) row.push_back(right);
    }
  }
  return neighbours;
}

// Kuhn's rule as it is written down, by recursion.
class RecursiveMatching {
 public:
  RecursiveMatching(const Neighbours& neighbours, std::size_t n_right)
      : neighbours_(neighbours), partner_(n_right, kUnmatched) {}

  std::vector<std::uint32_t> matching() {
    for (std::uint32_t left = 0; left < neighbours_.size(); ++left) {
      seen_.clear();
      visit(left);
    }
    std::vector<std::uint32_t> right(neighbours_.size(), kUnmatched);
    for (std::uint32_t vertex = 0; vertex < partner_.size(); ++vertex) {
      if (partner_[vertex] != kUnmatched) right[partner_[vertex]] = vertex;
    }
    return right;
  }

 private:
  bool visit(std::uint32_t left) {
    for (const std::uint32_t right : neighbours_[left]) {
      if (partner_[right] != kUnmatched) continue;
      partner_[right] = left;
      return true;
    }
    for (const std::uint32_t right : neighbours_[left]) {
      if (!seen_.insert(right).second || !visit(partner_[right])) continue;
      partner_[right] = left;
      return true;
    }
    return false;
  }

  const Neighbours& neighbours_;
  std::vector<std::uint32_t> partner_;
  std::set<std::uint32_t> seen_;
};

TEST(AugmentingMatching, EqualsTheRecursiveMatching) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t n_left = random() % 12;
    const std::size_t n_right = 1 + random() % 12;
    const Neighbours neighbours = draw(random, n_left, n_right, 1 + random() % 4);
    EXPECT_EQ(augmenting_matching(graph_of(neighbours, n_right)), RecursiveMatching(neighbours, n_right).matching());
  }
}

TEST(AugmentingMatching, TakesAFreeNeighbourBeforeItDisplaces) {
  // 1 prefers the partner of 0, but right 1 is free.
  EXPECT_EQ(augmenting_matching(graph_of({{0}, {0, 1}}, 2)), (std::vector<std::uint32_t>{0, 1}));
  // 1 has no free neighbour: 0 moves on.
  EXPECT_EQ(augmenting_matching(graph_of({{0, 1}, {0}}, 2)), (std::vector<std::uint32_t>{1, 0}));
}

TEST(AugmentingMatching, LeavesWhatNoPathReaches) {
  EXPECT_EQ(augmenting_matching(graph_of({{0}, {0}, {}}, 1)), (std::vector<std::uint32_t>{0, kUnmatched, kUnmatched}));
  EXPECT_TRUE(augmenting_matching(graph_of({}, 0)).empty());
}

TEST(MaximumMatching, IsAsLargeAsByAugmentingPaths) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t n_left = random() % 30;
    const std::size_t n_right = 1 + random() % 30;
    const BipartiteGraph graph = graph_of(draw(random, n_left, n_right, 1 + random() % 4), n_right);
    const std::vector<std::uint32_t> matching = augmenting_matching(graph);
    const auto unmatched = static_cast<std::size_t>(std::count(matching.begin(), matching.end(), kUnmatched));
    EXPECT_EQ(maximum_matching_size(graph), n_left - unmatched);
  }
}

TEST(Matchings, FollowPathsAsLongAsTheGraph) {
  // Every left vertex i prefers i to i + 1, and the last one only has 0: all others move on, one after the other.
  constexpr std::uint32_t n = 300000;
  Neighbours neighbours(n);
  for (std::uint32_t i = 0; i + 1 < n; ++i) neighbours[i] = {i, i + 1};
  neighbours[n - 1] = {0};
  const BipartiteGraph graph = graph_of(neighbours, n);
  const std::vector<std::uint32_t> matching = augmenting_matching(graph);
  EXPECT_EQ(matching.front(), 1U);
  EXPECT_EQ(matching.back(), 0U);
  EXPECT_EQ(maximum_matching_size(graph), n);
}

}  // namespace
}  // namespace schedcore
