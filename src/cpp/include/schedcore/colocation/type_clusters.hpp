// Clusters of compatible types: which types may share a machine without costing more than their load.
//
// Types a and b are compatible if neither costs the other more than it costs itself at most: both coefficients are at
// most the denominator.  A cluster is a set of pairwise compatible types (a clique); labels number the clusters by first
// appearance.
#pragma once

#include <cstdint>
#include <cstddef>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/colocation/colocation.hpp"

namespace schedcore {

// Coefficients, row-major (n_types, n_types), over one denominator.
struct TypeCoefficients {
  std::span<const CostNumerator> alpha;
  CostNumerator denominator = 1;
  std::size_t n_types = 0;

  [[nodiscard]] bool compatible(std::size_t a, std::size_t b) const {
    return alpha[a * n_types + b] <= denominator && alpha[b * n_types + a] <= denominator;
  }
};

// Each type, in turn, joins the first cluster whose members are all compatible with it.  O(n_types^2).
[[nodiscard]] std::vector<std::int64_t> first_fit_clusters(const TypeCoefficients& coefficients);

// The fewest clusters; among those partitions the lexicographically smallest labels.  The worst case is exponential in
// n_types (a colouring problem); instant up to some twenty types.  Polls `monitor`, which may be null.
[[nodiscard]] std::vector<std::int64_t> fewest_clusters(const TypeCoefficients& coefficients, Monitor* monitor);

}  // namespace schedcore
