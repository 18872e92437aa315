#include "schedcore/gangs/gang_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "schedcore/backfilling/backfill_limits.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {

GangPlan::GangPlan(const MachinesView& machines, Time resolution)
    : n_resources_(machines.n_resources),
      n_machines_(machines.n_machines),
      resolution_(resolution),
      capacity_(machines.capacity.begin(), machines.capacity.end()),
      groups_(machines),
      demand_of_all_(machines.n_resources) {
  std::vector<Amount> total(n_resources_);
  has_total_ = true;
  for (std::size_t machine = 0; machine < n_machines_; ++machine) {
    const auto capacity = machines.capacity_of(machine);
    for (std::size_t k = 0; k < n_resources_; ++k) {
      total[k] += capacity[k];
      if (total[k] > Amount{1} << 61) has_total_ = false;
      total[k] = std::min(total[k], Amount{1} << 61);
    }
  }
  if (has_total_) total_ = ResourceTimeline(total);
}

void GangPlan::pass_to(Time now) {
  now_ = now;
  if (has_total_) total_.forget_before(now);
}

GangPlan::Booking GangPlan::ahead(const Booking& booking) const {
  const Time from = std::max(booking.from, now_);
  return from < booking.to ? Booking{booking.places, from, booking.to} : Booking{};
}

void GangPlan::fill_demand_of_all(const Booking& booking, std::span<const Amount> demand, bool takes_all) {
  std::ranges::fill(demand_of_all_, 0);
  for (const TaskPlace& place : booking.places) {
    const Amount* capacity = capacity_.data() + place.machine * n_resources_;
    for (std::size_t k = 0; k < n_resources_; ++k) demand_of_all_[k] += takes_all ? capacity[k] : place.n_tasks * demand[k];
  }
}

void GangPlan::change(const Booking& before, const Booking& after, std::span<const Amount> demand, bool takes_all) {
  const Booking given_back = ahead(before);
  const Booking taken = ahead(after);
  groups_.change(given_back, taken, demand, takes_all, now_);
  if (!has_total_) return;
  if (!given_back.places.empty()) {
    fill_demand_of_all(given_back, demand, takes_all);
    total_.release(given_back.from, given_back.to, demand_of_all_);
  }
  if (!taken.places.empty()) {
    fill_demand_of_all(taken, demand, takes_all);
    total_.reserve(taken.from, taken.to, demand_of_all_);
  }
}

Time GangPlan::planned_end(Time estimate, Time start) const {
  return std::max(rounded_up(start + estimate, resolution_), std::nextafter(start, kNever));
}

// From the last stretch of the window backwards: the last one with the least room has to be over before there is more.
GangPlan::Room GangPlan::look(GangClasses::Class of, Group group, Time start, Time end, const GangClasses& classes) const {
  const ShortTimeline& timeline = groups_.timeline(group);
  const std::uint32_t machine = groups_.any_machine_of(group);
  Room least{kMostTasks + 1, kNever};
  for (std::size_t stretch = timeline.last_before(end);; --stretch) {
    const Amount here = classes.room(of, machine, timeline.row(stretch));
    if (here < least.n_tasks) least = {here, timeline.end_of(stretch)};
    if (here == 0 || timeline.begin_of(stretch) <= start || stretch == 0) return least;
  }
}

// Tasks go to these machines in their order; returns whether all of them have room.
template <class AnyMachine, class RoomOf>
bool GangPlan::fill_places(const GangEntry& entry, const AnyMachine& any_machine, const RoomOf& room_of) {
  places_.clear();
  Amount left = entry.n_tasks;
  return any_machine([&](std::uint32_t machine) {
    const Amount taken = std::min(left, room_of(machine));
    if (taken > 0) places_.push_back({machine, taken});
    left -= taken;
    return left == 0;
  });
}

