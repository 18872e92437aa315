#include "schedcore/parallel_tasks/mapping_graph.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <span>

#include "schedcore/parallel_tasks/task_volumes.hpp"

namespace schedcore {
namespace {

struct WeightedEdge {
  std::size_t task;
  MachineInterval place;
  std::uint32_t number;  // of the copy, among those of its place
  std::int64_t weight;
};

// Positions 0 .. n_items - 1, stably sorted by a key below n_keys, and where each key begins.
struct Grouped {
  std::vector<std::uint32_t> position;
  std::vector<std::size_t> first;

  template <class Key>
  Grouped(std::size_t n_items, std::size_t n_keys, const Key& key) : position(n_items), first(n_keys + 1, 0) {
    for (std::size_t i = 0; i < n_items; ++i) ++first[key(i) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < n_items; ++i) position[next[key(i)]++] = static_cast<std::uint32_t>(i);
  }
};

// Copies of the intervals of one machine, filled one after the other.
class CopyFilling {
 public:
  CopyFilling(std::size_t n_intervals, std::int64_t whole)
      : whole_(whole), number_(n_intervals, 0), filled_(n_intervals, 0) {}

  void clear() {
    std::fill(number_.begin(), number_.end(), 0U);
    std::fill(filled_.begin(), filled_.end(), 0);
  }
  void add(const IntervalFraction& fraction, std::vector<WeightedEdge>& edges) {
    std::uint32_t& number = number_[fraction.interval];
    std::int64_t& filled = filled_[fraction.interval];
    for (std::int64_t left = fraction.units; left > 0;) {
      const std::int64_t part = std::min(left, whole_ - filled);
      edges.push_back({fraction.task, {fraction.machine, fraction.interval}, number, part});
      left -= part;
      filled += part;
      if (filled == whole_) {
        filled = 0;
        ++number;
      }
    }
  }

 private:
  std::int64_t whole_;
  std::vector<std::uint32_t> number_;  // of the first copy of each interval that is not full
  std::vector<std::int64_t> filled_;   // how much of it is
};

// Edges in the order in which machines, and on each of them tasks by volume, fill the copies.
std::vector<WeightedEdge> fill_copies(const ParallelTasksView& tasks, const CappedFractions& capped,
                                      std::size_t n_intervals) {
  const std::span<const IntervalFraction> fractions(capped.fractions);
  const Grouped by_machine(fractions.size(), tasks.n_machines(), [&](std::size_t i) { return fractions[i].machine; });
  CopyFilling copies(n_intervals, capped.whole);
  std::vector<WeightedEdge> edges;
  edges.reserve(fractions.size() + fractions.size() / 2);
  std::vector<std::size_t> task;   // that have a fraction on the machine, ascending
  std::vector<std::size_t> first;  // of each: its first position; then the end
  for (std::size_t machine = 0; machine < tasks.n_machines(); ++machine) {
    copies.clear();
    task.clear();
    first.clear();
    for (std::size_t i = by_machine.first[machine]; i < by_machine.first[machine + 1]; ++i) {
      const std::size_t own = fractions[by_machine.position[i]].task;
      if (!task.empty() && task.back() == own) continue;
      task.push_back(own);
      first.push_back(i);
    }
    first.push_back(by_machine.first[machine + 1]);
    for (const std::uint32_t next : descending_volumes(tasks, machine, task)) {
      for (std::size_t i = first[next]; i < first[next + 1]; ++i) {
        copies.add(fractions[by_machine.position[i]], edges);
      }
    }
  }
  return edges;
}

// The number of the first copy of every (interval, machine), row-major, and of all copies.
std::vector<std::uint32_t> number_copies(std::span<const WeightedEdge> edges, std::size_t n_intervals,
                                         std::size_t n_machines) {
  std::vector<std::uint32_t> first(n_intervals * n_machines + 1, 0);
  for (const WeightedEdge& edge : edges) {
    std::uint32_t& copies = first[edge.place.interval * n_machines + edge.place.machine + 1];
    copies = std::max(copies, edge.number + 1);
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

}  // namespace

MappingGraph mapping_graph(const ParallelTasksView& tasks, const CappedFractions& capped) {
  std::size_t n_intervals = 0;
  for (const IntervalFraction& fraction : capped.fractions) n_intervals = std::max(n_intervals, fraction.interval + 1);
  const std::vector<WeightedEdge> edges = fill_copies(tasks, capped, n_intervals);
  const std::vector<std::uint32_t> first_copy = number_copies(edges, n_intervals, tasks.n_machines());
  const auto copy_of = [&](std::size_t edge) {
    const MachineInterval& place = edges[edge].place;
    return first_copy[place.interval * tasks.n_machines() + place.machine] + edges[edge].number;
  };
  const Grouped by_copy(edges.size(), first_copy.back(), copy_of);
  const Grouped by_task(edges.size(), tasks.n_tasks(),
                        [&](std::size_t i) { return edges[by_copy.position[i]].task; });

  MappingGraph mapping;
  mapping.graph.n_right = first_copy.back();
  mapping.graph.first_edge.assign(by_task.first.begin(), by_task.first.end());
  mapping.graph.neighbour.reserve(edges.size());
  mapping.weight.reserve(edges.size());
  mapping.place.resize(mapping.graph.n_right);
  for (const std::uint32_t position : by_task.position) {
    const std::size_t edge = by_copy.position[position];
    mapping.graph.neighbour.push_back(copy_of(edge));
    mapping.weight.push_back(edges[edge].weight);
    mapping.place[copy_of(edge)] = edges[edge].place;
  }
  return mapping;
}

std::vector<MachineInterval> map_tasks(const MappingGraph& mapping) {
  assert(maximum_matching_size(mapping.graph) == mapping.graph.n_left());
  std::vector<MachineInterval> place;
  place.reserve(mapping.graph.n_left());
  for (const std::uint32_t copy : augmenting_matching(mapping.graph)) place.push_back(mapping.place[copy]);
  return place;
}

}  // namespace schedcore
