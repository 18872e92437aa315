#include "schedcore/packing/list_scheduling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

#include "first_fit_bins.hpp"
#include "least_loaded.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {
namespace {

constexpr int kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr std::size_t kRadixSize = 1024;  // below, a comparison sort is faster

// What falls short of the largest size, and the index.
struct ShortfallAndIndex {
  std::uint64_t shortfall = 0;
  std::uint32_t index = 0;
};

// Stable: least significant digit first, as many digits as `bits` needs.
template <class Entry, class Key>
void radix_sort(std::vector<Entry>& entries, int bits, const Key& key) {
  std::vector<Entry> sorted(entries.size());
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    std::array<std::size_t, kDigits + 1> next{};  // next[d]: where the next entry with digit d goes
    for (const Entry& entry : entries) ++next[((key(entry) >> shift) & (kDigits - 1)) + 1];
    for (std::size_t d = 0; d < kDigits; ++d) next[d + 1] += next[d];
    for (const Entry& entry : entries) sorted[next[(key(entry) >> shift) & (kDigits - 1)]++] = entry;
    std::swap(entries, sorted);
  }
}

UInt128 total_of(std::span<const Amount> size) {
  UInt128 total = 0;
  for (const Amount amount : size) total += static_cast<std::uint64_t>(amount);
  return total;
}

template <class Word>
void assign_longest_first(std::span<const Amount> sorted_size, std::size_t n_machines,
                          std::span<std::uint32_t> machine) {
  LeastLoaded<Word> least(n_machines);
  for (std::size_t i = 0; i < sorted_size.size(); ++i) {
    machine[i] = static_cast<std::uint32_t>(least.machine());
    least.add(sorted_size[i]);
  }
}

// The search for the smallest capacity, within the whole numbers of `Load`.
template <class Load>
void search_capacity(std::span<const Amount> sorted_size, std::size_t n_machines, Load low, Load high,
                     std::span<std::uint32_t> machine, Monitor* monitor) {
  // First fit never opens more bins than there are tasks.
  FirstFitBins<Load> bins(std::min(n_machines, sorted_size.size()));
  std::vector<std::uint32_t> trial(sorted_size.size());
  const auto equal = [](Load capacity) { return [capacity](std::size_t) { return capacity; }; };
  [[maybe_unused]] const bool packed = bins.pack(sorted_size, equal(high), machine);
  // Any two bins in use hold more than one capacity together, so no task is left when all bins are in use.
  assert(packed);
  while (low < high) {
    if (monitor != nullptr) monitor->poll(0, 0);
    const Load middle = low + ((high - low) >> 1);
    if (bins.pack(sorted_size, equal(middle), trial)) {
      std::copy(trial.begin(), trial.end(), machine.begin());
      high = middle;
    } else {
      low = middle + 1;
    }
  }
}

}  // namespace

std::vector<std::uint32_t> decreasing_order(std::span<const Amount> size) {
  assert(size.size() < (std::uint64_t{1} << 32));
  std::vector<std::uint32_t> order(size.size());
  if (size.empty()) return order;
  const auto [smallest, largest] = std::minmax_element(size.begin(), size.end());
  const auto top = static_cast<std::uint64_t>(*largest);
  const auto shortfall = [top](Amount amount) { return top - static_cast<std::uint64_t>(amount); };
  const int size_bits = static_cast<int>(std::bit_width(shortfall(*smallest)));
  const int index_bits = static_cast<int>(std::bit_width(size.size() - 1));
  if (size_bits + index_bits <= 64) {  // one word an entry: the shortfall above the index
    std::vector<std::uint64_t> entries(size.size());
    const std::uint64_t index_mask = (std::uint64_t{1} << index_bits) - 1;
    for (std::size_t i = 0; i < size.size(); ++i) entries[i] = (shortfall(size[i]) << index_bits) | i;
    if (size.size() < kRadixSize) {
      std::sort(entries.begin(), entries.end());
    } else {
      radix_sort(entries, size_bits, [index_bits](std::uint64_t entry) { return entry >> index_bits; });
    }
    std::transform(entries.begin(), entries.end(), order.begin(),
                   [index_mask](std::uint64_t entry) { return static_cast<std::uint32_t>(entry & index_mask); });
    return order;
  }
  std::vector<ShortfallAndIndex> entries(size.size());
  for (std::size_t i = 0; i < size.size(); ++i) entries[i] = {shortfall(size[i]), static_cast<std::uint32_t>(i)};
  if (size.size() < kRadixSize) {
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.shortfall < b.shortfall; });
  } else {
    radix_sort(entries, size_bits, [](const ShortfallAndIndex& entry) { return entry.shortfall; });
  }
  std::transform(entries.begin(), entries.end(), order.begin(), [](const auto& entry) { return entry.index; });
  return order;
}

void longest_first(std::span<const Amount> sorted_size, std::size_t n_machines, std::span<std::uint32_t> machine) {
  assert(n_machines > 0 && machine.size() == sorted_size.size());
  assert(std::is_sorted(sorted_size.rbegin(), sorted_size.rend()));
  if (sorted_size.empty()) return;
  // The i-th task goes to a machine up to i: that one is empty.
  const std::size_t reached = std::min(n_machines, sorted_size.size());
  if (bit_width(total_of(sorted_size)) + static_cast<int>(std::bit_width(reached - 1)) < 64) {
    assign_longest_first<std::uint64_t>(sorted_size, reached, machine);
  } else {
    assign_longest_first<UInt128>(sorted_size, reached, machine);
  }
}

void multifit(std::span<const Amount> sorted_size, std::size_t n_machines, std::span<std::uint32_t> machine,
              Monitor* monitor) {
  assert(n_machines > 0 && machine.size() == sorted_size.size());
  assert(std::is_sorted(sorted_size.rbegin(), sorted_size.rend()));
  if (sorted_size.empty()) return;
  const UInt128 total = total_of(sorted_size);
  const UInt128 machines = n_machines;
  const UInt128 largest = static_cast<std::uint64_t>(sorted_size.front());
  const UInt128 low = std::max((total + machines - 1) / machines, largest);
  const UInt128 high = std::max((total + total + machines - 1) / machines, largest);
  if (bit_width(high) < 63) {
    search_capacity<std::int64_t>(sorted_size, n_machines, static_cast<std::int64_t>(low),
                                  static_cast<std::int64_t>(high), machine, monitor);
  } else {
    search_capacity<Int128>(sorted_size, n_machines, static_cast<Int128>(low), static_cast<Int128>(high), machine,
                            monitor);
  }
}

}  // namespace schedcore