template <class RoomOf>
bool GangPlan::fill_allowed(const GangEntry& entry, const GangClasses& classes, const RoomOf& room_of) {
  const Eligibility& eligibility = classes.eligibility(entry.job_class);
  const auto any_machine = [&](const auto& place_on) {
    if (!eligibility.is_everywhere()) return std::ranges::any_of(eligibility.machines(), place_on);
    for (std::uint32_t machine = 0; machine < n_machines_; ++machine) {
      if (place_on(machine)) return true;
    }
    return false;
  };
  return fill_places(entry, any_machine, room_of);
}

template <class RoomOf>
bool GangPlan::fill_marked(const GangEntry& entry, const GangClasses& classes, const RoomOf& room_of) {
  const auto any_machine = [&](const auto& place_on) {
    for (std::uint32_t word = 0; word < marks_.size(); ++word) {
      for (std::uint64_t bits = marks_[word]; bits != 0; bits &= bits - 1) {
        const std::uint32_t machine = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
        if (classes.allows(entry.job_class, machine) && place_on(machine)) return true;
      }
    }
    return false;
  };
  return fill_places(entry, any_machine, room_of);
}

bool GangPlan::fits_at(const GangEntry& entry, Time start, const GangClasses& classes) {
  const Time end = planned_end(entry.estimate, start);
  if (classes.is_shared(entry.job_class)) {
    gaps_.bring_up_to_date(entry.job_class, groups_, classes);
    return fits_in_gaps(entry, start, end, classes);
  }
  forget_looks();
  return fill_allowed(entry, classes, [&](std::uint32_t machine) { return look_once(entry, machine, start, end, classes); });
}

Amount GangPlan::look_once(const GangEntry& entry, std::uint32_t machine, Time start, Time end, const GangClasses& classes) {
  const Group group = groups_.of(machine);
  if (looked_at_[group] != n_searches_) room_[group] = look(entry.job_class, group, start, end, classes);
  looked_at_[group] = n_searches_;
  return room_[group].n_tasks;
}

std::span<const TaskPlace> GangPlan::rooms_at(const GangEntry& entry, Time start, const GangClasses& classes) {
  const Time end = planned_end(entry.estimate, start);
  GangEntry endless = entry;  // it takes all that there is
  endless.n_tasks = kAnyNumber;
  forget_looks();
  static_cast<void>(fill_allowed(endless, classes, [&](std::uint32_t machine) {
    return std::min(entry.n_tasks, look_once(entry, machine, start, end, classes));
  }));
  return places_;
}

// Leaves in room_ what groups have room for that have any, and marks their machines.
void GangPlan::look_at_gaps(const GangEntry& entry, Time start, Time end) {
  forget_looks();
  marks_.assign((n_machines_ + 63) / 64, 0);
  gaps_.for_each_around(entry.job_class, start, end, [&](Group group, Amount n_tasks) {
    if (looked_at_[group] != n_searches_) {
      room_[group].n_tasks = 0;
      for (const std::uint32_t machine : groups_.machines_of(group)) mark(machine);
    }
    looked_at_[group] = n_searches_;
    room_[group].n_tasks += n_tasks;
  });
}

bool GangPlan::fits_in_gaps(const GangEntry& entry, Time start, Time end, const GangClasses& classes) {
  look_at_gaps(entry, start, end);
  return fill_marked(entry, classes, [&](std::uint32_t machine) { return room_in_gaps(machine); });
}

void GangPlan::forget_looks() {
  room_.resize(groups_.n_numbers());
  looked_at_.resize(groups_.n_numbers());
  ++n_searches_;
}

void GangPlan::fill_total_demand(const GangEntry& entry, const GangClasses& classes) const {
  const auto demand = classes.demand(entry.job_class);
  for (std::size_t k = 0; k < n_resources_; ++k) {
    // What nobody has in all fits nowhere, however much that is.
    constexpr Amount kTooMuch = Amount{1} << 62;
    demand_of_all_[k] = demand[k] > kTooMuch / entry.n_tasks ? kTooMuch : demand[k] * entry.n_tasks;
  }
}

