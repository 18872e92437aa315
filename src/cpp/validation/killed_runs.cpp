#include "killed_runs.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace schedcore {

KilledRuns::KilledRuns(const ClusterJobsView& jobs, std::size_t n_machines, const RunsView& runs,
                       const ClusterEventsView& events, const RunRules& rules, const DownTimes& failures)
    : jobs_(jobs),
      n_machines_(n_machines),
      runs_(runs),
      after_failure_(events.killed),
      rules_(rules),
      failures_(failures) {
  if (rules.preempt && !rules.preemptible.empty()) collect_preemptors();
}

void KilledRuns::collect_preemptors() {
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t job = 0; job < rules_.preemptible.size(); ++job) {
    if (rules_.preemptible[job]) lowest = std::min(lowest, level_of(job));
  }
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    const auto job = static_cast<std::size_t>(runs_.job[run]);  // negative numbers become huge ones
    if (job >= jobs_.jobs.n_jobs() || level_of(job) <= lowest) continue;
    const std::int64_t machines = jobs_.machine_set.empty() ? -1 : jobs_.machine_set[job];
    preemptors_.push_back({runs_.start[run], machines, level_of(job), job});
  }
  std::ranges::sort(preemptors_, {}, [](const Preemptors& each) {
    return std::tuple(each.instant, each.machine_set, -each.level, each.job);
  });
  const auto others = std::ranges::unique(
      preemptors_, {}, [](const Preemptors& each) { return std::tuple(each.instant, each.machine_set); });
  preemptors_.erase(others.begin(), others.end());
}

bool KilledRuns::is_known(std::int64_t machine) const {
  return machine >= 0 && static_cast<std::uint64_t>(machine) < n_machines_;
}

bool KilledRuns::fails_at_end(std::size_t run) const {
  for (std::size_t place = runs_.begin_of(run); place < runs_.end_of(run); ++place) {
    const std::int64_t machine = runs_.machine[place];
    if (is_known(machine) && failures_.begins(static_cast<std::size_t>(machine), runs_.end[run])) return true;
  }
  return false;
}

bool KilledRuns::holds_machine_of(std::size_t run, std::size_t job) const {
  for (std::size_t place = runs_.begin_of(run); place < runs_.end_of(run); ++place) {
    const std::int64_t machine = runs_.machine[place];
    if (is_known(machine) && jobs_.may_use(job, static_cast<std::size_t>(machine), n_machines_)) return true;
  }
  return false;
}

bool KilledRuns::may_be_preempted(std::size_t run) const {
  const auto job = static_cast<std::size_t>(runs_.job[run]);
  if (preemptors_.empty() || !rules_.preemptible[job]) return false;
  const auto starters = std::ranges::equal_range(preemptors_, runs_.end[run], {}, &Preemptors::instant);
  return std::ranges::any_of(starters, [this, run, level = level_of(job)](const Preemptors& each) {
    return each.level > level && holds_machine_of(run, each.job);
  });
}

KilledJobs KilledRuns::rule_of(std::size_t run) const {
  if (!rules_.preempt || fails_at_end(run)) return after_failure_;
  return *rules_.preempt;
}

}  // namespace schedcore
