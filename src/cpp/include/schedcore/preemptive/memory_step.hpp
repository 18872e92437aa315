// Which pieces of one slot's packing get their memory, and what becomes of the cores of those that do not.
//
// A job holds all the memory it asks for on every machine on which it runs.  After cores have been packed as if memory
// were unlimited, each machine admits some of its pieces: first a knapsack over those with positive profit
// (pi_j * u_j^i) / d_j (memory_knapsack.hpp), then the others in order while they fit; without profits (the policies
// that OCORP+M is compared with) all in order, passing over what does not fit.  Refused pieces do no work in this
// slot.  The paper's strict mode admits no piece without positive profit.  Afterwards:
//
//   once      nothing: refused cores idle;
//   twice     cores are given anew, over the admitted pairs of row and machine alone, the best rows first, each as much
//             as it can get while those before it keep theirs (paths that move the cores of rows on several machines).
//             That is the optimum of the paper's second x-step, where a core of a row costs the same on any machine;
//             where on its admitted machines a row's cores stand is our choice (admitted_cores.hpp);
//   backfill  idle cores are offered to the rows in order.  A machine is open to a row that is admitted on it already,
//             or if its memory suffices.  The first open machine with enough free cores gives all that the row lacks,
//             otherwise every open one what it has.
//
// Source: Xu, Liu and Lau, "Optimal job scheduling with resource packing for heterogeneous servers", IEEE/ACM ToN 2021,
// section IV.C; "backfill", the admission without profit and the order of the policies compared are ours.
//
// Cost: O(rows + pieces + machines) where all memory suffices, plus the knapsack of each machine where it does not,
// plus a search of the machines (idle_cores.hpp) for each row that could use more while cores idle.  Exact amounts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/preemptive/admitted_cores.hpp"
#include "schedcore/preemptive/idle_cores.hpp"
#include "schedcore/preemptive/memory_knapsack.hpp"
#include "schedcore/preemptive/memory_rows.hpp"

namespace schedcore {

enum class MemoryMode { once, twice, backfill };

class MemoryStep {
 public:
  using Rows = MemoryRows;
  struct Outcome {
    std::uint64_t n_refused = 0;  // pieces refused at first, before any idle core is offered
  };

  // Requires at least two resources: cores, and what is held on each machine.
  MemoryStep(MachinesView machines, MemoryMode mode, bool work_conserving);

  // Replaces `admitted` by the pieces that work, sorted by (row, machine), and `refused`, unless null, by those that
  // were refused at first.  Requires `placed` sorted by (row, machine), within all cores, and other storage than the
  // results.
  Outcome admit(std::span<const CorePiece> placed, const Rows& rows, std::vector<CorePiece>& admitted,
                std::vector<CorePiece>* refused);

 private:
  void group_by_machine(std::span<const CorePiece> placed);
  void admit_on(std::size_t machine, std::span<const CorePiece> placed, const Rows& rows);
  void admit_by_profit(std::span<const CorePiece> placed, const Rows& rows);
  void admit_in_order(std::span<const CorePiece> placed, const Rows& rows);
  [[nodiscard]] bool take_memory(std::span<const Amount> memory);

  std::vector<Amount> memory_capacity_;  // row-major (n_machines, n_memories)
  std::size_t n_machines_, n_memories_;
  MemoryMode mode_;
  bool work_conserving_;
  MemoryKnapsack knapsack_;
  AdmittedCores admitted_cores_;
  IdleCores idle_cores_;

  std::vector<std::size_t> by_machine_;   // indices of pieces, machine by machine, ascending
  std::vector<std::size_t> machine_end_;  // those on machine i: machine_end_[i] .. machine_end_[i + 1] - 1
  std::vector<std::uint8_t> is_admitted_;  // by piece
  std::vector<std::uint32_t> rank_;        // by row, its place in the order; empty until a machine asks
  // Of the machine at hand:
  std::vector<Amount> free_memory_;
  std::vector<std::size_t> candidates_, others_;  // pieces with profit, and those admitted in order
  std::vector<double> profit_;
  std::vector<Amount> memory_;
  std::vector<std::uint8_t> taken_;
};

}  // namespace schedcore
