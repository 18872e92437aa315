#include "schedcore/parallel_tasks/bipartite_matching.hpp"

#include <limits>

namespace schedcore {
namespace {

using Vertex = std::uint32_t;
using Edge = std::uint32_t;

// One depth-first search after the other, each on its own stack.
class AugmentingSearch {
 public:
  explicit AugmentingSearch(const BipartiteGraph& graph)
      : graph_(graph),
        next_free_(graph.first_edge.begin(), graph.first_edge.end() - 1),
        partner_(graph.n_right, kUnmatched),
        seen_by_(graph.n_right, kUnmatched) {}

  void match(Vertex left) {
    path_.assign(1, {left, graph_.first_edge[left]});
    while (!path_.empty()) {
      const Vertex here = path_.back().left;
      const Edge free = next_free_edge(here);
      if (free != graph_.first_edge[here + 1]) return shift_partners(free);
      if (!displace(left)) path_.pop_back();
    }
  }

  [[nodiscard]] std::vector<Vertex> right_of_left() const {
    std::vector<Vertex> right(graph_.n_left(), kUnmatched);
    for (std::size_t vertex = 0; vertex < partner_.size(); ++vertex) {
      if (partner_[vertex] != kUnmatched) right[partner_[vertex]] = static_cast<Vertex>(vertex);
    }
    return right;
  }

 private:
  // A left vertex on the path, and the edge behind the last one that was tried.
  struct Step {
    Vertex left;
    Edge next;
  };

  Edge next_free_edge(Vertex left) {
    Edge& edge = next_free_[left];
    while (edge != graph_.first_edge[left + 1] && partner_[graph_.neighbour[edge]] != kUnmatched) ++edge;
    return edge;
  }

  // Lengthens the path by the partner of the next neighbour that the search of `root` has not seen.
  bool displace(Vertex root) {
    Step& step = path_.back();
    while (step.next != graph_.first_edge[step.left + 1]) {
      const Vertex right = graph_.neighbour[step.next++];
      if (seen_by_[right] == root) continue;
      seen_by_[right] = root;
      path_.push_back({partner_[right], graph_.first_edge[partner_[right]]});
      return true;
    }
    return false;
  }

  // The last vertex of the path takes a free neighbour, every other one that of its successor.
  void shift_partners(Edge free) {
    partner_[graph_.neighbour[free]] = path_.back().left;
    path_.pop_back();
    for (const Step& step : path_) partner_[graph_.neighbour[step.next - 1]] = step.left;
    path_.clear();
  }

  const BipartiteGraph& graph_;
  std::vector<Edge> next_free_;  // of each left vertex; no neighbour before it is free
  std::vector<Vertex> partner_;  // of each right vertex
  std::vector<Vertex> seen_by_;  // of each right vertex: the root of the last search that saw it
  std::vector<Step> path_;
};

// Phases of Hopcroft and Karp: layers by breadth first, then disjoint shortest augmenting paths by depth first.
class LayeredMatching {
 public:
  explicit LayeredMatching(const BipartiteGraph& graph)
      : graph_(graph),
        right_of_(graph.n_left(), kUnmatched),
        left_of_(graph.n_right, kUnmatched),
        layer_(graph.n_left()),
        next_(graph.n_left()) {}

  [[nodiscard]] std::size_t size() {
    std::size_t matched = 0;
    while (find_layers()) {
      for (std::size_t left = 0; left < graph_.n_left(); ++left) {
        if (right_of_[left] == kUnmatched && augment(static_cast<Vertex>(left))) ++matched;
      }
    }
    return matched;
  }

 private:
  static constexpr Vertex kNoLayer = std::numeric_limits<Vertex>::max();

  // Whether a free right vertex can be reached.
  bool find_layers() {
    std::vector<Vertex> queue;
    queue.reserve(graph_.n_left());
    for (std::size_t left = 0; left < graph_.n_left(); ++left) {
      next_[left] = graph_.first_edge[left];
      layer_[left] = right_of_[left] == kUnmatched ? 0 : kNoLayer;
      if (layer_[left] == 0) queue.push_back(static_cast<Vertex>(left));
    }
    deepest_ = kNoLayer;
    for (std::size_t head = 0; head < queue.size() && layer_[queue[head]] <= deepest_; ++head) {
      const Vertex left = queue[head];
      for (Edge edge = graph_.first_edge[left]; edge != graph_.first_edge[left + 1]; ++edge) {
        const Vertex partner = left_of_[graph_.neighbour[edge]];
        if (partner == kUnmatched) {
          deepest_ = layer_[left];
        } else if (layer_[partner] == kNoLayer) {
          layer_[partner] = layer_[left] + 1;
          queue.push_back(partner);
        }
      }
    }
    return deepest_ != kNoLayer;
  }

  bool augment(Vertex root) {
    path_.assign(1, root);
    while (!path_.empty()) {
      const Vertex left = path_.back();
      if (next_[left] == graph_.first_edge[left + 1]) {
        layer_[left] = kNoLayer;  // leads nowhere in this phase
        path_.pop_back();
        continue;
      }
      const Vertex right = graph_.neighbour[next_[left]++];
      const Vertex partner = left_of_[right];
      if (partner == kUnmatched) {
        for (const Vertex vertex : path_) {
          right_of_[vertex] = graph_.neighbour[next_[vertex] - 1];
          left_of_[right_of_[vertex]] = vertex;
          layer_[vertex] = kNoLayer;
        }
        return true;
      }
      if (layer_[partner] == layer_[left] + 1 && layer_[partner] <= deepest_) path_.push_back(partner);
    }
    return false;
  }

  const BipartiteGraph& graph_;
  std::vector<Vertex> right_of_;
  std::vector<Vertex> left_of_;
  std::vector<Vertex> layer_;  // distance from the free left vertices; kNoLayer for what is used up or out of reach
  std::vector<Edge> next_;     // of each left vertex: the first edge that this phase has not tried
  Vertex deepest_ = kNoLayer;  // the layer of the left vertices that end a shortest augmenting path
  std::vector<Vertex> path_;
};

}  // namespace

std::vector<std::uint32_t> augmenting_matching(const BipartiteGraph& graph) {
  AugmentingSearch search(graph);
  for (std::size_t left = 0; left < graph.n_left(); ++left) search.match(static_cast<Vertex>(left));
  return search.right_of_left();
}

std::size_t maximum_matching_size(const BipartiteGraph& graph) { return LayeredMatching(graph).size(); }

}  // namespace schedcore
