#include "schedcore/gangs/gang_queue_policy.hpp"

#include <algorithm>
#include <optional>

#include "schedcore/engine/job_checks.hpp"

namespace schedcore {

void GangQueuePolicy::attach(const MachinesView& machines) {
  keys_.attach(machines);
  classes_ = GangClasses(machines);
  now_free_ = RoomCounts(machines);
  row_.resize(machines.n_resources);
  if (selects()) scan_ = BackfillScan(machines, selection_);
  if (overtaking_ != Overtaking::protected_head) return;
  ever_free_ = RoomCounts(machines);
  ends_ = PlannedEnds(limits_.resolution);
  search_ = HeadSearch(machines, limits_.resolution);
  protection_ = HeadProtection(machines);
}

void GangQueuePolicy::check_job(const JobColumns& job, Time now) const {
  if (collect_until_) check_collected(job.id, now, *collect_until_);
}

void GangQueuePolicy::decide(const Event& event, Turn& turn) {
  site_ = turn.jobs().site();
  decide_starts(event, turn);
  if (!preempted_.empty()) take_back_preempted(turn);
  if (turn.tells_plan()) find_told_head(turn);
}

void GangQueuePolicy::decide_starts(const Event& event, Turn& turn) {
  now_ = event.now;
  has_run_ = false;
  hopeless_.clear();
  if (keys_.pass_to(now_, turn.jobs())) put_in_order(turn.jobs());
  take_up(event, turn);
  if (collect_until_ && now_ < *collect_until_) {
    wakeup_ = queue_.empty() ? kNever : std::min(*collect_until_, turn.availability().next_end());
    return;
  }
  start_heads(turn);
  wakeup_ = kNever;
  if (overtaking_ == Overtaking::never || !any_candidates()) {
    fresh_.clear();
    if (!queue_.empty()) await_next(turn);
    return;
  }
  const Time next_run = last_run_ + limits_.interval;
  is_owed_ = now_ < next_run;
  if (!is_owed_) {
    overtake(turn);
    last_run_ = now_;
    has_run_ = true;
  } else {
    wakeup_ = next_run;
  }
  if (!queue_.empty()) wakeup_ = std::min(wakeup_, turn.availability().next_end());
}

// For jobs that are no candidates before the next event.
void GangQueuePolicy::await_next(const Turn& turn) {
  wakeup_ = std::min(wakeup_, turn.availability().next_end());
  const Time next_run = last_run_ + limits_.interval;
  if (is_owed_ && next_run > now_) wakeup_ = std::min(wakeup_, next_run);
}

void GangQueuePolicy::take_up(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const bool is_protecting = overtaking_ == Overtaking::protected_head;
  for (const auto& ended : {event.completed, event.killed, event.cancelled}) {
    for (const Completion& completion : ended) {
      if (is_protecting) ends_.erase(completion.job);
      if (preempts()) forget_victim(completion.job);
      jobs.for_each_place(completion.job, [&](std::uint32_t machine, Amount /*n_tasks*/) {
        refresh(machine, turn);
        note_room_on(machine);
      });
    }
  }
  for (const std::uint32_t machine : event.changed_machines) {
    refresh(machine, turn);
    take_up_machine(machine, turn.availability());
    note_room_on(machine);
  }
  for (const JobSlot job : event.adopted) {
    if (is_protecting) ends_.insert(job, rounded_up(jobs.expected_end(job), limits_.resolution));
    if (preempts()) note_victim(job, jobs);
    jobs.for_each_place(job, [&](std::uint32_t machine, Amount /*n_tasks*/) { refresh(machine, turn); });
  }
  if (is_protecting) {
    for (const Rescheduled& each : event.rescheduled) static_cast<void>(ends_.reschedule(each.job, jobs));
  }
  if (!event.completed.empty() || event.is_disturbed()) room_appeared_ = true;
  ends_.extend_overruns(now_, jobs, {}, [&](JobSlot /*job*/, Time /*end*/) { room_appeared_ = true; });
  if (room_appeared_) protection_is_current_ = false;
  for (const JobSlot job : event.withdrawn) {
    leave_scan(job, jobs);
    dequeue(job);
  }
  for (const auto& [before, after] : event.reweighed) {
    leave_scan(before, jobs);
    dequeue(before);
    enqueue(after, jobs);
  }
  keys_.note_arrivals(event, jobs);
  const bool others_wait = !queue_.empty();
  const QueueOrder last = others_wait ? queue_.nth(queue_.size() - 1).order : QueueOrder();
  for (const JobSlot job : event.arrived) {
    enqueue(job, jobs);
    // Before jobs of the same instant that are known already: it may be the head, beside which others find room.
    if (is_protecting && others_wait && entry_of(job).order < last) room_appeared_ = true;
  }
  for (const Completion& killed : event.killed) enqueue(killed.job, jobs);
  for (const JobSlot job : event.released) enqueue(job, jobs);
}

void GangQueuePolicy::refresh(std::uint32_t machine, std::span<const Amount> free) {
  // Where more is taken than there is, nobody else has room, whatever he asks for.
  const bool is_overfull = std::ranges::any_of(free, [](Amount amount) { return amount < 0; });
  for (std::size_t k = 0; k < free.size(); ++k) row_[k] = is_overfull ? 0 : free[k];
  now_free_.set_free(machine, row_);
  if (overtaking_ == Overtaking::protected_head) protection_.note_change(machine);
}

void GangQueuePolicy::take_up_machine(std::uint32_t machine, const Availability& availability) {
  limit(machine, availability);
  if (overtaking_ != Overtaking::protected_head) return;
  const Time until = availability.usable_until(machine);
  const auto outages = availability.outages(machine);
  const bool is_lost = availability.is_down(machine) || (until <= now_ && outages.front().end == kNever);
  std::ranges::fill(row_, 0);
  ever_free_.set_free(machine, is_lost ? std::span<const Amount>(row_) : classes_.capacity(machine));
}

// A machine in an outage has nothing free; what comes behind that outage is looked up when it is over.
void GangQueuePolicy::limit(std::uint32_t machine, const Availability& availability) {
  std::vector<RoomCounts::Limit> limits;
  const Time until = availability.usable_until(machine);
  if (until > now_) {
    for (const RoomLimit& each : availability.limits(machine)) {
      if (each.from < until) limits.push_back({each.from, each.row});
    }
    if (until < kNever) limits.push_back({until, {}});
  }
  if (overtaking_ == Overtaking::protected_head) protection_.set_limits(machine, limits);
  now_free_.set_limits(machine, std::move(limits));
}

// Of a policy that has seen no event: what is free and in service.
void GangQueuePolicy::take_up_all(const Cluster& cluster) {
  now_ = cluster.now;
  site_ = cluster.jobs.site();
  if (preempts()) {
    for (const JobSlot job : cluster.running) note_victim(job, cluster.jobs);
  }
  for (std::uint32_t machine = 0; machine < cluster.machines.n_machines; ++machine) {
    refresh(machine, cluster.free_on(machine));
    note_room_on(machine);
    if (cluster.availability->any()) take_up_machine(machine, *cluster.availability);
  }
}

void GangQueuePolicy::take_over(const Commitments& commitments, const Cluster& cluster) {
  last_run_ = commitments.last_run;
  keys_.take_over(commitments.first_release, cluster);
  for (const JobSlot job : cluster.waiting) enqueue(job, cluster.jobs);
  if (overtaking_ == Overtaking::protected_head) ends_.take_over(commitments);
  take_up_all(cluster);
}

void GangQueuePolicy::enqueue(JobSlot job, const JobTable& jobs) {
  if (job >= entry_at_.size()) entry_at_.resize(jobs.n_slots());
  if (unused_entries_.empty()) {
    unused_entries_.push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back();
  }
  entry_at_[job] = unused_entries_.back();
  unused_entries_.pop_back();
  GangEntry& entry = entry_of(job);
  const JobShape& shape = jobs.shape(job);
  const Class of = classes_.add(jobs.demand(job), jobs.eligibility(job), shape, jobs.level(job));
  entry = {keys_.place(job, jobs), shape.n_tasks, jobs.processing_time(job), job, of,
           LimitedQueue::profile_of(job, jobs)};
  if (keeps_classes_) join_class(entry);
  join_scan(entry, jobs);
  queue_.insert(entry);
  if (keeps_lines_) limited_.insert(entry);
  if (overtaking_ != Overtaking::never && (!selects() || scans_anew(jobs))) fresh_.push_back(job);
}

void GangQueuePolicy::dequeue(JobSlot job) {
  const GangEntry& entry = entry_of(job);
  const Class of = entry.job_class;
  queue_.erase(entry.order);
  if (keeps_lines_) limited_.erase(entry);
  if (queue_.empty()) keeps_lines_ = false;
  if (keeps_classes_) leave_class(entry);
  classes_.remove(of);
  unused_entries_.push_back(entry_at_[job]);
}

// Whoever ends others is looked for by class, however few there are.
void GangQueuePolicy::keep_classes() {
  if (!keeps_classes_ && (queue_.size() > kFew || preempts())) {
    keeps_classes_ = true;
    queue_.for_each([&](const GangEntry& entry) { join_class(entry); });
  } else if (keeps_classes_ && queue_.size() < kFew / 8 && !preempts()) {
    queue_.for_each([&](const GangEntry& entry) { leave_class(entry); });
    keeps_classes_ = false;
  }
}

void GangQueuePolicy::join_class(const GangEntry& entry) {
  const Class of = entry.job_class;
  if (of >= queue_of_class_.size()) {
    queue_of_class_.resize(classes_.size());
    active_at_.resize(classes_.size());
  }
  if (queue_of_class_[of].empty()) {
    active_at_[of] = static_cast<std::uint32_t>(active_.size());
    active_.push_back(of);
  }
  queue_of_class_[of].insert(entry);
}

void GangQueuePolicy::leave_class(const GangEntry& entry) {
  const Class of = entry.job_class;
  queue_of_class_[of].erase(entry);
  if (!queue_of_class_[of].empty()) return;
  active_[active_at_[of]] = active_.back();
  active_at_[active_.back()] = active_at_[of];
  active_.pop_back();
}

void GangQueuePolicy::start(const GangEntry& entry, Turn& turn) {
  leave_scan(entry.job, turn.jobs());
  const Time end = end_from_now(entry.estimate);
  const bool outlasts = head_is_protected_ && end > protection_.start();
  (outlasts ? protection_.beside(now_free_) : now_free_).place(entry.job_class, entry.n_tasks, end, classes_, places_);
  start_on_places(entry, turn);
}

void GangQueuePolicy::start_on_places(const GangEntry& entry, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const JobSlot job = entry.job;
  const Time end = end_from_now(entry.estimate);
  const bool is_protecting = overtaking_ == Overtaking::protected_head;
  const bool outlasts = head_is_protected_ && end > protection_.start();
  if (is_protecting) check_planned_end(jobs.id(job), now_, end, limits_.resolution);
  turn.start(job, places_);
  if (is_protecting) ends_.insert(job, end);
  if (preempts()) note_victim(job, jobs);
  if (!head_is_protected_) protection_is_current_ = false;
  for (const TaskPlace& place : places_) {
    if (outlasts) protection_.note_outlasting(place.machine, held_on(place, job, jobs), 1);
    refresh(place.machine, turn);
  }
  dequeue(job);
}

std::vector<Amount> GangQueuePolicy::held_on(const TaskPlace& place, JobSlot job, const JobTable& jobs) const {
  const auto of_task = jobs.demand(job);
  const auto capacity = classes_.capacity(place.machine);
  std::vector<Amount> held(capacity.begin(), capacity.end());
  if (jobs.shape(job).is_exclusive) return held;
  for (std::size_t k = 0; k < held.size(); ++k) held[k] = place.n_tasks * of_task[k];
  return held;
}

void GangQueuePolicy::start_heads(Turn& turn) {
  head_is_protected_ = false;
  head_is_far_ = false;
  last_head_.reset();
  // Limits still hold those before the last one: who ends others lifts limits for those behind him alone.
  while (const auto head = next_candidate(last_head_)) {
    if (!fits_now(*head) && !make_room_for(*head, turn)) return;
    start_head(*head, turn);
  }
}

void GangQueuePolicy::start_head(const GangEntry& head, Turn& turn) {
  start(head, turn);
  last_head_ = head.order;
  room_appeared_ = true;  // for jobs that were kept from its places
}

std::vector<Placement> GangQueuePolicy::reserved(const JobTable& /*jobs*/, Time /*now*/) const {
  return told_ ? std::vector{*told_} : std::vector<Placement>();
}

std::vector<JobSlot> GangQueuePolicy::waiting_in_order(const JobTable& /*jobs*/) const {
  std::vector<JobSlot> waiting;
  waiting.reserve(queue_.size());
  queue_.for_each([&](const GangEntry& entry) { waiting.push_back(entry.job); });
  return waiting;
}

void GangQueuePolicy::check_invariants() const {
  queue_.check_invariants();
  limited_.check_invariants();
  for (const LimitedQueue& each : queue_of_class_) each.check_invariants();
  now_free_.check_invariants(classes_);
  if (selects()) scan_.check_invariants();
  if (overtaking_ == Overtaking::protected_head) ever_free_.check_invariants(classes_);
}

}  // namespace schedcore
