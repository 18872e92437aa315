// Slow motion: a schedule of fractions stretched by 1 / lambda, each task ended as soon as it is whole.
//
// Every piece [s, e) becomes [s / lambda, e / lambda) on its machine, so that a task is whole once the share lambda
// of it was done before.  With the cap on the task it stops for good at that moment, and job j completes at
// C_j(lambda) / lambda, where C_j(lambda) is when all its tasks had the share lambda.  With the cap on the machine
// (the letter of the paper) its part on each machine stops as soon as it has there what the program gave that
// machine, which can be long after.
//
// The image of a time is one rounded quotient, so that equal instants stay equal and nothing overlaps that did not.
// A cut within 2^-40 of itself of a whole fine unit is taken to be there; pieces that are too short for a double
// vanish. O(n_steps); with the cap on the machine, times the pieces of a task after its last on that machine.
#pragma once

#include <vector>

#include "schedcore/capped_fractions.hpp"
#include "schedcore/parallel_tasks.hpp"
#include "schedcore/task_progress.hpp"

namespace schedcore {

// Requires 0 < lambda <= 1.  Pieces come by task, those of a task in order of time.
[[nodiscard]] std::vector<TaskPiece> slow_motion(const ParallelTasksView& tasks, const TaskProgress& progress,
                                                 double lambda, FractionCap cap);

}  // namespace schedcore
