// The scores of Tetris for parallel tasks, kept up to date while tasks arrive, run, stop and complete.
#pragma once

#include <cstddef>
#include <vector>

#include "schedcore/double_double.hpp"
#include "schedcore/parallel_tasks.hpp"
#include "schedcore/task_tetris.hpp"
#include "schedcore/wide.hpp"

namespace schedcore {

class TaskTetrisScores {
 public:
  TaskTetrisScores(const ParallelTasksView& tasks, const TaskTetrisScoring& scoring);

  // The tasks of job j are the rows first_task(j) .. first_task(j + 1) - 1.
  [[nodiscard]] std::size_t first_task(std::size_t job) const { return first_task_[job]; }

  // All tasks of the job wait from now on.
  void arrive(std::size_t job);
  void start(std::size_t task, Time end) { set(task, end, 1); }
  void stop(std::size_t task, Time remaining) { set(task, remaining, 0); }
  void complete(std::size_t task);

  // Of a task that does not run; 0 once it is complete.
  [[nodiscard]] Time remaining_of_stopped(std::size_t task) const { return base_[task]; }

  // Computes the second terms of the scores at `now`, which hold until the next call.  O(tasks of unfinished jobs * R).
  void prepare(Time now);
  [[nodiscard]] double alignment(std::size_t task, std::size_t machine) const;
  [[nodiscard]] double score(std::size_t task, double alignment, bool is_local) const {
    const std::size_t job = tasks_.job_of(task);
    const double score = tasks_.weight[job] * (alignment + second_term_[job]);
    if (is_local) return score;
    return scoring_.divides_by_penalty ? score / tasks_.remote_penalty : score * 0.9;
  }

 private:
  void set(std::size_t task, Time base, double slope) {
    base_[task] = base;
    slope_[task] = slope;
  }
  [[nodiscard]] bool all_sums_fit_doubles() const;
  // Puts R_j in the place of the second terms and returns their mean.
  template <class Sum>
  double sum_volumes(Time now);
  [[nodiscard]] double mean_size() const;

  ParallelTasksView tasks_;
  TaskTetrisScoring scoring_;
  std::vector<std::size_t> first_task_;
  std::vector<double> largest_capacity_;  // of each resource
  bool sums_fit_doubles_;                 // nothing that is added up here needs more than 53 bits

  std::vector<std::size_t> active_;        // arrived unfinished jobs, in any order
  std::vector<std::size_t> place_;         // of each active job in active_
  std::vector<std::size_t> n_unfinished_;  // tasks of each active job
  std::size_t n_tasks_ = 0;                // theirs together
  std::vector<Int128> total_demand_;       // theirs, of each resource
  // The remaining time of a task at `now` is base_ - slope_ * now: end - now while it runs, else a constant.
  std::vector<Time> base_;
  std::vector<double> slope_;

  std::vector<double> second_term_;  // of each active job, after `prepare`
};

}  // namespace schedcore
