// What advance reservations leave to a job for all of its limit, and when the next of them is over.
//
// A reservation that has the job's whole partition for maintenance, takes all machines, or holds one that the job requires,
// moves the instant to its end; others take their machines away.  O(r n / 64) for r reservations.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "schedcore/whole_machines/cycle_columns.hpp"
#include "schedcore/whole_machines/machine_set.hpp"

namespace schedcore {

class ReservedMachines {
 public:
  struct Left {
    Seconds instant = 0;           // perhaps later than what was asked for
    MachineSet machines;           // that are left
    std::optional<Seconds> until;  // when to look again
  };

  // The columns outlive it; `machines` are their sets.
  ReservedMachines(const CycleReservations& reservations, std::vector<MachineSet> machines, const CycleSettings& settings,
                   std::size_t n_machines);

  [[nodiscard]] bool empty() const { return machines_.empty(); }
  // For a job outside reservations; nothing if they move the instant too often.
  [[nodiscard]] std::optional<Left> beside(Seconds instant, Seconds limit, const MachineSet& partition,
                                           const MachineSet* required) const;
  // For a job inside one; nothing before and after it.
  [[nodiscard]] std::optional<Left> inside(std::size_t reservation, Seconds instant) const;
  // All that a job inside one may ever use.
  [[nodiscard]] const MachineSet& of(std::size_t reservation) const;

 private:
  static constexpr int kMostShifts = 10;

  const CycleReservations& reservations_;
  std::vector<MachineSet> machines_;
  CycleSettings settings_;
  MachineSet everything_;
};

}  // namespace schedcore
