#include "schedcore/engine/online_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_set>
#include <utility>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/number_text.hpp"
#include "schedcore/engine/job_checks.hpp"

namespace schedcore {
namespace {

constexpr std::int64_t kIdEnd = std::numeric_limits<std::int64_t>::max();  // ids lie below

std::string job_name(std::int64_t id) { return "job " + std::to_string(id); }

// What one call records: `ids`, the set of those in the log, and the log itself.  Both are again what they were unless the
// call comes to its end.
class Recording {
 public:
  Recording(EventLog& log, std::unordered_set<std::int64_t>& ids) : log_(log), begin_(log.mark()), ids_(ids) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    if (kept_) return;
    for (const std::int64_t id : added_) ids_.erase(id);
    log_.cut_back(begin_);
  }
  // False if the set has the id already.
  [[nodiscard]] bool add(std::int64_t id) {
    if (ids_.contains(id)) return false;
    added_.push_back(id);
    ids_.insert(id);
    return true;
  }
  void keep() { kept_ = true; }

 private:
  EventLog& log_;
  EventLog::Mark begin_;
  std::unordered_set<std::int64_t>& ids_;
  std::vector<std::int64_t> added_;
  bool kept_ = false;
};

}  // namespace

OnlineScheduler::OnlineScheduler(const MachineDescriptions& machines, SchedulerParts parts)
    : table_(machines),
      capacity_(table_.in_order(machines.machines.capacity, machines.machines.n_resources)),
      largest_(capacity_),
      n_machines_(machines.machines.n_machines),
      unused_parts_(std::make_shared<const SchedulerParts>(parts.clone())),
      journal_(DecidedState({capacity_, n_machines_, machines.machines.n_resources}, std::move(parts))),
      pending_(machines.machines.n_resources) {
  journal_.name_machines(table_.names());
}

void OnlineScheduler::check_decided(Time now) const {
  if (!std::isfinite(now)) throw InvalidInstanceError("now = " + number_text(now) + " is not a finite time");
  if (now < this->now()) {
    throw InvalidInstanceError("now = " + number_text(now) + " lies before " + number_text(this->now()) +
                               ", the instant of the last decision; time never runs backwards");
  }
}

void OnlineScheduler::check_record(Time now) const {
  check_decided(now);
  if (!pending_.empty() && now < pending_.instant(pending_.size() - 1)) {
    throw InvalidInstanceError("now = " + number_text(now) + " lies before " + number_text(pending_.instant(pending_.size() - 1)) +
                               ", the instant of the latest record; time never runs backwards");
  }
  // Where the clock is coarse, as one in nanoseconds would be by mistake, jobs that wait might not be able to start any more.
  constexpr Time kCoarse = 0x1p51;  // beyond all clocks in microseconds
  if (now < kCoarse) return;
  const auto check_start = [&](std::int64_t id, Time processing_time) {
    if (can_start_late(now, processing_time)) return;
    throw InvalidInstanceError("now = " + number_text(now) + ", where the clock is too coarse for job " + std::to_string(id) +
                               ", which waits with a processing_time of " + number_text(processing_time));
  };
  const JobTable& jobs = journal_.state().jobs();
  for (JobSlot job = 0; job < jobs.n_slots(); ++job) {
    const JobState state = jobs.state(job);
    if (state == JobState::free_slot || state == JobState::running) continue;
    check_start(jobs.id(job), jobs.processing_time(job));
  }
  for (std::size_t event = 0; event < pending_.size(); ++event) {
    for (const JobColumns& job : pending_[event].arrivals) check_start(job.id, job.processing_time);
  }
}

void OnlineScheduler::check_ids_left(std::size_t count) const {
  if (count <= static_cast<std::uint64_t>(kIdEnd - next_id_)) return;
  throw InvalidInstanceError("no " + std::to_string(count) + " ids are left above the largest one, " +
                             std::to_string(next_id_ - 1) + "; give ids");
}

std::int64_t OnlineScheduler::reserve_ids(std::size_t count) {
  check_ids_left(count);
  return std::exchange(next_id_, next_id_ + static_cast<std::int64_t>(count));
}

void OnlineScheduler::release_ids(std::int64_t first, std::size_t count) {
  if (first < 0 || first > next_id_ || static_cast<std::uint64_t>(next_id_ - first) != count) return;
  next_id_ = std::max(first, beyond_recorded_);
}

