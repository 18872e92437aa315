// The costs of single cores under a switching cost as integers, so that sums along paths are exact.
//
// The u-th core of a row on a machine costs c / d + alpha (2 (u - previous) - 1) / d^2, a fraction.  All are multiplied
// by one factor, a power of two times the least common multiple of the d^2 where that is at most 2^40, and rounded to
// the nearest integers.  A unit is then at most 2^-(115 - log2(n_machines)) of the largest marginal of the slot.
// Nothing is rounded if the d^2 have such a multiple and costs and alpha are multiples of one power of two within that
// range; otherwise bases and weights are off by half a unit each, and the optimum by as much for every core.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "schedcore/exact/wide.hpp"
#include "schedcore/preemptive/switching_slot.hpp"

namespace schedcore {

// The u-th core costs base + weight * (2 (u - previous) - 1).
struct ExactMarginal {
  Int128 base = 0;
  Int128 weight = 0;  // 0 in the row's first slot
};

// `most_before` holds, by row, its most cores on one machine in the slot before.  Sums along a path that visits every
// machine once stay below 2^125.  O(n_rows).
void scale_marginals(const SwitchingRows& rows, std::span<const Amount> most_before, double alpha,
                     std::size_t n_machines, std::vector<ExactMarginal>& marginal);

}  // namespace schedcore
