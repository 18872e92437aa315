#include "schedcore/engine/cluster_simulation.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "schedcore/engine/job_checks.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kNoRun = std::numeric_limits<std::size_t>::max();

// Machines or jobs with an instant each, taken in order of time.
class Schedule {
 public:
  void reserve(std::size_t n) { entries_.reserve(n); }
  void add(Time time, std::uint32_t what) {
    if (time < kNever) entries_.emplace_back(time, what);
  }
  void sort() {
    if (!std::ranges::is_sorted(entries_)) std::ranges::sort(entries_);  // as most logs are
  }
  [[nodiscard]] Time next() const { return first_ < entries_.size() ? entries_[first_].first : kNever; }
  [[nodiscard]] std::uint32_t first() const { return entries_[first_].second; }
  void drop_first() { ++first_; }
  void take(Time now, std::vector<std::uint32_t>& taken) {
    taken.clear();
    for (; next() == now; ++first_) taken.push_back(entries_[first_].second);
  }

 private:
  std::vector<std::pair<Time, std::uint32_t>> entries_;
  std::size_t first_ = 0;
};

class ClusterCalendar {
 public:
  ClusterCalendar(const JobsView& jobs, std::span<const bool> arrives, const ClusterIncidents& incidents, Engine& engine,
                  RunPredictions predictions)
      : jobs_(jobs),
        engine_(engine),
        predictions_(std::move(predictions)),
        run_of_(jobs.n_jobs(), kNoRun),
        attempts_(jobs.n_jobs()) {
    history_.outcome.assign(jobs.n_jobs(), JobOutcome::waiting);
    arrivals_.reserve(jobs.n_jobs());
    for (JobSlot job = 0; job < jobs.n_jobs(); ++job) {
      const Time cancelled = incidents.cancellation.empty() ? kNever : incidents.cancellation[job];
      if (!arrives.empty() && !arrives[job]) {
        history_.outcome[job] = JobOutcome::never;
        engine.end_outside(job);
      } else if (cancelled <= jobs.release_time[job]) {
        history_.outcome[job] = JobOutcome::cancelled;
        engine.end_outside(job);
      } else {
        arrivals_.add(jobs.release_time[job], job);
        cancellations_.add(cancelled, job);
        ++n_open_;
      }
    }
    for (const AnnouncedOutage& failure : incidents.failures) {
      failures_.add(failure.span.begin, failure.machine);
      repairs_.add(failure.span.end, failure.machine);
    }
    for (Schedule* each : {&arrivals_, &cancellations_, &failures_, &repairs_}) each->sort();
    engine.announce(incidents.outages);
    history_.runs.reserve(n_open_);
    history_.places.reserve(n_open_);
  }

  ClusterHistory run(Monitor* monitor) {
    engine_.watch(monitor, jobs_.n_jobs());
    while (n_open_ > 0) {
      const Time now = next_instant();
      if (now == kNever) break;
      step(now);
      if (++history_.counts.n_events % kEventsBetweenPolls == 0) engine_.poll();
    }
    engine_.watch(nullptr, 0);
    sort_runs();
    return std::move(history_);
  }

 private:
  struct Completes {
    Time time = 0;
    JobSlot job = 0;
    std::size_t run = 0;
    friend bool operator>(const Completes& a, const Completes& b) {
      return std::tie(a.time, a.job) > std::tie(b.time, b.job);
    }
  };

  [[nodiscard]] bool is_open(JobSlot job) const { return history_.outcome[job] == JobOutcome::waiting; }

  Time next_instant() {
    while (!running_.empty() && run_of_[running_.top().job] != running_.top().run) running_.pop();
    while (cancellations_.next() < kNever && !is_open(cancellations_.first())) cancellations_.drop_first();
    const Time completion = running_.empty() ? kNever : running_.top().time;
    while (!outlived_.empty() && run_of_[outlived_.top().job] != outlived_.top().run) outlived_.pop();
    const Time outlived = outlived_.empty() ? kNever : outlived_.top().time;
    return std::min({engine_.next_wakeup(), arrivals_.next(), completion, outlived, cancellations_.next(), failures_.next(),
                     repairs_.next(), engine_.availability().next_end()});
  }

