#include "job_fates.hpp"

#include <algorithm>
#include <tuple>

namespace schedcore {
namespace {

enum FateProgress : std::uint8_t { kUntold, kUnderWay, kTold };

}  // namespace

JobFates::JobFates(const ClusterJobsView& jobs, const MachinesView& machines, const RunsView& runs,
                   const ClusterEventsView& events, const RunRules& rules, const KilledRuns& killed)
    : jobs_(jobs), machines_(machines), runs_(runs), events_(events), rules_(rules), killed_(killed) {}

void JobFates::tell(std::span<const std::size_t> order) {
  const std::size_t n_jobs = jobs_.jobs.n_jobs();
  fates_.assign(n_jobs, JobFate{});
  first_start_.assign(n_jobs, kNever);
  tell_from_runs(order);
  if (jobs_.first_awaited.empty()) {
    for (std::size_t job = 0; job < n_jobs; ++job) tell(job);
    return;
  }
  is_awaited_.assign(n_jobs, 0);
  for (const std::int64_t job : jobs_.awaited_job) is_awaited_[static_cast<std::size_t>(job)] = 1;
  std::vector<std::uint8_t> progress(n_jobs, kUntold);
  for (std::size_t job = 0; job < n_jobs; ++job) tell_after_those_it_waits_for(job, progress);
}

void JobFates::tell_from_runs(std::span<const std::size_t> order) {
  for (const std::size_t run : order) {
    const auto job = static_cast<std::size_t>(runs_.job[run]);  // negative numbers become huge ones
    if (job >= fates_.size()) continue;
    first_start_[job] = std::min(first_start_[job], runs_.start[run]);
    const Outcome how = runs_.outcome[run];
    const bool is_killed = how == Outcome::killed;
    if (fates_[job].how != Outcome::waiting || (is_killed && killed_.rule_of(run) != KilledJobs::drop)) continue;
    // Failures come before the decisions of an instant, preemptions are some.
    fates_[job] = {how, is_killed && !killed_.fails_at_end(run), false, runs_.end[run]};
  }
}

// Depth first, without recursion: chains may be as long as there are jobs.
void JobFates::tell_after_those_it_waits_for(std::size_t job, std::vector<std::uint8_t>& progress) {
  std::vector<std::size_t> stack{job};
  while (!stack.empty()) {
    const std::size_t top = stack.back();
    if (progress[top] == kUntold) {
      progress[top] = kUnderWay;
      const auto last = static_cast<std::size_t>(jobs_.first_awaited[top + 1]);
      for (auto row = static_cast<std::size_t>(jobs_.first_awaited[top]); row < last; ++row) {
        const auto other = static_cast<std::size_t>(jobs_.awaited_job[row]);
        if (progress[other] == kUntold) stack.push_back(other);
      }
      if (stack.back() != top) continue;
    }
    if (progress[top] == kUnderWay) tell(top);
    progress[top] = kTold;
    stack.pop_back();
  }
}

void JobFates::tell(std::size_t job) {
  JobFate& fate = fates_[job];
  if (!is_awaited_.empty() && is_awaited_[job] != 0 && !can_run_alone(job)) {
    fate = {Outcome::never, false, false, -kNever};
    return;
  }
  const Time cancellation = cancellation_of(job);
  const Time release = jobs_.jobs.release_time[job];
  if (cancellation <= release) {
    fate = {Outcome::cancelled, false, false, -kNever};
    return;
  }
  const JobFate impossible = impossible_at(job);
  const Time leaves = std::max(release, impossible.time);
  if (leaves < cancellation && leaves <= first_start_[job] && leaves < kNever) {
    const bool arrives = can_run_alone(job);
    const bool is_known_late = impossible.is_known_late && leaves == impossible.time;
    fate =
        arrives ? JobFate{Outcome::never, is_known_late, true, leaves} : JobFate{Outcome::never, false, false, -kNever};
    return;
  }
  if (fate.how != Outcome::waiting && fate.time <= cancellation) return;
  fate = {cancellation < kNever ? Outcome::cancelled : Outcome::waiting, false, false, cancellation};
}

// When it is known that it can never start because of one that it waits for.
JobFate JobFates::impossible_at(std::size_t job) const {
  JobFate first;
  if (jobs_.first_awaited.empty()) return first;
  const auto last = static_cast<std::size_t>(jobs_.first_awaited[job + 1]);
  for (auto row = static_cast<std::size_t>(jobs_.first_awaited[job]); row < last; ++row) {
    const JobFate& other = fates_[static_cast<std::size_t>(jobs_.awaited_job[row])];
    if (other.how == Outcome::waiting || jobs_.awaited[row] == Awaited::end) continue;
    if ((other.how == Outcome::completed) == (jobs_.awaited[row] == Awaited::completion)) continue;
    if (std::tuple(other.time, other.is_known_late) < std::tuple(first.time, first.is_known_late)) first = other;
  }
  return first;
}

bool JobFates::can_run_alone(std::size_t job) const {
  if (!rules_.forbidden.empty() && rules_.forbidden[job]) return false;
  const Amount most = jobs_.max_tasks.empty() ? 0 : jobs_.max_tasks[job];
  Amount to_place = jobs_.n_tasks.empty() ? 1 : jobs_.n_tasks[job];
  const auto demand = jobs_.jobs.demand_of(job);
  for (std::size_t machine = 0; machine < machines_.n_machines && to_place > 0; ++machine) {
    if (!jobs_.may_use(job, machine, machines_.n_machines)) continue;
    const auto capacity = machines_.capacity_of(machine);
    Amount room = most > 0 ? std::min(most, to_place) : to_place;
    for (std::size_t resource = 0; resource < demand.size(); ++resource) {
      if (demand[resource] > 0) room = std::min(room, capacity[resource] / demand[resource]);
    }
    to_place -= room;
  }
  return to_place == 0;
}

std::optional<RunViolation> JobFates::check_outcomes(std::span<const Outcome> job_outcome) const {
  for (std::size_t job = 0; job < job_outcome.size(); ++job) {
    const JobFate& fate = fates_[job];
    const bool is_cancelled = cancellation_of(job) < kNever;
    Outcome told = fate.how;
    bool agrees = false;
    if (fate.is_by_others) {
      // What is known late counts at the next event, and its cancellation may be that.
      agrees = job_outcome[job] == Outcome::cancelled && fate.is_known_late && is_cancelled;
    } else if (first_start_[job] == kNever) {
      // Whether a job could ever run is not asked.
      told = is_cancelled ? Outcome::cancelled : Outcome::waiting;
      agrees = job_outcome[job] == Outcome::never;
    }
    if (agrees || job_outcome[job] == told) continue;
    RunViolation violation;
    violation.kind = RunViolationKind::wrong_outcome;
    violation.job = static_cast<std::int64_t>(job);
    violation.machine = -1;
    violation.other = static_cast<std::int64_t>(told);
    return violation;
  }
  return std::nullopt;
}

}  // namespace schedcore
