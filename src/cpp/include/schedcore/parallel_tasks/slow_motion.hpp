// Slow motion: a schedule of fractions stretched by 1 / lambda, each task ended as soon as it is whole.
//
// Every piece [s, e) becomes [s / lambda, e / lambda) on its machine, so that a task is whole once the share lambda
// of it was done before.  With the cap on the task it stops for good at that moment, and job j completes at
// C_j(lambda) / lambda, where C_j(lambda) is when all its tasks had the share lambda.  With the cap on the machine
// (the letter of the paper) its part on each machine stops as soon as it has there what the program gave that
// machine, which can be long after.
//
// The image of a time is one rounded quotient, so that equal instants stay equal and nothing overlaps that did not.
// A cut within 2^-40 of itself of a whole fine unit is drawn there.  Lengths are not differences of images: each is
// within some units in the last place, however late the piece, so those of a task add up to the whole task.
// O(n_steps k) where a task runs on k machines.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "schedcore/model/parallel_tasks.hpp"
#include "schedcore/parallel_tasks/capped_fractions.hpp"
#include "schedcore/parallel_tasks/measured_piece.hpp"
#include "schedcore/parallel_tasks/task_progress.hpp"

namespace schedcore {

// lambda: a share that a task had at some moment, or a number that stands for every share within 10^-12 of itself.
// Requires that it lies in (0, 1].
class Speed {
 public:
  Speed(double stated);            // NOLINT(google-explicit-constructor): a number is a speed
  Speed(const TaskShare& share);  // NOLINT(google-explicit-constructor): a share is a speed

  [[nodiscard]] double value() const { return value_; }
  // share <=> lambda * units / 10^9.
  [[nodiscard]] std::weak_ordering compare(const TaskShare& share, std::int64_t units) const;
  // lambda * units / 10^9 - share, in units of 10^-9.
  [[nodiscard]] double missing(const TaskShare& share, std::int64_t units) const;

 private:
  double value_;
  DoubleDouble in_units_;
  TaskShare exact_;  // zero for a number
};

// Pieces come by task, those of a task in order of time.
[[nodiscard]] std::vector<MeasuredPiece> slow_motion(const ParallelTasksView& tasks, const TaskProgress& progress,
                                                     const Speed& lambda, FractionCap cap);

}  // namespace schedcore
