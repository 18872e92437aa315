// SynchPack-1 after its linear program: list scheduling of fractions, the choice of lambda, and the shift to the
// left. n tasks in jobs of ten on m machines; each task cut into parts on up to three machines, in intervals that end
// at powers of two; sizes and times lognormal.  Four inputs rotate.  Asserted: every part is complete by the end of
// the last interval's time, no lambda is better than the chosen one, and no job completes later by the shift.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "schedcore/parallel_tasks/best_lambda.hpp"
#include "schedcore/parallel_tasks/fraction_schedule.hpp"
#include "schedcore/parallel_tasks/shift_left.hpp"
#include "schedcore/parallel_tasks/slow_motion.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kInputs = 4;
constexpr std::size_t kMachinesPerTask = 3;
constexpr std::size_t kTasksPerJob = 10;
constexpr Amount kCapacity = 1'000'000;

struct Input {
  std::vector<double> weight;
  std::vector<Time> release_time;
  std::vector<std::int64_t> task_job, placement_start{0}, placement_machine, placement_time;
  std::vector<Amount> demand, capacity;
  std::unique_ptr<bool[]> local;
  std::vector<IntervalFraction> fractions;
  std::size_t n_intervals = 0;

  Input(std::size_t n_tasks, std::size_t n_machines, std::uint64_t seed) : capacity(n_machines, kCapacity) {
    std::mt19937_64 random(seed);
    std::lognormal_distribution<double> size(std::log(0.1), 1), time(std::log(300.0), 1.2);
    const std::size_t n_jobs = (n_tasks + kTasksPerJob - 1) / kTasksPerJob;
    for (std::size_t j = 0; j < n_jobs; ++j) weight.push_back(static_cast<double>(1 + random() % 12));
    release_time.assign(n_jobs, 0);
    const double horizon = 500.0 * static_cast<double>(n_tasks) / static_cast<double>(n_machines);
    n_intervals = static_cast<std::size_t>(std::ceil(std::log2(horizon + 40'000))) + 1;
    for (std::size_t task = 0; task < n_tasks; ++task) {
      task_job.push_back(static_cast<std::int64_t>(task / kTasksPerJob));
      demand.push_back(static_cast<Amount>(std::clamp(size(random), 0.001, 0.9) * static_cast<double>(kCapacity)));
      const auto base = static_cast<std::int64_t>(std::clamp(std::ceil(time(random)), 1.0, 36'000.0));
      std::vector<std::size_t> machines;
      while (machines.size() < std::min(kMachinesPerTask, n_machines)) {
        const std::size_t machine = random() % n_machines;
        if (std::find(machines.begin(), machines.end(), machine) == machines.end()) machines.push_back(machine);
      }
      std::sort(machines.begin(), machines.end());
      for (const std::size_t machine : machines) {
        placement_machine.push_back(static_cast<std::int64_t>(machine));
        placement_time.push_back(base * static_cast<std::int64_t>(1 + random() % 2));
      }
      placement_start.push_back(static_cast<std::int64_t>(placement_machine.size()));
      cut(task, machines, random);
    }
    local = std::make_unique<bool[]>(placement_machine.size());
  }

  [[nodiscard]] ParallelTasksView view() const {
    return {weight, release_time, task_job, demand, placement_start, placement_machine, placement_time,
            {local.get(), placement_machine.size()}, {capacity, capacity.size(), 1}, 1};
  }

 private:
  void cut(std::size_t task, const std::vector<std::size_t>& machines, std::mt19937_64& random) {
    std::int64_t left = kWholeTask;
    const std::size_t first = fractions.size();
    const std::size_t base = n_intervals / 2 + random() % (n_intervals / 2);
    for (std::size_t part = 0; left > 0 && part < 4; ++part) {
      const std::size_t machine = machines[random() % machines.size()];
      const std::size_t interval = std::min(base + part, n_intervals - 1);
      const auto some = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(left));
      const IntervalFraction fraction{task, machine, interval, part == 3 ? left : some};
      left -= fraction.units;
      const auto same = std::find_if(fractions.begin() + static_cast<std::ptrdiff_t>(first), fractions.end(),
                                     [&](const auto& f) { return f.machine == machine && f.interval == interval; });
      if (same == fractions.end()) {
        fractions.push_back(fraction);
      } else {
        same->units += fraction.units;
      }
    }
  }
};

std::vector<Input> inputs(const benchmark::State& state) {
  std::vector<Input> made;
  for (std::size_t k = 0; k < kInputs; ++k) {
    made.emplace_back(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)), k + 1);
  }
  return made;
}

std::vector<Time> completions(const ParallelTasksView& tasks, const std::vector<TaskPiece>& pieces) {
  std::vector<Time> end(tasks.n_jobs());
  for (const TaskPiece& piece : pieces) {
    Time& own = end[tasks.job_of(piece.task)];
    own = std::max(own, piece.end);
  }
  return end;
}

double weighted(const ParallelTasksView& tasks, const std::vector<Time>& completion) {
  double sum = 0;
  for (std::size_t j = 0; j < completion.size(); ++j) sum += tasks.weight[j] * completion[j];
  return sum;
}

void list_scheduling_of_fractions(benchmark::State& state) {
  const auto input = inputs(state);
  std::size_t k = 0, n_pieces = 0;
  for (auto _ : state) {
    const Input& one = input[k++ % kInputs];
    const FractionSchedule made = fraction_schedule(one.view(), one.fractions, one.n_intervals);
    n_pieces = made.pieces.size();
    FineTime last = 0;
    for (const FractionPiece& piece : made.pieces) last = std::max(last, piece.end);
    if (last != made.tau.back()) state.SkipWithError("not complete at the end");
  }
  state.counters["fractions"] = static_cast<double>(input[0].fractions.size());
  state.counters["pieces"] = static_cast<double>(n_pieces);
}

void choice_of_lambda(benchmark::State& state) {
  const auto input = inputs(state);
  std::vector<FractionSchedule> made;
  for (const Input& one : input) made.push_back(fraction_schedule(one.view(), one.fractions, one.n_intervals));
  std::size_t k = 0;
  for (auto _ : state) {
    const std::size_t own = k++ % kInputs;
    const TaskProgress progress(input[own].view(), input[own].fractions, made[own].pieces);
    const LambdaChoice choice = best_lambda(input[own].view(), progress, made[own].tau);
    state.PauseTiming();
    const auto pieces = drawn(slow_motion(input[own].view(), progress, 1, FractionCap::task));
    if (choice.value > weighted(input[own].view(), completions(input[own].view(), pieces)) * (1 + 1e-9)) {
      state.SkipWithError("worse than lambda = 1");
    }
    state.ResumeTiming();
  }
}

void shift_of_pieces(benchmark::State& state) {
  const auto input = inputs(state);
  std::vector<std::vector<MeasuredPiece>> pieces;
  for (const Input& one : input) {
    const FractionSchedule made = fraction_schedule(one.view(), one.fractions, one.n_intervals);
    const TaskProgress progress(one.view(), one.fractions, made.pieces);
    pieces.push_back(slow_motion(one.view(), progress, state.range(2) == 1 ? 1 : 0.7, FractionCap::task));
  }
  std::size_t k = 0;
  for (auto _ : state) {
    const std::size_t own = k++ % kInputs;
    const auto shifted = shift_left(input[own].view(), pieces[own]);
    state.PauseTiming();
    const auto before = completions(input[own].view(), drawn(pieces[own])), after = completions(input[own].view(), shifted);
    for (std::size_t j = 0; j < before.size(); ++j) {
      if (after[j] > before[j]) state.SkipWithError("a job completes later");
    }
    state.ResumeTiming();
  }
  state.counters["pieces"] = static_cast<double>(pieces[0].size());
}

BENCHMARK(list_scheduling_of_fractions)
    ->Args({1000, 20})
    ->Args({10000, 200})
    ->Args({10000, 10})
    ->Args({10000, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(choice_of_lambda)->Args({10000, 200})->Args({10000, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(shift_of_pieces)
    ->ArgNames({"n", "m", "whole"})
    ->Args({10000, 200, 1})
    ->Args({10000, 200, 0})
    ->Args({10000, 10, 0})
    ->Args({10000, 1, 0})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace schedcore