bool GangPlan::could_fit(const GangEntry& entry, Time from, Time until, const GangClasses& classes) const {
  if (from >= until) return false;
  if (!has_total_) return true;
  fill_total_demand(entry, classes);
  return total_.earliest_fit(from, entry.estimate, demand_of_all_, until) < kNever;
}

bool GangPlan::could_fit_before(const GangEntry& entry, Time t, const GangClasses& classes) const {
  if (t <= now_) return false;
  if (!has_total_) return true;
  fill_total_demand(entry, classes);
  return total_.has_room_before(t, demand_of_all_);
}

// How many machines of each group the job may use.
void GangPlan::count_allowed(const GangEntry& entry, const GangClasses& classes) {
  n_allowed_.assign(groups_.n_numbers(), 0);
  const Eligibility& eligibility = classes.eligibility(entry.job_class);
  if (eligibility.is_everywhere()) {
    for (Group group = 0; group < n_allowed_.size(); ++group) {
      n_allowed_[group] = static_cast<std::uint32_t>(groups_.n_machines_of(group));
    }
  } else {
    for (const std::uint32_t machine : eligibility.machines()) ++n_allowed_[groups_.of(machine)];
  }
}

bool GangPlan::has_room_on_one_before(std::uint32_t machine, const GangEntry& entry, Time start, Time end,
                                      const GangClasses& classes) {
  gaps_.bring_up_to_date(entry.job_class, groups_, classes);
  bool has_any = false;
  gaps_.for_each_around(entry.job_class, start, end, [&](Group group, Amount /*n_tasks*/) {
    has_any = has_any || std::ranges::any_of(groups_.machines_of(group), [&](std::uint32_t one) {
                return one < machine && classes.allows(entry.job_class, one);
              });
  });
  return has_any;
}

Amount GangPlan::room_without(const TaskPlace& place, Time start, GangClasses::Class of, Time from, Time to,
                              const GangClasses& classes) const {
  const ShortTimeline& timeline = groups_.timeline(groups_.of(place.machine));
  const auto capacity = classes.capacity(place.machine);
  const auto demand = classes.demand(of);
  Amount least = kMostTasks;
  for (std::size_t stretch = timeline.last_before(to);; --stretch) {
    const Time begin = std::max(from, timeline.begin_of(stretch));
    const Amount* row = timeline.row(stretch);
    if (begin < start) least = std::min(least, classes.room(of, place.machine, row));
    if (start < std::min(to, timeline.end_of(stretch))) {
      row_.assign(row, row + n_resources_);
      for (std::size_t k = 0; k < n_resources_; ++k) {
        row_[k] += classes.is_exclusive(of) ? capacity[k] : place.n_tasks * demand[k];
      }
      least = std::min(least, classes.room(of, place.machine, row_.data()));
    }
    if (least == 0 || stretch == 0 || begin <= from) return least;
  }
}

bool GangPlan::fits_without(std::span<const TaskPlace> places, Time start, const GangEntry& entry, Time at,
                            const GangClasses& classes) {
  const Time to = planned_end(entry.estimate, at);
  const GangClasses::Class of = entry.job_class;
  gaps_.bring_up_to_date(of, groups_, classes);
  look_at_gaps(entry, at, to);
  for (const TaskPlace& place : places) mark(place.machine);
  // The places up to `next` are alike, and behind them are others.
  std::size_t place = 0;
  std::size_t next = 0;
  Amount room = 0;
  return fill_marked(entry, classes, [&](std::uint32_t machine) {
    while (place < places.size() && places[place].machine < machine) ++place;
    if (place == places.size() || places[place].machine != machine) return room_in_gaps(machine);
    if (place >= next) {
      next = next_unlike(places, place);
      room = room_without(places[place], start, of, at, to, classes);
    }
    return room;
  });
}

