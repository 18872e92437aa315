#include "schedcore/validation/run_validator.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include "down_times.hpp"
#include "job_fates.hpp"
#include "job_histories.hpp"
#include "killed_runs.hpp"
#include "limit_counts.hpp"
#include "schedcore/base/time_sort.hpp"

namespace schedcore {
namespace {

RunViolation violation_at_start(const RunsView& runs, RunViolationKind kind, std::size_t row, std::int64_t machine) {
  RunViolation violation;
  violation.kind = kind;
  violation.job = runs.job[row];
  violation.run = static_cast<std::int64_t>(row);
  violation.machine = machine;
  violation.instant = runs.start[row];
  return violation;
}

std::vector<std::size_t> order_of_visits(const RunsView& runs) {
  const auto key = [&runs](std::size_t row) {
    return std::tuple(runs.start[row], runs.job[row], runs.attempt[row], row);
  };
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!std::ranges::is_sorted(order, {}, key)) std::ranges::sort(order, {}, key);
  return order;
}

// One pass over starts and ends of all machines together: what a machine holds is the same for all its runs.
class RunSweep {
 public:
  // All times are finite.
  RunSweep(const ClusterJobsView& jobs, const MachinesView& machines, const RunsView& runs,
           const ClusterEventsView& events, const RunRules& rules)
      : jobs_(jobs),
        machines_(machines),
        runs_(runs),
        rules_(rules),
        outages_(events.outages, machines.n_machines),
        failures_(events.failures, machines.n_machines),
        killed_(jobs, machines.n_machines, runs, events, rules, failures_),
        fates_(jobs, machines, runs, events, rules, killed_),
        histories_(jobs, runs, events, killed_, fates_),
        limits_(jobs, rules),
        order_(order_of_visits(runs)),
        states_(machines.n_machines),
        free_(machines.capacity.begin(), machines.capacity.end()) {}

  [[nodiscard]] std::optional<RunViolation> run(std::span<const Outcome> job_outcome) {
    if (!jobs_.first_awaited.empty() || !job_outcome.empty()) fates_.tell(order_);
    sort_ends();
    std::size_t n_ended = 0;
    for (std::size_t position = 0; position < order_.size();) {
      const Time now = runs_.start[order_[position]];
      for (; n_ended < ends_.size() && ends_[n_ended].instant <= now; ++n_ended) release(ends_[n_ended].index);
      // Of one instant all are visited, as a later job may be wrong on a lower machine.
      for (; position < order_.size() && runs_.start[order_[position]] == now; ++position) visit(order_[position]);
      if (first_) return first_;
    }
    return fates_.check_outcomes(job_outcome);
  }

 private:
  struct MachineState {
    std::size_t n_runs = 0;           // that hold something
    std::int64_t exclusive_job = -1;  // of the one that does, where its job is exclusive
    std::size_t last_visit = 0;       // 1 + row of the run that named the machine last
  };

  [[nodiscard]] RunViolation violation_of(RunViolationKind kind, std::size_t row, std::int64_t machine) const {
    return violation_at_start(runs_, kind, row, machine);
  }

  // Those of one instant are found in order of the list in the header, so that of equal ones the first is kept.
  void keep(const RunViolation& violation) {
    const auto key = [](const RunViolation& each) { return std::tuple(each.machine, each.job, each.run); };
    if (!first_ || key(violation) < key(*first_)) first_ = violation;
  }

  // Of all runs that hold something.
  void sort_ends() {
    for (std::size_t row = 0; row < runs_.size(); ++row) {
      if (runs_.end[row] > runs_.start[row]) ends_.push_back({runs_.end[row], row});
    }
    TimeSorter().sort(ends_);
  }

