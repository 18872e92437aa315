// Slotted preemptive runs of the thin stand-in at load 0.95: long jobs need few cores and carry a tenth of the volume.
//
// 6,487 jobs in a window of 3,600 slots run on about 8 servers of 64, 32 and 16 cores, 100,000 on about 84, 1,230,000
// on about 1,000.  Every run asserts that all work is done.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "schedcore/preemptive/slotted_simulation.hpp"

namespace schedcore {
namespace {

constexpr Slot kWindow = 3600;

struct Standin {
  std::vector<Slot> release, time;
  std::vector<Amount> demand;  // (n_jobs, n_resources)
  std::vector<Amount> capacity;
  std::size_t n_resources;
  [[nodiscard]] SlotJobs jobs() const { return {release, time, demand, {}, n_resources}; }
  [[nodiscard]] MachinesView machines() const { return {capacity, capacity.size() / n_resources, n_resources}; }
};

Standin thin_standin(std::size_t n_jobs, std::size_t n_resources, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return std::uniform_real_distribution<double>()(random); };
  const auto normal = [&] { return std::normal_distribution<double>()(random); };
  const auto draw = [&](const auto& weights) {
    return Amount{1} << std::discrete_distribution<int>(weights.begin(), weights.end())(random);
  };
  constexpr std::array<double, 5> kShort{.15, .20, .30, .20, .15}, kMedium{.10, .20, .30, .25, .15};
  constexpr std::array<double, 2> kLong{.8, .2};
  constexpr std::array<double, 5> kMemory{0.25, 0.5, 1.0, 1.0, 2.0};
  struct Row {
    Slot release, time;
    Amount cores, memory;
  };
  std::vector<Row> rows(n_jobs);
  Amount volume = 0;
  for (Row& row : rows) {
    const double kind = uniform();
    double time = 0.0;
    if (kind < 0.69) {
      time = 4.0 * std::exp(0.8 * normal());
      row.cores = draw(kShort);
    } else if (kind < 0.99) {
      time = 30.0 * std::exp(0.7 * normal());
      row.cores = draw(kMedium);
    } else {
      time = std::exp(std::log(200.0) + uniform() * std::log(2600.0 / 200.0));
      row.cores = draw(kLong);
    }
    row.time = std::clamp(static_cast<Slot>(std::llround(time)), Slot{1}, kWindow);
    row.release = std::uniform_int_distribution<Slot>(0, kWindow - row.time)(random);
    const double memory = static_cast<double>(row.cores) * kMemory[random() % kMemory.size()];
    row.memory = std::clamp(static_cast<Amount>(std::llround(memory)), Amount{1}, Amount{16});
    volume += row.time * row.cores;
  }
  std::ranges::stable_sort(rows, {}, &Row::release);
  Standin made{{}, {}, {}, {}, n_resources};
  for (const Row& row : rows) {
    made.release.push_back(row.release);
    made.time.push_back(row.time);
    made.demand.push_back(row.cores);
    if (n_resources > 1) made.demand.push_back(row.memory);
  }
  const double cores = static_cast<double>(volume) / (static_cast<double>(kWindow) * 0.95);
  const auto sets = static_cast<std::size_t>(cores / 112.0);
  const auto more = static_cast<std::size_t>((cores - 112.0 * static_cast<double>(sets)) / 16.0 + 0.5);
  for (const auto& [size, count] : {std::pair<Amount, std::size_t>{64, sets}, {32, sets}, {16, sets + more}})
    made.capacity.insert(made.capacity.end(), count * n_resources, size);  // a GB a core
  return made;
}

void run(benchmark::State& state, SlotPolicy policy, std::size_t n_resources, SlotRules rules = {}) {
  rules.policy = policy;
  rules.dual.gamma = 4000.0;
  const auto n_jobs = static_cast<std::size_t>(state.range(0));
  std::vector<Standin> instances;
  for (std::uint64_t seed = 1; seed <= (n_jobs < 10'000 ? 3 : 1); ++seed)
    instances.push_back(thin_standin(n_jobs, n_resources, seed));
  std::size_t turn = 0, pieces = 0;
  for (auto _ : state) {
    const Standin& instance = instances[turn++ % instances.size()];
    const PreemptiveOutcome outcome =
        run_slots(instance.jobs(), instance.machines(), rules, kNoSlot, false, nullptr);
    pieces = outcome.pieces.n_pieces();
    if (!std::ranges::all_of(outcome.completion_time, [](double c) { return std::isfinite(c); }))
      state.SkipWithError("a job is unfinished");
    state.counters["makespan"] = std::ranges::max(outcome.completion_time);
  }
  state.counters["pieces"] = static_cast<double>(pieces);
  state.counters["machines"] = static_cast<double>(instances[0].machines().n_machines);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}

SlotRules with_alpha(double alpha) {
  SlotRules rules;
  rules.alpha = alpha;
  rules.sticky = true;
  rules.dual.k = 1;
  rules.dual.initial = InitialMultiplier::zero;
  return rules;
}

constexpr std::int64_t kPaper = 6487, kLarge = 100'000, kHuge = 1'230'000;

void sizes(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t n_jobs : {kPaper, kLarge, kHuge}) benchmark->Arg(n_jobs);
  benchmark->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(run, ocorp, SlotPolicy::ocorp, 1)->Apply(sizes);
BENCHMARK_CAPTURE(run, srpt, SlotPolicy::srpt, 1)->Apply(sizes);
BENCHMARK_CAPTURE(run, srvf, SlotPolicy::srvf, 1)->Apply(sizes);
BENCHMARK_CAPTURE(run, svf, SlotPolicy::svf, 1)->Apply(sizes);
BENCHMARK_CAPTURE(run, srf, SlotPolicy::srf, 1)->Apply(sizes);
BENCHMARK_CAPTURE(run, fifo, SlotPolicy::fifo, 1)->Apply(sizes);
BENCHMARK_CAPTURE(run, ocorp_plus_joblevel, SlotPolicy::ocorp_plus, 1, with_alpha(10.0))->Apply(sizes);
BENCHMARK_CAPTURE(run, ocorp_m, SlotPolicy::ocorp, 2)->Apply(sizes);
BENCHMARK_CAPTURE(run, srpt_memory, SlotPolicy::srpt, 2)->Apply(sizes);

}  // namespace
}  // namespace schedcore
