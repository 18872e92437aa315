#include "schedcore/engine/availability.hpp"

#include <algorithm>
#include <utility>

#include "schedcore/index/fit.hpp"

namespace schedcore {
namespace {

constexpr Amount kMostAmount = Amount{1} << 60;  // free, or lacking, on a machine that is read

}  // namespace

// Puts the machine into what is known of all of them, or takes it out.
void Availability::enter(std::uint32_t machine) {
  const MachineState& state = state_[machine];
  if (state.outages.empty()) return;
  if (state.is_out) {
    out_.insert(machine);
  } else {
    begins_.emplace(state.outages.front().begin, machine);
  }
  if (state.outages.front().end < kNever) ends_.emplace(state.outages.front().end, machine);
  if (has_endless_to_come(state)) ++n_endless_;
}

void Availability::leave(std::uint32_t machine) {
  const MachineState& state = state_[machine];
  if (state.outages.empty()) return;
  out_.erase(machine);
  begins_.erase({state.outages.front().begin, machine});
  ends_.erase({state.outages.front().end, machine});
  if (has_endless_to_come(state)) --n_endless_;
}

void Availability::end_first(std::uint32_t machine) {
  leave(machine);
  MachineState& state = state_[machine];
  state.outages.erase(state.outages.begin());
  state.is_out = false;
  enter(machine);
}

void Availability::announce(const AnnouncedOutage& outage, std::size_t n_machines) {
  begin(n_machines);
  if (state_[outage.machine].is_removed) return;  // at this very instant
  leave(outage.machine);
  MachineState& state = state_[outage.machine];
  Outage united = outage.span;
  std::vector<Outage> all;
  for (const Outage& each : state.outages) {
    if (each.end < united.begin || united.end < each.begin) {
      all.push_back(each);
    } else {
      united = {std::min(each.begin, united.begin), std::max(each.end, united.end)};
    }
  }
  all.push_back(united);
  std::sort(all.begin(), all.end(), [](const Outage& a, const Outage& b) { return a.begin < b.begin; });
  state.outages = std::move(all);
  enter(outage.machine);
}

void Availability::fail(std::size_t machine, std::size_t n_machines) {
  begin(n_machines);
  state_[machine].has_failed = true;
}

void Availability::close(std::size_t machine, std::size_t n_machines) {
  begin(n_machines);
  state_[machine].is_closed = true;
}

void Availability::remove(std::size_t machine, std::size_t n_machines) {
  close(machine, n_machines);
  leave(static_cast<std::uint32_t>(machine));
  MachineState& state = state_[machine];
  state.is_removed = true;
  state.is_out = false;
  state.outages.clear();
}

Time Availability::has_room_until(std::size_t machine, std::span<const Amount> demand) const {
  const Time until = usable_until(machine);
  for (const RoomLimit& limit : limits(static_cast<std::uint32_t>(machine))) {
    if (limit.from >= until) break;
    if (!fits(demand, limit.row)) return limit.from;
  }
  return until;
}

std::vector<Taken> Availability::taken(std::uint32_t machine, Time now) const {
  if (is_down(machine)) return {{now, kNever, {}}};
  std::vector<Taken> all;
  for (const Outage& outage : outages(machine)) all.push_back({outage.begin, outage.end, {}});
  reservations_.for_each_on(machine, [&](const AdvanceReservations::Entry& entry, std::size_t share) {
    const AdvanceReservation& reservation = entry.reservation;
    const auto take = [&](Time from, Time to) {
      if (from < to) all.push_back({from, to, reservation.shares[share].amounts});
    };
    Time from = reservation.begin;
    for (const Outage& outage : outages(machine)) {
      take(from, std::min(outage.begin, reservation.end));
      from = std::max(from, outage.end);
    }
    take(from, reservation.end);
  });
  return all;
}

std::vector<std::uint32_t> Availability::limited_machines() const {
  std::vector<std::uint32_t> machines;
  for (const auto& [machine, limits] : limits_) machines.push_back(machine);
  return machines;
}

bool Availability::set_limits(std::uint32_t machine, std::vector<RoomLimit> limits) {
  if (std::ranges::equal(this->limits(machine), limits)) return false;
  if (limits.empty()) {
    limits_.erase(machine);
  } else {
    limits_[machine] = std::move(limits);
  }
  return true;
}

void Availability::move_limits(std::uint32_t machine, Time before, Time after, std::span<const Amount> held) {
  const auto found = limits_.find(machine);
  if (found == limits_.end()) return;
  for (RoomLimit& limit : found->second) {
    const Amount taken_more = (limit.from < after ? 1 : 0) - (limit.from < before ? 1 : 0);
    for (std::size_t k = 0; k < held.size(); ++k) limit.row[k] -= taken_more * held[k];
  }
}

void Availability::join(std::uint32_t machine) {
  leave(machine);
  state_[machine] = {};
}

// Machines that are new, among others that have other numbers, are removed ones that have not joined yet.
void Availability::write(SnapshotWriter& archive, std::size_t n_machines) const {
  const std::size_t n_written = archive.n_machines(n_machines);
  const bool are_renumbered = archive.renumbers_machines();
  archive(any() || are_renumbered);
  if (!any() && !are_renumbered) return;
  MachineState waiting;
  waiting.is_closed = waiting.is_removed = true;
  const MachineState up;
  std::vector<const MachineState*> states(n_written, &waiting);
  for (std::uint32_t machine = 0; machine < n_machines; ++machine) {
    if (archive.number_of(machine) == SnapshotWriter::kGone) continue;
    states[archive.number_of(machine)] = any() ? &state_[machine] : &up;
  }
  for (const MachineState* each : states) {
    const MachineState& state = *each;
    archive(state.has_failed, state.is_closed, state.is_removed, state.is_out, static_cast<std::uint64_t>(state.outages.size()));
    for (const Outage& outage : state.outages) archive(outage.begin, outage.end);
  }
  reservations_.write(archive);
  archive(static_cast<std::uint64_t>(limits_.size()));
  for (const auto& [machine, limits] : limits_) {
    archive.machine(machine);
    archive(static_cast<std::uint64_t>(limits.size()));
    for (const RoomLimit& limit : limits) archive(limit.from, limit.row);
  }
}

void Availability::read(SnapshotReader& archive, Time now, std::size_t n_machines, std::size_t n_resources) {
  bool any = false;
  archive(any);
  if (!any) return;
  begin(n_machines);
  for (std::uint32_t machine = 0; machine < n_machines; ++machine) {
    MachineState& state = state_[machine];
    archive(state.has_failed, state.is_closed, state.is_removed, state.is_out);
    archive.require(state.is_closed || !state.is_removed, "a machine is removed that is open");
    Time after = -kNever;
    for (std::size_t left = archive.length(2 * sizeof(Time)); left > 0; --left) {
      Outage outage;
      archive(outage.begin, outage.end);
      archive.require(outage.begin > after && outage.begin >= 0 && outage.begin < outage.end, "outages are out of order");
      after = outage.end;
      state.outages.push_back(outage);
    }
    const bool lasts = !state.outages.empty() && state.outages.front().begin <= now;
    archive.require(state.is_out == lasts, "a machine is in an outage that does not last, or the other way round");
    archive.require(state.outages.empty() || state.outages.front().end > now, "an outage is over");
    enter(machine);
  }
  reservations_.read(archive, now, n_machines, n_resources);
  for (std::size_t left = archive.length(sizeof(std::uint32_t)); left > 0; --left) {
    std::uint32_t machine = 0;
    archive.machine(machine);
    std::vector<RoomLimit> limits(archive.length(sizeof(Time)));
    Time after = now;
    for (RoomLimit& limit : limits) {
      archive(limit.from, limit.row);
      archive.require(limit.from > after && limit.from < kNever && limit.row.size() == n_resources, "a limit is impossible");
      archive.require(std::ranges::all_of(limit.row, [](Amount amount) { return amount > -kMostAmount && amount < kMostAmount; }),
                      "a limit is impossible");
      after = limit.from;
    }
    archive.require(machine < n_machines && !limits.empty() && set_limits(machine, std::move(limits)), "a machine has no limits");
  }
}

}  // namespace schedcore
