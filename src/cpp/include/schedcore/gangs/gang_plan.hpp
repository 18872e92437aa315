// What is free on every machine over time beside running jobs, reservations and outages, and where a job of several tasks
// fits first.
//
// A job fits at s where enough tasks have room on [s, end), on each machine by the least that is free meanwhile.  For a
// class that several waiting jobs share, the gaps of all machines say where (gap_table.hpp).  For others a search goes from
// one instant to the next at which that may hold: every machine says how many tasks have room and when it may have room
// for more, and is asked again then, until enough of them may have come together; what is free on all machines together
// rules out more.  Machines with the same future are asked once (machine_groups.hpp).
//
// Cost with M machines in G groups of k breakpoints: occupy and vacate as of the groups, and a logarithm for all machines
// together.  A search as of the gaps, or else O(G (log k + R b)) for b stretches in the job's window, O(log G + log k + R b)
// for each rise of a group on the way, and as much as at first for each instant that turns out to be too early; O(M) to
// place the job, or if it may use some machines only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedcore/index/gang_classes.hpp"
#include "schedcore/gangs/gang_queue.hpp"
#include "schedcore/gangs/gap_table.hpp"
#include "schedcore/gangs/machine_groups.hpp"
#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {

class GangPlan {
 public:
  GangPlan() = default;
  GangPlan(const MachinesView& machines, Time resolution);

  // Instants before it are forgotten, machine by machine as they change.
  void pass_to(Time now);
  // All places of a job that takes so much a task, or all of its machines; a booking may begin before now and end at kNever.
  using Booking = MachineGroups::Booking;
  void occupy(const Booking& booking, std::span<const Amount> demand, bool takes_all) { change({}, booking, demand, takes_all); }
  void vacate(const Booking& booking, std::span<const Amount> demand, bool takes_all) { change(booking, {}, demand, takes_all); }
  // From one booking to another, as if it was vacated before; the places of both are in the order of their machines.
  void change(const Booking& before, const Booking& after, std::span<const Amount> demand, bool takes_all);

  // The planned end of a job that starts then; later than the start even where the estimate is lost in rounding.
  [[nodiscard]] Time planned_end(Time estimate, Time start) const;

  // The first instant in [from, until) at which the job fits, kNever if there is none; `from` is not before now.  `trusts_sums`
  // says that no amounts are negative, so that what is free on all machines together is no less than what has room.
  [[nodiscard]] Time earliest(const GangEntry& entry, Time from, Time until, const GangClasses& classes, bool trusts_sums);
  // No later than the first instant in [from, until) at which the job, of a shared class, would fit if these places were given
  // back from `start` on, which is no earlier than `until`; kNever if there is none.  `n_before` is no less than the tasks
  // that have room on them just before `start`; it is counted anew where that decides nothing.
  [[nodiscard]] Time earliest_without(std::span<const TaskPlace> places, Amount& n_before, Time start, Time end,
                                      const GangEntry& entry, Time from, Time until, const GangClasses& classes);
  // After that: no instant before the one that was found, or until the end, has room for more of the tasks than so many.
  [[nodiscard]] Amount most_together() const { return most_together_; }
  // Whether it would fit at the instant, which is no later than `start`.  The places are in the order of their machines.
  [[nodiscard]] bool fits_without(std::span<const TaskPlace> places, Time start, const GangEntry& entry, Time at,
                                  const GangClasses& classes);
  // How many tasks of the job have room just before the instant on those of its places of which `counts(place)` holds, where
  // it holds them from then on.
  template <class Counts>
  [[nodiscard]] Amount room_before(std::span<const TaskPlace> places, const GangEntry& entry, Time t,
                                   const GangClasses& classes, const Counts& counts) const;
  // Whether it could fit at some instant in [from, until), by what is free on all machines together.
  [[nodiscard]] bool could_fit(const GangEntry& entry, Time from, Time until, const GangClasses& classes) const;
  // Whether there is room for it just before `t` on all machines together.
  [[nodiscard]] bool could_fit_before(const GangEntry& entry, Time t, const GangClasses& classes) const;
  // Whether it fits at the instant.
  [[nodiscard]] bool fits_at(const GangEntry& entry, Time start, const GangClasses& classes);
  // The machines that have room for tasks of it from the instant on, each for so many of them, in order; until the next search.
  // O(M), and a look at each group.
  [[nodiscard]] std::span<const TaskPlace> rooms_at(const GangEntry& entry, Time start, const GangClasses& classes);
  // Where it goes, after an instant was found.
  [[nodiscard]] const std::vector<TaskPlace>& places() const { return places_; }
  // The tasks of the job that have room on the machine, which it may use, on [start, end).
  [[nodiscard]] Amount room_on(std::uint32_t machine, const GangEntry& entry, Time start, Time end,
                               const GangClasses& classes) const {
    return look(entry.job_class, groups_.of(machine), start, end, classes).n_tasks;
  }
  // Whether a machine before this one, which the job may use, has room for a task on [start, end); of a shared class.
  [[nodiscard]] bool has_room_on_one_before(std::uint32_t machine, const GangEntry& entry, Time start, Time end,
                                            const GangClasses& classes);

