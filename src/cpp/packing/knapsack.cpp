#include "schedcore/packing/knapsack.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

#include "exact_scaling.hpp"
#include "knapsack_core_search.hpp"
#include "knapsack_items.hpp"

namespace schedcore {
namespace {

constexpr std::int64_t kNarrowLimit = std::int64_t{1} << 62;

std::vector<std::uint32_t> all_items(std::size_t n) {
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), std::uint32_t{0});
  return all;
}

template <class Int>
bool sum_is_below(const std::vector<Int>& values, Int limit) {
  Int sum = 0;
  for (const Int& value : values) {
    if (value >= limit - sum) return false;
    sum += value;
  }
  return true;
}

template <class Int>
bool has_at_most_two_values(const std::vector<Int>& values) {
  std::optional<Int> second;
  for (const Int& value : values) {
    if (value == values.front() || value == second) continue;
    if (second) return false;
    second = value;
  }
  return true;
}

template <class Int>
KnapsackItems<std::int64_t> narrowed(const KnapsackItems<Int>& items) {
  KnapsackItems<std::int64_t> narrow;
  const auto to_narrow = [](const Int& value) { return static_cast<std::int64_t>(value); };
  narrow.weight.resize(items.count());
  narrow.size.resize(items.count());
  std::transform(items.weight.begin(), items.weight.end(), narrow.weight.begin(), to_narrow);
  std::transform(items.size.begin(), items.size.end(), narrow.size.begin(), to_narrow);
  return narrow;
}

// Items whose sizes lie in 1..capacity and add up to more than it.
template <class Int>
std::vector<std::uint32_t> solve_undecided(const KnapsackItems<Int>& items, Int capacity, bool two_weights,
                                           std::size_t n_reported, const KnapsackOptions& options) {
  if (two_weights) return solve_two_weights(items, capacity);
  return solve_by_core_search(items, capacity, n_reported, options);
}

template <class Int>
std::vector<std::uint32_t> solve_exact(const KnapsackItems<Int>& items, Int capacity, const KnapsackOptions& options) {
  if (sum_is_below(items.size, capacity + 1)) return all_items(items.count());
  std::vector<std::uint32_t> chosen;
  std::vector<std::uint32_t> undecided;
  KnapsackItems<Int> rest;
  for (std::size_t i = 0; i < items.count(); ++i) {
    if (items.size[i] > capacity) continue;
    (items.size[i] == 0 ? chosen : undecided).push_back(static_cast<std::uint32_t>(i));
    if (items.size[i] == 0) continue;
    rest.weight.push_back(items.weight[i]);
    rest.size.push_back(items.size[i]);
  }
  if (sum_is_below(rest.size, capacity + 1)) {
    chosen.insert(chosen.end(), undecided.begin(), undecided.end());
  } else {
    const bool two_weights = has_at_most_two_values(rest.weight);
    const Int limit = kNarrowLimit;
    const bool narrow = sum_is_below(rest.weight, limit) && sum_is_below(rest.size, limit);
    const std::vector<std::uint32_t> solution =
        narrow ? solve_undecided(narrowed(rest), static_cast<std::int64_t>(capacity), two_weights, items.count(), options)
               : solve_undecided(rest, capacity, two_weights, items.count(), options);
    for (const std::uint32_t i : solution) chosen.push_back(undecided[i]);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// floor(n / epsilon): the capacity in units of K = epsilon * capacity / n.
std::int64_t scaled_capacity(std::size_t n, Ratio epsilon) {
  const UInt128 units = mul_div_floor(n, static_cast<UInt128>(epsilon.den), static_cast<UInt128>(epsilon.num), 1,
                                      std::uint64_t{1} << 62);
  return static_cast<std::int64_t>(units);
}

template <class Int>
std::vector<std::uint32_t> solve_cadp(const KnapsackItems<Int>& items, Int capacity, const KnapsackOptions& options) {
  const std::size_t n = items.count();
  if (sum_is_below(items.size, capacity + 1)) return all_items(n);  // their rounded sizes fit too
  const std::int64_t units = scaled_capacity(n, options.epsilon);
  const UInt128 factor = static_cast<UInt128>(n) * static_cast<UInt128>(options.epsilon.den);
  const auto beyond = static_cast<UInt128>(units) + 1;
  KnapsackItems<Int128> rounded;
  rounded.weight.reserve(n);
  rounded.size.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    UInt128 size = items.size[i] == 0 ? 0 : beyond;
    if (capacity > 0) {
      size = mul_div_floor(magnitude(items.size[i]), factor, magnitude(capacity),
                           static_cast<UInt128>(options.epsilon.num), beyond);
    }
    rounded.weight.push_back(static_cast<Int128>(items.weight[i]));
    rounded.size.push_back(static_cast<Int128>(size));
  }
  return solve_exact(rounded, static_cast<Int128>(units), options);
}

template <class Int>
std::vector<std::uint32_t> solve_items(const KnapsackItems<Int>& items, Int capacity, Int double_capacity,
                                       const KnapsackOptions& options) {
  switch (options.method) {
    case KnapsackMethod::exact: return solve_exact(items, capacity, options);
    case KnapsackMethod::cadp: return solve_cadp(items, capacity, options);
    case KnapsackMethod::greedy: return greedy_prefix(items, double_capacity, capacity);
    case KnapsackMethod::greedy_union: return greedy_union(items, capacity);
    case KnapsackMethod::greedy_prefix: return greedy_prefix(items, capacity, capacity);
  }
  assert(false);
  return {};
}

}  // namespace

