// Compression: what reservations do with room that jobs have given back.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "schedcore/backfilling/plan_of_timelines.hpp"
#include "schedcore/backfilling/reservations.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {

bool ReservationPolicy::compress(Time now, Turn& turn) {
  struct Steps {
    ReservationPolicy& policy;
    Time now;
    Turn& turn;
    void start_due() const { policy.start_due(now, turn); }
    void start_selected() const { policy.start_selected(now, turn); }
    void go_on() const { policy.released_room_.go_on(now); }
    void begin_pass() const { policy.begin_pass(now, turn); }
    [[nodiscard]] bool look_at_others() const { return policy.look_at_others(now, turn); }
  };
  const bool selects = selection_.rule != SelectionRule::first_fit && protects_all();
  return passes_.run(options_.compression, selects, Steps{*this, now, turn});
}

void ReservationPolicy::begin_pass(Time now, Turn& turn) {
  if (is_strained_) start_overdue(now, turn);
  holders_.clear();
  for (Entry& entry : queue_.entries()) {
    if (entry.is_reserved()) holders_.push_back(holder_of(entry));
  }
  released_room_.begin_pass(now, holders_, PlanOfTimelines(bounds_, load_.timelines(), now));
  holders_.clear();
  passes_.begin();
  next_look_ = 0;
}

bool ReservationPolicy::look_at_others(Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const std::uint64_t n_steps_under_strain = CountedLooks::search(load_.timelines().size());
  for (Entry& entry : queue_.entries_from(next_look_)) {
    if (!entry.waits || !entry.is_reserved()) continue;
    if (!looks_.may_look(turn.budget(), is_strained_ ? n_steps_under_strain : CountedLooks::kLook)) {
      leave_off(entry.position, turn);
      start_due(now, turn);
      return false;
    }
    ++counts_.looks;
    released_room_.look_at(holder_of(entry));
    const Fit fit = is_strained_ ? place_under_strain(entry, now, jobs) : earlier_place(entry, now, jobs);
    if (fit != Fit{entry.start, entry.machine}) {
      move(entry, fit, now, jobs);
      record(entry, now, jobs);
      ++counts_.moves;
      passes_.has_moved = true;
      CountedLooks::count_move(turn.budget());
      turn.poll();
    }
    if (entry.start <= now) start_if_it_fits(entry, now, turn);
  }
  released_room_.end_pass(!is_strained_);
  passes_.is_under_way = false;
  return true;
}

void ReservationPolicy::leave_off(ReservationQueue::Position next, Turn& turn) {
  next_look_ = next;
  const auto is_left = [](const Entry& entry) { return entry.waits && entry.is_reserved(); };
  const auto n_left = std::ranges::count_if(queue_.entries_from(next), is_left);
  turn.tell_shortened("compression: " + std::to_string(n_left) + " reservations put off");
}

FitBounds::Fit ReservationPolicy::earlier_place(Entry& entry, Time now, const JobTable& jobs) {
  if (released_room_.is_known()) {
    const ReleasedRoom::Place place = released_room_.earliest(PlanOfTimelines(bounds_, load_.timelines(), now));
    return {place.time, place.machine};
  }
  return earlier_place_anywhere(entry, now, jobs);
}

// A start x before the reservation's own start s is possible beside the others exactly if there is room on
// [x, min(end of x, s)) with the reservation in place, since it holds room for itself from s on.  So either a whole
// occupation fits before or around it, which the class knows, or there is room up to s.
FitBounds::Fit ReservationPolicy::earlier_place_anywhere(const Entry& entry, Time now, const JobTable& jobs) {
  const Fit held{entry.start, entry.machine};
  Fit best = bounds_.bound(entry.job_class, now, load_.timelines());
  if (best < held) best = bounds_.earliest(entry.job_class, now, held, load_.timelines());
  ResourceTimeline& own = timeline(entry.machine);
  const auto demand = jobs.demand(entry.job);
  if (entry.start <= now || !own.has_room_before(entry.start, demand)) return best < held ? best : held;
  const Time reach = bounds_.first_start_beyond(entry.job_class, entry.start);
  const Time from = std::max(now, std::min(reach, bounds_.bound_on(entry.job_class, entry.machine)));
  lift(entry, now, jobs);
  const Time start = bounds_.first_start(entry.job_class, from, entry.start, now, own);
  lay(entry, now, jobs);
  return std::min({best, Fit{start, entry.machine}, held});
}

// Where jobs run late a place may not be free: it is given up for another that is no later, otherwise kept.
FitBounds::Fit ReservationPolicy::place_under_strain(const Entry& entry, Time now, const JobTable& jobs) {
  const Time latest = std::max(entry.start, now);
  const Time until = std::nextafter(latest, kNever);
  Fit best;
  lift(entry, now, jobs);
  const auto& timelines = load_.timelines();
  for (std::uint32_t machine = 0; machine < timelines.size(); ++machine) {
    if (!bounds_.may_use(entry.job_class, machine)) continue;
    best = std::min(best, Fit{bounds_.first_start(entry.job_class, now, until, now, timelines[machine]), machine});
  }
  lay(entry, now, jobs);
  return best.time <= latest ? best : Fit{entry.start, entry.machine};
}

bool ReservationPolicy::may_start_now(const Entry& entry, std::uint32_t machine, Time now, const JobTable& jobs) {
  const auto demand = jobs.demand(entry.job);
  const Time end = bounds_.planned_end(jobs.processing_time(entry.job), now, now);
  if (machine != entry.machine) return timeline(machine).first_shortage(now, demand) >= end;
  if (!is_strained_) return timeline(machine).first_shortage(now, demand) >= std::min(end, entry.start);
  lift(entry, now, jobs);
  const bool fits_now = timeline(machine).first_shortage(now, demand) >= end;
  lay(entry, now, jobs);
  return fits_now;
}

void ReservationPolicy::start_selected(Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const MachineIndex& machines = turn.machines();
  const auto free_of = [&](std::uint32_t machine) { return machines.free(machine); };
  for (;;) {
    Entry* chosen = nullptr;
    ScoredPair best;
    for (std::uint32_t machine = 0; machine < machines.n_machines(); ++machine) {
      scores_.look_at(machine, machines.free(machine));
      for (Entry& entry : queue_.entries()) {
        if (!entry.waits || !entry.is_reserved()) continue;
        if (!bounds_.may_use(entry.job_class, machine)) continue;
        if (!fits(jobs.demand(entry.job), machines.free(machine))) continue;
        const ScoredPair pair = scores_.score(jobs.demand(entry.job), jobs.processing_time(entry.job));
        if (chosen != nullptr) {
          const std::weak_ordering order = scores_.compare(pair, best, free_of);
          if (order == std::weak_ordering::greater) continue;
          const bool is_first = std::tie(entry.position, machine) < std::tie(chosen->position, best.machine);
          if (order == std::weak_ordering::equivalent && !is_first) continue;
        }
        if (!may_start_now(entry, machine, now, jobs)) continue;
        chosen = &entry;
        best = pair;
      }
    }
    if (chosen == nullptr) return;
    move(*chosen, {now, best.machine}, now, jobs);
    record(*chosen, now, jobs);
    ++counts_.moves;
    finish_start(*chosen, turn);
    turn.poll();
  }
}

}  // namespace schedcore