// Windows that reach beyond `start` have room on the places as far back as they were free before.
Time GangPlan::earliest_without(std::span<const TaskPlace> places, Amount& n_before, Time start, Time end,
                                const GangEntry& entry, Time from, Time until, const GangClasses& classes) {
  const GangClasses::Class of = entry.job_class;
  gaps_.bring_up_to_date(of, groups_, classes);
  const auto end_of = [&](Time begin) { return planned_end(entry.estimate, begin); };
  // Starts from this one on may reach it, however doubles round.
  const Time reaches = start - entry.estimate - resolution_ - start * (4 * std::numeric_limits<Time>::epsilon());
  if (until <= reaches) places = {};
  const Amount n_beside = gaps_.count(of, entry.estimate, from, until);
  most_together_ = n_beside + (places.empty() ? 0 : n_before);
  if (most_together_ < entry.n_tasks) return kNever;
  alike_.clear();
  Amount n_on_own = 0;
  for (std::size_t first = 0, next = 0; first < places.size(); first = next) {
    next = next_unlike(places, first);
    const ShortTimeline& timeline = groups_.timeline(groups_.of(places[first].machine));
    const std::size_t last = timeline.last_before(start);
    const Amount n_most = most_on(places[first], of, classes);
    const Amount here = classes.room(of, places[first].machine, timeline.row(last));
    const auto n_alike = static_cast<Amount>(next - first);
    alike_.push_back({last, places[first].machine, n_alike, n_most});
    n_on_own += n_alike * std::min(n_most, here);
  }
  if (!places.empty()) n_before = n_on_own;
  most_together_ = n_beside + n_on_own;
  if (most_together_ < entry.n_tasks) return kNever;
  gaps_.collect(of, entry.estimate, from, until, end_of);
  for (const Alike& alike : alike_) {
    const ShortTimeline& timeline = groups_.timeline(groups_.of(alike.machine));
    Amount n_left = alike.n_most;
    const auto make_room = [&](Amount n_tasks, Time begin) {
      gaps_.add({begin, end, n_tasks * alike.n_machines}, entry.estimate, from, until, end_of);
      n_left -= n_tasks;
    };
    for (std::size_t stretch = alike.last; n_left > 0; --stretch) {
      const Amount here = classes.room(of, alike.machine, timeline.row(stretch));
      if (here < n_left) make_room(n_left - here, std::max(reaches, timeline.end_of(stretch)));
      if (stretch == 0 || timeline.begin_of(stretch) <= reaches) break;
    }
    if (n_left > 0) make_room(n_left, reaches);
  }
  const Time found = gaps_.first_instant(entry.n_tasks, end_of);
  most_together_ = gaps_.most_together();
  return found;
}

Time GangPlan::earliest(const GangEntry& entry, Time from, Time until, const GangClasses& classes, bool trusts_sums) {
  // Classes of one job are not worth a table.
  if (classes.is_shared(entry.job_class)) {
    gaps_.bring_up_to_date(entry.job_class, groups_, classes);
    const auto end_of = [&](Time start) { return planned_end(entry.estimate, start); };
    const Time latest = std::max(from, gaps_.first_endless(entry.job_class, entry.n_tasks));
    until = std::min(until, std::nextafter(latest, kNever));
    if (gaps_.collect(entry.job_class, entry.estimate, from, until, end_of) < entry.n_tasks) return kNever;
    from = gaps_.first_instant(entry.n_tasks, end_of);
    if (from < kNever) static_cast<void>(fits_in_gaps(entry, from, end_of(from), classes));
    return from;
  }
  count_allowed(entry, classes);
  room_.resize(groups_.n_numbers());
  bool is_first = true;
  for (Time start = from;;) {
    if (has_total_ && trusts_sums) {
      fill_total_demand(entry, classes);
      start = total_.earliest_fit(start, entry.estimate, demand_of_all_, until);
    }
    if (start >= until) return kNever;
    const Time end = planned_end(entry.estimate, start);
    Amount n_found = 0;
    for (Group group = 0; group < n_allowed_.size(); ++group) {
      if (n_allowed_[group] == 0) continue;
      Room& room = room_[group];
      // Machines without room stay without it until they rise.
      if (is_first || room.n_tasks > 0 || room.rise <= start) room = look(entry.job_class, group, start, end, classes);
      n_found += n_allowed_[group] * std::min(room.n_tasks, entry.n_tasks);
    }
    is_first = false;
    if (n_found >= entry.n_tasks) {
      static_cast<void>(fill_allowed(entry, classes, [&](std::uint32_t machine) { return room_[groups_.of(machine)].n_tasks; }));
      return start;
    }
    start = next_instant(entry, n_found, until, classes);
  }
}