std::optional<Time> OnlineScheduler::recorded_instant() const {
  if (pending_.empty()) return std::nullopt;
  return pending_.instant(0);
}

void OnlineScheduler::check_fits_empty_cluster(std::int64_t id, std::span<const Amount> demand,
                                               const JobPlacements* placements) {
  if (unused_parts_->takes_infeasible || reads_removals_) return;
  const MachinesView machines{largest_, n_machines_, pending_.n_resources()};
  if (placements == nullptr || placements->shape.is_plain()) check_fits_some(id, demand, distinct_largest());
  if (placements != nullptr && placements->time != nullptr) {
    check_allowed_machines(id, demand, *placements, machines);
  } else if (placements != nullptr && !placements->is_plain()) {
    if (!empty_cluster_) empty_cluster_.emplace(machines);
    empty_cluster_->check(id, demand, *placements);
  }
}

std::span<const Amount> OnlineScheduler::distinct_largest() {
  if (distinct_largest_.empty()) distinct_largest_ = distinct_capacities({largest_, n_machines_, pending_.n_resources()});
  return distinct_largest_;
}

Amount OnlineScheduler::tasks_with_room(std::span<const Amount> demand, const JobPlacements& placements) {
  if (!empty_cluster_) empty_cluster_.emplace(MachinesView{largest_, n_machines_, pending_.n_resources()});
  return empty_cluster_->tasks_with_room(demand, placements.eligibility, placements.shape);
}

void OnlineScheduler::check_arrival(const JobColumns& job, std::span<const Amount> demand,
                                    const JobPlacements* placements) {
  check_job_columns(job.id, job.processing_time, job.weight, demand);
  check_fits_empty_cluster(job.id, demand, placements);
  check_duration(job.id, job.release_time, job.processing_time);
  check_late_start(job.id, job.release_time, job.processing_time);
  policy().check_job(job, job.release_time);
}

std::vector<JobPlacements> OnlineScheduler::own_placements(const PlacementsView& placements) {
  if (placements.n_jobs() == 0) return {};
  if (!policy().heeds_placements()) {
    throw UnsupportedError("this policy does not heed where tasks may run");
  }
  if (!table_.is_as_called()) throw UnsupportedError("tasks say where they may run on machines as they were in the beginning");
  for (const std::int64_t machine : placements.machine) {
    if (static_cast<std::uint64_t>(machine) < n_machines_) continue;
    throw InvalidInstanceError("a task may run on machine " + std::to_string(machine) + "; there are " +
                               std::to_string(n_machines_) + " machines");
  }
  std::vector<JobPlacements> own = copied_placements(placements, n_machines_, sets_);
  for (JobPlacements& each : own) each.group += next_group_;
  return own;
}

std::vector<std::int64_t> OnlineScheduler::submit(const JobsView& jobs, std::span<const double> custom_key,
                                                  std::span<const std::int64_t> ids, Time now,
                                                  const PlacementsView& placements) {
  check_record(now);
  const std::vector<JobPlacements> own = own_placements(placements);
  std::vector<std::int64_t> given = record_arrivals(jobs, custom_key, ids, now, own);
  for (const JobPlacements& each : own) next_group_ = std::max(next_group_, each.group + 1);
  return given;
}

std::vector<std::int64_t> OnlineScheduler::submit(const JobsView& jobs, std::span<const double> custom_key,
                                                  std::span<const std::int64_t> ids, Time now,
                                                  const ClusterColumns& columns) {
  check_record(now);
  if (columns.reservation != JobPlacements::kNoReservation) static_cast<void>(known_reservation(columns.reservation, now));
  return record_arrivals(jobs, custom_key, ids, now, own_placements(jobs.n_jobs(), columns));
}

std::vector<JobPlacements> OnlineScheduler::own_placements(std::size_t n_jobs, const ClusterColumns& columns) const {
  std::vector<JobPlacements> own;
  own.reserve(n_jobs);
  for (std::size_t job = 0; job < n_jobs; ++job) {
    own.push_back(columns.placements_of(job));
    own.back().belongings = columns.belongings_of(job);
    if (own.back().waits_for_others()) check_heeds_clusters();
  }
  if (std::ranges::all_of(own, &JobPlacements::is_plain)) own.clear();
  if (!std::ranges::all_of(own, &JobPlacements::is_one_task)) check_heeds_clusters();
  for (const JobPlacements& each : own) {
    if (!journal_.state().may_take(each)) {
      throw UnsupportedError("this policy takes neither jobs of several tasks nor exclusive ones");
    }
  }
  if (!own.empty() && !journal_.state().may_be_placed()) {
    throw UnsupportedError("this policy does not heed where jobs may run");
  }
  return own;
}

