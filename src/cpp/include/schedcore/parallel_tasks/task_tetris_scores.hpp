// The scores of Tetris for parallel tasks, kept up to date while tasks arrive, run, stop and complete.
//
// Score of task k of job j on machine i, evaluated in doubles in this form:
//
//     w_j * ( a/m_i + f/R_j ),   divided by the remote penalty, or times 0.9, where i is not local to the task,
//
// with a/m_i the sum over the resources of demand / capacity (ascending; resources that the task does not use are left
// out).  R_j is the remaining volume of the job: per resource the sum of demand times remaining time over its
// unfinished tasks, divided once by the largest capacity, added up over the resources.  The remaining time of a task
// that never ran is its shortest processing time.  The term f/R_j is 1/(e R_j) for a fixed number e, and (A * R)/R_j if
// balanced, where A is the mean of demand / largest capacity over the arrived unfinished tasks and R the mean of R_j
// over their jobs: sums, each divided once by largest capacity times count.
//
// Before that, each sum is exact and rounded once to a double.  Instants and remaining times count in units of 2^-64, to
// which they are rounded down, so integer times are exact; those beyond 2^62 count as 2^62.
//
// Tasks are named by small numbers (slots, rows), which the caller may use again once a task is complete, and jobs by
// any number.  Cost: O(R) for whatever happens to a task; `prepare` O(R) for each unfinished job of which something runs
// or has changed, and a division for each other one.  Memory O(R) a task number and a job that is unfinished.  A value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {

struct TaskTetrisScoring {
  bool is_balanced = true;
  double e = 1;                    // where it is not balanced; positive
  bool divides_by_penalty = true;  // scores of remote tasks; otherwise times 0.9
};

class TaskTetrisScores {
 public:
  TaskTetrisScores() = default;
  TaskTetrisScores(const MachinesView& machines, const TaskTetrisScoring& scoring, double remote_penalty);

  // The task waits from now on; it needs `remaining` where it is fastest.  All tasks of a job have its weight.
  void arrive(std::size_t task, std::int64_t job, double weight, std::span<const Amount> demand, Time remaining);
  // The only task of its job.
  void arrive_alone(std::size_t task, double weight, std::span<const Amount> demand, Time remaining);
  void start(std::size_t task, std::span<const Amount> demand, Time end) { set(task, demand, end, true); }
  void stop(std::size_t task, std::span<const Amount> demand, Time remaining) { set(task, demand, remaining, false); }
  void complete(std::size_t task, std::span<const Amount> demand);

  // Of a task that does not run; 0 once it is complete.
  [[nodiscard]] Time remaining_of_stopped(std::size_t task) const { return tasks_[task].base; }

  // Computes the second terms of the scores at `now`, which hold until the next call.
  void prepare(Time now);
  [[nodiscard]] double alignment(std::span<const Amount> demand, std::size_t machine) const;
  [[nodiscard]] double score(std::size_t task, double alignment, bool is_local) const {
    const Terms& terms = terms_[job_[task]];
    const double score = terms.weight * (alignment + terms.second);
    if (is_local) return score;
    return scoring_.divides_by_penalty ? score / remote_penalty_ : score * 0.9;
  }

 private:
  struct Task {
    Time base = 0;  // the remaining time at `now` is base - now while it runs, else base
    bool runs = false;
  };
  struct Job {
    std::int64_t number = 0;
    bool is_numbered = false;  // by the caller
    std::uint32_t place = 0;   // in active_
    std::uint32_t n_unfinished = 0;
    std::uint32_t n_running = 0;
    bool is_current = false;  // whether its volume in terms_ is that of now, and stays so while nothing of it runs
  };
  // Of a job that is active; the second term of its score and R_j after `prepare`.
  struct Terms {
    double weight = 0;
    double second = 0;
    double volume = 0;
  };
  // A volume at `now` is constant - decrease * now, in units.
  struct FallingVolume {
    Int256 constant;
    Int128 decrease = 0;  // total demand of the running tasks
  };

  [[nodiscard]] std::uint32_t new_job(double weight);
  void add_task(std::size_t task, std::uint32_t job, std::span<const Amount> demand, Time remaining);
  void set(std::size_t task, std::span<const Amount> demand, Time base, bool runs);
  [[nodiscard]] double volume_at(std::span<const FallingVolume> volume, UInt128 now, double count) const;
  [[nodiscard]] double mean_size() const;

  TaskTetrisScoring scoring_;
  double remote_penalty_ = 1;
  std::size_t n_resources_ = 0;
  std::vector<Amount> capacity_;          // row-major (n_machines, n_resources)
  std::vector<double> largest_capacity_;  // of each resource

  std::vector<Task> tasks_;
  std::vector<std::uint32_t> job_;  // of each task, beside them for `score`
  std::vector<Job> jobs_;
  std::vector<Terms> terms_;           // of each of jobs_
  std::vector<FallingVolume> volume_;  // of the unfinished tasks of each of jobs_, row-major
  std::vector<FallingVolume> total_volume_;  // of all of them
  std::vector<std::uint32_t> free_;    // places in jobs_ that may be used again
  std::vector<std::uint32_t> active_;  // the others, in any order
  std::unordered_map<std::int64_t, std::uint32_t> job_of_number_;
  std::size_t n_tasks_ = 0;           // unfinished ones
  std::vector<Int128> total_demand_;  // theirs, of each resource
};

}  // namespace schedcore
