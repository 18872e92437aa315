#include "schedcore/packing/partition_bounds.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>
#include <vector>

namespace schedcore {
namespace {

Amount ceil_quotient(Amount numerator, Amount denominator) { return (numerator - 1) / denominator + 1; }

// prefix[l]: the sum of the l largest sizes.
std::vector<Amount> prefix_sums(std::span<const Amount> sorted_size) {
  std::vector<Amount> prefix(sorted_size.size() + 1);
  for (std::size_t i = 0; i < sorted_size.size(); ++i) prefix[i + 1] = prefix[i] + sorted_size[i];
  return prefix;
}

Amount counting_bound(std::span<const Amount> sorted_size, std::size_t n_machines) {
  const std::vector<Amount> prefix = prefix_sums(sorted_size);
  Amount bound = 0;
  const auto raise = [&](std::size_t l, std::size_t k) {
    const std::size_t held = k * (l / n_machines) + std::min(k, l % n_machines);
    const Amount load = prefix[l] - prefix[l - held];
    if (CompletionTime{bound, 1} < CompletionTime{load, static_cast<Amount>(k)}) {
      bound = ceil_quotient(load, static_cast<Amount>(k));
    }
  };
  const std::size_t n = sorted_size.size();
  const bool all_pairs = n <= kMostPairs / n_machines;
  for (std::size_t l = 1; l <= n; ++l) {
    for (std::size_t k = 1; k < n_machines && (k == 1 || all_pairs); ++k) raise(l, k);
  }
  raise(n, n_machines);
  return bound;
}

// The first instant by which machines of these speeds can have done `load` in whole units: the sum of
// floor(time * speed) jumps by one at each load / speed.  At load / total speed less than one unit a machine is missing.
CompletionTime first_time_for(Amount load, std::span<const Amount> speed) {
  UInt128 total_speed = 0;
  for (const Amount one : speed) total_speed += static_cast<std::uint64_t>(one);
  std::vector<Amount> done(speed.size());
  Amount missing = load;
  for (std::size_t k = 0; k < speed.size(); ++k) {
    const UInt128 product = multiply_words(static_cast<std::uint64_t>(load), static_cast<std::uint64_t>(speed[k]));
    done[k] = static_cast<Amount>(product / total_speed);
    missing -= done[k];
  }
  const auto next_unit = [&](std::size_t k) { return CompletionTime{done[k] + 1, speed[k]}; };
  const auto later = [&](std::size_t a, std::size_t b) { return next_unit(b) < next_unit(a); };
  std::vector<std::size_t> machines(speed.size());
  for (std::size_t k = 0; k < speed.size(); ++k) machines[k] = k;
  std::priority_queue next(later, std::move(machines));
  CompletionTime time{done.front(), speed.front()};  // exact if nothing is missing: then no floor cut anything off
  for (; missing > 0; --missing) {
    const std::size_t k = next.top();
    time = next_unit(k);
    next.pop();
    ++done[k];
    next.push(k);
  }
  return time;
}

}  // namespace

bool exceeds_bins(std::span<const Amount> sorted_size, std::size_t n_machines, Amount capacity) {
  if (sorted_size.empty()) return false;
  if (sorted_size.front() > capacity) return true;
  // For a threshold t <= capacity/2: tasks above capacity - t have a bin alone, those above capacity/2 a bin each, and
  // those down to t need room, of which only the latter's bins have some.
  const std::size_t n = sorted_size.size();
  const auto count_above = [&](Amount amount) {
    return static_cast<std::size_t>(
        std::partition_point(sorted_size.begin(), sorted_size.end(), [&](Amount size) { return size > amount; }) -
        sorted_size.begin());
  };
  const std::size_t n_large = count_above(capacity / 2);
  if (n_large > n_machines) return true;
  const auto bins = static_cast<Int128>(n_machines);
  std::size_t n_alone = n_large;  // shrinks as t does: tasks above capacity - t
  Int128 room = 0;                // beside the other large ones
  Int128 small = 0;               // the tasks from t to capacity/2
  for (std::size_t i = n_large; i < n; ++i) {
    small += sorted_size[i];
    const bool ends_run = i + 1 == n || sorted_size[i + 1] != sorted_size[i];
    if (!ends_run) continue;
    while (n_alone > 0 && sorted_size[n_alone - 1] <= capacity - sorted_size[i]) {
      --n_alone;
      room += capacity - sorted_size[n_alone];
    }
    const Int128 more_bins_room = (bins - static_cast<Int128>(n_large)) * capacity;
    if (room + more_bins_room < small) return true;
  }
  return false;
}

Amount identical_makespan_bound(std::span<const Amount> sorted_size, std::size_t n_machines, Amount makespan) {
  assert(n_machines > 0);
  if (sorted_size.empty()) return 0;
  Amount bound = std::max(counting_bound(sorted_size, n_machines), sorted_size.front());
  if (!exceeds_bins(sorted_size, n_machines, bound)) return bound;
  Amount possible = makespan;  // L2 is not monotone in the capacity; every proof counts all the same
  while (bound < possible) {
    const Amount middle = bound + (possible - bound) / 2;
    if (exceeds_bins(sorted_size, n_machines, middle)) {
      bound = middle + 1;
    } else {
      possible = middle;
    }
  }
  return bound;
}

CompletionTime uniform_makespan_bound(std::span<const Amount> sorted_size, std::span<const Amount> speed) {
  assert(!speed.empty());
  if (sorted_size.empty()) return {0, speed.front()};
  std::vector<Amount> fastest(speed.begin(), speed.end());
  std::sort(fastest.begin(), fastest.end(), std::greater<>());
  const std::size_t most = std::min(sorted_size.size(), fastest.size());
  Amount load = 0;
  UInt128 total_speed = 0;
  Amount best_load = 0;
  UInt128 best_speed = 1;
  std::size_t best_k = 1;
  for (std::size_t k = 1; k <= most; ++k) {
    load += sorted_size[k - 1];
    total_speed += static_cast<std::uint64_t>(fastest[k - 1]);
    if (compare_products(static_cast<UInt128>(best_load), total_speed, static_cast<UInt128>(load), best_speed) < 0) {
      best_load = load;
      best_speed = total_speed;
      best_k = k;
    }
  }
  const std::span<const Amount> speeds(fastest);
  const CompletionTime of_longest = first_time_for(best_load, speeds.first(best_k));
  Amount total = load;
  for (std::size_t i = most; i < sorted_size.size(); ++i) total += sorted_size[i];
  return std::max(of_longest, first_time_for(total, speeds.first(most)));
}

}  // namespace schedcore
