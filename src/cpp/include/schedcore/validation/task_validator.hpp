// Is this schedule of parallel tasks feasible, and if not, what goes wrong first?
//
// Written apart from every algorithm.  Amounts are compared as integers.  Times are compared as they are where all
// times of the schedule and all release times are integers of at most 2^53; otherwise with a tolerance of 1e-9 (1 + t),
// because algorithms that stretch or cut pieces round: a piece then holds its demand during [start + 1e-9 (1 + start),
// end), which may be nothing.  Ends of an instant free their amounts before the starts of that instant take theirs.
//
// Pieces are visited by (start, job, task, machine, row).  At its turn a piece must, in this order,
//   unknown_job, unknown_task     belong to a job of the instance and to a task of that job;
//   unknown_machine               have a machine in [0, n_machines);
//   machine_not_allowed           be on a machine of its task's placement set;
//   no_progress                   end after it starts;
//   start_before_release          start at or after the release time of its job;
//   task_overlaps_itself          begin to hold its demand when no piece of the same task does, on any machine;
//   task_migrated                 be on the machine of the task's first piece (preempt, nonpreempt);
//   task_interrupted              be the only piece of its task (nonpreempt);
//   capacity_exceeded             fit beside the pieces that hold amounts when it begins to, those of this instant that
//                                 were visited before it included, in every resource (the lowest that fails is named).
// The first piece that fails is the violation.  A start or an end that is no finite number has no place in time: the
// first such row comes before everything else (time_not_finite).  If all pieces pass, tasks are visited in order:
//   task_missing                  a task has a piece;
//   wrong_processing              the sum of (end - start) / (processing time on the machine) over its pieces is 1:
//                                 exactly, as a fraction, where times are compared as they are; otherwise it differs
//                                 by at most 1e-9 (1 + t) / p, where t is the task's last end and p its smallest
//                                 processing time among the machines that it ran on.
//
// O(n log n + n * R) time for n pieces and R resources, plus O(k^2) for each task with k different processing times;
// memory: about 60 bytes a piece and 24 a task.  For jobs without tasks that are never interrupted see validator.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "schedcore/base/types.hpp"
#include "schedcore/model/parallel_tasks.hpp"

namespace schedcore {

// Whether the pieces of a task may be on several machines, must share one, or are one piece.
enum class TaskScheduleKind : std::uint8_t { migrate, preempt, nonpreempt };

enum class TaskViolationKind : std::uint8_t {
  time_not_finite,
  unknown_job,
  unknown_task,
  unknown_machine,
  machine_not_allowed,
  no_progress,
  start_before_release,
  task_overlaps_itself,
  task_migrated,
  task_interrupted,
  capacity_exceeded,
  task_missing,
  wrong_processing,
};

struct TaskViolation {
  TaskViolationKind kind = TaskViolationKind::time_not_finite;
  std::int64_t job = 0;  // job, task and machine as the schedule says, also where there are none such
  std::int64_t task = 0;
  std::int64_t machine = 0;  // wrong_processing: of the task's last piece; task_missing: -1
  Time instant = 0;          // start of the piece; wrong_processing: the task's last end; task_missing: 0
  std::size_t resource = 0;  // capacity_exceeded only
  Amount units = 0;          // capacity_exceeded only: usage with the piece minus capacity, positive
  // start_before_release: time before the release; task_overlaps_itself: length of the overlap; wrong_processing:
  // processed share minus 1; otherwise 0.
  double measure = 0;
};

// Columns of equal length, a row a piece: job, number of the task within the job, machine, [start, end).
struct TaskPiecesView {
  std::span<const std::int64_t> job;
  std::span<const std::int64_t> task;
  std::span<const std::int64_t> machine;
  std::span<const Time> start;
  std::span<const Time> end;

  [[nodiscard]] std::size_t size() const { return job.size(); }
};

// The first violation, or nothing if the schedule is feasible.  Tasks need not fit the machines that they may run on.
// weight, placement_local and remote_penalty are not read.
[[nodiscard]] std::optional<TaskViolation> find_first_task_violation(const ParallelTasksView& tasks,
                                                                     const TaskPiecesView& pieces,
                                                                     TaskScheduleKind kind);

}  // namespace schedcore