  // Calls visit(begin, end, n_tasks) for each stretch of time, as long as it is, in which a task of the class has room on the
  // machine and which reaches into [from, to); so many of them have room at times.
  template <class Visit>
  void for_each_gap(std::uint32_t machine, GangClasses::Class of, Time from, Time to, const GangClasses& classes,
                    const Visit& visit) const;
  // The first stretch of time on the machine, as long as it is, that meets [from, to) and where `has_room(row)` holds
  // throughout; it begins at kNever if there is none.  `from` is not before now.
  template <class HasRoom>
  [[nodiscard]] std::pair<Time, Time> first_room(std::uint32_t machine, Time from, Time to, const HasRoom& has_room) const;
  // Since when that holds until `t`, which is after now; `t` if it does not hold just before.
  template <class HasRoom>
  [[nodiscard]] Time room_since(std::uint32_t machine, Time t, const HasRoom& has_room) const;
  // What is free on the machine at most, resource by resource, in [from, to).
  void most_free(std::uint32_t machine, Time from, Time to, std::span<Amount> most) const;
  // Until when the demand has room on the machine from now on; now if it has none, kNever if it has for good.
  [[nodiscard]] Time first_shortage(std::uint32_t machine, std::span<const Amount> demand) const;

  // The first instant from `from` on at which these places have room for the job; kNever if there is none.
  [[nodiscard]] Time earliest_at(std::span<const TaskPlace> places, const GangEntry& entry, Time from,
                                 const GangClasses& classes) const;

  [[nodiscard]] bool is_negative_somewhere() const;
  // Whether more is taken of the machine than it has at an instant in [from, to), where `from` is not before now.
  [[nodiscard]] bool is_negative_on(std::uint32_t machine, Time from, Time to) const {
    return groups_.timeline(groups_.of(machine)).is_negative_in(from, to);
  }
  void check_invariants() const;

 private:
  // The tasks that have room on a machine of a group from an instant on, and when there may be room for more.
  struct Room {
    Amount n_tasks = 0;
    Time rise = kNever;
  };

  using Group = MachineGroups::Group;

  [[nodiscard]] Room look(GangClasses::Class of, Group group, Time start, Time end, const GangClasses& classes) const;
  // The tasks that have room on a machine from an instant on; in one search the machines of a group are looked at once.
  [[nodiscard]] Amount look_once(const GangEntry& entry, std::uint32_t machine, Time start, Time end, const GangClasses& classes);
  // What is left of it from now on.
  [[nodiscard]] Booking ahead(const Booking& booking) const;
  void fill_demand_of_all(const Booking& booking, std::span<const Amount> demand, bool takes_all);
  // After the gaps of its class were brought up to date.
  [[nodiscard]] bool fits_in_gaps(const GangEntry& entry, Time start, Time end, const GangClasses& classes);
  void look_at_gaps(const GangEntry& entry, Time start, Time end);
  void mark(std::uint32_t machine) { marks_[machine / 64] |= std::uint64_t{1} << (machine % 64); }
  [[nodiscard]] Amount room_in_gaps(std::uint32_t machine) const {
    const Group group = groups_.of(machine);
    return looked_at_[group] == n_searches_ ? room_[group].n_tasks : 0;
  }
  void forget_looks();
  // The first of the places behind this one that is on machines with another future, or for other tasks.
  [[nodiscard]] std::size_t next_unlike(std::span<const TaskPlace> places, std::size_t first) const {
    const Group group = groups_.of(places[first].machine);
    std::size_t next = first + 1;
    while (next < places.size() && groups_.of(places[next].machine) == group && places[next].n_tasks == places[first].n_tasks) {
      ++next;
    }
    return next;
  }
  // The tasks that have room on [from, to) on the machine of a place that is given back from `start` to some end after `to`.
  [[nodiscard]] Amount room_without(const TaskPlace& place, Time start, GangClasses::Class of, Time from, Time to,
                                    const GangClasses& classes) const;
  // The tasks of the job that have room on one of its places beside others; an exclusive job has no others beside it.
  [[nodiscard]] Amount most_on(const TaskPlace& place, GangClasses::Class of, const GangClasses& classes) const {
    return classes.is_exclusive(of) ? classes.room(of, place.machine, classes.capacity(place.machine).data()) : place.n_tasks;
  }
  void count_allowed(const GangEntry& entry, const GangClasses& classes);
  // The first instant at which enough tasks may have room, where `n_found` of them have it at the looks so far.
  [[nodiscard]] Time next_instant(const GangEntry& entry, Amount n_found, Time until, const GangClasses& classes);
  template <class AnyMachine, class RoomOf>
  [[nodiscard]] bool fill_places(const GangEntry& entry, const AnyMachine& any_machine, const RoomOf& room_of);
  template <class RoomOf>
  [[nodiscard]] bool fill_allowed(const GangEntry& entry, const GangClasses& classes, const RoomOf& room_of);
  template <class RoomOf>
  [[nodiscard]] bool fill_marked(const GangEntry& entry, const GangClasses& classes, const RoomOf& room_of);
  void fill_total_demand(const GangEntry& entry, const GangClasses& classes) const;

