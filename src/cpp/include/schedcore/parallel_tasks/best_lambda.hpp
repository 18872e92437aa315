// The lambda at which slow motion makes the weighted completion times least: the derandomisation of SynchPack-1.
//
// alpha_jl is the share that every task of job j has done by tau_l, when the fractions of intervals up to l are
// complete. Of all positive alpha_jl and 1 the choice is the one with the least G(lambda) = sum_j w_j C_j(lambda) /
// lambda; ties go to the largest.  C_j(lambda) is the first time at which every task of j has the share lambda done.
//
// C_j jumps where a task pauses, and the candidates are the very shares at which tasks pause: whether a task has
// reached a candidate is decided by rational numbers (task_share.hpp).  So C_j is kept as a function of the position of
// the candidate, a line in lambda from one pause to the next: those of the tasks, made one by taking the later of two
// at a time, and then summed over jobs in one sweep.  O((S + K) log K) for S pieces and K = n_jobs x n_intervals
// candidates, apart from the parts that are added where tasks overtake each other.
//
// Lines and sums have 104 bits.  Values of G closer than 2^-90 of what was added up for them are ties; weights may
// thus be some 80 binary digits apart.
#pragma once

#include <span>

#include "schedcore/model/parallel_tasks.hpp"
#include "schedcore/parallel_tasks/fraction_schedule.hpp"
#include "schedcore/parallel_tasks/task_progress.hpp"
#include "schedcore/parallel_tasks/task_share.hpp"

namespace schedcore {

struct LambdaChoice {
  TaskShare share;    // lambda, exactly
  double lambda = 1;  // the same, rounded
  double value = 0;   // G(lambda)
};

// Requires that every task is whole at the end, and tau as in FractionSchedule.
[[nodiscard]] LambdaChoice best_lambda(const ParallelTasksView& tasks, const TaskProgress& progress,
                                       std::span<const FineTime> tau);

}  // namespace schedcore
