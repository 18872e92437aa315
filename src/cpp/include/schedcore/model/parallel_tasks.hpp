// Parallel-task jobs: what the kernels of this family read.
//
// A job is a run of consecutive tasks; it completes when the last of them does.  A task may run on the machines of its
// placement set only, and takes as long as its processing time there.  A piece is a stretch of time during which a task
// runs on a machine and holds its demand; a schedule is a set of pieces.
//
// The boundary has checked: jobs have at least one task, task_job never decreases, machines ascend within a placement
// set, processing times are at least 1, and every task fits the empty machine of each of its placements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "schedcore/base/types.hpp"

namespace schedcore {

// Placements are stored row by row: those of task t are first_placement(t) .. first_placement(t + 1) - 1.
struct ParallelTasksView {
  std::span<const double> weight;                   // of each job
  std::span<const Time> release_time;               // of each job
  std::span<const std::int64_t> task_job;           // of each task
  std::span<const Amount> demand;                   // row-major (n_tasks, n_resources)
  std::span<const std::int64_t> placement_start;    // (n_tasks + 1)
  std::span<const std::int64_t> placement_machine;  // of each placement
  std::span<const std::int64_t> placement_time;     // processing time there
  std::span<const bool> placement_local;            // whether the machine is local to the task
  MachinesView machines;
  double remote_penalty = 1;

  [[nodiscard]] std::size_t n_jobs() const { return weight.size(); }
  [[nodiscard]] std::size_t n_tasks() const { return task_job.size(); }
  [[nodiscard]] std::size_t n_machines() const { return machines.n_machines; }
  [[nodiscard]] std::size_t n_resources() const { return machines.n_resources; }
  [[nodiscard]] std::size_t job_of(std::size_t task) const { return static_cast<std::size_t>(task_job[task]); }
  // The tasks of job j are the rows first_task(j) .. first_task(j + 1) - 1.  O(log n_tasks).
  [[nodiscard]] std::size_t first_task(std::size_t job) const;
  // The time of the task where it is fastest.  O(its placements).
  [[nodiscard]] Time shortest_time(std::size_t task) const;
  [[nodiscard]] std::span<const Amount> demand_of(std::size_t task) const {
    return demand.subspan(task * n_resources(), n_resources());
  }
  [[nodiscard]] std::size_t first_placement(std::size_t task) const {
    return static_cast<std::size_t>(placement_start[task]);
  }
  [[nodiscard]] std::size_t machine_of(std::size_t placement) const {
    return static_cast<std::size_t>(placement_machine[placement]);
  }
  // The placement of a task on a machine, or kNoPlacement.  O(log n_placements of the task).
  [[nodiscard]] std::size_t placement_on(std::size_t task, std::size_t machine) const;
};

inline constexpr std::size_t kNoPlacement = static_cast<std::size_t>(-1);

// A task holds its demand on a machine during [start, end).
struct TaskPiece {
  std::size_t task = 0;
  std::size_t machine = 0;
  Time start = 0;
  Time end = 0;

  friend bool operator==(const TaskPiece&, const TaskPiece&) = default;
};

}  // namespace schedcore