  void visit(std::size_t row) {
    const std::size_t begin = runs_.begin_of(row);
    const std::size_t end = runs_.end_of(row);
    std::int64_t lowest = begin < end ? runs_.machine[begin] : -1;
    Int128 n_tasks = 0;
    for (std::size_t place = begin; place < end; ++place) {
      lowest = std::min(lowest, runs_.machine[place]);
      n_tasks += runs_.n_tasks[place];
    }
    const auto job = static_cast<std::size_t>(runs_.job[row]);  // negative numbers become huge ones
    if (job >= jobs_.jobs.n_jobs()) return keep(violation_of(RunViolationKind::unknown_job, row, lowest));
    for (std::size_t place = begin; place < end; ++place) {
      const std::int64_t machine = runs_.machine[place];
      if (!is_known(machine)) keep(violation_of(RunViolationKind::unknown_machine, row, machine));
    }
    auto wrong = check_whole(row, job, n_tasks);
    histories_.record(row);
    if (wrong) {
      // What the run does on its machines comes later, so the amounts need not be taken.
      wrong->machine = lowest;
      return keep(*wrong);
    }
    limits_.start(job);
    for (std::size_t place = begin; place < end; ++place) {
      if (is_known(runs_.machine[place])) visit_place(row, job, place);
    }
  }

  [[nodiscard]] bool is_known(std::int64_t machine) const {
    return machine >= 0 && static_cast<std::uint64_t>(machine) < machines_.n_machines;
  }

  [[nodiscard]] std::optional<RunViolation> check_whole(std::size_t row, std::size_t job, Int128 n_tasks) const {
    if (!rules_.forbidden.empty() && rules_.forbidden[job]) {
      return violation_of(RunViolationKind::job_forbidden, row, -1);
    }
    if (auto wrong = histories_.check_order(row)) return wrong;
    const Amount expected = jobs_.n_tasks.empty() ? 1 : jobs_.n_tasks[job];
    if (n_tasks != expected) {
      RunViolation wrong = violation_of(RunViolationKind::wrong_n_tasks, row, -1);
      wrong.excess = n_tasks - expected;
      return wrong;
    }
    if (auto wrong = histories_.check_length(row)) return wrong;
    if (runs_.outcome[row] == Outcome::killed && !killed_.fails_at_end(row) && !killed_.may_be_preempted(row)) {
      return violation_of(RunViolationKind::killed_by_nothing, row, -1);
    }
    if (const auto exceeded = limits_.first_exceeded_by(job)) {
      RunViolation wrong = violation_of(RunViolationKind::limit_exceeded, row, -1);
      wrong.other = static_cast<std::int64_t>(exceeded->limit);
      wrong.excess = exceeded->excess;
      return wrong;
    }
    return std::nullopt;
  }

  // Checks what the run does on one machine, and takes its amounts there if all is well.
  void visit_place(std::size_t row, std::size_t job, std::size_t place) {
    const auto machine = static_cast<std::size_t>(runs_.machine[place]);
    const Amount n_tasks = runs_.n_tasks[place];
    const auto wrong = [this, row, machine](RunViolationKind kind) {
      return violation_of(kind, row, static_cast<std::int64_t>(machine));
    };
    MachineState& state = states_[machine];
    if (state.last_visit == row + 1) return keep(wrong(RunViolationKind::machine_twice));
    state.last_visit = row + 1;
    if (n_tasks < 1) return keep(wrong(RunViolationKind::no_tasks));
    if (!jobs_.may_use(job, machine, machines_.n_machines)) return keep(wrong(RunViolationKind::machine_not_allowed));
    const Amount most = jobs_.max_tasks.empty() ? 0 : jobs_.max_tasks[job];
    if (most > 0 && n_tasks > most) {
      RunViolation violation = wrong(RunViolationKind::too_many_tasks);
      violation.excess = Int128(n_tasks) - most;
      return keep(violation);
    }
    if (meets(outages_, RunViolationKind::during_outage, row, machine)) return;
    if (meets(failures_, RunViolationKind::during_failure, row, machine)) return;
    const bool exclusive = !jobs_.exclusive.empty() && jobs_.exclusive[job];
    if (state.n_runs > 0 && (exclusive || state.exclusive_job >= 0)) {
      RunViolation violation = wrong(RunViolationKind::not_alone);
      violation.other = state.exclusive_job;
      return keep(violation);
    }
    if (!fits(row, job, machine, n_tasks)) return;
    ++state.n_runs;
    state.exclusive_job = exclusive ? static_cast<std::int64_t>(job) : -1;
    Amount* const free = free_.data() + machine * machines_.n_resources;
    const auto demand = jobs_.jobs.demand_of(job);
    for (std::size_t resource = 0; resource < demand.size(); ++resource) free[resource] -= n_tasks * demand[resource];
  }

