// What backfilling policies keep in a snapshot; see Policy::write and Policy::read.  Bounds on where jobs fit start afresh:
// they save searches and decide nothing.
#include <algorithm>

#include "schedcore/backfilling/backfill.hpp"
#include "schedcore/backfilling/plan_annealing.hpp"
#include "schedcore/backfilling/reservation_rebuild.hpp"
#include "schedcore/backfilling/reservations.hpp"
#include "schedcore/backfilling/window_backfill.hpp"
#include "schedcore/engine/cluster.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {
namespace {

// When the scan last ran, and whether a run is owed at the end of the interval.
void write_runs(SnapshotWriter& archive, Time last_run, bool is_owed) { archive(last_run, is_owed); }

// Returns the instant of the run that is owed; kNever if there is none.
Time read_runs(SnapshotReader& archive, const BackfillLimits& limits, Time& last_run) {
  const Time now = archive.cluster().now;
  bool is_owed = false;
  archive(last_run, is_owed);
  archive.require(last_run == -kNever || (last_run >= 0 && last_run <= now), "the last run is not in the past");
  if (!is_owed) return kNever;
  const Time next_run = last_run + limits.interval;
  archive.require(next_run > now, "a run is overdue");
  return next_run;
}

// Reservations and the classes of jobs that were looked at.
void read_queue(SnapshotReader& archive, ReservationQueue& queue, FitBounds& bounds) {
  const JobTable& jobs = archive.cluster().jobs;
  const Time now = archive.cluster().now;
  queue.read(archive);
  for (ReservationQueue::Entry& entry : queue.entries()) {
    const Time estimate = jobs.processing_time(entry.job);
    if (entry.is_in_class()) entry.job_class = bounds.add(jobs.demand(entry.job), estimate, jobs.eligibility(entry.job));
    if (!entry.is_reserved()) continue;
    const Time end =
        entry.start > now ? bounds.planned_end(estimate, entry.start, now) : bounds.overdue_end(estimate, now);
    archive.require(entry.end == end && end < kNever, "a reservation ends at another instant than its job");
  }
}

}  // namespace

// A shadow that is not current only says on which machine a head was protected.
void BackfillPolicy::write(SnapshotWriter& archive) const {
  load_.write(archive);
  keys_.write(archive);
  queue_.write(archive);
  freed_.write(archive);
  archive(shadow_is_current_);
  if (!shadow_is_current_) {
    archive(shadow_ ? std::optional<std::uint32_t>(shadow_->machine) : std::optional<std::uint32_t>());
  }
  write_runs(archive, last_run_, wakeup_ < kNever);
  archive(shadows_);
}

void BackfillPolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  load_.read(archive, {});
  keys_.read(archive);
  const auto place_of_next = [&](JobSlot job) {
    const Priority place = place_of(job, cluster.jobs);
    scan_.set_place(job, place);
    return place;
  };
  queue_.read(archive, place_of_next, [&](JobSlot job) { scan_.insert(job, cluster.jobs); });
  archive.require(overtaking_ != Overtaking::never || queue_.n_shown() == 0, "jobs are shown that may not overtake");
  freed_.read(archive);
  for (std::uint32_t machine = 0; machine < cluster.machines.n_machines && !queue_.empty(); ++machine) {
    const auto available = cluster.free_on(machine);
    const JobSlot head = protected_job(cluster.jobs);
    const bool head_fits = cluster.jobs.eligibility(head).allows(machine) && fits(cluster.jobs.demand(head), available);
    archive.require(!head_fits, "the head of the queue fits");
    archive.require(overtaking_ != Overtaking::always || freed_.contains(machine) || !scan_.any_fits(available, machine),
                    "a job waits that fits");
  }
  archive(shadow_is_current_);
  if (shadow_is_current_) {
    archive.require(overtaking_ == Overtaking::protected_head && !queue_.empty(), "nobody casts the shadow");
    look_up_shadow(protected_job(cluster.jobs), cluster.jobs);
  } else {
    std::optional<std::uint32_t> machine;
    archive(machine);
    archive.require(!machine || *machine < cluster.machines.n_machines, "the shadow is on a machine that is not there");
    if (machine) shadow_ = Shadow{kNever, *machine};
  }
  wakeup_ = read_runs(archive, limits_, last_run_);
  archive(shadows_);
  find_told_shadow(cluster.jobs);
}

void WindowBackfillPolicy::write(SnapshotWriter& archive) const {
  for (const JobSlot job : archive.cluster().waiting) archive(n_passes_[job]);
  archive(blocked_.has_value());
  if (blocked_) archive.job(*blocked_);
  archive(counts_);
  BackfillPolicy::write(archive);
}

void WindowBackfillPolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  n_passes_.assign(cluster.jobs.n_slots(), 0);
  for (const JobSlot job : cluster.waiting) archive(n_passes_[job]);
  bool is_blocked = false;
  archive(is_blocked);
  blocked_.reset();
  if (is_blocked) {
    archive.job(blocked_.emplace());
    archive.require(cluster.jobs.state(*blocked_) == JobState::submitted, "a job is protected that does not wait");
  }
  archive(counts_);
  archive.require(counts_.n_cut <= counts_.n_choices, "more searches were cut than made");
  BackfillPolicy::read(archive);
  if (!blocked_) return;
  std::optional<JobSlot> first_due;
  queue_.for_each_first(options_.size, cluster.jobs, [&](JobSlot job, bool /*is_shown*/) {
    if (!first_due && is_due(job)) first_due = job;
  });
  archive.require(blocked_ == first_due, "a job is protected that is not the first that was passed over so often");
}

