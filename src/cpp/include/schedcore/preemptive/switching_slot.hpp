// One slot under a switching cost: OCORP+ pays alpha for the square of every change of a job's rate.
//
// Minimises sum_j c_j x_j + alpha S over the cores of one slot, x = cores / demand, where S sums the squared changes of
// the rates since the slot before (no term for a row in its first slot).  The u-th core of a row costs
//
//     c / d + alpha * (2 (u - previous) - 1) / (d * d)          (c / d in the first slot),
//
// doubles in that order of operations, never less than the core before it.  Three solvers:
//   joblevel  S on the total rates of the jobs, one pool of all cores: `rates`, to be packed afterwards.  Exactly what
//             a heap by (marginal, row) gives, by quickselect over the cores of all rows, whole ranges of which are
//             decided at once: expected O(n_rows) evaluations, and no division at all if everybody gets the limit.
//   greedy    S on the rates per machine: one core at a time to the smallest (marginal, row, machine) that has room.
//             O((n_rows + pieces + cores) log), independent of the number of machines.
//   flow      the same S, at its minimum: successive shortest paths in the transportation problem of rows and machines.
//             O(n_rows x n_machines) memory; for every core O(n_machines) while its cheapest machine has room, and a
//             search over the rows of full machines otherwise.  Some five to ten times the time of greedy.  Costs are
//             integers of 128 bits (see `exact_marginals.hpp`), so that it always ends.
// greedy and flow suit pools of up to some millions of cores: a slot of greedy takes 0.1 s with 2^21.  They poll a
// monitor while they place cores.
// work_conserving: all solvers give min(all cores, sum of the limits) cores; otherwise they stop where the next core
// (the next path) would cost 0 or more.  alpha = 0: all give the rates of Lemma 1, except that "flow" may resolve ties
// between rows differently.
//
// Requires finite alpha >= 0, finite costs, 0 <= limit and 1 <= demand, both below 2^53.  Keeps its memory between
// slots, so that a steady state does not allocate.  Not thread safe; one object a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/model/slots.hpp"

namespace schedcore {

enum class SwitchingSolver { joblevel, greedy, flow };

// The active rows of a slot, all columns of one length.
struct SwitchingRows {
  std::span<const double> cost;          // c = w - lambda, of a whole slot at full rate
  std::span<const Amount> demand;        // d, as decisions believe it
  std::span<const Amount> limit;         // the most cores a row can use in this slot
  std::span<const std::uint8_t> first;   // 1: the first slot in which the row could run, which changes nothing

  [[nodiscard]] std::size_t size() const { return cost.size(); }
};

class SwitchingJobLevel;
class SwitchingMachineLevel;

class SwitchingSlot {
 public:
  // `capacity` holds the cores of each machine; it is copied.  The monitor, if any, must outlive this.
  SwitchingSlot(std::span<const Amount> capacity, double alpha, SwitchingSolver solver, bool work_conserving,
                Monitor* monitor = nullptr);
  SwitchingSlot(SwitchingSlot&&) noexcept;
  SwitchingSlot& operator=(SwitchingSlot&&) noexcept;
  ~SwitchingSlot();

  [[nodiscard]] SwitchingSolver solver() const { return solver_; }

  // joblevel: `cores` becomes the total of every row.  `previous_total` holds each row's cores in the slot before,
  // `omega` its key c / d, which orders the rows for the cut.  Returns the cut row: of the rows with 0 < cores < limit
  // the last by (omega, row), or kNoRow.  With alpha = 0 it is the one of `slot_rates`.
  [[nodiscard]] std::size_t rates(const SwitchingRows& rows, std::span<const Amount> previous_total,
                                  std::span<const double> omega, std::vector<Amount>& cores);

  // greedy and flow: `pieces` becomes the placement, sorted by (row, machine).  `previous` is the placement of the slot
  // before, sorted in the same way, its rows renumbered to the present ones (finished jobs left out); it may not be the
  // same vector as `pieces`.
  void place(const SwitchingRows& rows, std::span<const CorePiece> previous, std::vector<CorePiece>& pieces);

 private:
  SwitchingSolver solver_;
  std::unique_ptr<SwitchingJobLevel> job_level_;          // joblevel alone
  std::unique_ptr<SwitchingMachineLevel> machine_level_;  // greedy and flow
};

}  // namespace schedcore
