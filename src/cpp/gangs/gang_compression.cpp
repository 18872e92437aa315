// Compression: what reservations of a GangReservationPolicy do with room that jobs have given back.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "schedcore/gangs/gang_reservation_policy.hpp"
#include "schedcore/gangs/plan_of_gangs.hpp"

namespace schedcore {

bool GangReservationPolicy::compress(Turn& turn) {
  struct Steps {
    GangReservationPolicy& policy;
    Turn& turn;
    void start_due() const { policy.start_due(false, turn); }
    void start_selected() const { policy.start_selected(turn); }
    void go_on() const { policy.released_room_.go_on(policy.now_); }
    void begin_pass() const { policy.begin_pass(turn); }
    [[nodiscard]] bool look_at_others() const { return policy.look_at_others(turn); }
  };
  return passes_.run(options_.compression, selects() && protects_all(), Steps{*this, turn});
}

void GangReservationPolicy::begin_pass(Turn& turn) {
  if (is_strained_) start_due(true, turn);
  passes_.begin();
  next_look_ = QueueOrder::ahead_of_all();
  std::vector<ReleasedRoom::Holder> all;
  all.reserve(due_.size());
  for (const JobSlot job : holders()) {
    if (of(job).entry.n_tasks == 1) all.push_back(holder_of(of(job), 0));
  }
  released_room_.begin_pass(now_, all, PlanOfGangs(plan_, classes_));
}

bool GangReservationPolicy::look_at_others(Turn& turn) {
  const std::uint64_t n_steps = CountedLooks::search(turn.machines().n_machines());
  const std::vector<JobSlot> all = holders();
  bool looks_at_all = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Waiting& waiting = of(all[i]);
    if (waiting.entry.order < next_look_) continue;
    if (is_limited(waiting.entry)) {
      looks_at_all = false;
      if (waiting.start <= now_) give_up_quietly(waiting);
      continue;
    }
    if (!looks_.may_look(turn.budget(), n_steps)) {
      next_look_ = waiting.entry.order;
      turn.tell_shortened("compression: " + std::to_string(all.size() - i) + " reservations put off");
      start_due(false, turn);
      return false;
    }
    ++counts_.looks;
    released_room_.look_at(holder_of(waiting, i));
    const Move move = is_strained_ ? place_under_strain(waiting) : earlier_place(waiting);
    if (move.start < kNever) {
      ++counts_.moves;
      passes_.has_moved = true;
      CountedLooks::count_move(turn.budget());
      if (!move.is_on_one) chosen_ = plan_.places();
      move_to(waiting, move, turn);
      turn.poll();
    } else if (waiting.start <= now_) {
      start_if_it_fits(waiting, turn);
    }
  }
  released_room_.end_pass(!is_strained_ && looks_at_all);
  passes_.is_under_way = false;
  return true;
}

// To chosen_.
void GangReservationPolicy::move_to(Waiting& waiting, const Move& move, Turn& turn) {
  const Time from = std::max(waiting.start, now_);
  const Time to = waiting.end;
  const std::vector<TaskPlace> before = waiting.places;
  const Amount at_most = waiting.earlier.at_most();
  put(waiting, move.start, chosen_, move.is_in_plan ? booking_of(waiting) : GangPlan::Booking{}, turn);
  if (move.is_in_plan && !move.is_on_one) waiting.earlier.reset(now_, move.start, at_most);  // of all starts before it
  note_given_back(from, to, before);
  waiting.seen = given_back_.mark();
}

// A job of the entry's kind that starts before this ends by the instant, however doubles round.
Time GangReservationPolicy::first_start_beyond(const GangEntry& entry, Time instant) const {
  return instant - entry.estimate - limits_.resolution - instant * (4 * std::numeric_limits<Time>::epsilon());
}

// The tasks that may have room before its start on its own machines since it was looked at.
Amount GangReservationPolicy::newly_before(const Waiting& waiting) const {
  const auto was_noted = [&](const TaskPlace& place) { return given_back_.was_noted_on(place.machine, waiting.seen); };
  if (std::ranges::none_of(waiting.places, was_noted)) return 0;
  return plan_.room_before(waiting.places, waiting.entry, waiting.start, classes_, was_noted);
}

// Of a class that several jobs share.  So many tasks that had no room have to be where room was given back: beside its own
// reservation, or before it on its own machines.
GangReservationPolicy::Chance GangReservationPolicy::chance_in_gaps(Waiting& waiting) {
  const GangEntry& entry = waiting.entry;
  EarlierStarts& earlier = waiting.earlier;
  earlier.pass_to(now_);
  const NewRoom::Chance chance = new_room_.add_to(earlier, entry.job_class, entry.estimate, now_, waiting.start, waiting.seen,
                                                  given_back_, plan_, classes_);
  if (const Amount n_newly_before = chance.may_reach_last ? newly_before(waiting) : 0; n_newly_before > 0) {
    waiting.n_before = std::min(waiting.n_before + n_newly_before, kMostTasks);
    earlier.add(first_start_beyond(entry, waiting.start), waiting.start, n_newly_before);
  }
  if (const EarlierStarts::Parts parts = earlier.parts_for(entry.n_tasks); parts.first < parts.second) {
    const auto [from, until] = earlier.span_of(parts.first, parts.second);
    const Time first = plan_.earliest_without(waiting.places, waiting.n_before, waiting.start, waiting.end, entry,
                                              std::max(from, now_), until, classes_);
    earlier.set(parts, plan_.most_together());  // of starts before the first, if there is one
    if (first < kNever) return {first, waiting.start, true};
  }
  const std::uint32_t last = waiting.places.back().machine;
  return {kNever, 0, chance.first_around_last < last &&
                         plan_.has_room_on_one_before(last, entry, waiting.start, waiting.end, classes_)};
}

