// What callers of an embedded engine record beside arrivals and completions, and how jobs stand as far as is recorded.
#include <algorithm>
#include <string>
#include <utility>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/number_text.hpp"
#include "schedcore/engine/job_checks.hpp"
#include "schedcore/engine/online_scheduler.hpp"

namespace schedcore {

void OnlineScheduler::check_heeds_clusters() const {
  if (journal_.state().may_be_disturbed()) return;
  throw UnsupportedError("this policy heeds neither jobs of several tasks nor failures, outages, cancellations and holds");
}

OnlineScheduler::Standing OnlineScheduler::standing(std::int64_t id) const {
  const auto noted = standing_.find(id);
  if (noted != standing_.end()) return noted->second;
  if (arriving_.contains(id)) return Standing::arriving;
  if (completing_.contains(id)) return Standing::ended;
  if (!journal_.state().knows(id)) return Standing::unknown;
  switch (journal_.state().job_state(id)) {
    case JobState::running: return Standing::running;
    case JobState::held: return Standing::held;
    case JobState::awaiting: return Standing::waiting;
    case JobState::submitted:
    case JobState::planned:
    case JobState::reserved: return Standing::waiting;
    case JobState::free_slot: break;
  }
  return Standing::unknown;
}

template <class May>
void OnlineScheduler::record_changes(ChangeKind kind, std::span<const std::int64_t> ids, Time now, const May& may,
                                     const char* otherwise, const std::function<Standing(Standing)>& then) {
  check_heeds_clusters();
  check_record(now);
  std::vector<std::pair<std::int64_t, Standing>> next;
  next.reserve(ids.size());
  for (const std::int64_t id : ids) {
    const Standing before = standing(id);
    if (!may(before)) {
      throw InvalidInstanceError("job " + std::to_string(id) +
                                 (before == Standing::unknown || before == Standing::ended ? " is unknown or has ended already"
                                                                                           : otherwise));
    }
    next.emplace_back(id, then(before));
  }
  for (const auto& [id, after] : next) {
    pending_.add_change(now, {.kind = kind, .subject = id});
    standing_[id] = after;
  }
}

void OnlineScheduler::cancel(std::span<const std::int64_t> ids, Time now) {
  record_changes(
      ChangeKind::cancel, ids, now,
      [](Standing standing) { return standing != Standing::unknown && standing != Standing::ended; }, "",
      [](Standing /*before*/) { return Standing::ended; });
}

void OnlineScheduler::hold(std::span<const std::int64_t> ids, Time now) {
  record_changes(
      ChangeKind::hold, ids, now,
      [](Standing standing) {
        return standing == Standing::waiting || standing == Standing::arriving || standing == Standing::killed;
      },
      " cannot be held: it does not wait", [](Standing /*before*/) { return Standing::held; });
}

void OnlineScheduler::release(std::span<const std::int64_t> ids, Time now) {
  record_changes(
      ChangeKind::release, ids, now, [](Standing standing) { return standing == Standing::held; },
      " cannot be released: it is not held", [](Standing /*before*/) { return Standing::waiting; });
}

void OnlineScheduler::requeue(std::span<const std::int64_t> ids, Time now) {
  const bool drops = journal_.state().kill_rule() == KillRule::drop;
  record_changes(
      ChangeKind::requeue, ids, now, [](Standing standing) { return standing == Standing::running; },
      " cannot be requeued: it does not run",
      [drops](Standing /*before*/) { return drops ? Standing::ended : Standing::waiting; });
}

OnlineScheduler::KnownJob OnlineScheduler::known_job(std::int64_t id, Time now, ArrivalsById& arrivals) const {
  const DecidedState& state = journal_.state();
  if (state.knows(id)) {
    const JobTable& jobs = state.jobs();
    const JobSlot slot = state.slot_of(id);
    KnownJob known{jobs.columns(slot), jobs.demand(slot), jobs.placements(slot), jobs.restart(slot), {}};
    known.columns.processing_time = jobs.whole_processing_time(slot);
    if (jobs.state(slot) == JobState::running) known.elapsed = now - jobs.start_time(slot);
    return known;
  }
  const auto [event, row] = arrivals.at(id);
  const std::size_t n_resources = pending_.n_resources();
  return {event.arrivals[row], event.demand.subspan(row * n_resources, n_resources),
          event.placements.empty() ? JobPlacements() : event.placements[row], {}, {}};
}

void OnlineScheduler::check_remaining(const KnownJob& job, Time remaining_time, Time now) const {
  const std::int64_t id = job.columns.id;
  const std::string what = "remaining_time of job " + std::to_string(id) + " is " + number_text(remaining_time);
  if (!(remaining_time > 0)) throw InvalidInstanceError(what + "; it must be positive");
  if (job.restart.saved > 0 && job.elapsed.value_or(0) + remaining_time <= job.restart.cost) {
    throw InvalidInstanceError(what + "; its run would take no longer than its restart_cost, " +
                               number_text(job.restart.cost));
  }
  check_duration(id, now, remaining_time);
  check_late_start(id, now, job.elapsed.value_or(0) + remaining_time);
  if (job.elapsed) return;
  JobColumns updated = job.columns;
  updated.processing_time = job.restart.saved > 0 ? job.restart.saved + (remaining_time - job.restart.cost) : remaining_time;
  policy().check_job(updated, updated.release_time);
}

void OnlineScheduler::update(const Updates& updates, Time now) {
  check_heeds_clusters();
  check_record(now);
  if (updates.machines != nullptr && !journal_.state().may_be_placed()) {
    throw UnsupportedError("this policy does not heed where jobs may run");
  }
  ArrivalsById arrivals(pending_);
  for (std::size_t i = 0; i < updates.ids.size(); ++i) {
    const std::int64_t id = updates.ids[i];
    const Standing before = standing(id);
    if (before == Standing::unknown || before == Standing::ended) {
      throw InvalidInstanceError("job " + std::to_string(id) + " is unknown or has ended already");
    }
    KnownJob job = known_job(id, now, arrivals);
    if (before != Standing::running) job.elapsed.reset();
    if (!job.placements.says_only_where()) {
      throw UnsupportedError("job " + std::to_string(id) + " is a task of a parallel job, which cannot be updated");
    }
    if (!updates.weight.empty()) check_job_columns(id, 1, updates.weight[i], job.demand);
    if (!updates.remaining_time.empty()) check_remaining(job, updates.remaining_time[i], now);
    if (updates.machines == nullptr) continue;
    job.placements.eligibility = updates.machines->eligibility_of(i);
    job.placements.constraint = updates.machines->constraint_of(i);
    check_fits_empty_cluster(id, job.demand, &job.placements);
  }
  for (std::size_t i = 0; i < updates.ids.size(); ++i) {
    const auto add = [&](RecordedChange change) {
      change.subject = updates.ids[i];
      pending_.add_change(now, change);
    };
    if (!updates.remaining_time.empty()) add({.kind = ChangeKind::set_time, .span = {updates.remaining_time[i], kNever}});
    if (!updates.weight.empty()) add({.kind = ChangeKind::set_weight, .span = {updates.weight[i], kNever}});
    if (!updates.priority.empty()) add({.kind = ChangeKind::set_priority, .span = {updates.priority[i], kNever}});
    if (updates.machines != nullptr) {
      add({.kind = ChangeKind::set_machines,
           .eligibility = updates.machines->eligibility_of(i),
           .constraint = updates.machines->constraint_of(i)});
    }
  }
}

std::vector<std::string> OnlineScheduler::partitions_of(std::span<const std::int64_t> ids) const {
  std::vector<std::string> names;
  ArrivalsById arrivals(pending_);
  for (const std::int64_t id : ids) {
    names.emplace_back();
    if (!knows(id)) continue;
    const JobPlacements placements = known_job(id, now(), arrivals).placements;
    if (placements.belongings) names.back() = placements.belongings->name[static_cast<std::size_t>(Party::partition)];
  }
  return names;
}

std::vector<std::uint32_t> OnlineScheduler::checked_machines(std::span<const std::int64_t> machines) const {
  std::vector<std::uint32_t> checked;
  for (const std::int64_t number : machines) checked.push_back(checked_machine(number));
  std::ranges::sort(checked);
  return checked;
}

std::vector<std::int64_t> OnlineScheduler::note_killed(std::span<const std::uint32_t> machines, Time now) {
  std::vector<std::int64_t> killed = journal_.state().running_on(machines);
  std::erase_if(killed, [&](std::int64_t id) { return standing(id) != Standing::running; });
  for (const std::int64_t id : killed) {
    standing_[id] = Standing::killed;
    killed_at_[id] = now;
  }
  return killed;
}

// Returns the jobs that it kills.
std::vector<std::int64_t> OnlineScheduler::record_of_machines(std::span<const std::int64_t> machines, const RecordedChange& change,
                                                       Time now) {
  check_heeds_clusters();
  check_record(now);
  const std::vector<std::uint32_t> checked = checked_machines(machines);
  for (const std::uint32_t machine : checked) {
    RecordedChange each = change;
    each.subject = machine;
    pending_.add_change(now, each);
    if (each.kind != ChangeKind::remove) continue;
    machines_have_changed_ = true;
    removing_.insert(machine);
    change_largest(machine, std::vector<Amount>(pending_.n_resources()));
  }
  return change.kills() ? note_killed(checked, now) : std::vector<std::int64_t>();
}

std::vector<std::int64_t> OnlineScheduler::fail_machines(std::span<const std::int64_t> machines, Time now) {
  return record_of_machines(machines, {.kind = ChangeKind::fail}, now);
}

std::vector<std::int64_t> OnlineScheduler::close_machines(std::span<const std::int64_t> machines, RunsOnClosed runs,
                                                          Time now) {
  return record_of_machines(machines, {.kind = ChangeKind::close, .runs = runs}, now);
}

std::vector<std::int64_t> OnlineScheduler::remove_machines(std::span<const std::int64_t> machines, RunsOnClosed runs,
                                                           Time now) {
  return record_of_machines(machines, {.kind = ChangeKind::remove, .runs = runs}, now);
}

void OnlineScheduler::repair_machines(std::span<const std::int64_t> machines, Time now) {
  record_of_machines(machines, {.kind = ChangeKind::repair}, now);
}

void OnlineScheduler::open_machines(std::span<const std::int64_t> machines, Time now) {
  record_of_machines(machines, {.kind = ChangeKind::open}, now);
}

void OnlineScheduler::announce_outage(std::int64_t machine, const Outage& span, Time now) {
  check_heeds_clusters();
  check_record(now);
  const std::uint32_t checked = checked_machine(machine);
  if (!(span.begin >= 0 && span.begin < span.end && span.begin < kNever)) {
    throw InvalidInstanceError("an outage of " + machine_name(checked) + " on [" + number_text(span.begin) + ", " +
                               number_text(span.end) + ") ends before it begins, or begins at no time");
  }
  if (span.end <= now) {
    throw InvalidInstanceError("an outage of " + machine_name(checked) + " that ends at " + number_text(span.end) +
                               " is announced at " + number_text(now) + ", when it is over");
  }
  pending_.add_change(now, {.kind = ChangeKind::announce, .subject = checked, .span = span});
}

void OnlineScheduler::note_standings() {
  standing_.clear();
  killed_at_.clear();
  removing_.clear();
  joining_.clear();
  for (std::size_t event = 0; event < pending_.size(); ++event) note_standing(pending_[event]);
}

// In the order of an event: machines stop before what is recorded of jobs that this kills.
void OnlineScheduler::note_standing(const RecordedEvent& event) {
  if (event.changes.empty()) return;
  const bool drops = journal_.state().kill_rule() == KillRule::drop;
  std::vector<std::uint32_t> stopped;
  for (const RecordedChange& change : event.changes) {
    if (change.kills()) stopped.push_back(static_cast<std::uint32_t>(change.subject));
    if (change.kind == ChangeKind::remove) removing_.insert(static_cast<std::uint32_t>(change.subject));
    if (change.kind == ChangeKind::join) joining_.insert(static_cast<std::uint32_t>(change.subject));
  }
  std::ranges::sort(stopped);
  if (!stopped.empty()) note_killed(stopped, event.now);
  for (const RecordedChange& change : event.changes) {
    switch (change.kind) {
      case ChangeKind::cancel: standing_[change.subject] = Standing::ended; break;
      case ChangeKind::hold: standing_[change.subject] = Standing::held; break;
      case ChangeKind::release: standing_[change.subject] = Standing::waiting; break;
      case ChangeKind::requeue: standing_[change.subject] = drops ? Standing::ended : Standing::waiting; break;
      case ChangeKind::adopt: standing_[change.subject] = Standing::adopting; break;
      case ChangeKind::set_time:
      case ChangeKind::set_weight:
      case ChangeKind::set_priority:
      case ChangeKind::set_machines:
      case ChangeKind::reserve:
      case ChangeKind::cancel_reservation:
      case ChangeKind::join:
      case ChangeKind::set_capacity:
      case ChangeKind::fail:
      case ChangeKind::close:
      case ChangeKind::remove:
      case ChangeKind::repair:
      case ChangeKind::open:
      case ChangeKind::announce: break;
    }
  }
}

}  // namespace schedcore
