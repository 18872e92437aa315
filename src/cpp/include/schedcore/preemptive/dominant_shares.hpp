// Weighted dominant resource fairness by progressive filling: the rates of one slot.
//
// The dominant share of a row is its largest part of all that there is of a resource.  All weighted dominant shares grow
// together from 0; a row drops out at its largest rate, and where a resource is used up, all rows that use it; the others
// go on.  Source: Ghodsi, Zaharia, Hindman, Konwinski, Shenker and Stoica, "Dominant resource fairness: fair allocation of
// multiple resource types", NSDI 2011; that rows have a largest rate is ours.
//
// Promise: no row could have more without another of no larger weighted dominant share having less; each has at least
// its weight's part of its dominant resource, or its largest rate; with equal weights nobody would rather have what another
// has.  Up to rounding: doubles in a fixed order of operations, the same on every platform.
//
// Cost: O(n log n + s n K) for n rows, K resources, s <= K of which are used up.  With one resource the rates are those of
// proportional fairness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedcore/preemptive/fair_columns.hpp"

namespace schedcore {

class DominantShares {
 public:
  // Writes the rate of every row; rows that get their largest rate get exactly that.
  void assign(const FairColumns& columns, std::vector<double>& rate);

 private:
  void sort_open(const FairColumns& columns);
  void sum_up_speeds(const FairColumns& columns);
  [[nodiscard]] bool fill(const FairColumns& columns, std::vector<double>& rate);

  std::vector<double> speed_;        // by row: rate a unit of level, weight / dominant share
  std::vector<double> cap_level_;    // by row: the level at which it has its largest rate
  std::vector<std::uint32_t> open_;  // rows that still grow, by (cap level, row)
  std::vector<double> speeds_;       // of open_[i], open_[i + 1], ... together, row-major (n_open + 1, n_resources)
  std::vector<double> used_;         // by resource, by rows that grow no more
  double level_ = 0.0;
};

}  // namespace schedcore