  std::size_t n_resources_ = 0;
  std::size_t n_machines_ = 0;
  Time resolution_ = 0;
  Time now_ = 0;
  std::vector<Amount> capacity_;  // row-major
  MachineGroups groups_;
  GapTable gaps_;
  bool has_total_ = false;  // unless the sums do not fit into 62 bits
  ResourceTimeline total_;

  // Scratch of a search.
  std::vector<Room> room_;                         // by group
  std::vector<std::uint32_t> n_allowed_;           // by group: machines that the job may use
  std::vector<std::uint64_t> looked_at_;           // by group: the last search that has looked
  std::uint64_t n_searches_ = 0;
  std::vector<std::uint64_t> marks_;               // a bit for each machine
  std::vector<std::pair<Time, Group>> rises_;      // a heap, the first on top
  std::vector<TaskPlace> places_;
  // Neighbours among the places of a job, on machines with the same future.
  struct Alike {
    std::size_t last = 0;  // its stretch just before the job
    std::uint32_t machine = 0;
    Amount n_machines = 0;
    Amount n_most = 0;  // tasks of the job that may be on each
  };
  std::vector<Alike> alike_;
  Amount most_together_ = 0;
  mutable std::vector<Amount> demand_of_all_;
  mutable std::vector<Amount> row_;
};

template <class Counts>
Amount GangPlan::room_before(std::span<const TaskPlace> places, const GangEntry& entry, Time t, const GangClasses& classes,
                             const Counts& counts) const {
  Amount n_tasks = 0;
  for (std::size_t i = 0; i < places.size();) {
    const std::size_t next = next_unlike(places, i);
    const auto first = places.begin() + static_cast<std::ptrdiff_t>(i);
    const auto n_alike = std::count_if(first, places.begin() + static_cast<std::ptrdiff_t>(next), counts);
    i = next;
    if (n_alike == 0) continue;
    const ShortTimeline& timeline = groups_.timeline(groups_.of(first->machine));
    const Amount here = classes.room(entry.job_class, first->machine, timeline.row(timeline.last_before(t)));
    n_tasks += n_alike * std::min(here, most_on(*first, entry.job_class, classes));
  }
  return n_tasks;
}

template <class HasRoom>
std::pair<Time, Time> GangPlan::first_room(std::uint32_t machine, Time from, Time to, const HasRoom& has_room) const {
  const ShortTimeline& timeline = groups_.timeline(groups_.of(machine));
  std::size_t first = timeline.at(from);
  while (!has_room(timeline.row(first))) {
    ++first;
    if (first == timeline.size() || timeline.begin_of(first) >= to) return {kNever, kNever};
  }
  std::size_t last = first;
  if (timeline.begin_of(first) <= from) {
    while (first > 0 && has_room(timeline.row(first - 1))) --first;
  }
  while (last + 1 < timeline.size() && has_room(timeline.row(last + 1))) ++last;
  return {timeline.begin_of(first), timeline.end_of(last)};
}

template <class HasRoom>
Time GangPlan::room_since(std::uint32_t machine, Time t, const HasRoom& has_room) const {
  const ShortTimeline& timeline = groups_.timeline(groups_.of(machine));
  std::size_t stretch = timeline.last_before(t);
  if (!has_room(timeline.row(stretch))) return t;
  while (stretch > 0 && has_room(timeline.row(stretch - 1))) --stretch;
  return timeline.begin_of(stretch);
}

template <class Visit>
void GangPlan::for_each_gap(std::uint32_t machine, GangClasses::Class of, Time from, Time to, const GangClasses& classes,
                            const Visit& visit) const {
  const ShortTimeline& timeline = groups_.timeline(groups_.of(machine));
  const auto room_at = [&](std::size_t stretch) { return classes.room(of, machine, timeline.row(stretch)); };
  std::size_t stretch = from > timeline.begin_of(0) ? timeline.at(from) : 0;
  while (stretch > 0 && room_at(stretch) > 0 && room_at(stretch - 1) > 0) --stretch;
  for (; stretch < timeline.size() && timeline.begin_of(stretch) < to; ++stretch) {
    Amount n_tasks = room_at(stretch);
    if (n_tasks == 0) continue;
    const Time begin = timeline.begin_of(stretch);
    for (; stretch + 1 < timeline.size(); ++stretch) {
      const Amount next = room_at(stretch + 1);
      if (next == 0) break;
      n_tasks = std::max(n_tasks, next);
    }
    visit(begin, timeline.end_of(stretch), n_tasks);
  }
}

}  // namespace schedcore
