#include "job_histories.hpp"

#include <algorithm>
#include <cmath>

namespace schedcore {

JobHistories::JobHistories(const ClusterJobsView& jobs, const RunsView& runs, const ClusterEventsView& events,
                           std::span<const Outcome> job_outcome)
    : jobs_(jobs), runs_(runs), events_(events), job_outcome_(job_outcome), histories_(jobs.jobs.n_jobs()) {
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (job_of(run) < histories_.size()) histories_[job_of(run)].ever_runs = true;
  }
}

RunViolation JobHistories::found(RunViolationKind kind, std::size_t run, Time bound) const {
  RunViolation violation;
  violation.kind = kind;
  violation.job = runs_.job[run];
  violation.run = static_cast<std::int64_t>(run);
  violation.instant = runs_.start[run];
  violation.bound = bound;
  return violation;
}

Time JobHistories::cancellation_of(std::size_t job) const {
  return events_.cancellation.empty() ? kNever : events_.cancellation[job];
}

Time JobHistories::restart_cost_of(std::size_t job) const {
  return jobs_.restart_cost.empty() ? 0 : jobs_.restart_cost[job];
}

Time JobHistories::length_of(std::size_t job) const {
  const Time saved = histories_[job].saved;
  const Time work = jobs_.jobs.processing_time[job] - saved;
  return saved > 0 ? work + restart_cost_of(job) : work;
}

bool JobHistories::has_ended(const History& history) const {
  switch (history.last_outcome) {
    case Outcome::completed:
    case Outcome::cancelled:
      return true;
    case Outcome::killed:
      return events_.killed == KilledJobs::drop;
    default:
      return false;
  }
}

std::optional<RunViolation> JobHistories::check_order(std::size_t run) const {
  const std::size_t job = job_of(run);
  const History& history = histories_[job];
  const Time start = runs_.start[run];
  const Time end = runs_.end[run];
  const Time release = jobs_.jobs.release_time[job];
  if (start < release) return found(RunViolationKind::start_before_release, run, release);
  if (!(end > start)) return found(RunViolationKind::no_progress, run, end);
  if (runs_.attempt[run] != history.n_runs) {
    RunViolation violation = found(RunViolationKind::attempt_out_of_order, run, 0);
    violation.other = history.n_runs;
    return violation;
  }
  if (start < history.last_end) return found(RunViolationKind::job_runs_twice, run, history.last_end);
  if (has_ended(history)) return found(RunViolationKind::job_has_ended, run, history.last_end);
  const Time cancellation = cancellation_of(job);
  if (end > cancellation) return found(RunViolationKind::past_cancellation, run, cancellation);
  if (jobs_.first_awaited.empty()) return std::nullopt;
  const auto last = static_cast<std::size_t>(jobs_.first_awaited[job + 1]);
  for (auto row = static_cast<std::size_t>(jobs_.first_awaited[job]); row < last; ++row) {
    if (is_met(static_cast<std::size_t>(jobs_.awaited_job[row]), jobs_.awaited[row], start)) continue;
    RunViolation violation = found(RunViolationKind::dependency_unmet, run, 0);
    violation.other = jobs_.awaited_job[row];
    return violation;
  }
  return std::nullopt;
}

std::optional<RunViolation> JobHistories::check_length(std::size_t run) const {
  const std::size_t job = job_of(run);
  const Time end = runs_.end[run];
  const Time whole = runs_.start[run] + length_of(job);
  if (runs_.outcome[run] == Outcome::completed) {
    if (end == whole) return std::nullopt;
    return found(RunViolationKind::wrong_length, run, whole);
  }
  if (!(end < whole)) return found(RunViolationKind::not_cut_short, run, whole);
  const Time cancellation = cancellation_of(job);
  if (runs_.outcome[run] == Outcome::cancelled && end != cancellation) {
    return found(RunViolationKind::cancelled_by_nobody, run, cancellation);
  }
  return std::nullopt;
}

void JobHistories::record(std::size_t run) {
  const std::size_t job = job_of(run);
  History& history = histories_[job];
  const Outcome outcome = runs_.outcome[run];
  const Time interval = jobs_.checkpoint_interval.empty() ? 0 : jobs_.checkpoint_interval[job];
  if (outcome == Outcome::killed && events_.killed == KilledJobs::checkpoint && interval > 0) {
    const Time length = runs_.end[run] - runs_.start[run];
    const Time done = history.saved > 0 ? std::max(0.0, length - restart_cost_of(job)) : length;
    history.saved += std::floor(done / interval) * interval;
  }
  history.last_end = runs_.end[run];
  history.last_outcome = outcome;
  ++history.n_runs;
}

bool JobHistories::is_met(std::size_t job, Awaited awaited, Time now) const {
  const History& history = histories_[job];
  if (has_ended(history) && history.last_end <= now) {
    const bool completed = history.last_outcome == Outcome::completed;
    return awaited == Awaited::end || completed == (awaited == Awaited::completion);
  }
  if (awaited == Awaited::completion) return false;
  const Time cancellation = cancellation_of(job);
  // A run that is under way then ends with the cancellation, and one that is to come would be past it.
  if (cancellation <= now || cancellation <= jobs_.jobs.release_time[job]) return true;
  if (history.ever_runs) return false;
  return job_outcome_.empty() || job_outcome_[job] == Outcome::never;
}

std::optional<RunViolation> JobHistories::check_outcomes() const {
  for (std::size_t job = 0; job < job_outcome_.size(); ++job) {
    const History& history = histories_[job];
    Outcome told = Outcome::waiting;
    if (has_ended(history)) {
      told = history.last_outcome;
    } else if (cancellation_of(job) < kNever) {
      told = Outcome::cancelled;
    }
    if (job_outcome_[job] == told) continue;
    // Whether a job could ever run is not to be seen in its runs.
    if (job_outcome_[job] == Outcome::never && history.n_runs == 0) continue;
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