  void step(Time now) {
    completed_.clear();
    for (; !running_.empty() && running_.top().time == now; running_.pop()) {
      if (run_of_[running_.top().job] == running_.top().run) completed_.push_back(running_.top().job);
    }
    repairs_.take(now, repaired_);
    failures_.take(now, failed_);
    cancellations_.take(now, cancelled_);
    // One that completes now has ended.
    std::erase_if(cancelled_, [&](JobSlot job) { return !is_open(job) || std::ranges::binary_search(completed_, job); });
    arrivals_.take(now, arrived_);
    if (predictions_.any()) predict(now);
    const bool nothing_happens = completed_.empty() && repaired_.empty() && failed_.empty() && cancelled_.empty() &&
                                 arrived_.empty() && updated_.empty() && engine_.availability().next_end() > now;
    if (nothing_happens) ++history_.counts.n_wakeups;

    starts_.clear();
    killed_.clear();
    happenings_.now = now;
    happenings_.repaired = repaired_;
    happenings_.completed = completed_;
    happenings_.failed = failed_;
    happenings_.cancelled = cancelled_;
    happenings_.arrived = arrived_;
    happenings_.updated = updated_;
    engine_.advance(happenings_, starts_, killed_);
    engine_.forget_shortened();

    idle_.note(nothing_happens && starts_.empty(), now);
    for (const JobSlot job : completed_) settle(job, now, JobOutcome::completed);
    for (const auto& [job, is_dropped] : killed_) {
      if (is_dropped) {
        settle(job, now, JobOutcome::killed);
      } else {
        end_run(job, now, JobOutcome::killed);
      }
    }
    for (const JobSlot job : cancelled_) settle(job, now, JobOutcome::cancelled);
    for (const JobSlot job : engine_.left()) settle(job, now, JobOutcome::never);
    for (const auto& [job, is_dropped] : engine_.preempted()) {
      if (is_dropped) {
        settle(job, now, JobOutcome::killed);
      } else {
        end_run(job, now, JobOutcome::killed);
      }
    }
    for (const Placement& start : starts_) begin_run(start.job, now);
  }

  // Who completes now teaches what is said of those that arrive now.
  void predict(Time now) {
    for (const JobSlot job : completed_) predictions_.note(job, now - history_.runs[run_of_[job]].start_time);
    for (const JobSlot job : arrived_) engine_.jobs().set_run_estimate(job, predictions_.predict(job));
    updated_.clear();
    for (; !outlived_.empty() && outlived_.top().time == now; outlived_.pop()) {
      const auto [time, job, run] = outlived_.top();
      const bool has_ended = std::ranges::binary_search(completed_, job) || std::ranges::binary_search(cancelled_, job);
      if (run_of_[job] != run || has_ended) continue;
      const Time start = history_.runs[run].start_time;
      JobUpdate& update = updated_.emplace_back();
      update.job = job;
      update.run_estimate = predictions_.correct(job, now - start);
    }
    for (const JobUpdate& update : updated_) expect_end(update.job);
  }

  // The next instant at which its prediction is to be another one, if it still runs.
  void expect_end(JobSlot job) {
    if (!predictions_.may_last_longer(job)) return;
    outlived_.push({history_.runs[run_of_[job]].start_time + predictions_.predicted(job), job, run_of_[job]});
  }

