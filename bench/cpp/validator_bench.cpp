// Cost of validating a feasible schedule: jobs in random order of start, four resources.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "schedcore/validation/validator.hpp"

namespace schedcore {
namespace {

struct Case {
  std::vector<Time> release_time, processing_time, start_time;
  std::vector<Amount> demand, capacity;
  std::vector<std::int64_t> machine;
};

constexpr std::size_t kResources = 4;

// Uniform starts in [0, n), lengths in [1, 10^4], demands in [0, 100); machines uniform.
Case random_case(std::size_t n_jobs, std::size_t n_machines, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Case c;
  c.capacity.assign(n_machines * kResources, Amount{1} << 40);
  c.release_time.assign(n_jobs, 0.0);
  for (std::size_t j = 0; j < n_jobs; ++j) {
    c.start_time.push_back(static_cast<Time>(random() % n_jobs));
    c.processing_time.push_back(static_cast<Time>(1 + random() % 10000));
    c.machine.push_back(static_cast<std::int64_t>(random() % n_machines));
    for (std::size_t l = 0; l < kResources; ++l) c.demand.push_back(static_cast<Amount>(random() % 100));
  }
  return c;
}

// Arguments: number of jobs, number of machines.
void validate_uniform_starts(benchmark::State& state) {
  const auto n_jobs = static_cast<std::size_t>(state.range(0));
  const auto n_machines = static_cast<std::size_t>(state.range(1));
  const std::array<Case, 2> cases{random_case(n_jobs, n_machines, 1), random_case(n_jobs, n_machines, 2)};
  std::size_t turn = 0;
  for (auto _ : state) {
    const Case& c = cases[turn++ % cases.size()];
    const JobsView jobs{c.release_time, c.processing_time, c.processing_time, c.demand, kResources};
    const MachinesView machines{c.capacity, n_machines, kResources};
    const auto violation = find_first_violation(jobs, machines, c.start_time, c.machine);
    if (violation) state.SkipWithError("a feasible schedule was refused");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(validate_uniform_starts)
    ->ArgNames({"jobs", "machines"})
    ->ArgsProduct({{1000, 64000, 4000000}, {1, 20, 1280}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace schedcore