  [[nodiscard]] bool meets(DownTimes& down, RunViolationKind kind, std::size_t row, std::size_t machine) {
    const Time begin = down.begin_met(machine, runs_.start[row], runs_.end[row]);
    if (begin == kNever) return false;
    RunViolation violation = violation_of(kind, row, static_cast<std::int64_t>(machine));
    violation.bound = begin;
    keep(violation);
    return true;
  }

  // Both factors are below 2^63, so the product is exact in 128 bits, and in 64 where it is at most what is free.
  [[nodiscard]] bool fits(std::size_t row, std::size_t job, std::size_t machine, Amount n_tasks) {
    const Amount* const free = free_.data() + machine * machines_.n_resources;
    const auto demand = jobs_.jobs.demand_of(job);
    for (std::size_t resource = 0; resource < demand.size(); ++resource) {
      const Int128 needed = Int128(n_tasks) * demand[resource];
      if (needed <= free[resource]) continue;
      RunViolation violation =
          violation_of(RunViolationKind::capacity_exceeded, row, static_cast<std::int64_t>(machine));
      violation.resource = resource;
      violation.excess = needed - free[resource];
      keep(violation);
      return false;
    }
    return true;
  }

  // Called for runs that started before this instant alone, so all that they asked for was taken.
  void release(std::size_t row) {
    const auto job = static_cast<std::size_t>(runs_.job[row]);
    limits_.end(job);
    const auto demand = jobs_.jobs.demand_of(job);
    for (std::size_t place = runs_.begin_of(row); place < runs_.end_of(row); ++place) {
      const auto machine = static_cast<std::size_t>(runs_.machine[place]);
      Amount* const free = free_.data() + machine * machines_.n_resources;
      for (std::size_t resource = 0; resource < demand.size(); ++resource) {
        free[resource] += runs_.n_tasks[place] * demand[resource];
        assert(free[resource] <= machines_.capacity_of(machine)[resource]);
      }
      --states_[machine].n_runs;
      states_[machine].exclusive_job = -1;
    }
  }

  const ClusterJobsView& jobs_;
  const MachinesView& machines_;
  const RunsView& runs_;
  const RunRules& rules_;
  DownTimes outages_;
  DownTimes failures_;
  KilledRuns killed_;
  JobFates fates_;  // told where somebody asks
  JobHistories histories_;
  LimitCounts limits_;
  std::vector<std::size_t> order_;
  std::vector<TimedIndex> ends_;
  std::vector<MachineState> states_;
  std::vector<Amount> free_;           // row-major; in [0, capacity]
  std::optional<RunViolation> first_;  // of the runs that start at this instant
};

}  // namespace

std::optional<RunViolation> find_first_run_violation(const ClusterJobsView& jobs, const MachinesView& machines,
                                                     const RunsView& runs, const ClusterEventsView& events,
                                                     std::span<const Outcome> job_outcome, const RunRules& rules) {
  assert(jobs.jobs.n_resources == machines.n_resources);
  assert(runs.first_place.size() == runs.size() + 1);
  assert(job_outcome.empty() || job_outcome.size() == jobs.jobs.n_jobs());
  for (std::size_t row = 0; row < runs.size(); ++row) {
    if (std::isfinite(runs.start[row]) && std::isfinite(runs.end[row])) continue;
    return violation_at_start(runs, RunViolationKind::time_not_finite, row, -1);
  }
  return RunSweep(jobs, machines, runs, events, rules).run(job_outcome);
}

}  // namespace schedcore
