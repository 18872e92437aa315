#include "schedcore/base/time_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace schedcore {
namespace {

constexpr int kRadixBits = 11;
constexpr int kKeyBits = 64;
constexpr std::size_t kRadix = std::size_t{1} << kRadixBits;

// An integer in the order of the doubles: sign bit set for non-negative ones, all bits flipped for negative ones.
std::uint64_t ordered_bits(Time instant) {
  const auto bits = std::bit_cast<std::uint64_t>(instant + 0.0);  // -0 becomes 0
  constexpr std::uint64_t sign = std::uint64_t{1} << (kKeyBits - 1);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

std::size_t digit(Time instant, int shift) { return (ordered_bits(instant) >> shift) & (kRadix - 1); }

}  // namespace

void TimeSorter::sort(std::vector<TimedIndex>& entries) {
  if (entries.size() < kRadixSize) {
    std::stable_sort(entries.begin(), entries.end(),
                     [](const TimedIndex& a, const TimedIndex& b) { return a.instant < b.instant; });
  } else {
    radix_sort(entries);
  }
}

// Least significant digit first; every pass is stable.  A digit that all entries share needs no pass, which spares most
// of them where times are small integers.
void TimeSorter::radix_sort(std::vector<TimedIndex>& entries) {
  scratch_.resize(entries.size());
  for (int shift = 0; shift < kKeyBits; shift += kRadixBits) {
    std::array<std::size_t, kRadix + 1> next{};  // next[d]: where the next entry with digit d goes
    for (const TimedIndex& entry : entries) ++next[digit(entry.instant, shift) + 1];
    if (next[digit(entries.front().instant, shift) + 1] == entries.size()) continue;
    for (std::size_t d = 0; d < kRadix; ++d) next[d + 1] += next[d];
    for (const TimedIndex& entry : entries) scratch_[next[digit(entry.instant, shift)]++] = entry;
    std::swap(entries, scratch_);
  }
}

}  // namespace schedcore
