// Cost of all lower bounds on overloaded machines: four resources, lifetimes over five orders of magnitude.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "schedcore/bounds/bounds.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kResources = 4;
constexpr Amount kCapacity = 1'000'000;

struct Case {
  std::vector<Time> release_time, processing_time;
  std::vector<double> weight;
  std::vector<Amount> demand, capacity;

  [[nodiscard]] JobsView jobs() const { return {release_time, processing_time, weight, demand, kResources}; }
  [[nodiscard]] MachinesView machines() const { return {capacity, capacity.size() / kResources, kResources}; }
};

// Releases uniform over twelve days, lengths log-uniform in [5, 5e5) seconds, demands log-uniform, weights 1 and 2.
Case overloaded(std::size_t n_jobs, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  Case c;
  c.capacity.assign(std::max<std::size_t>(1, n_jobs / 3200) * kResources, kCapacity);
  for (std::size_t j = 0; j < n_jobs; ++j) {
    c.release_time.push_back(std::floor(uniform() * 1'000'000));
    c.processing_time.push_back(std::floor(5 * std::pow(10, 5 * uniform())));
    c.weight.push_back(random() % 50 == 0 ? 2 : 1);
    const double core = 3000 * std::pow(200, uniform());
    for (std::size_t l = 0; l < kResources; ++l) c.demand.push_back(static_cast<Amount>(core * (0.5 + uniform())));
  }
  std::sort(c.release_time.begin(), c.release_time.end());
  return c;
}

void bounds_on_sum_of_completion_times(benchmark::State& state) {
  const auto n_jobs = static_cast<std::size_t>(state.range(0));
  const std::array<Case, 2> cases{overloaded(n_jobs, 1), overloaded(n_jobs, 2)};
  std::size_t turn = 0;
  for (auto _ : state) {
    const Case& c = cases[turn++ % cases.size()];
    const CompletionTimeBounds bounds = completion_time_bounds(c.jobs(), c.machines());
    const double least = *std::max_element(bounds.mean_busy.begin(), bounds.mean_busy.end());
    if (!(bounds.best >= bounds.trivial && bounds.fractional_split >= least && least > bounds.trivial)) {
      state.SkipWithError("overloaded machines must lift the bound above the trivial one");
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(bounds_on_sum_of_completion_times)
    ->ArgName("jobs")
    ->Arg(1000)
    ->Arg(64000)
    ->Arg(1024000)
    ->Unit(benchmark::kMillisecond);

void bound_on_makespan(benchmark::State& state) {
  const auto n_jobs = static_cast<std::size_t>(state.range(0));
  const std::array<Case, 2> cases{overloaded(n_jobs, 1), overloaded(n_jobs, 2)};
  std::size_t turn = 0;
  for (auto _ : state) {
    const Case& c = cases[turn++ % cases.size()];
    const Time bound = makespan_bound(c.jobs(), c.machines());
    if (!(bound >= c.release_time.back())) state.SkipWithError("nothing ends before the last release");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(bound_on_makespan)->ArgName("jobs")->Arg(64000)->Arg(1024000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace schedcore
