#include "schedcore/gangs/gang_reservation_policy.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "schedcore/engine/job_checks.hpp"
#include "schedcore/gangs/machine_runs.hpp"

namespace schedcore {

void GangReservationPolicy::attach(const MachinesView& machines) {
  keys_.attach(machines);
  classes_ = GangClasses(machines);
  plan_ = GangPlan(machines, limits_.resolution);
  ends_ = PlannedEnds(limits_.resolution);
  ever_free_ = RoomCounts(machines);
  released_room_ = ReleasedRoom(machines.n_machines, machines.n_resources, false);
  taken_.resize(machines.n_machines);
  is_down_.resize(machines.n_machines);
  if (!selects()) return;
  scan_ = BackfillScan(machines, selection_);
  scores_ = SelectionScores(machines, selection_);
}

void GangReservationPolicy::decide(const Event& event, Turn& turn) {
  now_ = event.now;
  plan_.pass_to(now_);
  site_ = turn.jobs().site();
  if (keys_.pass_to(now_, turn.jobs())) put_in_order(turn.jobs());
  take_up(event, turn);
  const Time next_run = last_run_ + limits_.interval;
  const bool runs = is_put_off_ || now_ >= next_run;
  looks_.begin_decision();
  is_put_off_ = false;
  // Who was searched for may have a place by now.
  if (now_ > last_run_ || !event.is_empty()) next_search_.reset();
  if (is_strained_) released_room_.forget();
  if (due_.empty()) {
    released_room_.clear();
    passes_.is_under_way = false;
  }
  if (!queue_.empty() && runs) {
    last_shown_.reset();
    if (limits_.queue_depth < queue_.size()) last_shown_ = queue_.nth(limits_.queue_depth - 1).order;
    if (rebuilds_) {
      forget_plan();
      passes_.is_due = false;
    } else {
      is_put_off_ = !compress(turn);
    }
    is_put_off_ = is_put_off_ || !reserve_for_others(turn);
    if (!is_put_off_ && !protects_all()) {
      if (selects()) {
        overtake_selected(turn);
      } else {
        overtake(turn);
      }
    }
    last_run_ = now_;
  } else {
    start_due(false, turn);
    start_heads(turn);
  }
  find_wakeup(turn.jobs());
  is_put_off_ = is_put_off_ && !queue_.empty();
  if (queue_.empty()) return;
  wakeup_ = std::min(wakeup_, turn.availability().next_end());
  if (!runs) wakeup_ = std::min(wakeup_, next_run);
  if (is_put_off_) wakeup_ = now_;
}

void GangReservationPolicy::record(Waiting& waiting, Time start, std::uint32_t machine, const JobTable& jobs) {
  if (!keeps_records_) return;
  const std::pair row(start, machine);
  const bool is_new = waiting.was_recorded ? waiting.recorded != row : start > now_;
  if (!is_new) return;
  records_.push_back({jobs.id(waiting.entry.job), now_, start, machine});
  waiting.was_recorded = true;
  waiting.recorded = row;
}

void GangReservationPolicy::put(Waiting& waiting, Time start, std::span<const TaskPlace> places,
                                const GangPlan::Booking& in_plan, Turn& turn) {
  const JobSlot job = waiting.entry.job;
  if (waiting.is_reserved()) {
    due_.erase({waiting.start, waiting.entry.order, job});
  } else {
    unreserved_.erase(waiting.entry);
    waiting.cluster = ReleasedRoom::kNoCluster;
  }
  const Time end = end_of(waiting.entry, start);
  check_planned_end(turn.jobs().id(job), start, end, limits_.resolution);
  change_plan(in_plan, {places, start, end}, waiting.entry, start > now_);
  waiting.places.assign(places.begin(), places.end());
  waiting.start = start;
  waiting.end = end;
  waiting.seen = given_back_.mark();
  waiting.forget_room(now_);
  due_.insert({start, waiting.entry.order, job});
  for (const TaskPlace& place : places) released_room_.note_taken(place.machine, start, end);
  record(waiting, start, places.front().machine, turn.jobs());
  if (start <= now_) this->start(waiting, turn);
}

// What it holds stays in the plan, for a running job from now on.
void GangReservationPolicy::start(Waiting& waiting, Turn& turn) {
  const JobSlot job = waiting.entry.job;
  turn.start(job, waiting.places);
  ends_.insert(job, waiting.end);
  due_.erase({waiting.start, waiting.entry.order, job});
  waiting.start = waiting.end = kNever;
  waiting.places.clear();
  dequeue(waiting);
}

std::vector<JobSlot> GangReservationPolicy::holders() const {
  std::vector<JobSlot> all;
  all.reserve(due_.size());
  queue_.for_each([&](const GangEntry& entry) {
    if (waiting_[entry.job].is_reserved()) all.push_back(entry.job);
  });
  return all;
}

void GangReservationPolicy::start_due(bool overdue_alone, Turn& turn) {
  std::vector<JobSlot> due;
  for (const Due& each : due_) {
    if (each.start > now_ || (overdue_alone && each.start == now_)) break;
    due.push_back(each.job);
  }
  for (const JobSlot job : due) start_if_it_fits(of(job), turn);
}

// Of a reservation that is due: it fits unless others run late.  Then it keeps its place, which moves along with the time.
void GangReservationPolicy::start_if_it_fits(Waiting& waiting, Turn& turn) {
  if (is_limited(waiting.entry)) {
    give_up_quietly(waiting);
    return;
  }
  if (is_strained_ || waiting.start < now_) {
    lift(waiting);
    const Time end = std::min(end_of(waiting.entry, now_), std::numeric_limits<Time>::max());
    const bool fits = fits_beside_running(waiting, end, turn);
    waiting.end = end;
    lay(waiting);
    if (!fits) {
      is_strained_ = true;
      return;
    }
    record(waiting, now_, waiting.places.front().machine, turn.jobs());
  }
  start(waiting, turn);
}

// Where jobs run late, what is free now may be taken by reservations that are due as well: they wait for it.
bool GangReservationPolicy::fits_beside_running(const Waiting& waiting, Time end, const Turn& turn) const {
  const Class of = waiting.entry.job_class;
  return std::ranges::all_of(waiting.places, [&](const TaskPlace& place) {
    const auto has_room = [&](const Amount* row) { return classes_.room(of, place.machine, row) >= place.n_tasks; };
    const auto keeps_room = [&](const RoomLimit& limit) { return limit.from >= end || has_room(limit.row.data()); };
    return turn.availability().usable_until(place.machine) >= end && has_room(turn.machines().free(place.machine).data()) &&
           std::ranges::all_of(turn.availability().limits(place.machine), keeps_room);
  });
}

void GangReservationPolicy::start_heads(Turn& turn) {
  while (!queue_.empty()) {
    const auto first = first_candidate();
    if (!first) return;
    Waiting& head = of(first->job);
    if (head.is_reserved()) lift(head);
    if (!plan_.fits_at(head.entry, now_, classes_)) {
      if (head.is_reserved()) lay(head);
      return;
    }
    if (head.is_reserved()) note_given_back(std::max(head.start, now_), head.end, head.places);
    chosen_ = plan_.places();
    put(head, now_, chosen_, {}, turn);
  }
}

void GangReservationPolicy::forget_plan() {
  for (const JobSlot job : holders()) {
    Waiting& waiting = of(job);
    lift(waiting);
    waiting.start = waiting.end = kNever;
    unreserved_.insert(waiting.entry);
  }
  due_.clear();
  note_all_given_back();
  // What is negative now is so beside running jobs alone.
  if (is_strained_ && rebuilt_.holds_machines) is_strained_ = plan_.is_negative_somewhere();
}

bool GangReservationPolicy::could_ever_fit(const GangEntry& entry, const Turn& turn) {
  return turn.availability().any_endless_to_come() || ever_free_.count(entry.job_class, classes_) >= entry.n_tasks;
}

Time GangReservationPolicy::first_start(const GangEntry& entry, Time until) {
  if (is_strained_) return plan_.earliest(entry, now_, until, classes_, false);
  if (kinds_.size() > 4 * queue_.size() + 1024) kinds_.clear();
  const auto [found, is_new] = kinds_.try_emplace(
      KindKey{{entry.job_class, classes_.generation(entry.job_class)}, {entry.n_tasks, entry.estimate}});
  Kind& kind = found->second;
  if (is_new) kind = {now_, given_back_.mark()};
  Time from = std::max(now_, kind.bound);
  given_back_.for_each_since(kind.seen, [&](const GivenBack::Span& span) {
    from = std::min(from, std::max(now_, first_start_beyond(entry, span.from)));
  });
  // Of a machine that a reservation has to itself less than nothing is free, as long as others run there.
  const Time start = plan_.earliest(entry, from, until, classes_, !rebuilt_.holds_machines);
  kind = {std::min(start, std::max(until, now_)), given_back_.mark()};
  return start;
}

bool GangReservationPolicy::reserve_for_others(Turn& turn) {
  const Time until = limits_.window == kNever ? kNever : std::nextafter(now_ + limits_.window, kNever);
  // Who is searched for in a plan that is made anew comes after those that were searched for.
  const bool counts = !rebuilds_;
  const std::uint64_t n_steps = CountedLooks::search(turn.machines().n_machines());
  const std::optional<QueueOrder> first = std::exchange(next_search_, std::nullopt);
  std::optional<QueueOrder> after;
  const auto any_number = [](Amount /*n_tasks*/, Time /*estimate*/) { return true; };
  const auto any_may_have_one = [&](const GangEntry& entry) { return !is_shown(entry) || could_ever_fit(entry, turn); };
  const auto may_have_one = [&](const GangEntry& entry) {
    return !is_shown(entry) || (!(first && entry.order < *first) && could_ever_fit(entry, turn));
  };
  while (due_.size() < options_.protected_jobs) {
    const auto found = unreserved_.find(after, limit_use(), classes_, any_number, any_may_have_one, may_have_one);
    if (!found || !is_shown(*found)) return true;
    after = found->order;
    if (counts && !looks_.may_look(turn.budget(), n_steps)) {
      next_search_ = found->order;
      std::size_t n_left = 0;
      unreserved_.for_each([&](const GangEntry& entry) { n_left += is_shown(entry) && !(entry.order < *next_search_) ? 1 : 0; });
      turn.tell_shortened("reservations: " + std::to_string(n_left) + " jobs put off");
      return false;
    }
    static_cast<void>(put_at_first_start(of(found->job), until, turn));
  }
  return true;
}

void GangReservationPolicy::overtake(Turn& turn) {
  const Time until = std::nextafter(now_, kNever);
  std::optional<QueueOrder> after;
  // Where no machine has room for a task beside the running jobs alone, that is told sooner than what the plan says.
  std::vector<bool> has_no_room(classes_.size());  // nor will it have any before the next event
  const auto any_may_fit = [&](const GangEntry& entry) {
    const Class of = entry.job_class;
    if (!is_shown(entry)) return true;
    if (!has_no_room[of]) {
      has_no_room[of] = turn.machines().first_fit(classes_.demand(of), 0, classes_.eligibility(of)) == kNoMachine;
    }
    return !has_no_room[of];
  };
  const auto any_number = [](Amount /*n_tasks*/, Time /*estimate*/) { return true; };
  const auto whichever = [](const GangEntry& /*entry*/) { return true; };
  while (const auto found = unreserved_.find(after, limit_use(), classes_, any_number, any_may_fit, whichever)) {
    if (!is_shown(*found)) return;
    after = found->order;
    static_cast<void>(put_at_first_start(of(found->job), until, turn));
  }
}

// Of a job without a reservation, which leaves its queue if there is one.
bool GangReservationPolicy::put_at_first_start(Waiting& waiting, Time until, Turn& turn) {
  const Time start = first_start(waiting.entry, until);
  turn.poll();
  if (start == kNever) return false;
  choose_places(waiting.entry, start, turn);
  put(waiting, start, chosen_, {}, turn);
  return true;
}

// At the instant that was found last.
void GangReservationPolicy::choose_places(const GangEntry& entry, Time start, const Turn& turn) {
  if (!rebuilt_.prefers_runs) {
    chosen_ = plan_.places();
    return;
  }
  chosen_ = places_in_runs(plan_.rooms_at(entry, start, classes_), entry.n_tasks, turn.names());
}

void GangReservationPolicy::find_wakeup(const JobTable& jobs) {
  wakeup_ = kNever;
  const auto next = due_.upper_bound(Due{now_, QueueOrder::behind_all(), 0});
  if (next == due_.end()) return;
  if (!rebuilds_ || ends_.n_overruns() == 0) {
    wakeup_ = next->start;
    return;
  }
  // A plan that is made anew wakes up where a job that is not late yet makes room, which may show that it is.
  std::set<std::pair<Time, std::uint32_t>> on_time;
  ends_.for_each([&](JobSlot job, Time end) {
    const bool is_late = end > rounded_up(jobs.start_time(job) + jobs.processing_time(job), limits_.resolution);
    if (!is_late) jobs.for_each_place(job, [&](std::uint32_t machine, Amount /*n_tasks*/) { on_time.emplace(end, machine); });
    return true;
  });
  for (auto each = next; each != due_.end(); ++each) {
    const bool waits_for_one = std::ranges::any_of(waiting_[each->job].places, [&](const TaskPlace& place) {
      return on_time.contains({each->start, place.machine});
    });
    if (!waits_for_one) continue;
    wakeup_ = each->start;
    return;
  }
}

std::vector<Placement> GangReservationPolicy::reserved(const JobTable& /*jobs*/, Time now) const {
  std::vector<Placement> placements;
  placements.reserve(due_.size());
  GangPlan expected;
  if (is_strained_) {
    expected = plan_;  // of running jobs alone, then with the places found so far
    for (const Due& each : due_) {
      const Waiting& waiting = waiting_[each.job];
      expected.vacate(booking_of(waiting), classes_.demand(waiting.entry.job_class), takes_all(waiting.entry, true));
    }
  }
  for (const Due& each : due_) {
    const Waiting& waiting = waiting_[each.job];
    Time start = each.start;
    if (is_strained_) {
      start = expected.earliest_at(waiting.places, waiting.entry, std::max(start, now), classes_);
      // Beyond the end of the clock nothing can be told apart.
      const Time end = start < kNever ? end_of(waiting.entry, start) : kNever;
      if (end < kNever) {
        expected.occupy({waiting.places, start, end}, classes_.demand(waiting.entry.job_class), takes_all(waiting.entry, true));
      }
    }
    placements.push_back({each.job, waiting.places.front().machine, start});
  }
  std::ranges::stable_sort(placements, {}, &Placement::start_time);
  return placements;
}

std::vector<JobSlot> GangReservationPolicy::waiting_in_order(const JobTable& /*jobs*/) const {
  std::vector<JobSlot> waiting;
  waiting.reserve(queue_.size());
  queue_.for_each([&](const GangEntry& entry) { waiting.push_back(entry.job); });
  return waiting;
}

std::vector<Promise> GangReservationPolicy::promises(const JobTable& /*jobs*/, Time now) const {
  std::vector<Promise> promises;
  promises.reserve(due_.size());
  for (const Due& each : due_) {
    const Waiting& waiting = waiting_[each.job];
    const Time start = std::max(each.start, now);
    promises.push_back({each.job, start, end_of(waiting.entry, start), waiting.places, rebuilt_.holds_machines});
  }
  return promises;
}

void GangReservationPolicy::check_invariants() const {
  queue_.check_invariants();
  plan_.check_invariants();
  ever_free_.check_invariants(classes_);
}

}  // namespace schedcore
