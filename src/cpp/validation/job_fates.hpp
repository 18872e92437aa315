// How and when has every job ended, as its runs and those it waits for tell?
//
// A job ends with its first run that is its last one by the rules, unless something has ended it before that run
// begins.  So what runs say from some instant on, which may be wrong, changes nothing that has ended before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "killed_runs.hpp"
#include "schedcore/validation/run_validator.hpp"

namespace schedcore {

struct JobFate {
  Outcome how = Outcome::waiting;
  bool is_known_late = false;  // decisions of that instant did not count it yet
  bool is_by_others = false;   // it left because of those it waited for
  Time time = kNever;          // -kNever: before everything

  [[nodiscard]] bool is_before(Time start) const { return time < start || (time == start && !is_known_late); }
};

class JobFates {
 public:
  // What is given must outlive it.
  JobFates(const ClusterJobsView& jobs, const MachinesView& machines, const RunsView& runs,
           const ClusterEventsView& events, const RunRules& rules, const KilledRuns& killed);

  // To be called once, before the questions below, with all runs by (start, job, attempt, row).  O(n) for n runs, jobs
  // and pairs of jobs that wait for each other, and for each job that others wait for a walk over machines until they
  // have room for it.  Jobs that wait for each other in a circle count as waiting.
  void tell(std::span<const std::size_t> order);

  [[nodiscard]] const JobFate& of(std::size_t job) const { return fates_[job]; }

  // The lowest job whose outcome is not what its feasible runs say.
  [[nodiscard]] std::optional<RunViolation> check_outcomes(std::span<const Outcome> job_outcome) const;

 private:
  [[nodiscard]] Time cancellation_of(std::size_t job) const {
    return events_.cancellation.empty() ? kNever : events_.cancellation[job];
  }
  void tell_from_runs(std::span<const std::size_t> order);
  void tell_after_those_it_waits_for(std::size_t job, std::vector<std::uint8_t>& progress);
  void tell(std::size_t job);
  [[nodiscard]] JobFate impossible_at(std::size_t job) const;
  [[nodiscard]] bool can_run_alone(std::size_t job) const;

  const ClusterJobsView& jobs_;
  const MachinesView& machines_;
  const RunsView& runs_;
  const ClusterEventsView& events_;
  const RunRules& rules_;
  const KilledRuns& killed_;
  std::vector<JobFate> fates_;
  std::vector<Time> first_start_;         // kNever without any run
  std::vector<std::uint8_t> is_awaited_;  // whether others wait for the job; empty if nobody waits
};

}  // namespace schedcore
