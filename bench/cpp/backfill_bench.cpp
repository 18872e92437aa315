// Time of an event against the length of the queue: EASY with three selections, and conservative backfilling.
//
// One machine of a million units of every resource.  An event is the end of the running job that ends first, and as many
// arrivals as the event before started jobs (one on average), so that Q jobs wait whenever the policy decides.  Demands are
// a million times 2^-U(2, 8) in each resource: of 100 vectors, or every job's own.  Estimates are one of sixteen round
// lengths; a fifth of the jobs take them up, the others end after a uniform part of them.  Jobs of a long queue are
// not those of a short one: small ones have overtaken.  So every measurement begins after enough events for the
// queue to have settled, and checks that what it kept waiting is Q jobs, that every start was on room (the engine
// refuses others) and that as many started as ended.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <queue>
#include <tuple>
#include <vector>

#include "schedcore/backfilling/backfill.hpp"
#include "schedcore/backfilling/reservations.hpp"
#include "schedcore/base/random_stream.hpp"
#include "schedcore/engine/engine.hpp"

namespace schedcore {
namespace {

constexpr Amount kCapacity = 1'000'000;
constexpr std::size_t kVectors = 100;

class SteadyQueue {
 public:
  SteadyQueue(std::size_t n_waiting, std::size_t n_resources, bool are_distinct, std::unique_ptr<Policy> policy)
      : n_waiting_(n_waiting),
        n_resources_(n_resources),
        are_distinct_(are_distinct),
        random_(n_waiting + 10 * n_resources),
        capacity_(n_resources, kCapacity),
        engine_({capacity_, 1, n_resources}, std::move(policy)) {
    for (std::size_t i = 0; i < kVectors * n_resources; ++i) vectors_.push_back(amount());
  }

  void event() {
    completed_.clear();
    if (!running_.empty()) {
      now_ = std::get<0>(running_.top());
      completed_.push_back(std::get<1>(running_.top()));
      running_.pop();
    }
    arrived_.clear();
    for (; waiting_ < n_waiting_; ++waiting_) arrived_.push_back(arrival());
    starts_.clear();
    engine_.advance(now_, completed_, arrived_, starts_);
    for (const JobSlot job : completed_) engine_.jobs().remove(job);
    for (const Placement& start : starts_) {
      const Time estimate = engine_.jobs().processing_time(start.job);
      const bool is_exact = random_.next() % 5 == 0;
      running_.emplace(now_ + estimate * (is_exact ? 1 : random_.uniform()), start.job);
    }
    waiting_ -= starts_.size();
    n_started_ += starts_.size();
    n_ended_ += completed_.size();
  }
  // Jobs started less jobs ended, since the beginning.
  [[nodiscard]] bool adds_up() const { return n_started_ - n_ended_ == running_.size(); }
  [[nodiscard]] std::size_t n_running() const { return running_.size(); }
  [[nodiscard]] std::uint64_t n_starts() const { return n_started_; }
  [[nodiscard]] const Policy& policy() const { return engine_.policy(); }

 private:
  Amount amount() { return static_cast<Amount>(kCapacity * std::exp2(-2 - 6 * random_.uniform())); }
  JobSlot arrival() {
    std::vector<Amount> demand(n_resources_);
    const std::size_t vector = random_.next() % kVectors;
    for (std::size_t k = 0; k < n_resources_; ++k) {
      demand[k] = are_distinct_ ? amount() : vectors_[vector * n_resources_ + k];
    }
    const Time estimate = std::floor(600 * std::exp2(0.5 * static_cast<double>(random_.next() % 16)));
    return engine_.jobs().add({now_, estimate, 1, 0, next_id_++}, demand);
  }

  using End = std::tuple<Time, JobSlot>;

  std::size_t n_waiting_;
  std::size_t n_resources_;
  bool are_distinct_;
  RandomStream random_;
  std::vector<Amount> capacity_;
  std::vector<Amount> vectors_;
  Engine engine_;
  Time now_ = 0;
  std::int64_t next_id_ = 0;
  std::size_t waiting_ = 0;
  std::uint64_t n_started_ = 0;
  std::uint64_t n_ended_ = 0;
  std::priority_queue<End, std::vector<End>, std::greater<>> running_;
  std::vector<JobSlot> completed_, arrived_;
  std::vector<Placement> starts_;
};

// Arguments: K, whether all demands differ, Q.
template <class MakePolicy>
void measure(benchmark::State& state, std::size_t settling_events, const MakePolicy& make_policy) {
  SteadyQueue queue(static_cast<std::size_t>(state.range(2)), static_cast<std::size_t>(state.range(0)),
                    state.range(1) != 0, make_policy());
  for (std::size_t i = 0; i < settling_events; ++i) queue.event();
  const std::uint64_t before = queue.n_starts();
  for (auto _ : state) queue.event();
  const auto per_event = static_cast<double>(queue.n_starts() - before) / static_cast<double>(state.iterations());
  if (!queue.adds_up()) state.SkipWithError("jobs were lost");
  if (state.iterations() >= 1'000 && !(0.8 < per_event && per_event < 1.2)) {
    state.SkipWithError("the queue has not settled");
  }
  state.counters["running"] = static_cast<double>(queue.n_running());
  if (const auto* policy = dynamic_cast<const ReservationPolicy*>(&queue.policy())) {
    const auto events = static_cast<double>(state.iterations() + static_cast<std::int64_t>(settling_events));
    state.counters["moves"] = static_cast<double>(policy->counts().moves) / events;
  }
  state.SetItemsProcessed(state.iterations());
}

void easy(benchmark::State& state, Selection selection) {
  measure(state, 50'000, [&] {
    return std::make_unique<BackfillPolicy>(Overtaking::protected_head, selection, BackfillLimits{}, false);
  });
}
void conservative(benchmark::State& state) {
  measure(state, state.range(2) < 10'000 ? 2'000 : 50, [] {
    return std::make_unique<ReservationPolicy>(Selection{}, BackfillLimits{}, ReservationOptions{}, false);
  });
}

void settings(benchmark::internal::Benchmark* bench, std::int64_t n_events, const std::vector<std::int64_t>& lengths) {
  bench->ArgNames({"K", "distinct", "Q"})->Unit(benchmark::kMicrosecond)->Iterations(n_events);
  for (const std::int64_t n_resources : {1, 2, 4}) {
    for (const std::int64_t are_distinct : {0, 1}) {
      for (const std::int64_t n_waiting : lengths) bench->Args({n_resources, are_distinct, n_waiting});
    }
  }
}

void all_lengths(benchmark::internal::Benchmark* bench) { settings(bench, 20'000, {10, 100, 1'000, 10'000}); }
// A compression looks at every reservation and moves many: tens of milliseconds for the longest queue.
void moderate_lengths(benchmark::internal::Benchmark* bench) { settings(bench, 1'000, {10, 100, 1'000}); }
void longest(benchmark::internal::Benchmark* bench) { settings(bench, 30, {10'000}); }

BENCHMARK_CAPTURE(easy, ff, Selection{})->Apply(all_lengths);
BENCHMARK_CAPTURE(easy, bb, Selection::product(1, 1, 0))->Apply(all_lengths);
BENCHMARK_CAPTURE(easy, bl, Selection::lowest(1, true))->Apply(all_lengths);
BENCHMARK(conservative)->Apply(moderate_lengths);
BENCHMARK(conservative)->Apply(longest);

}  // namespace
}  // namespace schedcore
