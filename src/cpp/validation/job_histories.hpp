// What has become of every job by now, and may it run once more, so long?
//
// Runs are told one by one, by (start, job, attempt, row).  A run is checked against those that were told before it.
// O(1) a run, O(d) for a job that waits for d others.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "job_fates.hpp"
#include "killed_runs.hpp"
#include "schedcore/validation/run_validator.hpp"

namespace schedcore {

class JobHistories {
 public:
  // What is given must outlive it.  The fates are told before a run is checked, if jobs wait for others.
  JobHistories(const ClusterJobsView& jobs, const RunsView& runs, const ClusterEventsView& events,
               const KilledRuns& killed, const JobFates& fates);

  // The first thing that the run gets wrong, from start_before_release to dependency_unmet, and what its length and its
  // cancellation get wrong.  Its job is known.  The violation has no machine yet.
  [[nodiscard]] std::optional<RunViolation> check_order(std::size_t run) const;
  [[nodiscard]] std::optional<RunViolation> check_length(std::size_t run) const;

  // The run has been checked, and belongs to the history from now on.
  void record(std::size_t run);

 private:
  struct History {
    Time last_end = -kNever;  // of the latest run
    Time saved = 0;           // work that need not be done again
    std::int64_t n_runs = 0;
    bool has_ended = false;  // the latest run was the last one
  };

  [[nodiscard]] std::size_t job_of(std::size_t run) const { return static_cast<std::size_t>(runs_.job[run]); }
  [[nodiscard]] Time cancellation_of(std::size_t job) const;
  [[nodiscard]] Time restart_cost_of(std::size_t job) const;
  [[nodiscard]] Time length_of(std::size_t job) const;
  [[nodiscard]] std::optional<RunViolation> check_awaited(std::size_t run) const;
  [[nodiscard]] RunViolation found(RunViolationKind kind, std::size_t run, Time bound) const;

  const ClusterJobsView& jobs_;
  const RunsView& runs_;
  const ClusterEventsView& events_;
  const KilledRuns& killed_;
  const JobFates& fates_;
  std::vector<History> histories_;
};

}  // namespace schedcore