// What a group had room for at its last look bounds what it has room for until it rises, because the window only leaves
// the stretch with the least room behind then.  So the sum over all groups bounds what has room, and an instant at which
// it does not suffice is too early.  Only the group that rises is looked at.
Time GangPlan::next_instant(const GangEntry& entry, Amount n_found, Time until, const GangClasses& classes) {
  const auto may_gain = [&](const Room& room) { return room.n_tasks < entry.n_tasks && room.rise < until; };
  rises_.clear();
  for (Group group = 0; group < n_allowed_.size(); ++group) {
    if (n_allowed_[group] > 0 && may_gain(room_[group])) rises_.emplace_back(room_[group].rise, group);
  }
  std::ranges::make_heap(rises_, std::greater());
  while (!rises_.empty()) {
    const auto [start, group] = rises_.front();
    std::ranges::pop_heap(rises_, std::greater());
    rises_.pop_back();
    Room& room = room_[group];
    const Amount before = std::min(room.n_tasks, entry.n_tasks);
    room = look(entry.job_class, group, start, planned_end(entry.estimate, start), classes);
    n_found += n_allowed_[group] * (std::min(room.n_tasks, entry.n_tasks) - before);
    if (n_found >= entry.n_tasks) return start;
    if (!may_gain(room)) continue;
    rises_.emplace_back(room.rise, group);
    std::ranges::push_heap(rises_, std::greater());
  }
  return kNever;
}

Time GangPlan::earliest_at(std::span<const TaskPlace> places, const GangEntry& entry, Time from,
                           const GangClasses& classes) const {
  for (Time start = from; start < kNever;) {
    const Time end = planned_end(entry.estimate, start);
    Time rise = start;
    for (const TaskPlace& place : places) {
      const Room room = look(entry.job_class, groups_.of(place.machine), start, end, classes);
      if (room.n_tasks < place.n_tasks) rise = std::max(rise, room.rise);
    }
    if (rise == start) return start;
    start = rise;
  }
  return kNever;
}

void GangPlan::most_free(std::uint32_t machine, Time from, Time to, std::span<Amount> most) const {
  const ShortTimeline& timeline = groups_.timeline(groups_.of(machine));
  std::ranges::fill(most, std::numeric_limits<Amount>::lowest());
  for (std::size_t stretch = timeline.at(from); stretch < timeline.size() && timeline.begin_of(stretch) < to; ++stretch) {
    const Amount* row = timeline.row(stretch);
    for (std::size_t k = 0; k < n_resources_; ++k) most[k] = std::max(most[k], row[k]);
  }
}

Time GangPlan::first_shortage(std::uint32_t machine, std::span<const Amount> demand) const {
  const ShortTimeline& timeline = groups_.timeline(groups_.of(machine));
  for (std::size_t stretch = timeline.at(now_); stretch < timeline.size(); ++stretch) {
    if (!fits(demand.data(), timeline.row(stretch), n_resources_)) return std::max(now_, timeline.begin_of(stretch));
  }
  return kNever;
}

bool GangPlan::is_negative_somewhere() const {
  for (Group group = 0; group < groups_.n_numbers(); ++group) {
    if (groups_.n_machines_of(group) > 0 && groups_.timeline(group).is_negative_from(now_)) return true;
  }
  return false;
}

void GangPlan::check_invariants() const { groups_.check_invariants(); }

}  // namespace schedcore
