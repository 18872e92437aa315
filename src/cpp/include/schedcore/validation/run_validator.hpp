// Are these runs of jobs on a cluster feasible, and if not, what goes wrong first?
//
// A run is one attempt of a job: [start, end), how it ended, and how many of its tasks are on which machines.  A
// killed job may run again.  Written apart from every algorithm, exact: amounts are integers, and no sum or product
// of them overflows; times are compared as the doubles they are.  Runs that end at an instant free their amounts
// before those that start then take theirs.
//
// Runs are visited by (start, job, attempt, row).  What a run gets wrong as a whole counts at its lowest machine, -1
// where it has none, and what it gets wrong on a machine counts there.  The first violation is the lowest by (start,
// machine, job, row); of several there that of the earlier place, then the first of this list, then the lowest
// resource:
//
//   unknown_job            there is no such job
//   unknown_machine        there is no such machine
//   job_forbidden          the rules let the job never run
//   start_before_release   it starts before the release of the job (bound: the release)
//   no_progress            it does not end after it starts (bound: its end)
//   attempt_out_of_order   the runs of a job are attempts 0, 1, .. in their order (other: the attempt that it should
//                          be)
//   job_runs_twice         an earlier run of the job has not ended (bound: its end)
//   job_has_ended          an earlier run was the last one: completed, cancelled, or killed under KilledJobs::drop
//                          (bound: its end)
//   past_cancellation      it ends after the cancellation of the job (bound: the cancellation)
//   dependency_unmet       a job that it waits for has not ended at its start, or not in the way it should (other:
//                          that job; bound: when it has ended before, kNever if it has not)
//   wrong_n_tasks          it has not as many tasks as the job (excess: above it, negative below it)
//   wrong_length           it completes, at another instant than start + length (bound: that instant)
//   not_cut_short          it is killed or cancelled, not before start + length (bound: that instant)
//   killed_by_nothing      it is killed when none of its machines begins to fail, and nobody preempts it
//   cancelled_by_nobody    it is cancelled before the cancellation of the job (bound: the cancellation, kNever for
//                          none)
//   limit_exceeded         it exceeds a limit beside what runs then, those of this instant that were visited before it
//                          included (other: the row of the limit, excess: above it)
//   machine_twice          it names a machine a second time
//   no_tasks               it has fewer than one task on a machine that it names
//   machine_not_allowed    the job may not use the machine
//   too_many_tasks         it has more tasks on the machine than the job may have on one (excess: so many more)
//   during_outage          it meets an announced outage of the machine (bound: when that begins)
//   during_failure         it meets a failure of the machine; it may end as the failure begins (bound: when that
//                          begins)
//   not_alone              it, or one that runs there, is of an exclusive job (other: that job, where it runs there)
//   capacity_exceeded      it does not fit beside what runs there, those of this instant that were visited before it
//                          included (resource, and excess: usage with it minus capacity)
//
// A time that is no finite number has no place in time: the lowest such row comes before everything else
// (time_not_finite).  If all runs pass and outcomes of jobs are given, the lowest job comes last whose outcome is not
// what its runs say (wrong_outcome; other: what they say, as an Outcome).
//
// Length of a run: p - S, and o more if S > 0, with S the work that earlier runs saved.  A killed run of length L
// saves under KilledJobs::checkpoint, for a job with an interval c > 0: floor(w / c) * c more, where w = L, or max(0,
// L - o) if S > 0 already.  These are operations on doubles, in this order, with L = end - start.
//
// A run of a preemptible job is preempted where a run of a job of a higher level that may use a machine of it starts as
// it ends.  What becomes of the job of a killed run says ClusterEventsView::killed where a machine of it begins to fail
// then, because failures come before all decisions of an instant, and otherwise RunRules::preempt, if anything does.
//
// A job waits for others until all have ended in the way it asks.  A job ends with its last run; or, where that has not
// come, with its cancellation; or as `never` without any run, when one of those it waits for has ended in another way.
// One that is cancelled no later than its release has ended from the start, and so has one that can never run: the
// rules forbid it, or the empty cluster has no room for it.  What a preemption ends counts after its instant only.
//
// Limits count the jobs that run at the start of a run, all that start at that instant included: what runs then was
// decided one after the other, and nothing ended in between but what was preempted, which counts no more.
//
// O(n log n + R * places) time for n runs, where places are the pairs of a run and a machine; O(d) a run for a job that
// waits for d others, O(1) a run and limit, and O(1) a preempted run and set of machines that those who start then may
// use.  For each job that others wait for the machines are walked until they have room for it.
// Memory: about 24 bytes a run, 40 a job and 24 + 8 R a machine; 32 a job more where jobs wait for others or outcomes
// are given, 24 a run more under preemption, and 16 for each party of a limit.  On one core, 300,000 runs on 20
// machines each with R = 4 take about 0.15 s (bench/cpp/run_validator_bench.cpp). Where every job has one task and runs
// once, to its end, on machines without outages, see validator.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "schedcore/base/types.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {

// How a run ends, which is one of the first three, and what becomes of a job.
enum class Outcome : std::uint8_t { completed, killed, cancelled, never, waiting };

enum class KilledJobs : std::uint8_t { requeue, drop, checkpoint };

// What a job waits for of another: that it completes, ends, or ends without completing.
enum class Awaited : std::uint8_t { completion, end, failure };

