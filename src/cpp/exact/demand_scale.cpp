#include "schedcore/exact/demand_scale.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "schedcore/base/errors.hpp"

namespace schedcore {
namespace {

constexpr Amount kLargestExact = Amount{1} << 53;
constexpr int kApproximateBits = 40;
constexpr std::size_t kMaxResources = 1024;  // 2^10 * 2^53 stays below 2^63

void check_n_resources(std::size_t n_resources) {
  if (n_resources <= kMaxResources) return;
  throw UnsupportedError("n_resources = " + std::to_string(n_resources) + " exceeds " + std::to_string(kMaxResources) +
                         ", the most that exact total demands allow");
}

std::vector<UInt128> widened(std::span<const Amount> amounts) {
  std::vector<UInt128> wide;
  wide.reserve(amounts.size());
  for (const Amount amount : amounts) wide.emplace_back(static_cast<std::uint64_t>(amount));
  return wide;
}

}  // namespace

DemandScale::DemandScale(std::span<const Amount> capacity) : DemandScale(widened(capacity)) {
  check_n_resources(capacity.size());
}

DemandScale DemandScale::of_cluster(const MachinesView& machines) {
  check_n_resources(machines.n_resources);
  // Machines without anything do not count.
  std::optional<std::span<const Amount>> common;
  std::size_t n_alike = 0;
  bool are_identical = true;
  for (std::size_t machine = 0; machine < machines.n_machines; ++machine) {
    const auto capacity = machines.capacity_of(machine);
    if (std::ranges::all_of(capacity, [](Amount amount) { return amount == 0; })) continue;
    if (!common) common = capacity;
    are_identical = are_identical && std::ranges::equal(capacity, *common);
    ++n_alike;
  }
  if (are_identical) {
    DemandScale scale(common.value_or(machines.capacity_of(0)));
    scale.n_capacities_ = std::max(n_alike, std::size_t{1});
    return scale;
  }
  std::vector<UInt128> total(machines.n_resources, UInt128{});
  for (std::size_t machine = 0; machine < machines.n_machines; ++machine) {
    const auto capacity = machines.capacity_of(machine);
    for (std::size_t r = 0; r < total.size(); ++r) total[r] += UInt128(static_cast<std::uint64_t>(capacity[r]));
  }
  return DemandScale(std::move(total));
}

DemandScale DemandScale::of_machines(const MachinesView& machines) {
  return DemandScale(widened(machines.are_identical() ? machines.capacity_of(0) : machines.capacity));
}

DemandScale::DemandScale(std::vector<UInt128> capacity) : capacity_(std::move(capacity)) {
  Amount common = 1;
  for (const UInt128& wide : capacity_) {
    if (wide == UInt128{}) continue;
    ++n_counted_;
    if (!exact_) continue;
    const auto amount = static_cast<Amount>(low_word(wide));
    if (UInt128(static_cast<std::uint64_t>(kLargestExact)) < wide) {
      exact_ = false;
    } else if (const Amount factor = amount / std::gcd(common, amount); factor <= kLargestExact / common) {
      common *= factor;
    } else {
      exact_ = false;
    }
  }
  common_capacity_ = exact_ ? common : Amount{1} << kApproximateBits;
  multiplier_.reserve(capacity_.size());
  for (const UInt128& amount : capacity_) {
    multiplier_.push_back(exact_ && amount != UInt128{} ? common / static_cast<Amount>(low_word(amount)) : 0);
  }
}

Amount DemandScale::scaled(std::size_t resource, Amount amount) const {
  if (exact_) return amount * multiplier_[resource];
  const UInt128& capacity = capacity_[resource];
  if (capacity == UInt128{} || amount == 0) return 0;
  const auto wide = UInt128(static_cast<std::uint64_t>(amount)) << kApproximateBits;
  const auto share = static_cast<Amount>(low_word(wide / capacity));
  return std::max<Amount>(share, 1);
}

std::uint64_t DemandScale::total(std::span<const Amount> demand) const {
  std::uint64_t sum = 0;
  for (std::size_t resource = 0; resource < demand.size(); ++resource) {
    sum += static_cast<std::uint64_t>(scaled(resource, demand[resource]));
  }
  return sum;
}

}  // namespace schedcore
