// A whole workload through an engine: the calendar of arrivals and completions that the embedded engine's caller keeps.
//
// Equal instants are one event.  Every job completes at the double start + processing_time.  Jobs are released in order
// of (release_time, index).  Cost O(N log N) plus the policy's decisions; memory about 150 bytes a job beyond the input.
// Throws what job_checks.hpp says, and PolicyError if the policy leaves a job waiting when nothing can happen any more.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "schedcore/base/monitor.hpp"
#include "schedcore/engine/engine.hpp"

namespace schedcore {

struct SimulationCounts {
  std::uint64_t n_events = 0;
  std::uint64_t n_wakeups = 0;  // events with neither arrival nor completion
};

// `estimate` may be empty: the policy then knows every processing time.  `custom_key` may be empty.  Writes start times
// and machines by job index, and leaves the policy (moved into the engine) to the caller for its records.
SimulationCounts simulate(const JobsView& jobs, std::span<const Time> estimate, std::span<const double> custom_key,
                          Engine& engine, const MachinesView& machines, Monitor* monitor, std::span<Time> start_time,
                          std::span<std::int64_t> machine);

}  // namespace schedcore
