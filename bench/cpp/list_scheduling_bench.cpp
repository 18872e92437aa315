// LPT (with ordering) and MULTIFIT of n uniform tasks on m identical machines; eight inputs rotate.
// Asserted: every task has a machine, and the makespan is within the proven ratio of the larger of p_max and W/m.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <vector>

#include "schedcore/packing/list_scheduling.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kInputs = 8;

std::vector<Amount> uniform_sizes(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Amount> size(n);
  for (Amount& one : size) one = static_cast<Amount>(1 + random() % 1000000);
  return size;
}

struct Input {
  std::vector<Amount> size;
  std::vector<Amount> sorted_size;
  std::vector<std::uint32_t> machine;

  void sort() {
    const std::vector<std::uint32_t> order = decreasing_order(size);
    sorted_size.resize(size.size());
    machine.resize(size.size());
    for (std::size_t i = 0; i < order.size(); ++i) sorted_size[i] = size[order[i]];
  }

  // makespan <= numerator / denominator * max(p_max, W / m): the optimum is at least that, so this is more than the
  // theorems promise, and true of these inputs.
  [[nodiscard]] bool is_within(Amount numerator, Amount denominator, std::size_t n_machines) const {
    std::vector<Amount> load(n_machines);
    Amount total = 0;
    for (std::size_t i = 0; i < machine.size(); ++i) {
      load[machine[i]] += sorted_size[i];
      total += sorted_size[i];
    }
    const auto machines = static_cast<Amount>(n_machines);
    const Amount bound = std::max(sorted_size.front(), (total + machines - 1) / machines);
    return *std::max_element(load.begin(), load.end()) * denominator <= numerator * bound;
  }
};

std::vector<Input> inputs(const benchmark::State& state) {
  std::vector<Input> made(kInputs);
  for (std::size_t k = 0; k < kInputs; ++k) {
    made[k].size = uniform_sizes(static_cast<std::size_t>(state.range(0)), k + 1);
    made[k].sort();
  }
  return made;
}

void lpt_with_ordering(benchmark::State& state) {
  auto input = inputs(state);
  const auto n_machines = static_cast<std::size_t>(state.range(1));
  std::size_t k = 0;
  for (auto _ : state) {
    Input& one = input[k++ % kInputs];
    one.sort();
    longest_first(one.sorted_size, n_machines, one.machine);
    benchmark::DoNotOptimize(one.machine.data());
  }
  if (!input[0].is_within(4, 3, n_machines)) state.SkipWithError("beyond the ratio of LPT");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void multifit_of_sorted(benchmark::State& state) {
  auto input = inputs(state);
  const auto n_machines = static_cast<std::size_t>(state.range(1));
  std::size_t k = 0;
  for (auto _ : state) {
    Input& one = input[k++ % kInputs];
    multifit(one.sorted_size, n_machines, one.machine);
    benchmark::DoNotOptimize(one.machine.data());
  }
  if (!input[0].is_within(13, 11, n_machines)) state.SkipWithError("beyond the ratio of MULTIFIT");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(lpt_with_ordering)
    ->Args({1000, 10})
    ->Args({100000, 100})
    ->Args({1000000, 1000})
    ->Args({1000000, 100000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(multifit_of_sorted)
    ->Args({1000, 10})
    ->Args({100000, 100})
    ->Args({1000000, 1000})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace schedcore
