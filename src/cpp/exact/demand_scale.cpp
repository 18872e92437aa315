#include "schedcore/exact/demand_scale.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "schedcore/base/errors.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {
namespace {

constexpr Amount kLargestExact = Amount{1} << 53;
constexpr int kApproximateBits = 40;
constexpr std::size_t kMaxResources = 1024;  // 2^10 * 2^53 stays below 2^63

}  // namespace

DemandScale::DemandScale(std::span<const Amount> capacity) : capacity_(capacity.begin(), capacity.end()) {
  if (capacity.size() > kMaxResources) {
    throw UnsupportedError("n_resources = " + std::to_string(capacity.size()) + " exceeds " +
                           std::to_string(kMaxResources) + ", the most that exact total demands allow");
  }
  Amount common = 1;
  for (const Amount amount : capacity) {
    if (amount == 0) continue;
    ++n_counted_;
    const Amount factor = amount / std::gcd(common, amount);
    if (exact_ && factor <= kLargestExact / common) {
      common *= factor;
    } else {
      exact_ = false;
    }
  }
  common_capacity_ = exact_ ? common : Amount{1} << kApproximateBits;
  multiplier_.reserve(capacity.size());
  for (const Amount amount : capacity) multiplier_.push_back(exact_ && amount > 0 ? common / amount : 0);
}

Amount DemandScale::scaled(std::size_t resource, Amount amount) const {
  if (exact_) return amount * multiplier_[resource];
  const Amount capacity = capacity_[resource];
  if (capacity == 0 || amount == 0) return 0;
  const auto wide = UInt128(static_cast<std::uint64_t>(amount)) << kApproximateBits;
  const auto share = static_cast<Amount>(static_cast<std::uint64_t>(wide / UInt128(static_cast<std::uint64_t>(capacity))));
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