  void begin_run(JobSlot job, Time now) {
    RunRecord record{job, attempts_[job]++, now, kNever, JobOutcome::waiting, history_.places.size(), 0};
    const JobTable& table = engine_.jobs();
    table.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) { history_.places.push_back({machine, n_tasks}); });
    record.n_places = history_.places.size() - record.first_place;
    run_of_[job] = history_.runs.size();
    running_.push({now + table.restart(job).left_of(jobs_.processing_time[job]), job, run_of_[job]});
    history_.runs.push_back(record);
    if (predictions_.any()) expect_end(job);
  }

  void end_run(JobSlot job, Time now, JobOutcome outcome) {
    if (run_of_[job] == kNoRun) return;
    RunRecord& record = history_.runs[run_of_[job]];
    record.end_time = now;
    record.outcome = outcome;
    run_of_[job] = kNoRun;
  }

  void settle(JobSlot job, Time now, JobOutcome outcome) {
    if (!is_open(job)) return;  // dropped and cancelled at one instant
    end_run(job, now, outcome);
    history_.outcome[job] = outcome;
    engine_.jobs().remove(job);
    --n_open_;
  }

  // Starts of one instant come in the order in which they were decided.
  void sort_runs() {
    bool is_sorted = true;
    for (auto first = history_.runs.begin(); first != history_.runs.end();) {
      const auto starts_later = [&](const RunRecord& record) { return record.start_time != first->start_time; };
      const auto last = std::find_if(first, history_.runs.end(), starts_later);
      const std::ranges::subrange of_instant(first, last);
      if (!std::ranges::is_sorted(of_instant, {}, &RunRecord::job)) {
        std::ranges::sort(of_instant, {}, &RunRecord::job);
        is_sorted = false;
      }
      first = last;
    }
    if (is_sorted) return;
    std::vector<TaskPlace> places;
    places.reserve(history_.places.size());
    for (RunRecord& record : history_.runs) {
      const auto first = history_.places.begin() + static_cast<std::ptrdiff_t>(record.first_place);
      record.first_place = places.size();
      places.insert(places.end(), first, first + static_cast<std::ptrdiff_t>(record.n_places));
    }
    history_.places = std::move(places);
  }

  const JobsView& jobs_;
  Engine& engine_;
  RunPredictions predictions_;
  Schedule arrivals_;
  Schedule cancellations_;
  Schedule failures_;
  Schedule repairs_;
  std::priority_queue<Completes, std::vector<Completes>, std::greater<>> running_;  // with runs that were cut short
  std::priority_queue<Completes, std::vector<Completes>, std::greater<>> outlived_;  // ends by predictions, likewise
  std::vector<std::size_t> run_of_;  // by job: of the one that lasts
  std::vector<std::uint32_t> attempts_;
  std::size_t n_open_ = 0;  // jobs whose outcome is not decided
  ClusterHistory history_;

  // Of the step under way.
  std::vector<JobSlot> completed_;
  std::vector<std::uint32_t> repaired_;
  std::vector<std::uint32_t> failed_;
  std::vector<JobSlot> cancelled_;
  std::vector<JobSlot> arrived_;
  std::vector<JobUpdate> updated_;
  std::vector<KilledJob> killed_;
  Happenings happenings_;
  IdleWakeups idle_;
  std::vector<Placement> starts_;
};

}  // namespace

void assign_cluster_jobs(const JobsView& jobs, std::span<const Time> estimate, std::span<const double> custom_key,
                         const ClusterColumns& columns, Engine& engine) {
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    const auto id = static_cast<std::int64_t>(job);
    check_job_columns(id, jobs.processing_time[job], jobs.weight[job], jobs.demand_of(job));
    check_duration(id, jobs.release_time[job], jobs.processing_time[job]);
    if (!estimate.empty()) {
      check_estimate(id, jobs.processing_time[job], estimate[job]);
      check_duration(id, jobs.release_time[job], estimate[job]);
    }
  }
  JobTable& table = engine.jobs();
  table.assign(jobs, estimate.empty() ? jobs.processing_time : estimate, custom_key);
  for (JobSlot job = 0; !columns.is_plain() && job < jobs.n_jobs(); ++job) {
    const JobPlacements placements = columns.placements_of(job);
    if (!placements.is_plain()) table.set_placements(job, placements);
  }
  std::vector<AwaitedJob> awaited;
  for (JobSlot job = 0; !columns.parties.awaited_start.empty() && job < jobs.n_jobs(); ++job) {
    engine.awaited().add(job, columns.parties.awaited_by(job, awaited));
  }
  if (!table.has_site()) return;
  const SiteParties parties(columns.parties, *table.site());
  table.site()->reserve(jobs.n_jobs());
  for (JobSlot job = 0; job < jobs.n_jobs(); ++job) table.set_parties(job, parties.of(job));
}

ClusterHistory simulate_cluster(const JobsView& jobs, std::span<const bool> arrives, const ClusterIncidents& incidents,
                                Engine& engine, Monitor* monitor, RunPredictions predictions) {
  return ClusterCalendar(jobs, arrives, incidents, engine, std::move(predictions)).run(monitor);
}

}  // namespace schedcore
