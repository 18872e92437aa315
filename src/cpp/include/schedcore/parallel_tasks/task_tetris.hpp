// Tetris for parallel tasks with preemption (Grandl et al. 2014, as used in [Shafiee2020], section on baselines): at every
// arrival and completion, machine by machine, the tasks that may run there are tried in the order of a score, which
// task_tetris_scores.hpp defines.
//
// Equal instants are one event, completions before arrivals; scores do not change within it.  All running tasks are
// stopped first.  Machines come in order of their index; on each, tasks by score descending, then by row, and each one
// that fits starts.  A task stays on the machine where it first ran.  A task that is stopped and started again at one
// instant was not interrupted: its completion time stands.
//
// Cost, for N tasks and M machines: every event scores the unfinished tasks of every machine anew and repairs their order,
// which changes little: O(N) an event as a rule, O(N log N) at worst, with tasks counted once for each machine that they
// may use until they have started.  Memory: O(N + placements).
#pragma once

#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/model/parallel_tasks.hpp"
#include "schedcore/parallel_tasks/task_tetris_scores.hpp"

namespace schedcore {

// The pieces of all tasks, none of them empty.  Pieces that touch are one.
[[nodiscard]] std::vector<TaskPiece> task_tetris_preemptive(const ParallelTasksView& tasks,
                                                            const TaskTetrisScoring& scoring, Monitor* monitor);

}  // namespace schedcore
