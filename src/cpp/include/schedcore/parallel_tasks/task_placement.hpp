// A plan carried over to machines that are not empty: every task at the earliest time at which its machine has room.
//
// Tasks come in the order of the plan and keep their machines.  Each is placed for its whole duration beside what runs
// and what has been placed, at `from` or at the end of one of those.  O(log k) amortised for a task on a machine with k
// pieces, plus the stretches without room that are stepped over; memory for the machines of the plan alone.
#pragma once

#include <span>
#include <vector>

#include "schedcore/model/parallel_tasks.hpp"

namespace schedcore {

// The planned pieces at their new times, ascending by (planned start, task).  `running` are the pieces that are on the
// machines already; those that end by `from` do not matter.  Requires pieces on machines of the tasks' placement sets.
// InvalidInstanceError where `from` is so late that an end cannot be told from its start.
[[nodiscard]] std::vector<TaskPiece> place_plan(const ParallelTasksView& tasks, std::span<const TaskPiece> running,
                                                std::span<const TaskPiece> plan, Time from);

}  // namespace schedcore
