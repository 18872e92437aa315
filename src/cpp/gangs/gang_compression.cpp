// Compression: what reservations of a GangReservationPolicy do with room that jobs have given back.
#include <algorithm>
#include <cmath>

#include "schedcore/gangs/gang_reservation_policy.hpp"

namespace schedcore {

void GangReservationPolicy::compress(Turn& turn) {
  if (selects() && protects_all()) {
    start_due(false, turn);
    start_selected(turn);
  }
  while (compress_once(turn) && options_.compression == Compression::fixpoint) {
  }
}

bool GangReservationPolicy::compress_once(Turn& turn) {
  bool has_moved = false;
  if (is_strained_) start_due(true, turn);
  for (const JobSlot job : holders()) {
    Waiting& waiting = of(job);
    ++counts_.looks;
    const auto [start, moves] = is_strained_ ? place_under_strain(waiting) : earlier_place(waiting);
    if (moves) {
      ++counts_.moves;
      has_moved = true;
      given_back_.note(std::max(waiting.start, now_), waiting.end, waiting.places);
      chosen_ = plan_.places();
      put(waiting, start, chosen_, turn);
      turn.poll();
    } else if (waiting.start <= now_) {
      start_if_it_fits(waiting, turn);
    }
  }
  return has_moved;
}

// A job of the entry's kind that starts before this ends by the instant, however doubles round.
Time GangReservationPolicy::first_start_beyond(const GangEntry& entry, Time instant) const {
  return instant - entry.estimate - limits_.resolution - instant * (4 * std::numeric_limits<Time>::epsilon());
}

// Nothing before its start was possible when it was put there, so only starts from which it reaches into what was given
// back since are.  Such a start x needs room on [x, its own start) beside its own reservation, or before it altogether.
std::pair<Time, bool> GangReservationPolicy::earlier_place(Waiting& waiting) {
  const GangEntry& entry = waiting.entry;
  // Starts from the first on may reach into its own reservation, those from the second on do.
  const Time may_reach = first_start_beyond(entry, waiting.start);
  const Time does_reach = waiting.start - entry.estimate + waiting.start * (4 * std::numeric_limits<Time>::epsilon());
  const std::uint32_t last_machine = std::ranges::max_element(waiting.places, {}, &TaskPlace::machine)->machine;
  const auto has_room = [&](std::uint32_t machine) {
    return machine < last_machine && classes_.allows(entry.job_class, machine) &&
           plan_.room_on(machine, entry, waiting.start, waiting.end, classes_) > 0;
  };
  Time from = kNever;
  Time until = 0;
  bool may_go_elsewhere = false;
  bool has_room_before_own = false;
  bool looked_before_own = false;
  given_back_.for_each_since(waiting.seen, [&](const GivenBack::Span& span) {
    const Time first = std::max(now_, first_start_beyond(entry, span.from));
    const Time last = std::min(waiting.start, span.to);
    // Beside its own reservation there is room on a machine that comes before the last of its own.
    may_go_elsewhere = may_go_elsewhere || (span.from < waiting.end && waiting.start < span.to &&
                                            (span.is_everywhere || std::ranges::any_of(span.machines, has_room)));
    if (first >= last) return;
    if (last > may_reach && !looked_before_own) {
      has_room_before_own = plan_.could_fit_before(entry, waiting.start, classes_);
      looked_before_own = true;
    }
    const bool is_possible =
        (last > may_reach && has_room_before_own) || plan_.could_fit(entry, first, std::min(last, does_reach), classes_);
    if (!is_possible) return;
    from = std::min(from, first);
    until = std::max(until, last);
  });
  waiting.seen = given_back_.mark();
  if (from >= until && !may_go_elsewhere) return {waiting.start, false};
  lift(waiting);
  const Time start = from < until ? plan_.earliest(entry, from, until, classes_, true) : kNever;
  if (start < kNever) return {start, true};
  if (may_go_elsewhere && plan_.fits_at(entry, waiting.start, classes_) && plan_.places() != waiting.places) {
    return {waiting.start, true};
  }
  lay(waiting);
  return {waiting.start, false};
}

// Where jobs run late a place may not be free: it is given up for another that is no later, otherwise kept.
std::pair<Time, bool> GangReservationPolicy::place_under_strain(Waiting& waiting) {
  const Time latest = std::max(waiting.start, now_);
  lift(waiting);
  const Time start = plan_.earliest(waiting.entry, now_, std::nextafter(latest, kNever), classes_, false);
  const bool stays = start == kNever || (start == waiting.start && plan_.places() == waiting.places);
  if (stays) lay(waiting);
  return {stays ? waiting.start : start, !stays};
}

}  // namespace schedcore
