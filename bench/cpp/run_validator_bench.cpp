// Cost of validating feasible runs on a cluster: gangs over neighbouring machines, four resources, sorted by start.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "schedcore/validation/run_validator.hpp"

namespace schedcore {
namespace {

struct GangCase {
  std::vector<Time> release_time, length, start_time, end_time;
  std::vector<Amount> demand, capacity, n_tasks, place_n_tasks;
  std::vector<std::int64_t> job, attempt, first_place{0}, machine;
  std::vector<Outcome> outcome;
};

constexpr std::size_t kResources = 4;

// One run a job, a start every unit of time; lengths in [1, 100], demands in [0, 100) a task; a run has two tasks on
// each of `width` machines, the first of which is uniform.
GangCase random_gangs(std::size_t n_runs, std::size_t width, std::size_t n_machines, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  GangCase c;
  c.capacity.assign(n_machines * kResources, Amount{1} << 40);
  c.release_time.assign(n_runs, 0.0);
  c.attempt.assign(n_runs, 0);
  c.outcome.assign(n_runs, Outcome::completed);
  c.n_tasks.assign(n_runs, static_cast<Amount>(2 * width));
  c.place_n_tasks.assign(n_runs * width, 2);
  for (std::size_t run = 0; run < n_runs; ++run) {
    c.job.push_back(static_cast<std::int64_t>(run));
    c.start_time.push_back(static_cast<Time>(run));
    c.length.push_back(static_cast<Time>(1 + random() % 100));
    c.end_time.push_back(c.start_time[run] + c.length[run]);
    const std::size_t first = random() % n_machines;
    for (std::size_t i = 0; i < width; ++i) c.machine.push_back(static_cast<std::int64_t>((first + i) % n_machines));
    c.first_place.push_back(static_cast<std::int64_t>(c.machine.size()));
    for (std::size_t l = 0; l < kResources; ++l) c.demand.push_back(static_cast<Amount>(random() % 100));
  }
  return c;
}

// Arguments: number of runs, machines of each, machines in all.
void validate_gangs(benchmark::State& state) {
  const auto n_runs = static_cast<std::size_t>(state.range(0));
  const auto width = static_cast<std::size_t>(state.range(1));
  const auto n_machines = static_cast<std::size_t>(state.range(2));
  const std::array<GangCase, 2> cases{random_gangs(n_runs, width, n_machines, 1),
                                      random_gangs(n_runs, width, n_machines, 2)};
  std::size_t turn = 0;
  for (auto _ : state) {
    const GangCase& c = cases[turn++ % cases.size()];
    ClusterJobsView jobs;
    jobs.jobs = {c.release_time, c.length, c.length, c.demand, kResources};
    jobs.n_tasks = c.n_tasks;
    const RunsView runs{c.job,     c.attempt,     c.start_time, c.end_time,
                        c.outcome, c.first_place, c.machine,    c.place_n_tasks};
    const auto violation = find_first_run_violation(jobs, {c.capacity, n_machines, kResources}, runs, {}, {});
    if (violation) state.SkipWithError("feasible runs were refused");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(1));
}
BENCHMARK(validate_gangs)
    ->ArgNames({"runs", "width", "machines"})
    ->ArgsProduct({{1000, 300000}, {1, 20}, {100, 10000}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace schedcore
