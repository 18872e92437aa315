#include "schedcore/online/volume.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "schedcore/exact/binary_form.hpp"

namespace schedcore {
namespace {

// What the knapsack allows for n * capacity, where 128 bits suffice, and for the capacity beyond.
constexpr int kNarrowBits = 120;
constexpr int kLargestBits = 220;

}  // namespace

VolumeKnapsack::VolumeKnapsack(std::span<const JobSlot> items, const JobTable& jobs, const DemandScale& scale, Time gamma,
                               std::size_t n_capacities) {
  const BinaryForm gamma_parts = odd_binary_form(gamma);
  int unit = gamma_parts.exponent;
  Time longest = 0;
  std::uint64_t widest = 1;
  double total = 0;
  for (const JobSlot job : items) {
    const Time processing_time = jobs.whole_processing_time(job);
    const std::uint64_t demand = scale.total(jobs.demand(job));
    unit = std::min(unit, odd_binary_form(processing_time).exponent);
    longest = std::max(longest, processing_time);
    widest = std::max(widest, demand);
    total += processing_time * static_cast<double>(demand);
  }
  const double machine_volume = static_cast<double>(scale.n_resources()) * static_cast<double>(n_capacities) *
                                static_cast<double>(scale.common_capacity());
  const double rounded_capacity = machine_volume * gamma;
  // Far apart: decided without exact sums (doubles add n terms with a relative error below n * 2^-52).
  if (rounded_capacity > 2 * total) {
    everything_fits_ = true;
    return;
  }
  const UInt128 machines =
      multiply_words(scale.n_resources() * n_capacities, static_cast<std::uint64_t>(scale.common_capacity()));
  const auto count_exactly = [&]<class Int>(Volumes<Int>& exact) {
    Int sum = 0;
    exact.size.reserve(items.size());
    for (const JobSlot job : items) {
      const BinaryForm parts = odd_binary_form(jobs.whole_processing_time(job));
      const UInt128 volume = multiply_words(parts.mantissa, scale.total(jobs.demand(job)));
      exact.size.push_back(static_cast<Int>(static_cast<Int128>(volume)) << (parts.exponent - unit));
      sum += exact.size.back();
    }
    const UInt256 zeta = multiply(machines, UInt128(gamma_parts.mantissa));
    exact.capacity = static_cast<Int>(Int256(zeta) << (gamma_parts.exponent - unit));
    everything_fits_ = sum <= exact.capacity;
  };
  // Bits of one item, of the total, which is at least zeta / 2 here, and of n * zeta.
  const int item_bits = std::ilogb(longest) + 1 - unit + static_cast<int>(std::bit_width(widest));
  const int capacity_bits = item_bits + static_cast<int>(std::bit_width(items.size())) + 1;
  if (capacity_bits + static_cast<int>(std::bit_width(items.size())) <= kNarrowBits) {
    count_exactly(volumes_.emplace<Volumes<Int128>>());
  } else if (capacity_bits <= kLargestBits) {
    count_exactly(volumes_.emplace<Volumes<Int256>>());
  } else {
    Volumes<double>& rounded = volumes_.emplace<Volumes<double>>();
    for (const JobSlot job : items) {
      rounded.size.push_back(jobs.whole_processing_time(job) * static_cast<double>(scale.total(jobs.demand(job))));
    }
    rounded.capacity = rounded_capacity;
    everything_fits_ = total <= rounded_capacity;
  }
}

std::vector<std::uint32_t> VolumeKnapsack::solve(std::span<const double> weight, const KnapsackOptions& options) const {
  return std::visit(
      [&]<class Number>(const Volumes<Number>& volumes) {
        return solve_knapsack(weight, std::span<const Number>(volumes.size), volumes.capacity, options);
      },
      volumes_);
}

}  // namespace schedcore
