// Whole simulations against the number of jobs N at fixed load (M grows with N), with the fitted growth.
//
// The workload is drawn here: arrivals uniform over twelve days, heavy-tailed lengths (100 s times 2^U(0, 12)),
// 400 demand vectors over four resources, weights 1 and 2; about one and a half times what the machines can do in that
// time.  Rounds rotate over three seeds.  Every schedule is checked by the validator, its sum of w C against that of
// running every job at its release, and equal seeds must give equal schedules.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "schedcore/base/random_stream.hpp"
#include "schedcore/engine/simulation.hpp"
#include "schedcore/online/best_fit_execution.hpp"
#include "schedcore/online/mris.hpp"
#include "schedcore/online/mris_dynamic.hpp"
#include "schedcore/online/priority_queue.hpp"
#include "schedcore/online/tetris.hpp"
#include "schedcore/validation/validator.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kResources = 4;
constexpr Amount kCapacity = 1'000'000;
constexpr std::size_t kSeeds = 3;
constexpr std::size_t kJobsPerMachine = 3200;

struct Workload {
  Workload(std::uint64_t seed, std::size_t n_jobs) : n_machines(n_jobs / kJobsPerMachine) {
    RandomStream random(seed);
    std::vector<Amount> vectors(400 * kResources);
    for (Amount& amount : vectors) amount = static_cast<Amount>(3000 * std::exp2(5 * random.uniform()));
    for (std::size_t job = 0; job < n_jobs; ++job) {
      release_time.push_back(static_cast<Time>(random.next() % (12 * 86400)));
      processing_time.push_back(std::floor(100 * std::exp2(12 * random.uniform())));
      weight.push_back(random.next() % 10 == 0 ? 2 : 1);
      const auto* vector = vectors.data() + random.next() % 400 * kResources;
      demand.insert(demand.end(), vector, vector + kResources);
    }
    std::sort(release_time.begin(), release_time.end());
    capacity.assign(n_machines * kResources, kCapacity);
  }
  [[nodiscard]] JobsView jobs() const { return {release_time, processing_time, weight, demand, kResources}; }
  [[nodiscard]] MachinesView machines() const { return {capacity, n_machines, kResources}; }

  std::size_t n_machines;
  std::vector<Time> release_time, processing_time;
  std::vector<double> weight;
  std::vector<Amount> demand, capacity;
};

struct Outcome {
  std::vector<Time> start_time;
  std::vector<std::int64_t> machine;
};

template <class MakePolicy>
void simulate_all(benchmark::State& state, const MakePolicy& make_policy) {
  const auto n_jobs = static_cast<std::size_t>(state.range(0));
  std::vector<Workload> workloads;
  for (std::size_t seed = 0; seed < kSeeds; ++seed) workloads.emplace_back(seed + 1, n_jobs);
  std::vector<Outcome> outcomes(kSeeds);
  Outcome outcome{std::vector<Time>(n_jobs), std::vector<std::int64_t>(n_jobs)};
  std::size_t round = 0;
  for (auto _ : state) {
    const Workload& workload = workloads[round % kSeeds];
    Engine engine(workload.machines(), make_policy(workload));
    simulate(workload.jobs(), {}, {}, {}, engine, workload.machines(), nullptr, outcome.start_time, outcome.machine);
    state.PauseTiming();
    Outcome& known = outcomes[round++ % kSeeds];
    if (known.start_time.empty()) {
      known = outcome;
      if (find_first_violation(workload.jobs(), workload.machines(), outcome.start_time, outcome.machine)) {
        state.SkipWithError("the schedule is not feasible");
      }
      double waited = 0;
      for (std::size_t job = 0; job < n_jobs; ++job) {
        waited += workload.weight[job] * (outcome.start_time[job] - workload.release_time[job]);
      }
      if (!(waited > 0)) state.SkipWithError("no job waited: not the load that was meant");
    } else if (known.start_time != outcome.start_time || known.machine != outcome.machine) {
      state.SkipWithError("two runs differ");
    }
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetComplexityN(state.range(0));
}

MrisOptions mris_options(const Workload& workload) {
  MrisOptions options;
  options.gamma0 = *std::min_element(workload.processing_time.begin(), workload.processing_time.end());
  options.knapsack = KnapsackMethod::exact;
  return options;
}

void pq(benchmark::State& state) {
  simulate_all(state, [](const Workload&) { return std::make_unique<PriorityQueuePolicy>(PriorityRule::wsjf); });
}
void tetris(benchmark::State& state) {
  simulate_all(state, [](const Workload&) { return std::make_unique<TetrisPolicy>(TetrisMode::inverse); });
}
void bf_exec(benchmark::State& state) {
  simulate_all(state, [](const Workload&) { return std::make_unique<BestFitExecutionPolicy>(); });
}
void mris_scan(benchmark::State& state) {
  simulate_all(state, [](const Workload& workload) { return std::make_unique<MrisPolicy>(mris_options(workload)); });
}
void mris_list(benchmark::State& state) {
  simulate_all(state, [](const Workload& workload) {
    MrisOptions options = mris_options(workload);
    options.placement = MrisPlacement::list;
    return std::make_unique<MrisPolicy>(options);
  });
}
void mris_replan_always(benchmark::State& state) {
  simulate_all(state, [](const Workload& workload) {
    MrisOptions options = mris_options(workload);
    options.opportunistic = true;
    options.patience = 2;
    return std::make_unique<MrisDynamicPolicy>(options);
  });
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (const std::int64_t n_jobs : {16'000, 32'000, 64'000, 128'000}) bench->Arg(n_jobs);
  bench->ArgName("N")->Unit(benchmark::kMillisecond)->Complexity();
}

BENCHMARK(pq)->Apply(sizes);
BENCHMARK(tetris)->Apply(sizes);
BENCHMARK(bf_exec)->Apply(sizes);
BENCHMARK(mris_scan)->Apply(sizes);
BENCHMARK(mris_list)->Apply(sizes);
BENCHMARK(mris_replan_always)->Apply(sizes);

}  // namespace
}  // namespace schedcore
