// How far every task is at every moment of the schedule of its fractions.
//
// A piece of d fine units of time on a machine where the task takes p processes d / (10^9 p) of it.  The share of a
// task that is done is the sum over machines of one quotient each, of an exact numerator; so wherever what was begun
// is complete the numerators are whole units, and the share is exact up to its one division by 10^9.  Shares that
// differ by less than 1e-12 of themselves stand for the same number.  Built in O(n_pieces (log M + k)) where a task
// has at most M machines and runs on k of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/fraction_schedule.hpp"
#include "schedcore/parallel_tasks.hpp"

namespace schedcore {

inline constexpr double kSameShare = 1e-12;

// A piece of a task and what it does for it.
struct ProgressStep {
  FineTime start = 0;
  FineTime end = 0;
  std::size_t machine = 0;
  std::int64_t processing_time = 0;  // of the whole task on this machine
  double before = 0;                 // share of the task that is done, on all machines, at the start and at the end
  double after = 0;
  double there_before = 0;  // share of the task that is done on this machine
  double there_after = 0;
};

class TaskProgress {
 public:
  TaskProgress() = default;
  TaskProgress(const ParallelTasksView& tasks, std::span<const IntervalFraction> fractions,
               std::span<const FractionPiece> pieces);

  // In order of time.
  [[nodiscard]] std::span<const ProgressStep> of(std::size_t task) const {
    return std::span(step_).subspan(first_[task], first_[task + 1] - first_[task]);
  }
  [[nodiscard]] std::size_t n_steps() const { return step_.size(); }

 private:
  std::vector<std::size_t> first_;  // those of task t are first_[t] .. first_[t + 1] - 1
  std::vector<ProgressStep> step_;
};

}  // namespace schedcore
