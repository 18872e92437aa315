// Why did a killed run end, and what becomes of its job?
//
// A failure of one of its machines comes before all decisions of its instant; who is killed by none may have been
// preempted.  O(places * log n) a question, and for a preempted run O(places) more for each set of machines that those
// who start then may use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "down_times.hpp"
#include "schedcore/validation/run_validator.hpp"

namespace schedcore {

class KilledRuns {
 public:
  // What is given must outlive it.
  KilledRuns(const ClusterJobsView& jobs, std::size_t n_machines, const RunsView& runs, const ClusterEventsView& events,
             const RunRules& rules, const DownTimes& failures);

  // Whether a failure of one of its machines begins as the run ends.
  [[nodiscard]] bool fails_at_end(std::size_t run) const;

  // Whether a job of a higher level starts as the run ends that may use a machine of it.  The job of the run is known.
  [[nodiscard]] bool may_be_preempted(std::size_t run) const;

  // Of a run that is killed.
  [[nodiscard]] KilledJobs rule_of(std::size_t run) const;

 private:
  // Jobs that start at an instant, and may use the same machines.
  struct Preemptors {
    Time instant = 0;
    std::int64_t machine_set = -1;
    std::int64_t level = 0;  // the highest of them
    std::size_t job = 0;     // one that has it
  };

  [[nodiscard]] std::int64_t level_of(std::size_t job) const { return rules_.level.empty() ? 0 : rules_.level[job]; }
  void collect_preemptors();
  [[nodiscard]] bool is_known(std::int64_t machine) const;
  [[nodiscard]] bool holds_machine_of(std::size_t run, std::size_t job) const;

  const ClusterJobsView& jobs_;
  std::size_t n_machines_;
  const RunsView& runs_;
  KilledJobs after_failure_;
  const RunRules& rules_;
  const DownTimes& failures_;
  std::vector<Preemptors> preemptors_;  // by (instant, machine set), each pair once; empty where nobody is preempted
};

}  // namespace schedcore
