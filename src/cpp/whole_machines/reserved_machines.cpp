#include "schedcore/whole_machines/reserved_machines.hpp"

#include <algorithm>
#include <utility>

namespace schedcore {

ReservedMachines::ReservedMachines(const CycleReservations& reservations, std::vector<MachineSet> machines,
                                   const CycleSettings& settings, std::size_t n_machines)
    : reservations_(reservations),
      machines_(std::move(machines)),
      settings_(settings),
      everything_(MachineSet::everything(n_machines)) {}

std::optional<ReservedMachines::Left> ReservedMachines::beside(Seconds instant, Seconds limit, const MachineSet& partition,
                                                               const MachineSet* required) const {
  for (int shifts = 0; shifts <= kMostShifts; ++shifts) {
    Left left{instant, everything_, std::nullopt};
    bool moves = false;
    bool touches = false;
    for (std::size_t i = 0; i < machines_.size() && !moves; ++i) {
      if (reservations_.start[i] >= instant + limit || reservations_.end[i] <= instant) continue;
      moves = reservations_.takes_all[i] != 0 || (reservations_.is_maintenance[i] != 0 && partition.is_within(machines_[i])) ||
              (required != nullptr && required->meets(machines_[i]));
      if (moves) instant = reservations_.end[i];
      touches |= partition.meets(machines_[i]);
      left.machines -= machines_[i];
    }
    if (moves) continue;
    if (!touches) return left;
    Seconds first_end = kNotPlanned;
    for (const Seconds end : reservations_.end) {
      if (end >= instant && (first_end == kNotPlanned || end < first_end)) first_end = end;
    }
    const Seconds resolution = settings_.resolution;
    const Seconds until = (first_end + resolution - 1) / resolution * resolution + 1;
    if (until <= settings_.now + settings_.window) left.until = until;
    return left;
  }
  return std::nullopt;
}

std::optional<ReservedMachines::Left> ReservedMachines::inside(std::size_t reservation, Seconds instant) const {
  if (reservations_.start[reservation] > settings_.now || instant >= reservations_.end[reservation]) return std::nullopt;
  return Left{instant, of(reservation), std::nullopt};
}

const MachineSet& ReservedMachines::of(std::size_t reservation) const {
  return reservations_.is_flexible[reservation] != 0 ? everything_ : machines_[reservation];
}

}  // namespace schedcore
