// A whole workload through an engine on a cluster as it is: machines fail and are taken out of service, jobs span machines,
// are killed and run again, or are cancelled.  `simulate` is the calendar of workloads without any of it.
//
// Equal instants are one event, in the order of `Happenings`.  A run takes what is left of the job's work: its processing
// time, or what a checkpoint left of it and the cost of the restart.  Jobs may be left waiting when nothing can happen
// any more.  Cost O((N + runs + incidents) log N) plus the policy's decisions; memory about 200 bytes a job and run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/engine/cluster_columns.hpp"
#include "schedcore/engine/engine.hpp"
#include "schedcore/engine/run_predictions.hpp"
#include "schedcore/engine/simulation.hpp"

namespace schedcore {

// Failures of one machine neither overlap nor touch.  Empty cancellations: none; else kNever for a job that is not cancelled.
struct ClusterIncidents {
  std::span<const AnnouncedOutage> outages = {};
  std::span<const AnnouncedOutage> failures = {};
  std::span<const Time> cancellation = {};
};

enum class JobOutcome : std::uint8_t { completed, killed, cancelled, never, waiting };

struct RunRecord {
  JobSlot job = 0;
  std::uint32_t attempt = 0;
  Time start_time = 0;
  Time end_time = 0;
  JobOutcome outcome = JobOutcome::waiting;  // completed, killed or cancelled, once it has ended
  std::size_t first_place = 0;               // in ClusterHistory::places
  std::size_t n_places = 0;
};

struct ClusterHistory {
  std::vector<RunRecord> runs;  // by start time, then job
  std::vector<TaskPlace> places;
  std::vector<JobOutcome> outcome;  // by job
  SimulationCounts counts;
};

// Puts the columns of all jobs into the engine's table, slot = id = index.  Throws as `simulate` for bad jobs; whether a
// job fits at all is the caller's to check.
void assign_cluster_jobs(const JobsView& jobs, std::span<const Time> estimate, std::span<const double> custom_key,
                         const ClusterColumns& columns, Engine& engine);

// Jobs with `arrives` false never do; their outcome is `never`.  Empty: all arrive.  With `predictions` the policy is told
// these, and other ones of runs that outlive them, in place of the estimates; then nobody may be killed.
[[nodiscard]] ClusterHistory simulate_cluster(const JobsView& jobs, std::span<const bool> arrives,
                                              const ClusterIncidents& incidents, Engine& engine, Monitor* monitor,
                                              RunPredictions predictions = {});

}  // namespace schedcore
