// Demands of different resources made comparable: the integer d' that volumes, densities and norms are built from.
//
// With capacities Q_1..Q_R (identical machines) and L = lcm(Q_l), d'_l = d_l * (L / Q_l), so that d'_l / L is the share
// of a machine, exactly.  If L exceeds 2^53 the scale is approximate: L = 2^40 and d'_l = floor(d_l * 2^40 / Q_l), at
// least 1 where d_l > 0; `exact()` is then false and no guarantee that rests on volumes holds.  A resource without
// capacity is left out (d' = 0).  For scores only: feasibility always uses the original amounts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

class DemandScale {
 public:
  DemandScale() = default;
  // Throws UnsupportedError for more than 1024 resources: a total demand must fit in 63 bits.
  explicit DemandScale(std::span<const Amount> capacity);

  [[nodiscard]] bool exact() const { return exact_; }
  // The common capacity L that every d'_l is a share of.
  [[nodiscard]] Amount common_capacity() const { return common_capacity_; }
  // Resources with capacity, the R of every formula.
  [[nodiscard]] std::size_t n_resources() const { return n_counted_; }
  [[nodiscard]] Amount scaled(std::size_t resource, Amount amount) const;
  // u = sum over l of d'_l.
  [[nodiscard]] std::uint64_t total(std::span<const Amount> demand) const;
  // L / Q_l for every resource, 0 where the resource is left out; meaningful only if exact().
  [[nodiscard]] std::span<const Amount> multiplier() const { return multiplier_; }

 private:
  std::vector<Amount> capacity_;
  std::vector<Amount> multiplier_;
  Amount common_capacity_ = 1;
  std::size_t n_counted_ = 0;
  bool exact_ = true;
};

}  // namespace schedcore
