// One slot's cores laid onto machines: the largest amounts whole, onto the machines with most cores; the rest split.
//
// Machines are walked in packing order (more cores first, ties by index), rows by decreasing amount, ties by row:
//
//   keep    (only where `previous` is not empty: "sticky") rows in ascending order stay on the machines that they used
//           in the slot before, on those where they had most cores first (ties by machine), with at most as many cores
//           there as before;
//   whole   each machine takes, in that order of rows, every row that fits into its free cores with all it has left
//           to place; the cut row is left out;
//   split   what is left, the cut row last, fills machines one after the other.
//
// This is the packing rule of Xu, Liu and Lau, "Optimal job scheduling with resource packing for heterogeneous
// servers", IEEE/ACM ToN 2021, section IV; in which order rows are split, and that the cut row comes last, is ours.
// Everything is placed.  Without `previous`, at most two pieces of a machine are parts of a row: after the step "whole"
// every row left is larger than what is free on any machine.
//
// Cost: O((n + n_machines) log n) for n rows, O(n + n_machines + amounts in use) in practice: rows with equal
// amounts form one group, a machine asks for the largest group that fits, and takes as many of its rows as fit at once.
// No allocation once the buffers have grown.  Not for jobs with several resources that must fit together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/model/slots.hpp"

namespace schedcore {

// Machines with more cores first, ties by index.
[[nodiscard]] std::vector<std::uint32_t> packing_order(std::span<const Amount> cores);

class SlotPacking {
 public:
  // Cores of each machine, none negative, in total below 2^63.
  explicit SlotPacking(std::span<const Amount> capacity);

  // Replaces `pieces` by the placement of `cores` (by row; 0: the row does not run), sorted by (row, machine).  `cut`
  // is the row that got less than it could use, or kNoRow.  `previous` are the pieces of the slot before, with rows
  // as of now, sorted by (row, machine).  Requires that the cores sum up to no more than all machines have.
  // `previous` may not be the storage of `pieces`.
  void pack(std::span<const Amount> cores, std::size_t cut, std::span<const CorePiece> previous,
            std::vector<CorePiece>& pieces);

  // Cores of each machine that the last packing left free.
  [[nodiscard]] std::span<const Amount> free_cores() const { return free_; }
  // Machines in the order in which they are filled.
  [[nodiscard]] std::span<const std::uint32_t> machine_order() const { return order_; }

 private:
  // Rows first .. last - 1 of `sorted_` have this much left to place.
  struct Group {
    Amount amount;
    std::size_t first;
    std::size_t last;
  };

  void keep(std::span<const CorePiece> previous);
  void sort_rows(std::size_t cut);
  void group_rows();
  void place_whole();
  void split(std::size_t cut);
  void split_row(std::uint32_t row, std::size_t& position);
  void place(std::uint32_t row, std::uint32_t machine, Amount cores);
  void sort_pieces(std::vector<CorePiece>& pieces);
  [[nodiscard]] std::size_t first_filled(std::size_t group);

  std::vector<Amount> capacity_;
  std::vector<std::uint32_t> order_;
  std::vector<Amount> free_;           // by machine
  std::vector<Amount> unplaced_;       // by row
  std::vector<CorePiece> placed_;      // in the order of placement
  std::vector<CorePiece> kept_;        // what one row had in the slot before, while it is kept
  std::vector<std::uint32_t> sorted_;  // rows to place, without the cut row, by (-amount, row)
  std::vector<std::size_t> place_;     // by amount: how many rows have it, then where in sorted_ the next of them goes
  std::vector<Group> groups_;          // by decreasing amount
  // The group itself, or one after it that is closer to the first one with rows left; groups_.size() is the end.
  std::vector<std::size_t> next_;
  std::vector<std::size_t> end_;  // by row: where its next piece goes, in the end the first piece of the next row
};

}  // namespace schedcore
