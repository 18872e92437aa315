// The knapsack of one MRIS iteration: volumes v_j = p_j * u_j against zeta = R * M * gamma * L, exactly where possible.
//
// Processing times are doubles, hence integers times a power of two.  Where all of one iteration, times the integer
// demands and summed, stay within the knapsack's 2^120 in a common unit, sizes are 128-bit integers and nothing is rounded; otherwise
// they are doubles, as the specification of the algorithm allows.  Scaling all times by a power of two changes nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/demand_scale.hpp"
#include "schedcore/job_table.hpp"
#include "schedcore/knapsack.hpp"
#include "schedcore/wide.hpp"

namespace schedcore {

class VolumeKnapsack {
 public:
  VolumeKnapsack(std::span<const JobSlot> items, const JobTable& jobs, const DemandScale& scale, Time gamma,
                 std::size_t n_machines);

  // Whether the total volume is within the capacity: then every method takes everything.
  [[nodiscard]] bool everything_fits() const { return everything_fits_; }
  // Indices into `items`, ascending.
  [[nodiscard]] std::vector<std::uint32_t> solve(std::span<const double> weight, const KnapsackOptions& options) const;

 private:
  bool everything_fits_ = false;
  bool is_exact_ = false;
  std::vector<Int128> size_;
  Int128 capacity_{};
  std::vector<double> rounded_size_;
  double rounded_capacity_ = 0;
};

}  // namespace schedcore