std::vector<std::int64_t> OnlineScheduler::record_arrivals(const JobsView& jobs, std::span<const double> custom_key,
                                                           std::span<const std::int64_t> ids, Time now,
                                                           std::span<const JobPlacements> own,
                                                           const Adoptions* adoptions) {
  const auto placements_of = [&](std::size_t job) { return own.empty() ? nullptr : &own[job]; };
  std::vector<std::int64_t> given(ids.begin(), ids.end());
  if (given.empty()) {
    check_ids_left(jobs.n_jobs());
    given.resize(jobs.n_jobs());
    std::iota(given.begin(), given.end(), next_id_);
  }
  std::shared_ptr<const AdvanceReservation> reservation;  // that all of them name, if any
  if (!own.empty() && own.front().reservation != JobPlacements::kNoReservation) {
    reservation = known_reservation(own.front().reservation, now);
  }
  Recording recording(pending_, arriving_);
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    const std::int64_t id = given[job];
    if (id < 0 || id == kIdEnd) {
      throw InvalidInstanceError("id " + std::to_string(id) + " must lie in 0 .. 2^63 - 2");
    }
    if (journal_.state().knows(id) || !recording.add(id)) {
      throw InvalidInstanceError(job_name(id) + " was submitted already");
    }
    const Time release_time = adoptions == nullptr ? now : adoptions->release_time[job];
    const JobColumns columns{release_time, jobs.processing_time[job], jobs.weight[job], 0, id};
    check_arrival(columns, jobs.demand_of(job), placements_of(job));
    if (reservation != nullptr) check_fits_reservation(columns, jobs.demand_of(job), own[job], *reservation);
    if (adoptions == nullptr) continue;
    const JobShape shape = own.empty() ? JobShape() : own[job].shape;
    check_adoption(id, shape, *adoptions, job, now);
  }
  if (adoptions == nullptr) check_awaited(given, own);
  if (adoptions != nullptr) check_room_of_adopted(jobs, given, own, *adoptions);
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    const double key = custom_key.empty() ? 0 : custom_key[job];
    const Time release_time = adoptions == nullptr ? now : adoptions->release_time[job];
    pending_.add_arrival(now, {release_time, jobs.processing_time[job], jobs.weight[job], key, given[job]},
                         jobs.demand_of(job), placements_of(job));
    if (adoptions == nullptr) continue;
    for (std::size_t k = adoptions->first_place[job]; k < adoptions->first_place[job + 1]; ++k) {
      pending_.add_change(now, {.kind = ChangeKind::adopt,
                                .subject = given[job],
                                .span = {adoptions->start_time[job], kNever},
                                .place = adoptions->places[k]});
    }
    standing_[given[job]] = Standing::adopting;
  }
  recording.keep();
  for (const std::int64_t id : given) beyond_recorded_ = std::max(beyond_recorded_, id + 1);
  next_id_ = std::max(next_id_, beyond_recorded_);
  return given;
}

void OnlineScheduler::complete(std::span<const std::int64_t> ids, Time now) {
  check_record(now);
  Recording recording(pending_, completing_);
  for (const std::int64_t id : ids) {
    // One that its machine kills at this very instant has ended before.
    const auto killed = killed_at_.find(id);
    const bool may_end = standing_.empty() || standing(id) == Standing::running ||
                         (standing(id) == Standing::killed && killed != killed_at_.end() && killed->second == now);
    if (!journal_.state().runs(id) || !may_end) {
      if (journal_.state().knows(id) || arriving_.contains(id)) {
        throw InvalidInstanceError(job_name(id) + " cannot complete: it does not run");
      }
      throw InvalidInstanceError(job_name(id) + " is unknown or has completed already");
    }
    if (!recording.add(id)) throw InvalidInstanceError(job_name(id) + " has completed already");
  }
  for (const std::int64_t id : ids) pending_.add_completion(now, id);
  if (!standing_.empty()) {
    for (const std::int64_t id : ids) standing_[id] = Standing::ended;
  }
  recording.keep();
}

