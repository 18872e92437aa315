// What an embedded engine knows of its jobs and machines, as columns; as of the last decision.
//
// Cost: one pass over the jobs, and sorting them by id; one pass over the machines and the places of the running jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedcore/engine/decided_state.hpp"
#include "schedcore/engine/machine_table.hpp"

namespace schedcore {

// A row for every job that is alive, in order of id.  Machines have the numbers that the table gives them.
struct JobRows {
  std::vector<std::int64_t> id;
  std::vector<JobState> state;        // planned ones are waiting
  std::vector<Time> release_time;
  std::vector<Time> processing_time;  // of the next run, or the one under way, as the policy is told
  std::vector<std::int64_t> reservation;  // that it names; -1 for none
  std::vector<double> weight;
  std::vector<std::int64_t> n_tasks;
  std::vector<Amount> demand;         // row-major, of one task
  std::vector<std::int64_t> machine;  // of a running job, the first in the order of placement; otherwise -1
  std::vector<Time> start_time;       // of a running job; otherwise NaN
  std::vector<Time> estimated_end;    // as expected by now; NaN unless it runs
  std::vector<IdTasks> tasks;         // of the running jobs
};

// Of the jobs in this state, `submitted` for all that wait, or of all.
[[nodiscard]] JobRows job_rows(const DecidedState& state, const MachineTable& table, std::optional<JobState> only);

enum class MachineState : std::uint8_t { up, outage, failed, closed };

// A row for every machine that is not removed, in order of preference.
struct MachineRows {
  std::vector<std::int64_t> machine;
  std::vector<MachineState> state;  // closed, else failed, else outage
  std::vector<Amount> capacity;     // row-major
  std::vector<Amount> used;         // row-major, by running jobs; an exclusive one uses all of its machines
  std::vector<Amount> reserved;     // row-major, by reservations that have begun, for the jobs that name them
  std::vector<Amount> free;         // row-major, for all others; 0 where nothing can start
  std::vector<std::int64_t> n_jobs;  // that run there with a task
};

[[nodiscard]] MachineRows machine_rows(const DecidedState& state, const MachineTable& table);

// A row for every share of a reservation that is not over, by reservation, then by order of preference.
struct ReservationRows {
  std::vector<std::int64_t> reservation;
  std::vector<Time> start;
  std::vector<Time> end;
  std::vector<std::int64_t> machine;
  std::vector<Amount> amounts;  // row-major
  std::vector<Amount> free;     // row-major, beside the jobs inside
};

[[nodiscard]] ReservationRows reservation_rows(const DecidedState& state, const MachineTable& table);

}  // namespace schedcore
