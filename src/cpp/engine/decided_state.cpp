#include "schedcore/engine/decided_state.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "schedcore/base/archive.hpp"
#include "schedcore/base/errors.hpp"
#include "change_lists.hpp"

namespace schedcore {

DecidedState::DecidedState(const MachinesView& machines, SchedulerParts parts)
    : for_clusters_(std::move(parts.for_clusters)), engine_(machines, std::move(parts.policy)) {
  engine_.set_kill_rule(parts.kill_rule);
  engine_.set_tells_plan(true);
  if (may_be_disturbed()) engine_.awaited() = AwaitedJobs(true);
  if (parts.site) {
    if (!heed_clusters()) throw UnsupportedError("this policy does not heed the rules of a site");
    engine_.obey(*parts.site, parts.preempt_rule);
  }
  if (!parts.takes_infeasible) return;
  if (!heed_clusters()) throw UnsupportedError("this policy does not let jobs wait for machines that may come");
  engine_.expect_other_machines();
}

DecidedState::DecidedState(const DecidedState& other)
    : for_clusters_(other.for_clusters_ ? other.for_clusters_->clone() : nullptr),
      engine_(other.engine_),
      slot_of_(other.slot_of_),
      now_(other.now_),
      n_running_(other.n_running_),
      ends_(other.ends_) {}

bool DecidedState::runs(std::int64_t id) const {
  const auto found = slot_of_.find(id);
  return found != slot_of_.end() && engine_.jobs().state(found->second) == JobState::running;
}

std::vector<std::int64_t> DecidedState::running_on(std::span<const std::uint32_t> machines) const {
  std::vector<std::int64_t> ids;
  const JobTable& jobs = engine_.jobs();
  for (JobSlot slot = 0; slot < jobs.n_slots(); ++slot) {
    if (jobs.state(slot) != JobState::running) continue;
    bool is_there = false;
    jobs.for_each_place(slot, [&](std::uint32_t machine, Amount /*n_tasks*/) {
      is_there |= std::ranges::binary_search(machines, machine);
    });
    if (is_there) ids.push_back(jobs.id(slot));
  }
  std::ranges::sort(ids);
  return ids;
}

// Tasks are listed once some job has more than one; then those of the jobs before it as well.
void DecidedState::add_tasks(JobSlot slot, std::int64_t machine, std::span<const TaskPlace> places,
                             IdPlacements& to) const {
  const JobTable& jobs = engine_.jobs();
  if (to.tasks.empty()) {
    if (places.empty()) return;
    for (std::size_t i = 0; i + 1 < to.jobs.size(); ++i) to.tasks.push_back({to.jobs[i].id, to.jobs[i].machine, 1});
  }
  if (places.empty()) to.tasks.push_back({jobs.id(slot), machine, 1});
  for (const TaskPlace& place : places) to.tasks.push_back({jobs.id(slot), place.machine, place.n_tasks});
}

IdPlacements DecidedState::plan(std::vector<JobSlot>& slots) const {
  IdPlacements plan;
  slots.clear();
  const JobTable& jobs = engine_.jobs();
  const std::vector<Placement> planned = engine_.planned();
  plan.jobs.reserve(planned.size());
  slots.reserve(planned.size());
  for (const Placement& placement : planned) {
    const auto machine = static_cast<std::int64_t>(placement.machine);
    plan.jobs.push_back({jobs.id(placement.job), machine, std::max(placement.start_time, now_)});
    slots.push_back(placement.job);
    const bool is_one_task = jobs.shape(placement.job).is_plain();
    add_tasks(placement.job, machine, is_one_task ? std::span<const TaskPlace>() : engine_.planned_places(placement.job),
              plan);
  }
  return plan;
}

void DecidedState::arrive(const RecordedEvent& event) {
  JobTable& jobs = engine_.jobs();
  const std::size_t n_resources = jobs.n_resources();
  for (std::size_t job = 0; job < event.arrivals.size(); ++job) {
    const auto demand = event.demand.subspan(job * n_resources, n_resources);
    const JobPlacements* placements = event.placements.empty() ? nullptr : &event.placements[job];
    const std::int64_t id = event.arrivals[job].id;
    const JobSlot slot = jobs.add(event.arrivals[job], demand, placements);
    slot_of_.emplace(id, slot);
    engine_.use_again(id);
    if (placements != nullptr && placements->waits_for_others()) engine_.awaited().add(id, placements->belongings->awaited);
    arrived_.push_back(slot);
  }
}

void DecidedState::apply(const RecordedEvent& event, Monitor* monitor, EventOutcome& outcome, WorkBudget budget) {
  JobTable& jobs = engine_.jobs();
  arrived_.clear();
  completed_.clear();
  started_.clear();
  killed_.clear();
  const auto needs_clusters = [&] {
    return !event.changes.empty() || std::ranges::any_of(event.placements, [&](const JobPlacements& each) {
      return each.reservation != JobPlacements::kNoReservation || !each.is_one_task() || each.waits_for_others() ||
             !policy().heeds(each);
    });
  };
  if (for_clusters_ && needs_clusters()) engine_.hand_over_to(std::move(for_clusters_));
  arrive(event);
  for (const std::int64_t id : event.completions) {
    // A decision that the caller has not seen may have ended the job for another one.
    if (jobs.has_site() && !runs(id)) continue;
    completed_.push_back(slot_of_.at(id));
  }
  const auto by_id = [&](JobSlot a, JobSlot b) { return jobs.id(a) < jobs.id(b); };
  std::sort(arrived_.begin(), arrived_.end(), by_id);
  std::sort(completed_.begin(), completed_.end(), by_id);

  engine_.watch(monitor, 0);
  engine_.limit_work(budget);
  if (policy().heeds_clusters()) {
    disturb(event, outcome);
  } else {
    engine_.advance(event.now, completed_, arrived_, started_);
    engine_.note_completed(completed_);
  }
  engine_.watch(nullptr, 0);
  engine_.limit_work({});
  for (std::string& what : engine_.take_shortened()) outcome.shortened.push_back(std::move(what));

  for (const JobSlot slot : completed_) remove(slot);
  n_running_ += started_.size();
  n_running_ -= completed_.size();
  now_ = event.now;
  for (const Placement& start : started_) ends_.set(start.job, jobs.expected_end(start.job));
  ends_.pass_to(now_, jobs, n_running_);
  IdPlacements& starts = outcome.starts;
  for (const Placement& start : started_) {
    const auto machine = static_cast<std::int64_t>(start.machine);
    starts.jobs.push_back({jobs.id(start.job), machine, start.start_time});
    if (!jobs.any_shaped()) continue;
    places_.clear();
    if (!jobs.shape(start.job).is_plain()) {
      jobs.for_each_place(start.job, [&](std::uint32_t m, Amount n_tasks) { places_.push_back({m, n_tasks}); });
    }
    add_tasks(start.job, machine, places_, starts);
  }
}

void DecidedState::remove(JobSlot slot) {
  JobTable& jobs = engine_.jobs();
  slot_of_.erase(jobs.id(slot));
  jobs.remove(slot);
}

// Those of the arrivals that run already, in order of id, with their places in the order of the records.
void DecidedState::adopt(const RecordedEvent& event, std::span<const TaskPlace> places, std::vector<AdoptedJob>& adopted) {
  const JobTable& jobs = engine_.jobs();
  const RecordedChange* before = nullptr;
  std::size_t n_places = 0;
  for (const RecordedChange& change : event.changes) {
    if (change.kind != ChangeKind::adopt) continue;
    const bool is_new = before == nullptr || before->subject != change.subject;
    if (is_new) adopted.push_back({slot_of_.at(change.subject), change.span.begin, places.subspan(n_places, 0)});
    ++n_places;
    std::span<const TaskPlace>& mine = adopted.back().places;
    mine = {mine.data(), mine.size() + 1};
    before = &change;
  }
  const auto id_of = [&](JobSlot slot) { return jobs.id(slot); };
  std::ranges::sort(adopted, {}, [&](const AdoptedJob& each) { return jobs.id(each.job); });
  const auto is_cancelled = [&](const AdoptedJob& each) {
    return !std::ranges::binary_search(arrived_, jobs.id(each.job), {}, id_of);
  };
  std::erase_if(adopted, is_cancelled);
  std::erase_if(arrived_, [&](JobSlot slot) {
    return std::ranges::binary_search(adopted, jobs.id(slot), {}, [&](const AdoptedJob& each) { return jobs.id(each.job); });
  });
}

// As `advance`, with everything else that was recorded.  Jobs that are cancelled at the instant of their arrival never do.
void DecidedState::disturb(const RecordedEvent& event, EventOutcome& outcome) {
  JobTable& jobs = engine_.jobs();
  ChangeLists lists;
  std::vector<JobSlot> gone;
  // Since it was recorded, a job that has started meanwhile may have been killed for good.
  const auto add_if_known = [&](std::int64_t id, std::vector<JobSlot>& to) {
    const auto found = slot_of_.find(id);
    if (found != slot_of_.end()) to.push_back(found->second);
  };
  const auto add_update = [&](const RecordedChange& change) {
    const auto found = slot_of_.find(change.subject);
    if (found == slot_of_.end()) return;
    JobUpdate& update = lists.updated.emplace_back();
    update.job = found->second;
    if (change.kind == ChangeKind::set_time) update.remaining_time = change.span.begin;
    if (change.kind == ChangeKind::set_weight) update.weight = change.span.begin;
    if (change.kind == ChangeKind::set_priority) update.priority = change.span.begin;
    if (change.kind != ChangeKind::set_machines) return;
    update.says_where = true;
    update.eligibility = change.eligibility;
    update.constraint = change.constraint;
  };
  for (const RecordedChange& change : event.changes) {
    const auto machine = static_cast<std::uint32_t>(change.subject);
    switch (change.kind) {
      case ChangeKind::repair: lists.repaired.push_back(machine); break;
      case ChangeKind::open: lists.opened.push_back(machine); break;
      case ChangeKind::join: lists.resized.push_back({machine, true, change.capacity}); break;
      case ChangeKind::set_capacity: lists.resized.push_back({machine, false, change.capacity}); break;
      case ChangeKind::fail: lists.failed.push_back(machine); break;
      case ChangeKind::close: lists.closed.push_back({machine, change.runs, false}); break;
      case ChangeKind::remove: lists.closed.push_back({machine, change.runs, true}); break;
      case ChangeKind::reserve: lists.reserved.push_back(*change.reservation); break;
      case ChangeKind::cancel_reservation: lists.cancel_reservation(change.subject, engine_.availability().reservations()); break;
      case ChangeKind::announce: lists.announced.push_back({machine, change.span}); break;
      case ChangeKind::requeue: add_if_known(change.subject, lists.requeued); break;
      case ChangeKind::cancel: add_if_known(change.subject, lists.cancelled); break;
      case ChangeKind::adopt: lists.places.push_back(change.place); break;
      case ChangeKind::set_time:
      case ChangeKind::set_weight:
      case ChangeKind::set_priority:
      case ChangeKind::set_machines: add_update(change); break;
      case ChangeKind::hold: add_if_known(change.subject, lists.held); break;
      case ChangeKind::release: add_if_known(change.subject, lists.released); break;
    }
  }
  const auto id_of = [&](JobSlot slot) { return jobs.id(slot); };
  lists.sort(id_of);
  const auto is_in = [](const std::vector<JobSlot>& list, JobSlot slot) { return std::ranges::find(list, slot) != list.end(); };
  if (!lists.cancelled.empty()) {
    std::erase_if(lists.held, [&](JobSlot slot) { return is_in(lists.cancelled, slot); });
    std::erase_if(lists.released, [&](JobSlot slot) { return is_in(lists.cancelled, slot); });
    std::erase_if(lists.updated, [&](const JobUpdate& update) { return is_in(lists.cancelled, update.job); });
  }
  // A reservation that was made and cancelled at one instant was never there.
  for (const JobSlot slot : arrived_) {
    if (!jobs.names_reservation(slot)) continue;
    const std::int64_t number = jobs.reservation(slot);
    const bool is_made = std::ranges::find(lists.reserved, number, &AdvanceReservation::number) != lists.reserved.end();
    if (!is_made && !engine_.availability().reservations().all().contains(number)) jobs.leave_reservation(slot);
  }
  // Who arrives and is held, or cancelled, at one instant is not known to the policy before.
  std::erase_if(arrived_, [&](JobSlot slot) {
    if (is_in(lists.cancelled, slot)) {
      gone.push_back(slot);
      jobs.set_held(slot);  // nobody is to think that it waits
      engine_.awaited().forget(jobs.id(slot));
      engine_.end_outside(jobs.id(slot));
      return true;
    }
    if (!is_in(lists.held, slot)) return false;
    std::erase(lists.held, slot);
    if (is_in(lists.released, slot)) {
      std::erase(lists.released, slot);
      return false;
    }
    engine_.arrive_held(slot);
    return true;
  });
  if (!lists.places.empty()) adopt(event, lists.places, lists.adopted);
  if (!lists.updated.empty()) {
    std::erase_if(lists.updated, [&](const JobUpdate& update) {
      if (!std::ranges::binary_search(arrived_, jobs.id(update.job), {}, id_of)) return false;
      engine_.update_unknown(update.job, update);
      return true;
    });
  }
  std::erase_if(arrived_, [&](JobSlot slot) {
    if (!jobs.names_reservation(slot)) return false;
    lists.named.push_back(slot);
    return true;
  });
  std::erase_if(lists.cancelled, [&](JobSlot slot) { return is_in(gone, slot); });
  for (const JobSlot slot : lists.cancelled) {
    if (jobs.state(slot) == JobState::running) ++n_stopped_;
  }
  Happenings happenings;
  happenings.now = event.now;
  happenings.resized = lists.resized;
  happenings.repaired = lists.repaired;
  happenings.completed = completed_;
  happenings.failed = lists.failed;
  happenings.opened = lists.opened;
  happenings.closed = lists.closed;
  happenings.announced = lists.announced;
  happenings.requeued = lists.requeued;
  happenings.cancelled = lists.cancelled;
  happenings.adopted = lists.adopted;
  happenings.arrived = arrived_;
  happenings.unreserved = lists.unreserved;
  happenings.reserved = lists.reserved;
  happenings.named = lists.named;
  engine_.set_run_ends(&ends_);
  happenings.updated = lists.updated;
  happenings.held = lists.held;
  happenings.released = lists.released;
  engine_.advance(happenings, started_, killed_);
  const auto first_killed = static_cast<std::ptrdiff_t>(outcome.killed.size());
  for (const auto& [slot, is_dropped] : killed_) {
    outcome.killed.push_back(jobs.id(slot));
    ++n_stopped_;
    if (is_in(lists.cancelled, slot)) {
      --n_stopped_;  // it was counted already
    } else if (is_dropped) {
      gone.push_back(slot);
    }
  }
  take_up_ended(outcome, gone);
  for (const auto& [before, after] : engine_.moved()) {
    slot_of_[jobs.id(before)] = after;
    jobs.remove(before);
  }
  std::ranges::sort(outcome.killed.begin() + first_killed, outcome.killed.end());
  gone.insert(gone.end(), lists.cancelled.begin(), lists.cancelled.end());
  for (const JobSlot slot : gone) remove(slot);
  for (const AdoptedJob& each : lists.adopted) {
    if (jobs.state(each.job) == JobState::running) ends_.set(each.job, jobs.expected_end(each.job));
  }
  for (const JobUpdate& each : lists.updated) {
    const bool runs = jobs.state(each.job) == JobState::running;
    if (runs && each.remaining_time) ends_.set(each.job, jobs.expected_end(each.job));
  }
  for (const JobSlot job : engine_.left_reservation()) ends_.set(job, jobs.expected_end(job));
  n_running_ += lists.adopted.size();
  n_running_ -= std::exchange(n_stopped_, 0);
}

// Jobs that were ended for others, and those that wait for what cannot be any more.
void DecidedState::take_up_ended(EventOutcome& outcome, std::vector<JobSlot>& gone) {
  const JobTable& jobs = engine_.jobs();
  const auto first = static_cast<std::ptrdiff_t>(outcome.preempted.size());
  for (const auto& [slot, is_dropped] : engine_.preempted()) {
    outcome.preempted.push_back(jobs.id(slot));
    ++n_stopped_;
    if (is_dropped) gone.push_back(slot);
  }
  std::ranges::sort(outcome.preempted.begin() + first, outcome.preempted.end());
  for (const JobSlot slot : engine_.left()) {
    outcome.left.push_back(jobs.id(slot));
    gone.push_back(slot);
  }
}

void DecidedState::write(SnapshotWriter& archive) const {
  archive(policy().heeds_clusters());
  engine_.write(archive);
  archive(now_);
  for (const JobSlot job : running()) archive(ends_.end_of(job));
}

void DecidedState::check_waits(std::int64_t id) const {
  if (knows(id) && !runs(id)) return;
  throw InvalidInstanceError("job " + std::to_string(id) +
                             (knows(id) ? " runs; it does not wait" : " is unknown, or waits for the next decision"));
}

std::vector<std::int64_t> DecidedState::waiting() const {
  std::vector<std::int64_t> ids;
  for (const auto& [id, slot] : slot_of_) {
    if (engine_.jobs().state(slot) != JobState::running) ids.push_back(id);
  }
  std::ranges::sort(ids);
  return ids;
}

std::vector<JobSlot> DecidedState::running() const {
  const JobTable& jobs = engine_.jobs();
  std::vector<JobSlot> running;
  for (JobSlot job = 0; job < jobs.n_slots(); ++job) {
    if (jobs.state(job) == JobState::running) running.push_back(job);
  }
  std::ranges::sort(running, {}, [&](JobSlot job) { return jobs.id(job); });
  return running;
}

void DecidedState::read(SnapshotReader& archive) {
  bool heeds_clusters = false;
  archive(heeds_clusters);
  if (heeds_clusters && !policy().heeds_clusters()) {
    archive.require(for_clusters_ != nullptr, "the policy does not heed what has happened");
    engine_.hand_over_to(std::move(for_clusters_));
  }
  archive.require(heeds_clusters == policy().heeds_clusters(), "another policy has decided");
  engine_.read(archive);
  archive(now_);
  archive.require(now_ == engine_.now(), "the engine is at another instant");
  const JobTable& jobs = engine_.jobs();
  for (JobSlot job = 0; job < jobs.n_slots(); ++job) {
    if (jobs.state(job) == JobState::free_slot) continue;
    if (jobs.state(job) == JobState::running) ++n_running_;
    archive.require(jobs.release_time(job) <= now_, "a job waits before its release");
    slot_of_.emplace(jobs.id(job), job);
  }
  for (const JobSlot job : running()) {
    Time end = 0;
    archive(end);
    archive.require(end > now_ && end < kNever && end >= jobs.expected_end(job), "a running job should have ended");
    ends_.set(job, end);
  }
}

}  // namespace schedcore
