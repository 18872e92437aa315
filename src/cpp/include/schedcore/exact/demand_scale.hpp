// Demands of different resources made comparable: the integer d' that volumes, densities and norms are built from.
//
// With capacities Q_1..Q_R and L = lcm(Q_l), d'_l = d_l * (L / Q_l), so that d'_l / L is the share of the capacity,
// exactly.  If L exceeds 2^53 the scale is approximate: L = 2^40 and d'_l = floor(d_l * 2^40 / Q_l), at least 1 where
// d_l > 0; `exact()` is then false and no guarantee that rests on volumes holds.  A resource without capacity is left
// out (d' = 0).  For scores only: feasibility always uses the original amounts.
//
// Q are the capacities of a machine where all are identical.  Where they differ, it depends on the question: sizes of
// jobs are shares of all machines together (`of_cluster`), free amounts those of their own machine (`of_machines`).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {

class DemandScale {
 public:
  DemandScale() = default;
  // Throws UnsupportedError for more than 1024 resources: a total demand must fit in 63 bits.
  explicit DemandScale(std::span<const Amount> capacity);
  // For demands of jobs: Q are the capacities of one machine, or where machines differ those of all together.  The same
  // for identical machines either way, but for the factor `n_capacities`.  Machines without anything do not count.  Throws as
  // above.
  [[nodiscard]] static DemandScale of_cluster(const MachinesView& machines);
  // For free amounts: shares of every machine's own capacities, with one L for all.  Resource r of machine i has the
  // number i * n_resources + r, or r where machines are identical.  Amounts of one machine may be more than 1024, so
  // that `total` is not for this scale.
  [[nodiscard]] static DemandScale of_machines(const MachinesView& machines);

  [[nodiscard]] bool exact() const { return exact_; }
  // The common capacity L that every d'_l is a share of.
  [[nodiscard]] Amount common_capacity() const { return common_capacity_; }
  // How many of these capacities the machines have together: their number where they are identical, else 1.
  [[nodiscard]] std::size_t n_capacities() const { return n_capacities_; }
  // Resources with capacity, the R of every formula.
  [[nodiscard]] std::size_t n_resources() const { return n_counted_; }
  [[nodiscard]] Amount scaled(std::size_t resource, Amount amount) const;
  // u = sum over l of d'_l.
  [[nodiscard]] std::uint64_t total(std::span<const Amount> demand) const;
  // L / Q_l for every resource, 0 where the resource is left out; meaningful only if exact().
  [[nodiscard]] std::span<const Amount> multiplier() const { return multiplier_; }

 private:
  explicit DemandScale(std::vector<UInt128> capacity);

  std::vector<UInt128> capacity_;
  std::vector<Amount> multiplier_;
  Amount common_capacity_ = 1;
  std::size_t n_capacities_ = 1;
  std::size_t n_counted_ = 0;
  bool exact_ = true;
};

}  // namespace schedcore