std::vector<std::uint32_t> solve_knapsack(std::span<const double> weight, std::span<const Int128> size,
                                          Int128 capacity, const KnapsackOptions& options) {
  assert(weight.size() == size.size());
  const KnapsackItems<Int128> items{scale_to_integers(weight).value, {size.begin(), size.end()}};
  return solve_items(items, capacity, capacity + capacity, options);
}

std::vector<std::uint32_t> solve_knapsack(std::span<const double> weight, std::span<const Int256> size,
                                          Int256 capacity, const KnapsackOptions& options) {
  assert(weight.size() == size.size());
  KnapsackItems<Int256> items{{}, {size.begin(), size.end()}};
  for (const Int128 one : scale_to_integers(weight).value) items.weight.emplace_back(one);
  return solve_items(items, capacity, capacity + capacity, options);
}

std::vector<std::uint32_t> solve_knapsack(std::span<const std::int64_t> weight, std::span<const std::int64_t> size,
                                          std::int64_t capacity, const KnapsackOptions& options) {
  assert(weight.size() == size.size());
  const KnapsackItems<Int128> items{{weight.begin(), weight.end()}, {size.begin(), size.end()}};
  const Int128 room = capacity;
  return solve_items(items, room, room + room, options);
}

std::vector<std::uint32_t> solve_knapsack(std::span<const double> weight, std::span<const double> size, double capacity,
                                          const KnapsackOptions& options) {
  assert(weight.size() == size.size());
  KnapsackItems<Int128> items{scale_to_integers(weight).value, {}};
  if (options.method == KnapsackMethod::cadp) {
    const auto n = static_cast<double>(size.size());
    const double unit = static_cast<double>(options.epsilon.num) / static_cast<double>(options.epsilon.den) * capacity / n;
    const std::int64_t units = scaled_capacity(size.size(), options.epsilon);
    const double beyond = static_cast<double>(units) + 1;
    items.size.reserve(size.size());
    for (const double one : size) {
      const double rounded = one == 0 ? 0 : std::min(std::floor(one / unit), beyond);
      items.size.push_back(static_cast<std::int64_t>(rounded));
    }
    return solve_exact(items, static_cast<Int128>(units), options);
  }
  // Items above the capacity are in no solution; left out of the scale, they cannot coarsen the unit of the others.
  std::vector<double> relevant(size.begin(), size.end());
  for (double& one : relevant) one = one > capacity ? 0 : one;
  ScaledColumn scaled = scale_to_integers(relevant);
  const Int128 scaled_down = floor_at_scale(capacity, scaled.exponent);
  items.size = std::move(scaled.value);
  for (std::size_t i = 0; i < size.size(); ++i) {
    if (size[i] > capacity) items.size[i] = scaled_down + 1;
  }
  return solve_items(items, scaled_down, floor_at_scale(2 * capacity, scaled.exponent), options);
}

}  // namespace schedcore
