// The knapsack of one MRIS iteration: volumes v_j = p_j * u_j against zeta = R * M * gamma * L, exactly where possible.
// M is how many capacities L there are (demand_scale.hpp): the number of machines, or 1 where they differ.
//
// Processing times and gamma are doubles, hence integers times a power of two.  Volumes in a common unit are 128-bit
// integers where that suffices, otherwise 256-bit integers, and nothing is rounded.  That covers all integer times and
// demands up to 2^53, whatever R, M, n and gamma.  Only where times lie further apart than 2^100 or so are volumes
// doubles, as the specification of the algorithm allows.  Scaling all times by a power of two changes nothing.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "schedcore/engine/job_table.hpp"
#include "schedcore/exact/demand_scale.hpp"
#include "schedcore/exact/wide.hpp"
#include "schedcore/packing/knapsack.hpp"

namespace schedcore {

template <class Number>
struct Volumes {
  std::vector<Number> size;
  Number capacity{};
};

class VolumeKnapsack {
 public:
  VolumeKnapsack(std::span<const JobSlot> items, const JobTable& jobs, const DemandScale& scale, Time gamma,
                 std::size_t n_capacities);

  // Whether the total volume is within the capacity: then every method takes everything.
  [[nodiscard]] bool everything_fits() const { return everything_fits_; }
  // Indices into `items`, ascending.
  [[nodiscard]] std::vector<std::uint32_t> solve(std::span<const double> weight, const KnapsackOptions& options) const;

 private:
  bool everything_fits_ = false;
  std::variant<Volumes<Int128>, Volumes<Int256>, Volumes<double>> volumes_;
};

}  // namespace schedcore