// By what is free on all machines together.  Only starts from which it reaches into what was given back are possible, and such
// a start x needs room on [x, its own start) beside its own reservation, or before it altogether.
GangReservationPolicy::Chance GangReservationPolicy::chance_in_sums(const Waiting& waiting) const {
  const GangEntry& entry = waiting.entry;
  // Starts from the first on may reach into its own reservation, those from the second on do.
  const Time may_reach = first_start_beyond(entry, waiting.start);
  const Time does_reach = waiting.start - entry.estimate + waiting.start * (4 * std::numeric_limits<Time>::epsilon());
  const std::uint32_t last_machine = waiting.places.back().machine;
  const auto has_room = [&](std::uint32_t machine) {
    return machine < last_machine && classes_.allows(entry.job_class, machine) &&
           plan_.room_on(machine, entry, waiting.start, waiting.end, classes_) > 0;
  };
  Chance chance;
  std::optional<bool> has_room_before_own;
  given_back_.for_each_since(waiting.seen, [&](const GivenBack::Span& span) {
    const Time first = std::max(now_, first_start_beyond(entry, span.from));
    const Time last = std::min(waiting.start, span.to);
    // Beside its own reservation there is room on a machine that comes before the last of its own.
    chance.may_go_elsewhere =
        chance.may_go_elsewhere || (span.from < waiting.end && waiting.start < span.to &&
                                    (span.is_everywhere || std::ranges::any_of(span.machines, has_room)));
    if (first >= last) return;
    if (last > may_reach && !has_room_before_own) {
      has_room_before_own = plan_.could_fit_before(entry, waiting.start, classes_);
    }
    const bool is_possible =
        (last > may_reach && *has_room_before_own) || plan_.could_fit(entry, first, std::min(last, does_reach), classes_);
    if (!is_possible) return;
    chance.from = std::min(chance.from, first);
    chance.until = std::max(chance.until, last);
  });
  return chance;
}

// Nothing before its start was possible when it was put there, but for what was given back since.
GangReservationPolicy::Move GangReservationPolicy::earlier_place(Waiting& waiting) {
  const GangEntry& entry = waiting.entry;
  if (entry.n_tasks == 1 && released_room_.is_known()) {
    const ReleasedRoom::Place held{waiting.start, waiting.places.back().machine};
    const ReleasedRoom::Place place = released_room_.earliest(PlanOfGangs(plan_, classes_));
    waiting.seen = given_back_.mark();
    if (!(place < held)) return {};
    chosen_.assign(1, {place.machine, 1});
    return {place.time, true, true};
  }
  const bool is_shared = classes_.is_shared(entry.job_class);
  const auto [from, until, may_go_elsewhere] = is_shared ? chance_in_gaps(waiting) : chance_in_sums(waiting);
  waiting.seen = given_back_.mark();
  if (!is_shared) waiting.forget_room(now_);
  if (from >= until && !may_go_elsewhere) return {};
  const bool may_be_earlier = from < until;
  if (is_shared) {
    // An instant that is no later than the first, and at which it fits, is the first.
    const Time start = may_be_earlier ? from : waiting.start;
    const bool fits = plan_.fits_without(waiting.places, waiting.start, entry, start, classes_);
    if (fits && (may_be_earlier || plan_.places() != waiting.places)) return {.start = start, .is_in_plan = true};
    if (!may_be_earlier) return {};
    waiting.forget_room(now_);
  }
  lift(waiting);
  const Time start = may_be_earlier ? plan_.earliest(entry, from, until, classes_, true) : kNever;
  if (start < kNever) return {.start = start};
  if (may_go_elsewhere && plan_.fits_at(entry, waiting.start, classes_) && plan_.places() != waiting.places) {
    return {.start = waiting.start};
  }
  lay(waiting);
  return {};
}

// Where jobs run late a place may not be free: it is given up for another that is no later, otherwise kept.
GangReservationPolicy::Move GangReservationPolicy::place_under_strain(Waiting& waiting) {
  const Time latest = std::max(waiting.start, now_);
  lift(waiting);
  const Time start = plan_.earliest(waiting.entry, now_, std::nextafter(latest, kNever), classes_, false);
  if (start < kNever && (start != waiting.start || plan_.places() != waiting.places)) return {.start = start};
  lay(waiting);
  return {};
}

}  // namespace schedcore
