// Knapsacks as MRIS meets them: sizes log-uniform in 1e6..1e13, capacity 30 % of the total; several inputs in rotation.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "schedcore/packing/knapsack.hpp"

namespace schedcore {
namespace {

struct Items {
  std::vector<double> weight;
  std::vector<Int128> size;
  Int128 capacity = 0;
};

enum Weights { one_or_two, up_to_hundred, real };

std::vector<Items> draw_items(std::size_t n, Weights kind) {
  std::vector<Items> inputs(4);
  std::mt19937_64 random(n);
  std::uniform_real_distribution<double> unit(0, 1);
  for (Items& items : inputs) {
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double size = std::floor(1e6 * std::pow(1e7, unit(random)));
      total += size;
      items.size.push_back(floor_to_int128(size));
      items.weight.push_back(kind == real ? unit(random) : 1 + static_cast<double>(random() % (kind == one_or_two ? 2 : 100)));
    }
    items.capacity = floor_to_int128(0.3 * total);
  }
  return inputs;
}

// Every answer is checked: within the promised capacity, and at least as heavy as half of what greedy_union finds.
void run(benchmark::State& state, KnapsackMethod method, Weights kind) {
  const auto inputs = draw_items(static_cast<std::size_t>(state.range(0)), kind);
  std::size_t turn = 0;
  for (auto _ : state) {
    const Items& items = inputs[turn++ % inputs.size()];
    const auto chosen = solve_knapsack(std::span<const double>(items.weight), std::span<const Int128>(items.size),
                                       items.capacity, {method});
    state.PauseTiming();
    double size = 0, weight = 0, bound = 0;
    for (const std::uint32_t i : chosen) {
      size += static_cast<double>(items.size[i]);
      weight += items.weight[i];
    }
    for (const std::uint32_t i : solve_knapsack(std::span<const double>(items.weight),
                                                std::span<const Int128>(items.size), items.capacity,
                                                {KnapsackMethod::greedy_union})) {
      bound += items.weight[i];
    }
    const double slack = method == KnapsackMethod::exact ? 1 : method == KnapsackMethod::cadp ? 1.1 : 2;
    if (size > slack * static_cast<double>(items.capacity) * (1 + 1e-9) || weight < bound / 2) {
      throw std::logic_error("the knapsack broke its promise");
    }
    state.ResumeTiming();
  }
  state.SetComplexityN(state.range(0));
}

#define SCHEDCORE_KNAPSACK_BENCH(method, kind)                                                                      \
  BENCHMARK_CAPTURE(run, method##_weights_##kind##_sizes_loguniform_1e6_1e13, KnapsackMethod::method, Weights::kind) \
      ->RangeMultiplier(4)                                                                                           \
      ->Range(4000, 64000)                                                                                           \
      ->Unit(benchmark::kMillisecond)                                                                                \
      ->Complexity()

SCHEDCORE_KNAPSACK_BENCH(exact, one_or_two);
SCHEDCORE_KNAPSACK_BENCH(exact, up_to_hundred);
SCHEDCORE_KNAPSACK_BENCH(exact, real);
SCHEDCORE_KNAPSACK_BENCH(cadp, one_or_two);
SCHEDCORE_KNAPSACK_BENCH(cadp, up_to_hundred);
SCHEDCORE_KNAPSACK_BENCH(cadp, real);
SCHEDCORE_KNAPSACK_BENCH(greedy, up_to_hundred);

BENCHMARK_CAPTURE(run, exact_weights_one_or_two_sizes_loguniform_1e6_1e13, KnapsackMethod::exact, Weights::one_or_two)
    ->Arg(4000000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace schedcore
