// A slotted schedule and what it works off, as the validator and the measures of this family read them.
//
// A task row is a task of a MapReduce job; a job without tasks is its own only task row, and its pieces say task -1.
// Rows of a job are consecutive, those of its map tasks first.  A piece holds `cores` of a machine in slots start + 1 to
// end.  Views own nothing and must outlive the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "schedcore/base/types.hpp"
#include "schedcore/model/slots.hpp"

namespace schedcore {

// The boundary has checked: processing times and cores are at least 1, cores x time of a row is below 2^53.
struct SlotTasksView {
  std::span<const Slot> release_time;        // one a job
  std::span<const std::int64_t> first_task;  // (n_jobs + 1) first row of each job; empty where jobs have no tasks
  std::span<const std::int64_t> map_tasks;   // (n_jobs) how many rows are map tasks; empty where jobs have no tasks
  std::span<const Slot> processing_time;     // one a row
  std::span<const Amount> demand;            // row-major (n_rows, n_resources); cores first
  std::span<const Amount> estimated_demand;  // what the scheduler believed; empty where that is the demand
  std::size_t n_resources = 1;

  [[nodiscard]] std::size_t n_jobs() const { return release_time.size(); }
  [[nodiscard]] std::size_t n_rows() const { return processing_time.size(); }
  [[nodiscard]] bool has_tasks() const { return !first_task.empty(); }
  [[nodiscard]] bool has_estimates() const { return !estimated_demand.empty(); }

  [[nodiscard]] std::size_t first_row(std::size_t job) const {
    return has_tasks() ? static_cast<std::size_t>(first_task[job]) : job;
  }
  [[nodiscard]] std::size_t end_row(std::size_t job) const {
    return has_tasks() ? static_cast<std::size_t>(first_task[job + 1]) : job + 1;
  }
  [[nodiscard]] bool has_task(std::size_t job, std::int64_t task) const {
    return has_tasks() ? task >= 0 && task < first_task[job + 1] - first_task[job] : task == -1;
  }
  [[nodiscard]] std::size_t row_of(std::size_t job, std::int64_t task) const {  // requires has_task
    return has_tasks() ? static_cast<std::size_t>(first_task[job] + task) : job;
  }
  [[nodiscard]] bool is_reduce(std::size_t job, std::int64_t task) const { return has_tasks() && task >= map_tasks[job]; }

  [[nodiscard]] Amount cores_of(std::size_t row) const { return demand[row * n_resources]; }
  [[nodiscard]] std::span<const Amount> believed_demand_of(std::size_t row) const {
    return (has_estimates() ? estimated_demand : demand).subspan(row * n_resources, n_resources);
  }
  [[nodiscard]] Amount work_of(std::size_t row) const { return cores_of(row) * processing_time[row]; }
};

// Columns of equal length, a row a piece, sorted by (start, job, task, machine).  Times are doubles, as in the schedule.
struct SlotPiecesView {
  std::span<const std::int64_t> job;
  std::span<const std::int64_t> task;
  std::span<const std::int64_t> machine;
  std::span<const Time> start;
  std::span<const Time> end;
  std::span<const Amount> cores;

  [[nodiscard]] std::size_t size() const { return job.size(); }
  [[nodiscard]] Slot start_of(std::size_t piece) const { return static_cast<Slot>(start[piece]); }
  [[nodiscard]] Slot end_of(std::size_t piece) const { return static_cast<Slot>(end[piece]); }
};

// Whether `time` is an integer of at most 2^53 in size, so that a Slot holds it exactly.
[[nodiscard]] bool is_slot_boundary(Time time);

// Throws InvalidInstanceError unless every piece belongs to a task row and a machine in [0, n_machines), has whole
// times, starts at or after the release of its job, ends after it starts and holds a core at least; names the first that
// does not.  Measures need no more to be computed; what they mean takes a schedule without violations (slot_validator).
void require_measurable(const SlotTasksView& tasks, std::size_t n_machines, const SlotPiecesView& pieces);

}  // namespace schedcore
