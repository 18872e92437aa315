#include "job_histories.hpp"

#include <algorithm>
#include <cmath>

namespace schedcore {

JobHistories::JobHistories(const ClusterJobsView& jobs, const RunsView& runs, const ClusterEventsView& events,
                           const KilledRuns& killed, const JobFates& fates)
    : jobs_(jobs), runs_(runs), events_(events), killed_(killed), fates_(fates), histories_(jobs.jobs.n_jobs()) {}

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
  if (history.has_ended) return found(RunViolationKind::job_has_ended, run, history.last_end);
  const Time cancellation = cancellation_of(job);
  if (end > cancellation) return found(RunViolationKind::past_cancellation, run, cancellation);
  return jobs_.first_awaited.empty() ? std::nullopt : check_awaited(run);
}

std::optional<RunViolation> JobHistories::check_awaited(std::size_t run) const {
  const std::size_t job = job_of(run);
  const auto last = static_cast<std::size_t>(jobs_.first_awaited[job + 1]);
  for (auto row = static_cast<std::size_t>(jobs_.first_awaited[job]); row < last; ++row) {
    const Awaited awaited = jobs_.awaited[row];
    const JobFate& other = fates_.of(static_cast<std::size_t>(jobs_.awaited_job[row]));
    const bool has_ended = other.is_before(runs_.start[run]);
    const bool completed = other.how == Outcome::completed;
    if (has_ended && (awaited == Awaited::end || completed == (awaited == Awaited::completion))) continue;
    RunViolation violation = found(RunViolationKind::dependency_unmet, run, has_ended ? other.time : kNever);
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
  // A run that is not killed is the last one, too.
  const auto rule = outcome == Outcome::killed ? killed_.rule_of(run) : KilledJobs::drop;
  if (rule == KilledJobs::checkpoint && interval > 0) {
    const Time length = runs_.end[run] - runs_.start[run];
    const Time done = history.saved > 0 ? std::max(0.0, length - restart_cost_of(job)) : length;
    history.saved += std::floor(done / interval) * interval;
  }
  history.last_end = runs_.end[run];
  history.has_ended = rule == KilledJobs::drop;
  ++history.n_runs;
}

}  // namespace schedcore
