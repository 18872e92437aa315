#include "schedcore/preemptive/whole_cores.hpp"

#include <algorithm>
#include <cmath>

namespace schedcore {

CoreShare core_share(double cores) {
  const double whole = std::floor(cores);
  CoreShare share{static_cast<Amount>(whole), 0};
  share.remainder = static_cast<Amount>(std::floor((cores - whole) * static_cast<double>(CoreShare::kUnits) + 0.5));
  if (share.remainder == CoreShare::kUnits) share = {share.whole + 1, 0};
  return share;
}

void WholeCores::assign(std::span<const CoreShare> share, std::span<const Int128> owed, Amount total,
                        std::vector<Amount>& cores) {
  cores.resize(share.size());
  claims_.clear();
  Amount left = total, remainders = 0;
  for (std::uint32_t row = 0; row < share.size(); ++row) {
    cores[row] = std::min(share[row].whole, left);  // all of it, but where rounding up has taken more than there is
    left -= cores[row];
    remainders += share[row].remainder;
    if (share[row].remainder == 0) continue;
    claims_.push_back({Int128(share[row].remainder) + (owed.empty() ? Int128(0) : owed[row]), row});
  }
  const Amount rounding = static_cast<Amount>(share.size());
  const Amount further = std::min({(remainders + rounding) / CoreShare::kUnits, left, static_cast<Amount>(claims_.size())});
  if (further == 0) return;
  std::ranges::nth_element(claims_, claims_.begin() + (further - 1), [](const Claim& a, const Claim& b) {
    return a.units != b.units ? a.units > b.units : a.row < b.row;
  });
  for (Amount i = 0; i < further; ++i) ++cores[claims_[static_cast<std::size_t>(i)].row];
}

}  // namespace schedcore
