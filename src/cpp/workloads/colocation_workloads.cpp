#include "schedcore/workloads/colocation_workloads.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "schedcore/base/random_stream.hpp"

namespace schedcore {
namespace {

constexpr std::int64_t kDenominator = 1000;

// 0..population-1, of which the first n_chosen are the drawn ones.
std::vector<std::int64_t> partial_shuffle(RandomStream& random, std::size_t population, std::size_t n_chosen) {
  std::vector<std::int64_t> order(population);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (std::size_t i = 0; i < n_chosen; ++i) {
    std::swap(order[i], order[i + random.below(population - i)]);
  }
  return order;
}

// Puts a task of each missing type, drawn from `others`, in the place of the last task of the most frequent type.
void complete_types(RandomStream& random, std::span<const std::int64_t> type, std::size_t n_types,
                    std::span<const std::int64_t> others, std::span<std::int64_t> chosen) {
  const auto type_of = [&](std::int64_t task) { return type[static_cast<std::size_t>(task)]; };
  std::vector<std::size_t> count(n_types, 0);
  for (const std::int64_t task : chosen) ++count[static_cast<std::size_t>(type_of(task))];
  for (std::size_t missing = 0; missing < n_types; ++missing) {
    if (count[missing] > 0) continue;
    // At least two of `chosen` are of this type, which hence never becomes a missing one.
    const auto common = std::max_element(count.begin(), count.end());
    const auto common_type = static_cast<std::int64_t>(common - count.begin());
    const auto place = std::find_if(chosen.rbegin(), chosen.rend(),
                                    [&](std::int64_t task) { return type_of(task) == common_type; });
    std::vector<std::int64_t> candidates;
    std::copy_if(others.begin(), others.end(), std::back_inserter(candidates),
                 [&](std::int64_t task) { return std::cmp_equal(type_of(task), missing); });
    assert(place != chosen.rend() && !candidates.empty());
    *place = candidates[random.below(candidates.size())];
    --*common;
    ++count[missing];
  }
}

std::int64_t draw_coefficient(RandomStream& random, CoefficientClass coefficients, bool is_pair) {
  const auto between = [&](int low, int n_values) {
    return low + static_cast<std::int64_t>(n_values * random.uniform());
  };
  if (coefficients == CoefficientClass::compatible || is_pair) return between(0, 1000);
  return coefficients == CoefficientClass::clashing ? between(1001, 2999) : between(1001, 999);
}

}  // namespace

void draw_distinct(std::uint64_t seed, std::size_t population, std::span<std::int64_t> chosen) {
  assert(chosen.size() <= population);
  RandomStream random(seed);
  const auto order = partial_shuffle(random, population, chosen.size());
  std::copy_n(order.begin(), chosen.size(), chosen.begin());
}

void draw_usage_records(std::uint64_t seed, std::span<double> cpu, std::span<double> memory) {
  assert(cpu.size() == memory.size());
  RandomStream random(seed);
  for (std::size_t record = 0; record < cpu.size(); ++record) {
    const bool is_cpu_heavy = random.uniform() < 0.5;
    const double larger = std::pow(10, -4.18 * random.uniform());
    const double smaller = larger * std::pow(10, -std::abs((is_cpu_heavy ? 0.538 : 0.515) * random.normal()));
    cpu[record] = is_cpu_heavy ? larger : smaller;
    memory[record] = is_cpu_heavy ? smaller : larger;
  }
}

void draw_colocation(std::uint64_t seed, std::span<const std::int64_t> type, std::size_t n_types,
                     CoefficientClass coefficients, bool symmetric, std::span<std::int64_t> chosen,
                     std::span<std::int64_t> alpha) {
  assert(n_types <= chosen.size() && chosen.size() <= type.size() && alpha.size() == n_types * n_types);
  RandomStream random(seed);
  const auto order = partial_shuffle(random, type.size(), chosen.size());
  std::copy_n(order.begin(), chosen.size(), chosen.begin());
  complete_types(random, type, n_types, std::span(order).subspan(chosen.size()), chosen);
  for (std::size_t source = 0; source < n_types; ++source) {
    alpha[source * n_types + source] = kDenominator;
    for (std::size_t destination = symmetric ? source + 1 : 0; destination < n_types; ++destination) {
      if (destination == source) continue;
      const bool is_pair = coefficients == CoefficientClass::mixed && source / 2 == destination / 2;
      const std::int64_t drawn = draw_coefficient(random, coefficients, is_pair);
      alpha[source * n_types + destination] = drawn;
      if (symmetric) alpha[destination * n_types + source] = drawn;
    }
  }
}

}  // namespace schedcore
