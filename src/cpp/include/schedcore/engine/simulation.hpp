// A whole workload through an engine: the calendar of arrivals and completions that the embedded engine's caller keeps.
//
// Equal instants are one event.  Every job completes at the double start + processing_time, on the machine where it
// started if machines differ in that.  Jobs are released in order of (release_time, index).  Cost O(N log N) plus the
// policy's decisions; memory about 150 bytes a job beyond the input.
// Throws what job_checks.hpp says, and PolicyError if the policy leaves a job waiting when nothing can happen any more.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/engine/cluster_columns.hpp"
#include "schedcore/engine/engine.hpp"

namespace schedcore {

inline constexpr std::uint64_t kEventsBetweenPolls = 1024;

// A policy of somebody's own may ask to be woken for ever.  So many wake-ups in a row at which nothing happens and nothing
// starts are in vain, and a PolicyError.
class IdleWakeups {
 public:
  static constexpr std::uint64_t kMost = 1'000'000;

  [[nodiscard]] bool are_in_vain(bool is_idle) {
    n_in_a_row_ = is_idle ? n_in_a_row_ + 1 : 0;
    return n_in_a_row_ >= kMost;
  }
  void note(bool is_idle, Time now) {
    if (are_in_vain(is_idle)) refuse(now);
  }

 private:
  [[noreturn]] static void refuse(Time now);

  std::uint64_t n_in_a_row_ = 0;
};

struct SimulationCounts {
  std::uint64_t n_events = 0;
  std::uint64_t n_wakeups = 0;  // events with neither arrival nor completion
};

// `estimate` may be empty: the policy then knows every processing time.  `custom_key` may be empty.  Of `columns` counts
// where jobs may run; jobs of several tasks or that want a machine for themselves are an UnsupportedError, and so are any
// such columns where the policy does not heed placements.  Writes start times and machines by job index, and leaves the
// policy (moved into the engine) to the caller for its records.
SimulationCounts simulate(const JobsView& jobs, std::span<const Time> estimate, std::span<const double> custom_key,
                          const ClusterColumns& columns, Engine& engine, const MachinesView& machines, Monitor* monitor,
                          std::span<Time> start_time, std::span<std::int64_t> machine);

// The same for jobs that are in the engine's table already, slot = id = index.  `processing_time` may be empty: then jobs
// take what the table says.  `started`, unless null, receives every start in the order in which they were decided.
SimulationCounts run_calendar(Engine& engine, std::span<const Time> release_time, std::span<const Time> processing_time,
                              Monitor* monitor, std::vector<Placement>* started = nullptr);

}  // namespace schedcore
