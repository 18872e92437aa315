// Cores given anew over admitted pairs of row and machine: the best rows first, each all that it can get ("twice").
//
// Each row, in order, takes up to its limit what it has, as far as that is still free, then other free cores of the
// machines on which it is admitted, in packing order; if that is not enough, cores of rows before it are moved to other
// machines of theirs along shortest alternating paths.  So where nothing can be gained nothing is moved.
// Totals of rows before it never change.  What sets of rows can get in total is a polymatroid, so this greedy yields
// the optimum of the transportation problem in which a core of a row costs the same on any machine: minimum cost where
// only rows with negative cost are in the order, otherwise minimum cost among all that use as many cores as possible.
//
// Cost: O(rows + pieces), plus a breadth first search over the machines and over the pairs of rows with several for
// every path; rows with one machine cannot be moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/preemptive/memory_rows.hpp"

namespace schedcore {

class AdmittedCores {
 public:
  explicit AdmittedCores(std::span<const Amount> capacity /* cores of each machine */);

  // Replaces the cores of the pairs in `admitted`, sorted by (row, machine) before and after; pairs that get none
  // are dropped.
  void assign(const MemoryRows& rows, std::vector<CorePiece>& admitted);

 private:
  // As CorePiece, with the place of the machine in the packing order.
  struct Pair {
    std::uint32_t row;
    std::uint32_t position;
    Amount placed;  // cores before
    Amount cores;
  };
  // How the search came to a machine: cores of a row would move from one pair to another; the first step of a path is
  // only a pair that gains.
  struct Step {
    std::size_t loses;
    std::size_t gains;
  };

  void find_pairs(const MemoryRows& rows, std::span<const CorePiece> admitted);
  void find_movable(std::size_t n_rows);
  [[nodiscard]] Amount give(Pair& pair, Amount cores);
  [[nodiscard]] Amount augment(std::uint32_t row, Amount need);
  [[nodiscard]] std::size_t search(std::uint32_t row);

  std::vector<Amount> capacity_;  // by position
  std::vector<std::uint32_t> order_, position_of_;

  std::vector<Amount> free_;          // by position
  Amount idle_ = 0;                   // their sum
  std::vector<Pair> pairs_;           // by (row, position)
  std::vector<std::size_t> row_end_;  // pairs of row j: row_end_[j] .. row_end_[j + 1] - 1
  std::vector<std::size_t> movable_;  // pairs of rows that have several, by position
  std::vector<std::size_t> movable_end_;  // those at position i: movable_end_[i] .. movable_end_[i + 1] - 1
  std::vector<Step> step_;            // by position, how the search came there
  std::vector<std::uint8_t> is_reached_;
  std::vector<std::uint32_t> queue_;
};

}  // namespace schedcore
