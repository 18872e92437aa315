// Matchings of n left vertices with k neighbours each, of which one is reserved for them: a matching of all exists, and
// there is no right vertex to spare.  Neighbours in random order, or ascending as in mapping graphs.  Four inputs
// rotate.  Asserted: everybody is matched.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "schedcore/parallel_tasks/bipartite_matching.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kInputs = 4;

BipartiteGraph draw(std::size_t n, std::size_t n_neighbours, bool ascending, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> reserved(n);
  std::iota(reserved.begin(), reserved.end(), 0U);
  std::shuffle(reserved.begin(), reserved.end(), random);
  BipartiteGraph graph;
  graph.n_right = n;
  for (std::size_t left = 0; left < n; ++left) {
    std::vector<std::uint32_t> row{reserved[left]};
    while (row.size() < n_neighbours) row.push_back(static_cast<std::uint32_t>(random() % n));
    if (ascending) {
      std::sort(row.begin(), row.end());
    } else {
      std::shuffle(row.begin(), row.end(), random);
    }
    graph.neighbour.insert(graph.neighbour.end(), row.begin(), row.end());
    graph.first_edge.push_back(static_cast<std::uint32_t>(graph.neighbour.size()));
  }
  return graph;
}

template <class Match>
void match_all(benchmark::State& state, const Match& size_of) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<BipartiteGraph> graphs;
  for (std::size_t k = 0; k < kInputs; ++k) {
    graphs.push_back(draw(n, static_cast<std::size_t>(state.range(1)), state.range(2) != 0, k + 1));
  }
  std::size_t turn = 0;
  for (auto _ : state) {
    if (size_of(graphs[turn++ % kInputs]) != n) {
      state.SkipWithError("a left vertex has no partner");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(1));
}

void augmenting_paths(benchmark::State& state) {
  match_all(state, [](const BipartiteGraph& graph) {
    const std::vector<std::uint32_t> matching = augmenting_matching(graph);
    return matching.size() - static_cast<std::size_t>(std::count(matching.begin(), matching.end(), kUnmatched));
  });
}

void hopcroft_karp(benchmark::State& state) {
  match_all(state, [](const BipartiteGraph& graph) { return maximum_matching_size(graph); });
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"n", "neighbours", "ascending"})->Unit(benchmark::kMillisecond);
  for (const std::int64_t ascending : {0, 1}) {
    for (const std::int64_t neighbours : {2, 13}) bench->Args({10000, neighbours, ascending});
  }
}

BENCHMARK(augmenting_paths)->Apply(sizes);
BENCHMARK(hopcroft_karp)->Apply(sizes);

}  // namespace
}  // namespace schedcore
