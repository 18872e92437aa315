#include "schedcore/gangs/gang_queue_policy.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>

#include "schedcore/engine/job_checks.hpp"

namespace schedcore {

void GangQueuePolicy::attach(const MachinesView& machines) {
  scale_ = DemandScale::of_cluster(machines);
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
  if (site_ != nullptr) take_up_site(turn.jobs());
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
  const bool others_wait = !queue_.empty();
  const QueueOrder last = others_wait ? queue_.nth(queue_.size() - 1).order : QueueOrder();
  for (const JobSlot job : event.arrived) {
    enqueue(job, jobs);
    // Before jobs of the same instant that are known already: it may be the head, beside which others find room.
    if (is_protecting && others_wait && entries_[job].order < last) room_appeared_ = true;
  }
  for (const Completion& killed : event.killed) enqueue(killed.job, jobs);
  for (const JobSlot job : event.released) enqueue(job, jobs);
}

void GangQueuePolicy::refresh(std::uint32_t machine, std::span<const Amount> free) {
  // Where more is taken than there is, nobody else has room, whatever he asks for.
  const bool is_overfull = std::ranges::any_of(free, [](Amount amount) { return amount < 0; });
  for (std::size_t k = 0; k < free.size(); ++k) row_[k] = is_overfull ? 0 : free[k];
  now_free_.set_free(machine, row_);
  if (overtaking_ == Overtaking::protected_head) protection_.note_change(machine, now_free_);
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
  if (site_ != nullptr) seen_version_ = site_->version();
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
  for (const JobSlot job : cluster.waiting) enqueue(job, cluster.jobs);
  if (overtaking_ == Overtaking::protected_head) ends_.take_over(commitments);
  take_up_all(cluster);
}

void GangQueuePolicy::enqueue(JobSlot job, const JobTable& jobs) {
  if (job >= entries_.size()) entries_.resize(jobs.n_slots());
  GangEntry& entry = entries_[job];
  const JobShape& shape = jobs.shape(job);
  const Class of = classes_.add(jobs.demand(job), jobs.eligibility(job), shape, jobs.profile(job));
  entry = {jobs.queue_order(job, rule_, scale_), shape.n_tasks, jobs.processing_time(job), job, of};
  if (of >= queue_of_class_.size()) {
    queue_of_class_.resize(classes_.size());
    active_at_.resize(classes_.size());
  }
  if (queue_of_class_[of].empty()) {
    active_at_[of] = static_cast<std::uint32_t>(active_.size());
    active_.push_back(of);
  }
  queue_of_class_[of].insert(entry);
  join_scan(entry, jobs);
  queue_.insert(entry);
  if (overtaking_ != Overtaking::never && !selects()) fresh_.push_back(job);
}

void GangQueuePolicy::dequeue(JobSlot job) {
  const GangEntry& entry = entries_[job];
  const Class of = entry.job_class;
  queue_.erase(entry.order);
  queue_of_class_[of].erase(entry.order);
  classes_.remove(of);
  if (!queue_of_class_[of].empty()) return;
  active_[active_at_[of]] = active_.back();
  active_at_[active_.back()] = active_at_[of];
  active_.pop_back();
}

void GangQueuePolicy::start(const GangEntry& entry, Turn& turn) {
  leave_scan(entry.job, turn.jobs());
  const Time end = end_from_now(entry.estimate);
  const bool outlasts = head_is_protected_ && end > protection_.start();
  (outlasts ? protection_.beside() : now_free_).place(entry.job_class, entry.n_tasks, end, classes_, places_);
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
    if (outlasts) {
      const auto capacity = classes_.capacity(place.machine);
      const auto demand = jobs.demand(job);
      const bool is_exclusive = classes_.is_exclusive(entry.job_class);
      for (std::size_t k = 0; k < row_.size(); ++k) row_[k] = is_exclusive ? capacity[k] : place.n_tasks * demand[k];
      protection_.note_outlasting(place.machine, row_);
    }
    refresh(place.machine, turn);
  }
  dequeue(job);
}

void GangQueuePolicy::start_heads(Turn& turn) {
  head_is_protected_ = false;
  last_head_.reset();
  while (const auto first = next_candidate(behind_last_head(queue_))) {
    const GangEntry head = queue_.at(*first);
    if (!fits_now(head) && !make_room_for(head, turn)) return;
    start_head(head, turn);
  }
}

