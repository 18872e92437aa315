// MachineIndex against the number of machines M: a loaded cluster (first fit finds room late or nowhere) and a light one
// (half empty, room almost everywhere).  R = 4, demands uniform up to a third of a machine; searches rotate over 4096
// demands and the answers are compared with the look at every machine.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "schedcore/exact/wide.hpp"
#include "schedcore/index/fit.hpp"
#include "schedcore/index/machine_index.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kRotation = 4096;
constexpr std::size_t kResources = 4;
constexpr Amount kCapacity = 1'000'000;

struct Cluster {
  explicit Cluster(const benchmark::State& state)
      : index(std::vector<Amount>(static_cast<std::size_t>(state.range(0)) * kResources, kCapacity), kResources),
        scale(kResources, 1) {
    std::mt19937_64 random(3);
    for (std::size_t i = 0; i < kRotation; ++i) {
      std::vector<Amount> demand(kResources);
      for (Amount& amount : demand) amount = static_cast<Amount>(random() % (kCapacity / 3)) + 1;
      demands.push_back(std::move(demand));
    }
    // Percent of the capacity taken, machine by machine, in arbitrary steps.
    const auto target = static_cast<Amount>(state.range(1)) * kCapacity / 100;
    for (std::size_t machine = 0; machine < index.n_machines(); ++machine) {
      while (index.free(machine)[0] > kCapacity - target) {
        const auto& demand = demands[random() % kRotation];
        if (!fits(demand, index.free(machine))) break;
        index.acquire(machine, demand);
      }
    }
  }
  [[nodiscard]] std::size_t first_by_scan(const std::vector<Amount>& demand) const {
    for (std::size_t machine = 0; machine < index.n_machines(); ++machine) {
      if (fits(demand, index.free(machine))) return machine;
    }
    return kNoMachine;
  }
  [[nodiscard]] std::size_t best_by_scan(const std::vector<Amount>& demand) const {
    std::size_t best = kNoMachine;
    UInt128 least{};
    for (std::size_t machine = 0; machine < index.n_machines(); ++machine) {
      if (!fits(demand, index.free(machine))) continue;
      UInt128 norm{};
      for (const Amount amount : index.free(machine)) {
        norm += multiply_words(static_cast<std::uint64_t>(amount), static_cast<std::uint64_t>(amount));
      }
      if (best == kNoMachine || norm < least) {
        best = machine;
        least = norm;
      }
    }
    return best;
  }

  MachineIndex index;
  std::vector<Amount> scale;
  std::vector<std::vector<Amount>> demands;
};

void first_fit(benchmark::State& state) {
  const Cluster cluster(state);
  for (std::size_t i = 0; i < kRotation; i += 16) {
    if (cluster.index.first_fit(cluster.demands[i]) != cluster.first_by_scan(cluster.demands[i])) {
      state.SkipWithError("differs from the scan");
    }
  }
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(cluster.index.first_fit(cluster.demands[i++ % kRotation]));
}

void best_fit(benchmark::State& state) {
  const Cluster cluster(state);
  for (std::size_t i = 0; i < kRotation; i += 16) {
    if (cluster.index.best_fit(cluster.demands[i], cluster.scale) != cluster.best_by_scan(cluster.demands[i])) {
      state.SkipWithError("differs from the scan");
    }
  }
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(cluster.index.best_fit(cluster.demands[i++ % kRotation], cluster.scale));
}

// One demand taken from a machine and given back.
void acquire_and_release(benchmark::State& state) {
  Cluster cluster(state);
  std::mt19937_64 random(9);
  std::vector<std::size_t> machines(kRotation);
  for (std::size_t& machine : machines) machine = random() % cluster.index.n_machines();
  std::size_t i = 0;
  for (auto _ : state) {
    cluster.index.acquire(machines[i % kRotation], cluster.demands[i % kRotation]);
    cluster.index.release(machines[i % kRotation], cluster.demands[i % kRotation]);
    ++i;
  }
  cluster.index.check_invariants();
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"M", "percent_taken"});
  for (const std::int64_t n_machines : {20, 128, 1280, 10'000}) {
    for (const std::int64_t taken : {50, 95}) bench->Args({n_machines, taken});
  }
}

BENCHMARK(first_fit)->Apply(sizes);
BENCHMARK(best_fit)->Apply(sizes);
BENCHMARK(acquire_and_release)->Apply(sizes);

}  // namespace
}  // namespace schedcore
