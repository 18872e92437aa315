// Jobs of map and reduce tasks, slot by slot: the extension of OCORP to MapReduce, and its baselines.
//
// A job has two phases of equal tasks; its reduce tasks may run from the slot after the last map work.  Only the phase
// that a job is in, its active phase, takes part in a slot t: phases are walked by (key, job), and the tasks of a phase by
// number; each task gets min(its cores, what it still needs, what is left of all cores).  The key of OCORP is
//
//     (W - lambda) / cores,   W = (2 (t - release)^k + P^k) / (2 n p),
//
// for a phase of n tasks that take p slots, P the sum of p over the phases of the job; lambda belongs to the phase and
// follows max(0, lambda + mu(t) (r - x / n)), where x is the number of its tasks that ran in the slot, those with fewer
// cores counted in part, and r = min(1, work in tasks x slots / (n (Gamma - release))), 1 where Gamma <= release.  In
// doubles, in this order [Xu2021, section V, with its gaps filled].  The cores of tasks are then packed as those of jobs
// are, or placed where latency is least.
//
// Cost of a slot: O(active phases + tasks that run), and the packing where other tasks run, or with other cores, than in
// the slot before.  Stretches in which no amount can change (baselines, but SRPT and SRVF only while no phase lacks cores;
// OCORP while every task has all it can use) are one step, but for the recursion of lambda, which runs slot by slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/model/slots.hpp"
#include "schedcore/preemptive/dual_multipliers.hpp"
#include "schedcore/preemptive/slot_calendar.hpp"
#include "schedcore/preemptive/piece_recorder.hpp"

namespace schedcore {

// One row a job.  The boundary has checked: at least one map task; tasks, cores and times of phases that have tasks are
// at least 1; the work of a job is below 2^53; no task asks for more cores than there are; tasks are fewer than 2^31.
struct MapReduceJobs {
  struct Phases {
    std::span<const std::int64_t> tasks;
    std::span<const Amount> cores;
    std::span<const Slot> time;
  };
  std::span<const Slot> release_time;
  Phases map;
  Phases reduce;  // where a job has no reduce tasks, cores and time mean nothing

  [[nodiscard]] std::size_t n_jobs() const { return release_time.size(); }
};

// Smallest key first: OCORP's; the remaining time of the slowest map task and the slowest reduce task, added; remaining
// work; work; cores of a task of the active phase; release time.
enum class MapReduceOrder { ocorp, srpt, srvf, svf, srf, fifo };

struct MapReduceRules {
  MapReduceOrder order = MapReduceOrder::ocorp;
  DualRules dual;                   // of OCORP alone
  bool work_conserving = true;      // otherwise OCORP serves only keys below 0
  bool sticky = false;              // packing: tasks stay where they ran in the slot before
  std::span<const double> latency;  // of tasks (rows: jobs, then tasks) and machines; empty: tasks are packed
  Slot max_slots = kNoSlot;         // the run ends with this slot
  bool record_multipliers = false;
};

struct MapReduceOutcome {
  // Of the slot in which the last work was done; infinite for what a run cut short did not finish.
  std::vector<double> completion_time;
  std::vector<double> map_completion_time;
  PieceRecorder pieces{true};  // finished; tasks are numbered within the job, map tasks first
  // Per slot and active phase, ascending by (slot, job): lambda as the key of that slot has it.
  std::vector<Slot> multiplier_slot;
  std::vector<std::int64_t> multiplier_job;
  std::vector<double> multiplier;
};

// Polls `monitor`, which may be null, with jobs finished.  Throws UnsupportedError where a run goes beyond slot 2^53.
[[nodiscard]] MapReduceOutcome run_mapreduce(const MapReduceJobs& jobs, std::span<const Amount> capacity,
                                             const MapReduceRules& rules, Monitor* monitor);

}  // namespace schedcore