Decision OnlineScheduler::advance(Time now, Monitor* monitor, const std::function<void(const Decision&)>& confirm,
                                  WorkBudget budget) {
  check_decided(now);
  Decision decision;
  std::size_t n_applied = 0;
  try {
    EventOutcome outcome;
    PromiseBreakers breakers;
    const std::uint64_t n_late = journal_.state().n_late();
    n_applied = apply_records(now, monitor, outcome, breakers, budget);
    breakers.any_late |= journal_.state().n_late() > n_late;
    decision.plan = journal_.state().plan(planned_);
    next_told_.note(journal_.state(), decision.plan, planned_);
    decision.broken = told_.broken(next_told_, outcome, journal_.state(), breakers);
    decision.starts = std::move(outcome.starts);
    call_machines(decision.starts);
    call_machines(decision.plan);
    decision.killed = std::move(outcome.killed);
    decision.preempted = std::move(outcome.preempted);
    decision.left = std::move(outcome.left);
    decision.shortened = std::move(outcome.shortened);
    decision.next_wakeup = journal_.state().next_wakeup();
    if (confirm) confirm(decision);
  } catch (...) {
    try {
      journal_.undo();
    } catch (...) {
      // There is no state any more, as whoever asks for it next is told.  Why it came to that is more use to the caller now.
    }
    throw;
  }
  journal_.keep();
  std::swap(told_, next_told_);
  forget_records(n_applied);
  return decision;
}

Decision OnlineScheduler::record_and_advance(Time now, const std::function<void()>& record, Monitor* monitor,
                                             const std::function<void(const Decision&)>& confirm, WorkBudget budget) {
  const EventLog::Mark before = pending_.mark();
  const std::int64_t next_id = next_id_;
  const std::int64_t beyond_recorded = beyond_recorded_;
  const std::int64_t next_group = next_group_;
  try {
    record();
    return advance(now, monitor, confirm, budget);
  } catch (...) {
    pending_.cut_back(before);
    next_id_ = next_id;
    beyond_recorded_ = beyond_recorded;
    next_group_ = next_group;
    note_ids();
    note_standings();
    throw;
  }
}

// After records were taken back.
void OnlineScheduler::note_ids() {
  arriving_.clear();
  completing_.clear();
  for (std::size_t position = 0; position < pending_.size(); ++position) {
    const RecordedEvent event = pending_[position];
    for (const JobColumns& job : event.arrivals) arriving_.insert(job.id);
    completing_.insert(event.completions.begin(), event.completions.end());
  }
}

// Returns how many recorded instants it has applied.
std::size_t OnlineScheduler::apply_records(Time now, Monitor* monitor, EventOutcome& outcome, PromiseBreakers& breakers,
                                           WorkBudget budget) {
  std::size_t n_applied = 0;
  Time wakeup = kNever;  // none before the first event: the caller was told of those and has let them pass
  for (;;) {
    const Time recorded = n_applied < pending_.size() ? pending_.instant(n_applied) : kNever;
    const Time next = std::min({recorded, wakeup, now});
    if (next == recorded) {
      breakers.note(pending_[n_applied], journal_.state(), outcome);
      journal_.apply(pending_[n_applied++], monitor, outcome, budget);
    } else {
      journal_.apply({next, {}, {}, {}, {}, {}}, monitor, outcome, budget);
    }
    if (next == now) return n_applied;
    if (monitor != nullptr) monitor->poll(outcome.starts.size(), 0);
    wakeup = journal_.state().next_wakeup();
  }
}

void OnlineScheduler::forget_records(std::size_t n_events) {
  for (std::size_t position = 0; position < n_events; ++position) {
    const RecordedEvent event = pending_[position];
    for (const JobColumns& job : event.arrivals) arriving_.erase(job.id);
    for (const std::int64_t id : event.completions) completing_.erase(id);
  }
  pending_.drop_first(n_events);
  if (!reserving_.empty() || !unreserving_.empty()) note_reservations();
  if (!standing_.empty() || !removing_.empty() || !joining_.empty()) note_standings();
}

}  // namespace schedcore
