// ResourceTimeline against the number of breakpoints k and of resources R.
//
// Reservations start uniformly over the horizon and last exponentially, eight of them at a time on average.  Queries
// rotate over 4096 instants and demands; the sum of a round's answers is compared with that of a linear scan.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "schedcore/index/fit.hpp"
#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kRotation = 4096;
constexpr Amount kCapacity = 1'000'000;
constexpr double kHorizon = 1e9;

struct Reservation {
  Time start, end;
  std::vector<Amount> demand;
};

struct Query {
  Time t, duration;
  std::vector<Amount> demand;
};

struct Workload {
  explicit Workload(const benchmark::State& state)
      : n_resources(static_cast<std::size_t>(state.range(1))),
        n_live(static_cast<std::size_t>(state.range(0)) / 2),
        timeline(std::vector<Amount>(n_resources, kCapacity)) {
    std::mt19937_64 random(7);
    const double longest = kHorizon * 8 / static_cast<double>(state.range(0));
    for (std::size_t i = 0; i < kRotation; ++i) {
      const Time start = static_cast<Time>(random() % static_cast<std::uint64_t>(kHorizon));
      const double uniform = static_cast<double>(random() % 1'000'000 + 1) / 1e6;
      reservations.push_back({start, start + 1 + std::floor(-std::log(uniform) * longest), demand_up_to(60'000, random)});
    }
    for (std::size_t i = 0; i < n_live; ++i) reserve(i);
    std::vector<Amount> free(n_resources);
    for (std::size_t i = 0; i < kRotation; ++i) {
      const Time t = static_cast<Time>(random() % static_cast<std::uint64_t>(kHorizon));
      timeline.free_at(t, free);
      Query query{t, 1 + std::floor(longest * static_cast<double>(random() % 1000) / 500), demand_up_to(300'000, random)};
      for (std::size_t l = 0; l < n_resources; ++l) query.demand[l] = std::max<Amount>(0, free[l] - query.demand[l]);
      queries.push_back(std::move(query));
    }
  }

  [[nodiscard]] std::vector<Amount> demand_up_to(std::uint64_t most, std::mt19937_64& random) const {
    std::vector<Amount> demand(n_resources);
    for (Amount& amount : demand) amount = static_cast<Amount>(random() % most) + 1;
    return demand;
  }
  void reserve(std::size_t i) {
    const Reservation& r = reservations[i % kRotation];
    timeline.reserve(r.start, r.end, r.demand);
  }
  void release(std::size_t i) {
    const Reservation& r = reservations[i % kRotation];
    timeline.release(r.start, r.end, r.demand);
  }

  std::size_t n_resources, n_live;
  ResourceTimeline timeline;
  std::vector<Reservation> reservations;
  std::vector<Query> queries;
};

Time finite(Time t) { return t < kNever ? t : -1; }

// The answer by definition, on the breakpoints as two plain arrays.
Time scan_for_fit(const ResourceTimeline::Stretches& all, const Query& query, bool to_shortage) {
  const std::size_t n_resources = query.demand.size();
  auto i = static_cast<std::size_t>(std::upper_bound(all.time.begin(), all.time.end(), query.t) - all.time.begin()) - 1;
  Time start = query.t;
  bool room = true;
  for (; i < all.time.size(); ++i) {
    const bool fits_here = fits(query.demand.data(), all.free.data() + i * n_resources, n_resources);
    if (to_shortage && !fits_here) return std::max(query.t, all.time[i]);
    if (!to_shortage && room && all.time[i] > start && all.time[i] >= start + query.duration) return start;
    if (fits_here && !room) start = all.time[i];
    room = fits_here;
  }
  return !to_shortage && room ? start : kNever;
}

template <class Answer>
void run_queries(benchmark::State& state, const Answer& answer, bool to_shortage) {
  const Workload workload(state);
  Time expected = 0;
  const auto all = workload.timeline.stretches();
  for (const Query& query : workload.queries) expected += finite(scan_for_fit(all, query, to_shortage));
  Time sum = 0;
  for (const Query& query : workload.queries) sum += finite(answer(workload.timeline, query));
  if (sum != expected) state.SkipWithError("differs from the linear scan");
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(answer(workload.timeline, workload.queries[i++ % kRotation]));
  state.counters["k"] = static_cast<double>(workload.timeline.n_breakpoints());
}

void first_shortage(benchmark::State& state) {
  run_queries(state, [](const ResourceTimeline& t, const Query& q) { return t.first_shortage(q.t, q.demand); }, true);
}
void earliest_fit(benchmark::State& state) {
  run_queries(state, [](const ResourceTimeline& t, const Query& q) { return t.earliest_fit(q.t, q.duration, q.demand); },
              false);
}

// One reserve and the release of the oldest reservation, at constant k.
void reserve_and_release(benchmark::State& state) {
  Workload workload(state);
  std::size_t i = 0;
  for (auto _ : state) {
    workload.reserve(i + workload.n_live);
    workload.release(i);
    ++i;
  }
  state.counters["k"] = static_cast<double>(workload.timeline.n_breakpoints());
  for (std::size_t j = i; j < i + workload.n_live; ++j) workload.release(j);
  if (workload.timeline.n_breakpoints() != 1) state.SkipWithError("amounts were lost");
}

void range_min(benchmark::State& state) {
  const Workload workload(state);
  const auto all = workload.timeline.stretches();
  std::vector<Amount> out(workload.n_resources);
  for (const Query& query : workload.queries) {
    workload.timeline.range_min(query.t, query.t + query.duration, out);
    Amount least = kCapacity;
    for (std::size_t i = 0; i < all.time.size() && all.time[i] < query.t + query.duration; ++i) {
      if (i + 1 == all.time.size() || all.time[i + 1] > query.t) least = std::min(least, all.free[i * workload.n_resources]);
    }
    if (out[0] != least) state.SkipWithError("differs from the linear scan");
  }
  std::size_t i = 0;
  for (auto _ : state) {
    const Query& query = workload.queries[i++ % kRotation];
    workload.timeline.range_min(query.t, query.t + query.duration, out);
    benchmark::DoNotOptimize(out.data());
  }
}

void copy(benchmark::State& state) {
  const Workload workload(state);
  for (auto _ : state) {
    ResourceTimeline duplicate = workload.timeline;
    if (duplicate.n_breakpoints() != workload.timeline.n_breakpoints()) state.SkipWithError("a copy differs");
    benchmark::DoNotOptimize(duplicate);
  }
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"k", "R"});
  for (const std::int64_t k : {10, 100, 1000, 4000}) bench->Args({k, 4});
  bench->Args({1000, 2})->Args({1000, 20});
}

BENCHMARK(first_shortage)->Apply(sizes);
BENCHMARK(earliest_fit)->Apply(sizes);
BENCHMARK(reserve_and_release)->Apply(sizes);
BENCHMARK(range_min)->Apply(sizes);
BENCHMARK(copy)->Apply(sizes);

}  // namespace
}  // namespace schedcore
