// Cores that idle because their rows got no memory, offered to the rows in order ("backfill").
//
// A machine is open to a row that is admitted on it already, or if its free memory suffices.  A row that can use more
// cores gets all of them on the first open machine, in packing order, that has so many free; if there is none, it takes
// what is free on each open machine, in that order.  Its memory is charged once on each machine.
//
// Cost: O(rows + pieces + machines), plus for each row that lacks cores while some idle a search of the free machines
// (machine_index.hpp), at worst O(machines).  A row that asks for no less memory than one that found no machine is
// passed over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/index/machine_index.hpp"
#include "schedcore/preemptive/memory_rows.hpp"

namespace schedcore {

class IdleCores {
 public:
  // Machines with at least two resources.
  explicit IdleCores(MachinesView machines);

  // Adds what the rows get to `admitted`, sorted by (row, machine) before and after.
  void offer(const MemoryRows& rows, std::vector<CorePiece>& admitted);

 private:
  [[nodiscard]] Amount find_free(const MemoryRows& rows, std::span<const CorePiece> admitted);
  void find_own(std::uint32_t row, std::span<const CorePiece> admitted);
  [[nodiscard]] std::size_t next_open(std::size_t from, Amount cores);
  void place(std::uint32_t row, std::size_t position, Amount cores);
  [[nodiscard]] bool is_hopeless(std::span<const Amount> memory) const;
  void merge_gains(std::vector<CorePiece>& admitted);

  std::vector<Amount> capacity_;      // row-major (n_machines, n_resources), in packing order
  std::vector<std::uint32_t> order_;  // machines in packing order
  std::vector<std::size_t> position_of_;
  std::size_t n_resources_;

  std::vector<Amount> free_;     // as capacity_
  MachineIndex index_;           // free amounts by position; no memory where no core is free
  std::vector<Amount> given_;    // cores by row
  std::vector<Amount> demand_;   // what is searched for: cores, then the memory of the row at hand
  std::vector<Amount> charge_;   // what a placement takes
  std::vector<std::size_t> own_;  // positions where the row at hand is admitted already, ascending
  std::vector<Amount> hopeless_;  // memory for which no machine with a free core was found; empty: none yet
  std::vector<CorePiece> gains_, merged_;
};

}  // namespace schedcore
