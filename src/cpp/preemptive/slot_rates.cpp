#include "schedcore/preemptive/slot_rates.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace schedcore {
namespace {

constexpr std::size_t kSortedBelow = 24;

}  // namespace

std::size_t SlotRates::assign(std::span<const double> key, std::span<const Amount> limit, Amount total,
                              std::vector<Amount>& cores) {
  assert(key.size() == limit.size() && total >= 0);
  cores.assign(limit.begin(), limit.end());
  // What is left of the pool, or -1; subtracting from it cannot overflow, adding limits could.
  const auto take = [](Amount& left, Amount wanted) { left = wanted > left ? -1 : left - wanted; };
  Amount left = total;
  for (const Amount wanted : limit) {
    take(left, wanted);
    if (left < 0) break;
  }
  if (left >= 0) return kNoRow;

  candidates_.clear();
  for (std::uint32_t row = 0; row < key.size(); ++row)
    if (limit[row] > 0) candidates_.push_back({key[row], row});
  const auto before = [](const Candidate& a, const Candidate& b) {
    return a.key < b.key || (a.key == b.key && a.row < b.row);
  };
  // Candidates below `first` get their limit, those from `last` on nothing; in between the `left` cores run out.
  left = total;
  auto first = candidates_.begin(), last = candidates_.end();
  int rounds = 2 * static_cast<int>(std::bit_width(candidates_.size()));
  while (static_cast<std::size_t>(last - first) > kSortedBelow && rounds-- > 0) {
    // The median of three is neither first nor last, so that both sides shrink.
    Candidate low = *first, pivot = first[(last - first) / 2], high = last[-1];
    if (before(pivot, low)) std::swap(pivot, low);
    if (before(high, pivot)) pivot = before(high, low) ? low : high;
    const auto border = std::partition(first, last, [&](const Candidate& c) { return before(c, pivot); });
    Amount after = left;
    for (auto c = first; c != border && after >= 0; ++c) take(after, limit[c->row]);
    if (after >= 0) {
      left = after;
      first = border;
    } else {
      last = border;
    }
  }
  std::sort(first, last, before);
  std::size_t cut = kNoRow;
  for (auto c = first; c != candidates_.end(); ++c) {
    const Amount given = c < last ? std::min(limit[c->row], left) : 0;
    if (given > 0 && given < limit[c->row]) cut = c->row;
    cores[c->row] = given;
    left -= given;
  }
  return cut;
}

std::size_t SlotRates::assign_in_order(std::span<const std::uint32_t> order, std::span<const Amount> limit,
                                       Amount total, std::vector<Amount>& cores) {
  cores.assign(limit.size(), 0);
  for (const std::uint32_t row : order) {
    if (total == 0) break;
    const Amount given = std::min(limit[row], total);
    cores[row] = given;
    total -= given;
    if (given < limit[row]) return row;
  }
  return kNoRow;
}

std::size_t slot_rates(std::span<const double> key, std::span<const Amount> limit, Amount total,
                       std::vector<Amount>& cores) {
  return SlotRates{}.assign(key, limit, total, cores);
}

}  // namespace schedcore
