#include "schedcore/engine/simulation.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "schedcore/base/errors.hpp"
#include "schedcore/engine/empty_cluster.hpp"
#include "schedcore/engine/job_checks.hpp"
#include "schedcore/index/fit.hpp"
#include "schedcore/base/number_text.hpp"

namespace schedcore {
namespace {

std::vector<JobSlot> release_order(std::span<const Time> release_time) {
  std::vector<JobSlot> order(release_time.size());
  std::iota(order.begin(), order.end(), JobSlot{0});
  if (!std::is_sorted(release_time.begin(), release_time.end())) {
    std::stable_sort(order.begin(), order.end(), [&](JobSlot a, JobSlot b) { return release_time[a] < release_time[b]; });
  }
  return order;
}

// Most jobs fit the first machine that they may use, and need no closer look.
bool fits_first_allowed(std::span<const Amount> demand, const ClusterColumns& columns, std::size_t job,
                        const MachinesView& machines) {
  if (columns.eligibility.empty() || columns.eligibility[job] < 0) return fits(demand, machines.capacity_of(0));
  const Eligibility& eligibility = columns.sets[static_cast<std::size_t>(columns.eligibility[job])];
  if (eligibility.is_everywhere()) return fits(demand, machines.capacity_of(0));
  return !eligibility.machines().empty() && fits(demand, machines.capacity_of(eligibility.machines().front()));
}

void check_jobs(const JobsView& jobs, std::span<const Time> estimate, const ClusterColumns& columns,
                const MachinesView& machines) {
  const std::vector<Amount> capacities = distinct_capacities(machines);
  EmptyCluster empty(machines);
  const bool are_plain = columns.eligibility.empty() && columns.n_tasks.empty() && columns.exclusive.empty();
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    const auto id = static_cast<std::int64_t>(job);
    const auto demand = jobs.demand_of(job);
    if (!are_plain && !columns.shape(job).is_plain()) {
      throw UnsupportedError("job " + std::to_string(job) + " has several tasks or wants a machine for itself");
    }
    check_job_columns(id, jobs.processing_time[job], jobs.weight[job], demand);
    if (!fits_first_allowed(demand, columns, job, machines)) {
      if (are_plain) {
        check_fits_some(id, demand, capacities);
      } else {
        empty.check(id, demand, columns.placements_of(job));
      }
    }
    check_duration(id, jobs.release_time[job], jobs.processing_time[job]);
    if (!estimate.empty()) {
      check_estimate(id, jobs.processing_time[job], estimate[job]);
      check_duration(id, jobs.release_time[job], estimate[job]);
    }
  }
}

void set_eligibilities(const ClusterColumns& columns, const Policy& policy, JobTable& table) {
  if (columns.eligibility.empty()) return;
  if (!policy.heeds_eligibility()) throw UnsupportedError("this policy does not heed where jobs may run");
  for (JobSlot job = 0; job < columns.eligibility.size(); ++job) {
    if (columns.eligibility[job] < 0) continue;
    JobPlacements placements;
    placements.eligibility = columns.eligibility_of(job);
    if (!placements.is_plain()) table.set_placements(job, placements);
  }
}

}  // namespace

void IdleWakeups::refuse(Time now) {
  throw PolicyError("the policy was woken " + std::to_string(kMost) + " times in a row until " + number_text(now) +
                    ", and nothing has happened or started");
}

SimulationCounts run_calendar(Engine& engine, std::span<const Time> release_time, std::span<const Time> processing_time,
                              Monitor* monitor, std::vector<Placement>* started) {
  const std::size_t n_jobs = release_time.size();
  engine.watch(monitor, n_jobs);
  const JobTable& table = engine.jobs();
  const std::vector<JobSlot> order = release_order(release_time);

  using Completes = std::pair<Time, JobSlot>;
  std::priority_queue<Completes, std::vector<Completes>, std::greater<>> running;
  std::vector<JobSlot> completed;
  std::vector<Placement> starts;
  SimulationCounts counts;
  std::size_t next_arrival = 0;
  std::size_t n_started = 0;
  IdleWakeups idle;
  for (;;) {
    Time now = engine.next_wakeup();
    if (next_arrival < order.size()) now = std::min(now, release_time[order[next_arrival]]);
    if (!running.empty()) now = std::min(now, running.top().first);
    if (now == kNever) break;

    completed.clear();
    while (!running.empty() && running.top().first == now) {
      completed.push_back(running.top().second);  // equal times leave the queue in order of index
      running.pop();
    }
    const std::size_t first_arrival = next_arrival;
    while (next_arrival < order.size() && release_time[order[next_arrival]] == now) ++next_arrival;
    const std::span<const JobSlot> arrived(order.data() + first_arrival, next_arrival - first_arrival);

    if (!running.empty()) table.prefetch(running.top().second);  // most likely of the next event

    starts.clear();
    engine.advance(now, completed, arrived, starts);
    engine.forget_shortened();  // policies count for themselves what they shorten
    for (const Placement& start : starts) {
      const Time takes = processing_time.empty() ? table.processing_time_on(start.job, start.machine)
                                                 : processing_time[start.job];
      running.emplace(now + takes, start.job);
    }
    if (started != nullptr) started->insert(started->end(), starts.begin(), starts.end());
    n_started += starts.size();
    const bool is_wakeup = completed.empty() && arrived.empty();
    if (is_wakeup) ++counts.n_wakeups;
    idle.note(is_wakeup && starts.empty(), now);
    if (++counts.n_events % kEventsBetweenPolls == 0) engine.poll();
  }
  engine.watch(nullptr, 0);
  if (n_started < n_jobs) {
    throw PolicyError("the policy left " + std::to_string(n_jobs - n_started) +
                      " jobs waiting although nothing can happen any more");
  }
  return counts;
}

SimulationCounts simulate(const JobsView& jobs, std::span<const Time> estimate, std::span<const double> custom_key,
                          const ClusterColumns& columns, Engine& engine, const MachinesView& machines, Monitor* monitor,
                          std::span<Time> start_time, std::span<std::int64_t> machine) {
  check_jobs(jobs, estimate, columns, machines);
  engine.jobs().assign(jobs, estimate.empty() ? jobs.processing_time : estimate, custom_key);
  set_eligibilities(columns, engine.policy(), engine.jobs());
  // Without estimates the table's own column is the true one, and at hand.
  const auto in_truth = estimate.empty() ? std::span<const Time>() : jobs.processing_time;
  const SimulationCounts counts = run_calendar(engine, jobs.release_time, in_truth, monitor);
  const JobTable& table = engine.jobs();
  // The table keeps what became of every job; written here in one pass, results cost the loop no cache misses.
  for (JobSlot job = 0; job < jobs.n_jobs(); ++job) {
    start_time[job] = table.start_time(job);
    machine[job] = table.machine(job);
  }
  return counts;
}

}  // namespace schedcore