// Rows of equal length: the machine cannot be used during [start, end).  In any order; rows of a machine may overlap
// and touch, and count as one then.
struct DownView {
  std::span<const std::int64_t> machine;  // below n_machines
  std::span<const Time> start;            // finite
  std::span<const Time> end;              // above start; may be kNever
};

// Jobs of a cluster.  Every span but `jobs` may be empty, which stands for what is written beside it.
struct ClusterJobsView {
  JobsView jobs;                                // demand is that of one task; weight is not read
  std::span<const Amount> n_tasks;              // 1; at least 1
  std::span<const Amount> max_tasks;            // 0: as many on one machine as there are
  std::span<const bool> exclusive;              // none is
  std::span<const std::int64_t> machine_set;    // -1: may use all machines; otherwise a row of `allowed`
  std::span<const bool> allowed;                // row-major (n_sets, n_machines)
  std::span<const Time> checkpoint_interval;    // 0: saves nothing
  std::span<const Time> restart_cost;           // 0
  std::span<const std::int64_t> first_awaited;  // (n_jobs + 1,) rows of the two columns below; empty: nobody waits
  std::span<const std::int64_t> awaited_job;    // below n_jobs
  std::span<const Awaited> awaited;             // as long as awaited_job

  // Both indices are below their numbers.
  [[nodiscard]] bool may_use(std::size_t job, std::size_t machine, std::size_t n_machines) const {
    if (machine_set.empty() || machine_set[job] < 0) return true;
    return allowed[static_cast<std::size_t>(machine_set[job]) * n_machines + machine];
  }
};

// What happened to the cluster.
struct ClusterEventsView {
  DownView outages;
  DownView failures;
  std::span<const Time> cancellation;  // (n_jobs,) when, kNever for never; empty: never
  KilledJobs killed = KilledJobs::requeue;
};

// What a limit adds up over the jobs that run: 1, their tasks, or what all their tasks hold of a resource.
enum class LimitedAmount : std::uint8_t { jobs, tasks, resource };

// At most so much at a time, over the running jobs of one party.
struct RunLimit {
  std::span<const std::int64_t> party;  // (n_jobs,) to whom the job belongs, below n_jobs; -1: to nobody
  std::int64_t only = -1;               // the one party that is limited; -1: each by itself
  LimitedAmount amount = LimitedAmount::jobs;
  std::size_t resource = 0;  // where that is the amount
  Amount most = 0;
};

// What a site asks of runs.  Every span may be empty, which stands for what is written beside it.
struct RunRules {
  std::span<const bool> forbidden;      // none: (n_jobs,) who may never run, whatever else does
  std::span<const std::int64_t> level;  // 0: (n_jobs,)
  std::span<const bool> preemptible;    // none: (n_jobs,) whom jobs of higher levels may end
  std::span<const RunLimit> limits;
  std::optional<KilledJobs> preempt;  // what becomes of those who are preempted; without it nobody is
};

// Rows of equal length, a row a run.  The places of run i are rows first_place[i] .. first_place[i + 1] - 1.
struct RunsView {
  std::span<const std::int64_t> job;
  std::span<const std::int64_t> attempt;
  std::span<const Time> start;
  std::span<const Time> end;
  std::span<const Outcome> outcome;  // completed, killed or cancelled
  std::span<const std::int64_t> first_place;
  std::span<const std::int64_t> machine;
  std::span<const Amount> n_tasks;

  [[nodiscard]] std::size_t size() const { return job.size(); }
  [[nodiscard]] std::size_t begin_of(std::size_t run) const { return static_cast<std::size_t>(first_place[run]); }
  [[nodiscard]] std::size_t end_of(std::size_t run) const { return static_cast<std::size_t>(first_place[run + 1]); }
};

enum class RunViolationKind : std::uint8_t {
  time_not_finite,
  unknown_job,
  unknown_machine,
  job_forbidden,
  start_before_release,
  no_progress,
  attempt_out_of_order,
  job_runs_twice,
  job_has_ended,
  past_cancellation,
  dependency_unmet,
  wrong_n_tasks,
  wrong_length,
  not_cut_short,
  killed_by_nothing,
  cancelled_by_nobody,
  limit_exceeded,
  machine_twice,
  no_tasks,
  machine_not_allowed,
  too_many_tasks,
  during_outage,
  during_failure,
  not_alone,
  capacity_exceeded,
  wrong_outcome,
};

struct RunViolation {
  RunViolationKind kind = RunViolationKind::time_not_finite;
  std::int64_t job = 0;      // as the run says, also where there is none such
  std::int64_t run = -1;     // its row; wrong_outcome: -1
  std::int64_t machine = 0;  // as above; wrong_outcome and time_not_finite: -1
  Time instant = 0;          // the start of the run; wrong_outcome: 0
  std::size_t resource = 0;  // capacity_exceeded only
  Int128 excess = 0;         // units or tasks, as said above, otherwise 0
  Time bound = 0;            // an instant, as said above, otherwise 0
  std::int64_t other = -1;   // as said above, otherwise -1
};

// The first violation, or nothing if the runs are feasible.  Amounts of demand and capacity lie in [0, 2^53], lengths
// are positive and finite.  `job_outcome` has an entry for every job or none at all.
[[nodiscard]] std::optional<RunViolation> find_first_run_violation(const ClusterJobsView& jobs,
                                                                   const MachinesView& machines, const RunsView& runs,
                                                                   const ClusterEventsView& events,
                                                                   std::span<const Outcome> job_outcome,
                                                                   const RunRules& rules = {});

}  // namespace schedcore
