#include "schedcore/volume.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace schedcore {
namespace {

constexpr int kLargestBits = 120;  // what the knapsack allows for n * capacity, capacity <= total volume

// value = odd * 2^exponent for a positive double.
struct OddTimesPower {
  std::uint64_t odd;
  int exponent;
};

OddTimesPower decompose(double value) {
  int exponent = 0;
  const auto bits = static_cast<std::uint64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  const int zeros = std::countr_zero(bits);
  return {bits >> zeros, exponent - 53 + zeros};
}

}  // namespace

VolumeKnapsack::VolumeKnapsack(std::span<const JobSlot> items, const JobTable& jobs, const DemandScale& scale, Time gamma,
                               std::size_t n_machines) {
  const OddTimesPower gamma_parts = decompose(gamma);
  int unit = gamma_parts.exponent;
  Time longest = 0;
  std::uint64_t widest = 1;
  double total = 0;
  for (const JobSlot job : items) {
    const Time processing_time = jobs.processing_time(job);
    const std::uint64_t demand = scale.total(jobs.demand(job));
    unit = std::min(unit, decompose(processing_time).exponent);
    longest = std::max(longest, processing_time);
    widest = std::max(widest, demand);
    total += processing_time * static_cast<double>(demand);
  }
  const double machine_volume =
      static_cast<double>(scale.n_resources()) * static_cast<double>(n_machines) * static_cast<double>(scale.common_capacity());
  rounded_capacity_ = machine_volume * gamma;
  // Far apart: decided without exact sums (doubles add n terms with a relative error below n * 2^-52).
  if (rounded_capacity_ > 2 * total) {
    everything_fits_ = true;
    return;
  }
  // Bits of one item, then of n * total; zeta <= 2 * total here, hence one bit more.
  const int item_bits = std::ilogb(longest) + 1 - unit + static_cast<int>(std::bit_width(widest));
  is_exact_ = item_bits + 2 * static_cast<int>(std::bit_width(items.size())) + 1 <= kLargestBits;
  if (!is_exact_) {
    for (const JobSlot job : items) {
      rounded_size_.push_back(jobs.processing_time(job) * static_cast<double>(scale.total(jobs.demand(job))));
    }
    everything_fits_ = total <= rounded_capacity_;
    return;
  }
  Int128 exact_total = 0;
  size_.reserve(items.size());
  for (const JobSlot job : items) {
    const OddTimesPower parts = decompose(jobs.processing_time(job));
    const UInt128 volume = multiply_words(parts.odd, scale.total(jobs.demand(job))) << (parts.exponent - unit);
    size_.push_back(static_cast<Int128>(volume));
    exact_total += size_.back();
  }
  const UInt128 machines = multiply_words(scale.n_resources() * n_machines, static_cast<std::uint64_t>(scale.common_capacity()));
  capacity_ = static_cast<Int128>((machines * UInt128(gamma_parts.odd)) << (gamma_parts.exponent - unit));
  everything_fits_ = exact_total <= capacity_;
}

std::vector<std::uint32_t> VolumeKnapsack::solve(std::span<const double> weight, const KnapsackOptions& options) const {
  if (is_exact_) return solve_knapsack(weight, size_, capacity_, options);
  return solve_knapsack(weight, rounded_size_, rounded_capacity_, options);
}

}  // namespace schedcore
