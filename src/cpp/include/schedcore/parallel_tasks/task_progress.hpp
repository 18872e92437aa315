// The pieces of every task in the schedule of its fractions, in order of time, and what each adds to its share.
// Built in O(n_pieces log M) where a task has at most M machines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/model/parallel_tasks.hpp"
#include "schedcore/parallel_tasks/fraction_schedule.hpp"
#include "schedcore/parallel_tasks/task_share.hpp"

namespace schedcore {

struct ProgressStep {
  FineTime start = 0;
  FineTime end = 0;
  std::size_t machine = 0;
  std::int64_t processing_time = 0;  // of the whole task on this machine

  // What was done `before` and what the first `processed` units of fine time of the step add.
  [[nodiscard]] TaskShare after(const TaskShare& before, FineTime processed) const {
    TaskShare share = before;
    share.add(machine, processing_time, processed);
    return share;
  }
  [[nodiscard]] TaskShare after(const TaskShare& before) const { return after(before, end - start); }
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
