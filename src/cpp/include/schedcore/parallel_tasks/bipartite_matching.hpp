// Matchings of bipartite graphs: by augmenting paths in a fixed order, and the size of a largest one.
//
// `augmenting_matching` is for results that must not depend on who computes them: the order of the search is part of
// its definition.  `maximum_matching_size` is for questions whose answer is a number, whatever matching attains it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace schedcore {

// The neighbours of left vertex v are neighbour[first_edge[v]] .. neighbour[first_edge[v + 1] - 1], in the order in
// which they are preferred, all below n_right.
struct BipartiteGraph {
  std::vector<std::uint32_t> first_edge{0};
  std::vector<std::uint32_t> neighbour;
  std::size_t n_right = 0;

  [[nodiscard]] std::size_t n_left() const { return first_edge.size() - 1; }
};

inline constexpr std::uint32_t kUnmatched = static_cast<std::uint32_t>(-1);

// The right vertex of every left vertex, kUnmatched for one that no augmenting path reaches; a largest matching.
//
// Kuhn's rule: left vertices in ascending order; a vertex that is visited takes its first free neighbour, and only if
// it has none tries, in the same order, to displace the partner of each neighbour that this search has not seen yet.
// O(n_left n_edges) time in the worst case, which random graphs stay far from (bench/cpp/bipartite_matching); the looks
// for free neighbours cost O(n_edges) over all searches together, since none becomes free again.  No recursion.
[[nodiscard]] std::vector<std::uint32_t> augmenting_matching(const BipartiteGraph& graph);

// The number of edges of a largest matching: Hopcroft and Karp, O(n_edges sqrt(n_left + n_right)) time.  No recursion.
[[nodiscard]] std::size_t maximum_matching_size(const BipartiteGraph& graph);

}  // namespace schedcore
