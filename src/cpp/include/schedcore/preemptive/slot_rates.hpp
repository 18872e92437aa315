// How many cores each active job gets in one slot: the optimum of a fractional knapsack over all cores (Lemma 1 of Xu,
// Liu and Lau, "Optimal job scheduling with resource packing for heterogeneous servers", IEEE/ACM ToN 2021).
//
// Walk the rows by (key, row): each gets its limit while cores are left.  At most one row gets more than 0 and less
// than its limit because the pool ran out: the cut row.  Every row before it in the order gets its limit, every row
// after it nothing, so the border is found by selection: expected O(n), no sort.
//
// Keys must not be NaN and limits not negative.  Where the order itself is needed (memory), sort instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/model/slots.hpp"

namespace schedcore {

// Scratch of repeated calls: kept by the caller so that a slot allocates nothing.
class SlotRates {
 public:
  // Writes `cores` (one entry a row) and returns the cut row, or kNoRow.  Expected O(n).
  std::size_t assign(std::span<const double> key, std::span<const Amount> limit, Amount total,
                     std::vector<Amount>& cores);

  // The same for an order that is known: the rows in `order` are served first to last, all others get nothing.
  static std::size_t assign_in_order(std::span<const std::uint32_t> order, std::span<const Amount> limit,
                                     Amount total, std::vector<Amount>& cores);

 private:
  struct Candidate {
    double key;
    std::uint32_t row;
  };
  std::vector<Candidate> candidates_;
};

// One slot on its own.
std::size_t slot_rates(std::span<const double> key, std::span<const Amount> limit, Amount total,
                       std::vector<Amount>& cores);

}  // namespace schedcore