void GangQueuePolicy::start_head(const GangEntry& head, Turn& turn) {
  start(head, turn);
  last_head_ = head.order;
  room_appeared_ = true;  // for jobs that were kept from its places
}

// The first shown job with an earliest instant is the head; those before it are passed over, or start.
void GangQueuePolicy::find_head(Turn& turn) {
  head_.reset();
  if (overtaking_ != Overtaking::protected_head) return;
  GangQueue::Position next = behind_last_head(queue_);
  while (const auto found = next_candidate(next)) {
    next = *found;  // where the next job stands once this one has left
    const GangEntry head = queue_.at(next);
    if (last_shown_ && *last_shown_ < head.order) return;
    if (fits_now(head) || make_room_for(head, turn)) {
      start_head(head, turn);
    } else if (has_earliest_instant(head, turn)) {
      head_ = head;
      return;
    } else {
      ++next.entry;
    }
  }
}

bool GangQueuePolicy::has_earliest_instant(const GangEntry& entry, Turn& turn) {
  if (ever_free_.count(entry.job_class, classes_) >= entry.n_tasks) {
    // On machines that are in service for ever from some instant on, unless some of them are not.
    if (!turn.availability().any_endless_to_come()) return true;
  } else if (!turn.availability().any_endless_to_come()) {
    return false;
  }
  return search_.run(entry, now_, classes_, now_free_, ends_, turn) < kNever;
}

bool GangQueuePolicy::may_start(const GangEntry& entry) {
  if (is_passed_over(entry)) return false;
  const Time end = end_from_now(entry.estimate);
  RoomCounts& counts = head_is_protected_ && end > protection_.start() ? protection_.beside() : now_free_;
  return counts.has_room(entry.job_class, entry.n_tasks, end, classes_);
}

std::optional<GangQueue::Position> GangQueuePolicy::next_in_class(Class of, GangQueue::Position from) {
  const Amount most = most_tasks(of);
  if (most > 0 && may_preempt(of)) {
    const auto may_have = [&](Amount n_tasks, Time /*estimate*/) { return n_tasks <= most; };
    return queue_of_class_[of].find(from, may_have, [&](const GangEntry& entry) { return !is_passed_over(entry); });
  }
  const Amount now = std::min(now_free_.count(of, classes_), most);
  if (now == 0) return std::nullopt;
  const Amount beside = head_is_protected_ ? std::min(protection_.beside().count(of, classes_), most) : now;
  const auto could_start = [&](Amount n_tasks, Time estimate) {
    return n_tasks <= beside || (n_tasks <= now && end_from_now(estimate) <= protection_.start());
  };
  return queue_of_class_[of].find(from, could_start, [&](const GangEntry& entry) { return may_start(entry); });
}

void GangQueuePolicy::push_candidate(Class of, GangQueue::Position from) {
  const auto found = next_in_class(of, from);
  if (!found) return;
  const QueueOrder& order = queue_of_class_[of].at(*found).order;
  if (last_shown_ && *last_shown_ < order) return;
  candidates_.push_back({order, of, *found});
  std::ranges::push_heap(candidates_, std::greater());
}

void GangQueuePolicy::overtake(Turn& turn) {
  last_shown_.reset();
  if (limits_.queue_depth < queue_.size()) last_shown_ = queue_.nth(limits_.queue_depth - 1).order;
  if (selects()) {
    overtake_selected(turn);
    return;
  }
  find_head(turn);
  // Jobs that waited before start only if room has appeared, or if they are shown now and were not before.
  const bool is_for_all = room_appeared_ || (preempts() && !victims_.empty()) || limits_.queue_depth < std::numeric_limits<std::uint64_t>::max();
  std::erase_if(fresh_, [&](JobSlot job) { return turn.jobs().state(job) != JobState::submitted; });
  candidates_.clear();
  bool any = keeps_shadows_ || preempts();
  if (is_for_all) {
    for (const Class of : active_) push_candidate(of, behind_last_head(queue_of_class_[of]));
    any |= !candidates_.empty();
  } else {
    any |= std::ranges::any_of(fresh_, [&](JobSlot job) { return may_start(entries_[job]); });
  }
  room_appeared_ = false;
  if (any) {
    protect_head(turn);
    if (is_for_all) {
      start_candidates(turn);
    } else {
      start_fresh(turn);
    }
  }
  fresh_.clear();
}

