// WaitingIndex against the number of classes of equal demand C, from few to as many as there are jobs.
//
// n jobs wait, R = 4, demands up to a tenth of a machine over two orders of magnitude.  Searches rotate over 1024 free
// vectors of two kinds: tight, as a full cluster has them, where little or nothing fits, and roomy.  Every 16th answer is
// compared with a look at all jobs.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "schedcore/index/waiting_index.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kResources = 4;
constexpr std::size_t kRotation = 1024;

struct Queue {
  explicit Queue(const benchmark::State& state)
      : n_jobs(static_cast<std::size_t>(state.range(0))), n_classes(static_cast<std::size_t>(state.range(1))) {
    std::mt19937_64 random(11);
    const auto fraction = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    for (std::size_t i = 0; i < n_classes * kResources; ++i) {
      demands.push_back(static_cast<Amount>(1000 * std::pow(100, fraction())));
    }
    for (std::size_t job = 0; job < n_jobs; ++job) {
      class_of.push_back(job < n_classes ? job : static_cast<std::size_t>(random() % n_classes));
      priorities.push_back(number_priority(std::floor(1e6 * fraction()), static_cast<std::int64_t>(job)));
    }
    for (std::size_t i = 0; i < kRotation; ++i) {
      const double most = i % 2 == 0 ? 4000 : 200'000;
      for (std::size_t r = 0; r < kResources; ++r) available.push_back(static_cast<Amount>(most * fraction()));
    }
  }
  [[nodiscard]] std::span<const Amount> demand(std::size_t job) const {
    return {demands.data() + class_of[job] * kResources, kResources};
  }
  [[nodiscard]] std::span<const Amount> available_at(std::size_t i) const {
    return {available.data() + i % kRotation * kResources, kResources};
  }
  [[nodiscard]] WaitingJob job(std::size_t job) const { return {priorities[job], static_cast<JobSlot>(job)}; }
  [[nodiscard]] double cost(std::size_t job) const { return static_cast<double>(job % 97 + 1); }

  std::size_t n_jobs, n_classes;
  std::vector<Amount> demands, available;
  std::vector<std::size_t> class_of;
  std::vector<Priority> priorities;
};

template <class Jobs>
WaitingIndex<Jobs> filled(const Queue& queue) {
  WaitingIndex<Jobs> index(kResources);
  for (std::size_t job = 0; job < queue.n_jobs; ++job) index.push(queue.job(job), queue.demand(job), queue.cost(job));
  return index;
}

template <class Jobs>
void first_fit(benchmark::State& state) {
  const Queue queue(state);
  const auto index = filled<Jobs>(queue);
  for (std::size_t i = 0; i < kRotation; i += 16) {
    std::size_t best = queue.n_jobs;
    for (std::size_t job = 0; job < queue.n_jobs; ++job) {
      if (!fits(queue.demand(job), queue.available_at(i))) continue;
      if (best == queue.n_jobs || queue.priorities[job] < queue.priorities[best]) best = job;
    }
    const auto found = index.first_fit(queue.available_at(i));
    if (found ? found.job.job != best : best != queue.n_jobs) state.SkipWithError("differs from the scan");
  }
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(index.first_fit(queue.available_at(i++)));
}

// A start and an arrival: the first job of all leaves, and comes back with the lowest priority of its class.
template <class Jobs>
void erase_and_push(benchmark::State& state) {
  const Queue queue(state);
  auto index = filled<Jobs>(queue);
  const std::vector<Amount> everything(kResources, 1'000'000);
  double later = 1e6;
  for (auto _ : state) {
    const auto found = index.first_fit(everything);
    const auto job = found.job;
    index.erase(found.leaf, job.priority);
    later += 1;
    index.push({number_priority(later, job.priority.id), job.job}, queue.demand(job.job), queue.cost(job.job));
  }
  if (index.size() != queue.n_jobs) state.SkipWithError("a job was lost");
  index.check_invariants();
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"jobs", "classes"});
  for (const std::int64_t n_classes : {16, 256, 1404, 16'384, 65'536}) bench->Args({65'536, n_classes});
}

BENCHMARK(first_fit<ClassHeap>)->Apply(sizes);
BENCHMARK(first_fit<CostQueue>)->Apply(sizes);
BENCHMARK(erase_and_push<ClassHeap>)->Apply(sizes);
BENCHMARK(erase_and_push<CostQueue>)->Apply(sizes);

}  // namespace
}  // namespace schedcore
