// Tetris for parallel tasks (Grandl et al. 2014, as used in [Shafiee2020], section on baselines): at every arrival and
// completion, machine by machine, the tasks that may run there are tried in the order of a score.
//
// Score of task k of job j on machine i, evaluated in doubles in this form:
//
//     w_j * ( a/m_i + f/R_j ),   divided by the remote penalty, or times 0.9, where i is not local to the task,
//
// with a/m_i the sum over the resources of demand / capacity (ascending; resources that the task does not use are left
// out).  R_j is the remaining volume of the job: per resource the sum of demand times remaining time over its
// unfinished tasks, divided once by the largest capacity, added up over the resources.  The remaining time of a task
// that never ran is its shortest processing time.  The term f/R_j is 1/(e R_j) for a fixed number e, and (A * R)/R_j if
// balanced, where A is the mean of demand / largest capacity over the arrived unfinished tasks and R the mean of R_j
// over their jobs: sums, each divided once by largest capacity times count.  Before that, each sum is exact and
// rounded once to a double: instants and remaining times count in units of a power of 2, the finest for which neither
// the horizon (last release plus longest processing times) nor the sum of demands times longest processing times
// reaches 2^125 units.  Other times are rounded down to whole units.  Where horizon and demands are at most 2^53, the
// unit is at most 2^-18, so that integer times are exact.
//
// Equal instants are one event, completions before arrivals; scores do not change within it.  Machines come in order of
// their index; on each, tasks by score descending, then by row, and each one that fits starts.
//
//   preemptive      all running tasks are stopped first; a task stays on the machine where it first ran.  A task that
//                   is stopped and started again at one instant was not interrupted: its completion time stands.
//   non-preemptive  started tasks run to their end.
//
// Cost, for N tasks and M machines.  Preemptive: every event scores the unfinished tasks of every machine anew and
// repairs their order, which changes little: O(N) an event as a rule, O(N log N) at worst, with tasks counted once for
// each machine that they may use until they have started.  Non-preemptive: an event looks at the machines on which a
// task has completed, and at the others for what has just arrived, because
//     a task that waits after an event does not fit, then, on any machine that it may use: each machine was offered all
//     tasks that waited at its turn, what it refused did not fit, and the room on it only shrank during the rest of the
//     event.  Until something completes on a machine, it fits none of these tasks.
// So an event costs O(waiting tasks) for each of these machines plus O(arrived tasks * M), times a logarithm for tasks
// that fit.  If none does, no score is computed; else the second terms cost O(unfinished jobs), because the sums behind
// them are kept up to date.  Memory: O(N + placements), the latter for the preemptive form alone.
#pragma once

#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/model/parallel_tasks.hpp"

namespace schedcore {

struct TaskTetrisScoring {
  bool is_balanced = true;
  double e = 1;                    // where it is not balanced; positive
  bool divides_by_penalty = true;  // scores of remote tasks; otherwise times 0.9
};

// The pieces of all tasks, none of them empty.  Pieces of the preemptive form that touch are one.
[[nodiscard]] std::vector<TaskPiece> task_tetris_preemptive(const ParallelTasksView& tasks,
                                                            const TaskTetrisScoring& scoring, Monitor* monitor);
[[nodiscard]] std::vector<TaskPiece> task_tetris_nonpreemptive(const ParallelTasksView& tasks,
                                                               const TaskTetrisScoring& scoring, Monitor* monitor);

}  // namespace schedcore