void ReservationPolicy::write(SnapshotWriter& archive) const {
  queue_.write(archive);
  load_.write(archive);
  freed_.write(archive);
  archive(passes_.is_due, is_strained_, counts_.looks, counts_.moves);
  write_runs(archive, last_run_, run_is_owed_);
  archive(records_);
  archive(is_put_off_, passes_.is_under_way);
  if (passes_.is_under_way) archive(passes_.has_moved, queue_.n_before(next_look_));
  if (is_put_off_) archive(queue_.n_before(next_search_));
}

void ReservationPolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  read_queue(archive, queue_, bounds_);
  load_.read(archive, queue_.occupations());
  freed_.read(archive);
  released_room_.forget();
  // Some of what runs may have started late, without regard to others.
  for (const JobSlot job : cluster.running) released_room_.note_overfull(load_.end_of(job));
  archive(passes_.is_due, is_strained_, counts_.looks, counts_.moves);
  const Time next_run = read_runs(archive, limits_, last_run_);
  run_is_owed_ = next_run < kNever;
  wakeup_ = std::min(queue_.next_start(cluster.now), next_run);
  archive(records_);
  archive(is_put_off_, passes_.is_under_way);
  // Positions count from 0 again.
  const auto read_position = [&](ReservationQueue::Position& position) {
    archive(position);
    archive.require(position <= cluster.waiting.size(), "work goes on behind the end of the queue");
  };
  if (passes_.is_under_way) {
    archive.require(options_.compression != Compression::none, "nothing is ever compressed");
    archive(passes_.has_moved);
    read_position(next_look_);
  }
  if (is_put_off_) {
    archive.require(!queue_.empty(), "work is put off, and nobody waits");
    read_position(next_search_);
    archive.require(next_search_ == 0 || limits_.window < kNever, "searches go on behind jobs that all hold reservations");
    wakeup_ = cluster.now;
  }
  archive.require(is_put_off_ || !passes_.is_under_way || queue_.empty(), "a pass was left off, and nobody goes on with it");
  // What lies before the last job of the scan was looked at: who holds no reservation there is in the scan.
  for (const Entry& entry : queue_.entries()) {
    if (!entry.is_in_scan) continue;
    archive.require(!protects_all(), "jobs are in the scan that all hold reservations");
    scan_.insert(entry.job, cluster.jobs);
    next_unscanned_ = entry.position + 1;
  }
  for (const Entry& entry : queue_.entries()) {
    const bool is_due = entry.start <= cluster.now;
    archive.require(!is_due || (is_strained_ && !fits(cluster.jobs.demand(entry.job), cluster.free_on(entry.machine))),
                    "a job waits whose place has come");
    archive.require(entry.position >= next_unscanned_ || entry.is_in_scan || entry.is_reserved(),
                    "a job was looked at and is not in the scan");
  }
}

void ReplanningPolicy::write_plan(SnapshotWriter& archive) const {
  queue_.write(archive);
  load_.write(archive);
}

void ReplanningPolicy::read_plan(SnapshotReader& archive) {
  read_queue(archive, queue_, bounds_);
  for (const Entry& entry : queue_.entries()) {
    archive.require(!entry.is_in_scan, "jobs are in a scan, and there is none");
    archive.require(entry.start > archive.cluster().now, "a job waits whose place has come");
  }
  load_.read(archive, {});
}

void RebuildPolicy::write(SnapshotWriter& archive) const {
  write_plan(archive);
  archive(records_);
}

void RebuildPolicy::read(SnapshotReader& archive) {
  read_plan(archive);
  wakeup_ = next_start_on_time(archive.cluster().now, archive.cluster().jobs);
  archive(records_);
}

// Whether a plan was made with jobs that could start: only then somebody waits for what it shows.
void PlanAnnealingPolicy::write(SnapshotWriter& archive) const {
  write_plan(archive);
  archive(random_.state(), waits_for_starts_, counts_.searches, counts_.placements, counts_.cut);
}

void PlanAnnealingPolicy::read(SnapshotReader& archive) {
  read_plan(archive);
  std::uint64_t state = 0;
  archive(state, waits_for_starts_, counts_.searches, counts_.placements, counts_.cut);
  random_ = RandomStream(state);
  archive.require(counts_.cut <= counts_.searches, "more searches were cut than made");
  for (const Entry& entry : queue_.entries()) {
    if (!entry.waits) continue;
    archive.require(entry.is_in_class(), "a job waits that was never looked at");
    archive.require(!waits_for_starts_ || entry.is_reserved(), "a job has no place in the plan");
  }
  const Time now = archive.cluster().now;
  next_start_ = queue_.next_start(now);
  if (waits_for_starts_) wakeup_ = next_start_on_time(now, archive.cluster().jobs);
}

}  // namespace schedcore
