// Which machine and interval a task may be mapped to, once fractions have said how much of it belongs to each.
//
// Every interval of every machine becomes as many copies as its fractions need, each filled up to one whole task before
// the next is opened, largest volume first.  So every task has edges of total weight one and no copy more than that: a
// fractional matching of all tasks, hence an integral one on the same edges (Shmoys and Tardos, Math. Program. 62,
// 1993).  A task is no larger than any that filled the copy before its own, which bounds the volume of an interval.
//
// Volumes (processing time there x the sum over resources of demand / capacity) are compared exactly; ties go to the
// lower task.  O(F log F + n_copies + n_machines n_intervals) time for F fractions; at most F + n_copies edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedcore/model/parallel_tasks.hpp"
#include "schedcore/parallel_tasks/bipartite_matching.hpp"
#include "schedcore/parallel_tasks/capped_fractions.hpp"

namespace schedcore {

struct MachineInterval {
  std::size_t machine = 0;
  std::size_t interval = 0;

  friend bool operator==(const MachineInterval&, const MachineInterval&) = default;
};

struct MappingGraph {
  // Tasks on the left, copies on the right.  Copies are numbered by (interval, machine, order of being opened), and the
  // neighbours of a task ascend.
  BipartiteGraph graph;
  std::vector<std::int64_t> weight;    // of each edge, positive, in units of which `whole` make a task
  std::vector<MachineInterval> place;  // of each copy
};

// Requires capped fractions of every task, ascending by (task, interval, machine), on machines of its placement set.
[[nodiscard]] MappingGraph mapping_graph(const ParallelTasksView& tasks, const CappedFractions& capped);

// The place of every task by the augmenting matching of the graph, which covers all tasks.
[[nodiscard]] std::vector<MachineInterval> map_tasks(const MappingGraph& mapping);

}  // namespace schedcore
