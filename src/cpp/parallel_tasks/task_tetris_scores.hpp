// The scores of Tetris for parallel tasks, kept up to date while tasks arrive, run, stop and complete.
#pragma once

#include <cstddef>
#include <vector>

#include "schedcore/exact/wide.hpp"
#include "schedcore/model/parallel_tasks.hpp"
#include "schedcore/parallel_tasks/task_tetris.hpp"

namespace schedcore {

class TaskTetrisScores {
 public:
  TaskTetrisScores(const ParallelTasksView& tasks, const TaskTetrisScoring& scoring);

  // The tasks of job j are the rows first_task(j) .. first_task(j + 1) - 1.
  [[nodiscard]] std::size_t first_task(std::size_t job) const { return first_task_[job]; }

  // All tasks of the job wait from now on.
  void arrive(std::size_t job);
  void start(std::size_t task, Time end) { set(task, end, true); }
  void stop(std::size_t task, Time remaining) { set(task, remaining, false); }
  void complete(std::size_t task);

  // Of a task that does not run; 0 once it is complete.
  [[nodiscard]] Time remaining_of_stopped(std::size_t task) const { return base_[task]; }

  // Computes the second terms of the scores at `now`, which hold until the next call.  O(unfinished jobs * R).
  void prepare(Time now);
  [[nodiscard]] double alignment(std::size_t task, std::size_t machine) const;
  [[nodiscard]] double score(std::size_t task, double alignment, bool is_local) const {
    const std::size_t job = tasks_.job_of(task);
    const double score = tasks_.weight[job] * (alignment + second_term_[job]);
    if (is_local) return score;
    return scoring_.divides_by_penalty ? score / tasks_.remote_penalty : score * 0.9;
  }

 private:
  // A volume at `now` is constant - decrease * now, in units and modulo 2^128.
  struct FallingVolume {
    UInt128 constant = 0;
    UInt128 decrease = 0;  // total demand of the running tasks
  };

  void set(std::size_t task, Time base, bool runs);
  [[nodiscard]] UInt128 in_units(Time time) const { return static_cast<UInt128>(floor_to_int128(time * units_)); }
  // Puts R_j in the place of the second terms and returns their mean.
  double sum_volumes(Time now);
  [[nodiscard]] double mean_size() const;

  ParallelTasksView tasks_;
  TaskTetrisScoring scoring_;
  std::vector<std::size_t> first_task_;
  std::vector<double> largest_capacity_;  // of each resource
  double units_;                          // of a time of 1: a power of 2

  std::vector<std::size_t> active_;        // arrived unfinished jobs, in any order
  std::vector<std::size_t> place_;         // of each active job in active_
  std::vector<std::size_t> n_unfinished_;  // tasks of each active job
  std::size_t n_tasks_ = 0;                // theirs together
  std::vector<Int128> total_demand_;       // theirs, of each resource
  // The remaining time of a task at `now` is base_ - now while it runs, else base_.
  std::vector<Time> base_;
  std::vector<char> runs_;
  std::vector<FallingVolume> volume_;  // of the unfinished tasks of each job, row-major (n_jobs, n_resources)

  std::vector<double> second_term_;  // of each active job, after `prepare`
};

}  // namespace schedcore
