#include "schedcore/engine/decided_state.hpp"

#include <algorithm>
#include <utility>

#include "schedcore/base/archive.hpp"

namespace schedcore {
namespace {

// The changes of one event, as the engine takes them.
struct ChangeLists {
  std::vector<std::uint32_t> repaired;
  std::vector<std::uint32_t> opened;
  std::vector<std::uint32_t> failed;
  std::vector<ClosedMachine> closed;
  std::vector<AnnouncedOutage> announced;
  std::vector<JobSlot> requeued;
  std::vector<JobSlot> cancelled;
  std::vector<JobSlot> held;
  std::vector<JobSlot> released;

  template <class IdOf>
  void sort(const IdOf& id_of) {
    for (auto* machines : {&repaired, &opened, &failed}) std::ranges::sort(*machines);
    std::ranges::sort(closed, {}, &ClosedMachine::machine);
    for (auto* jobs : {&requeued, &cancelled, &held, &released}) {
      std::ranges::sort(*jobs, {}, id_of);
      jobs->erase(std::unique(jobs->begin(), jobs->end()), jobs->end());
    }
  }
};

}  // namespace

DecidedState::DecidedState(const MachinesView& machines, SchedulerParts parts)
    : for_clusters_(std::move(parts.for_clusters)), engine_(machines, std::move(parts.policy)) {
  engine_.set_kill_rule(parts.kill_rule);
}

DecidedState::DecidedState(const DecidedState& other)
    : for_clusters_(other.for_clusters_ ? other.for_clusters_->clone() : nullptr),
      engine_(other.engine_),
      slot_of_(other.slot_of_),
      now_(other.now_),
      n_running_(other.n_running_) {}

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

IdPlacements DecidedState::plan() const {
  IdPlacements plan;
  const JobTable& jobs = engine_.jobs();
  for (const Placement& placement : engine_.planned()) {
    const auto machine = static_cast<std::int64_t>(placement.machine);
    plan.jobs.push_back({jobs.id(placement.job), machine, std::max(placement.start_time, now_)});
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
    const JobSlot slot = jobs.add(event.arrivals[job], demand, placements);
    slot_of_.emplace(event.arrivals[job].id, slot);
    arrived_.push_back(slot);
  }
}

void DecidedState::apply(const RecordedEvent& event, Monitor* monitor, EventOutcome& outcome) {
  JobTable& jobs = engine_.jobs();
  arrived_.clear();
  completed_.clear();
  started_.clear();
  killed_.clear();
  const auto needs_clusters = [&] {
    return !event.changes.empty() || std::ranges::any_of(event.placements, [&](const JobPlacements& each) {
      return !each.is_one_task() || !policy().heeds(each);
    });
  };
  if (for_clusters_ && needs_clusters()) engine_.hand_over_to(std::move(for_clusters_));
  arrive(event);
  for (const std::int64_t id : event.completions) completed_.push_back(slot_of_.at(id));
  const auto by_id = [&](JobSlot a, JobSlot b) { return jobs.id(a) < jobs.id(b); };
  std::sort(arrived_.begin(), arrived_.end(), by_id);
  std::sort(completed_.begin(), completed_.end(), by_id);

  engine_.watch(monitor, 0);
  if (policy().heeds_clusters()) {
    disturb(event, outcome);
  } else {
    engine_.advance(event.now, completed_, arrived_, started_);
  }
  engine_.watch(nullptr, 0);

  for (const JobSlot slot : completed_) remove(slot);
  n_running_ += started_.size();
  n_running_ -= completed_.size();
  now_ = event.now;
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
  for (const RecordedChange& change : event.changes) {
    const auto machine = static_cast<std::uint32_t>(change.subject);
    switch (change.kind) {
      case ChangeKind::repair: lists.repaired.push_back(machine); break;
      case ChangeKind::open: lists.opened.push_back(machine); break;
      case ChangeKind::fail: lists.failed.push_back(machine); break;
      case ChangeKind::close: lists.closed.push_back({machine, change.runs, false}); break;
      case ChangeKind::remove: lists.closed.push_back({machine, change.runs, true}); break;
      case ChangeKind::announce: lists.announced.push_back({machine, change.span}); break;
      case ChangeKind::requeue: add_if_known(change.subject, lists.requeued); break;
      case ChangeKind::cancel: add_if_known(change.subject, lists.cancelled); break;
      case ChangeKind::hold: add_if_known(change.subject, lists.held); break;
      case ChangeKind::release: add_if_known(change.subject, lists.released); break;
    }
  }
  lists.sort([&](JobSlot slot) { return jobs.id(slot); });
  const auto is_in = [](const std::vector<JobSlot>& list, JobSlot slot) { return std::ranges::find(list, slot) != list.end(); };
  if (!lists.cancelled.empty()) {
    std::erase_if(lists.held, [&](JobSlot slot) { return is_in(lists.cancelled, slot); });
    std::erase_if(lists.released, [&](JobSlot slot) { return is_in(lists.cancelled, slot); });
  }
  // Who arrives and is held, or cancelled, at one instant is not known to the policy before.
  std::erase_if(arrived_, [&](JobSlot slot) {
    if (is_in(lists.cancelled, slot)) {
      gone.push_back(slot);
      return true;
    }
    if (!is_in(lists.held, slot)) return false;
    std::erase(lists.held, slot);
    if (is_in(lists.released, slot)) {
      std::erase(lists.released, slot);
      return false;
    }
    jobs.set_held(slot);
    return true;
  });
  std::erase_if(lists.cancelled, [&](JobSlot slot) { return is_in(gone, slot); });
  for (const JobSlot slot : lists.cancelled) {
    if (jobs.state(slot) == JobState::running) ++n_stopped_;
  }
  Happenings happenings;
  happenings.now = event.now;
  happenings.repaired = lists.repaired;
  happenings.completed = completed_;
  happenings.failed = lists.failed;
  happenings.opened = lists.opened;
  happenings.closed = lists.closed;
  happenings.announced = lists.announced;
  happenings.requeued = lists.requeued;
  happenings.cancelled = lists.cancelled;
  happenings.arrived = arrived_;
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
  std::ranges::sort(outcome.killed.begin() + first_killed, outcome.killed.end());
  gone.insert(gone.end(), lists.cancelled.begin(), lists.cancelled.end());
  for (const JobSlot slot : gone) remove(slot);
  n_running_ -= std::exchange(n_stopped_, 0);
}

void DecidedState::write(SnapshotWriter& archive) const {
  archive(policy().heeds_clusters());
  engine_.write(archive);
  archive(now_);
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
}

}  // namespace schedcore
