// The lambda at which slow motion makes the weighted completion times least: the derandomisation of SynchPack-1.
//
// alpha_jl is the share that every task of job j has done by tau_l, when the fractions of intervals up to l are
// complete. Of all positive alpha_jl and 1 the choice is the one with the least G(lambda) = sum_j w_j C_j(lambda) /
// lambda; ties go to the largest.  C_j(lambda) is the first time at which every task of j has the share lambda done.
//
// The share that a job has done is the least over its tasks: a continuous, non-decreasing, piecewise linear function
// of time, made by merging those of the tasks two at a time.  Between its corners C_j is linear in lambda, and so is
// the sum over jobs; one sweep over all corners and candidates evaluates G everywhere.  O((S + K) log (S + K)) for S
// pieces and K = n_jobs x n_intervals candidates, apart from the corners that merging adds where tasks overtake each
// other.
//
// Rational numbers decide exactly; doubles decide alike because what is equal there differs here by some units in the
// last place: shares within 1e-12 of each other are the same (a job that has just reached lambda has reached it), and
// so are values of G.  The sums of the sweep are DoubleDouble, so that they do not drift.
#pragma once

#include <span>

#include "schedcore/fraction_schedule.hpp"
#include "schedcore/parallel_tasks.hpp"
#include "schedcore/task_progress.hpp"

namespace schedcore {

struct LambdaChoice {
  double lambda = 1;
  double value = 0;  // G(lambda)
};

// Requires that every task is whole at the end, and tau as in FractionSchedule.
[[nodiscard]] LambdaChoice best_lambda(const ParallelTasksView& tasks, const TaskProgress& progress,
                                       std::span<const FineTime> tau);

}  // namespace schedcore
