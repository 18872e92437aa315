// JSQ-MW: tasks join the shortest queue, machines serve the queue of the largest weight ([Shafiee2020], baselines).
//
// Every machine i has a queue Q_i of tasks that are local to it; one queue Q_R holds tasks for other than their local
// machines.  The length of a queue is the number of tasks that wait in it.  Equal instants are one event:
//   arrivals    jobs, then tasks, in the order of their index: a task joins the shortest among the queues of its local
//               machines and, if it may run on a machine that is not local, Q_R; ties: local first, then lowest index;
//   service     machines in the order of their index, each as often as it can: it prefers Q_i if
//               penalty * |Q_i| >= |Q_R|, otherwise Q_R, and starts the first task of the preferred queue that may run
//               on it and fits; if there is none, of the other queue.  Tasks run to their end.  Weights do not count.
// Completions free their amounts first.  All comparisons are exact, penalty * |Q_i| with its rounding error included.
//
// What a machine has refused still does not fit until something completes on it, because its room only shrinks in
// between.  So each machine remembers up to where it has looked at either queue, and begins at the front only after a
// completion.  Queues are trees of minima of the demands, 16 to a node, in which stretches where nothing fits are
// passed over; with one resource the next task that fits is found in O(log n).  An event costs O(M) if something
// arrives, and for each machine that it looks at O(log n) a task started or found not allowed there; with several
// resources a search may visit more nodes, all of them at worst.  Memory O(N * R + M).
#pragma once

#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/model/parallel_tasks.hpp"

namespace schedcore {

// One piece a task, in the order of the starts.
[[nodiscard]] std::vector<TaskPiece> join_shortest_queue(const ParallelTasksView& tasks, Monitor* monitor);

}  // namespace schedcore