void GangQueuePolicy::protect_head(Turn& turn) {
  if (!head_) return;
  const GangEntry& head = *head_;
  const std::int64_t id = turn.jobs().id(head.job);
  if (!protection_is_current_ || protected_id_ != id) {
    const Time start = search_.run(head, now_, classes_, now_free_, ends_, turn);
    protection_is_current_ = true;
    protected_id_ = id;
    if (start < kNever) {
      protection_.protect(start, rounded_up(start + head.estimate, limits_.resolution), search_, classes_.demand(head.job_class), classes_.is_exclusive(head.job_class), classes_,
                          now_free_);
    } else {
      protection_.drop(now_free_);
    }
  }
  head_is_protected_ = protection_.is_on() && protection_.start() <= now_ + limits_.window;
  if (keeps_shadows_ && head_is_protected_) {
    shadows_.push_back({now_, id, protection_.start(), protection_.first_machine()});
  }
}

void GangQueuePolicy::start_candidates(Turn& turn) {
  while (!candidates_.empty()) {
    std::ranges::pop_heap(candidates_, std::greater());
    const Candidate candidate = candidates_.back();
    candidates_.pop_back();
    const GangEntry entry = queue_of_class_[candidate.job_class].at(candidate.position);
    // Since it was found others have started, and the head may be protected.
    if (may_start(entry)) {
      start(entry, turn);
    } else if (!is_passed_over(entry) && make_room_for(entry, turn)) {
      start(entry, turn);
      // What it leaves of the room is for those behind it.
      candidates_.clear();
      for (const Class of : active_) push_candidate(of, queue_of_class_[of].behind(candidate.order));
      continue;
    }
    // One that waits on has been looked at, though it might end others.
    const bool stays = queue_of_class_[candidate.job_class].holds(candidate.position, entry.order);
    push_candidate(candidate.job_class, {candidate.position.block, candidate.position.entry + (stays ? 1 : 0)});
    turn.poll();
  }
}

void GangQueuePolicy::start_fresh(Turn& turn) {
  std::ranges::sort(fresh_, {}, [&](JobSlot job) { return entries_[job].order; });
  fresh_.erase(std::unique(fresh_.begin(), fresh_.end()), fresh_.end());  // of jobs that came to wait twice
  for (const JobSlot job : fresh_) {
    const GangEntry entry = entries_[job];
    if (may_start(entry)) start(entry, turn);
    turn.poll();
  }
}

// The first shown job with an earliest instant, unless that is now or too far away.
void GangQueuePolicy::find_told_head(Turn& turn) {
  told_.reset();
  if (!protects_head()) return;
  // The head of this run stays so, though those that started after it may have used up a limit, or left it room.
  if (site_ != nullptr && has_run_) {
    if (head_is_protected_) {
      told_places_.assign(protection_.places().begin(), protection_.places().end());
      told_ = Placement{head_->job, told_places_.front().machine, protection_.start()};
    }
    if (head_is_protected_ || (preempts() && head_)) return;
  }
  const std::size_t n_shown = std::min<std::uint64_t>(queue_.size(), limits_.queue_depth);
  for (std::size_t n = 0; n < n_shown; ++n) {
    const GangEntry& entry = queue_.nth(n);
    if (is_passed_over(entry) || was_passed_over(entry)) continue;
    if (fits_now(entry)) return;
    Time start = kNever;
    if (protection_is_current_ && protection_.is_on() && protected_id_ == turn.jobs().id(entry.job)) {
      start = protection_.start();
      told_places_.assign(protection_.places().begin(), protection_.places().end());
    } else if (has_earliest_instant(entry, turn)) {
      start = search_.run(entry, now_, classes_, now_free_, ends_, turn);
      if (start < kNever) told_places_ = search_.places();
    }
    if (start == kNever) continue;
    if (start <= now_ + limits_.window) told_ = Placement{entry.job, told_places_.front().machine, start};
    return;
  }
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
  for (const GangQueue& each : queue_of_class_) each.check_invariants();
  now_free_.check_invariants(classes_);
  if (selects()) scan_.check_invariants();
  if (overtaking_ == Overtaking::protected_head) ever_free_.check_invariants(classes_);
}

}  // namespace schedcore
