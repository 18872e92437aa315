// What the online non-preemptive family asks of machines and jobs, checked before anything is changed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/engine/job_placements.hpp"

namespace schedcore {

// The different capacities among the machines, row-major, in order of their first machine.  O(n_machines) rows compared
// for each different one.
[[nodiscard]] std::vector<Amount> distinct_capacities(const MachinesView& machines);

// Whether a demand fits an empty machine with one of the capacities, row-major.
[[nodiscard]] bool fits_some(std::span<const Amount> demand, std::span<const Amount> capacities);
// That it does, else InfeasibleError; `id` is the number that messages use.
void check_fits_some(std::int64_t id, std::span<const Amount> demand, std::span<const Amount> capacities);

// The errors of the two inline checks below, which stay small because every job passes through them.
[[noreturn]] void refuse_job_columns(std::int64_t id, Time processing_time, double weight);
[[noreturn]] void refuse_duration(std::int64_t id, Time start, Time processing_time);

// Positive processing time and weight, and some demand, else InvalidInstanceError.
inline void check_job_columns(std::int64_t id, Time processing_time, double weight, std::span<const Amount> demand) {
  bool has_demand = false;
  for (const Amount amount : demand) has_demand |= amount > 0;
  if (!(processing_time > 0 && weight > 0 && has_demand)) refuse_job_columns(id, processing_time, weight);
}

// Placements on machines where the job fits while they are empty, else InfeasibleError; O(R) for each.
void check_allowed_machines(std::int64_t id, std::span<const Amount> demand, const JobPlacements& placements,
                            const MachinesView& machines);

// A planned end that the clock can represent, else InvalidInstanceError; `resolution` is 0 or what ends are rounded up to.
void check_planned_end(std::int64_t id, Time start, Time end, Time resolution);

// An estimate that the job does not outlive, else InvalidInstanceError.
void check_estimate(std::int64_t id, Time processing_time, Time estimate);

// An arrival that is not after the instant until which jobs are collected, else InvalidInstanceError.
void check_collected(std::int64_t id, Time now, Time collect_until);

// A start and an end that the clock can represent: start < start + processing_time < infinity, else InvalidInstanceError.
inline void check_duration(std::int64_t id, Time start, Time processing_time) {
  const Time end = start + processing_time;
  if (!(end > start && end < kNever)) refuse_duration(id, start, processing_time);
}

// A job that arrives at `now` and may have to wait.  One that waits until its end cannot be told from its start would fail
// every decision from then on, so its processing time must be of use until the clock has doubled, or shows 2^32: later
// than today in seconds since 1970.  Else InvalidInstanceError.
void check_late_start(std::int64_t id, Time now, Time processing_time);
[[nodiscard]] bool can_start_late(Time now, Time processing_time);

}  // namespace schedcore
