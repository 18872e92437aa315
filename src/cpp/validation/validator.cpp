#include "schedcore/validation/validator.hpp"

#include <cassert>
#include <cmath>
#include <tuple>
#include <vector>

#include "schedcore/base/time_sort.hpp"

namespace schedcore {
namespace {

bool comes_before(const Violation& a, const Violation& b) {
  return std::tie(a.instant, a.machine, a.job) < std::tie(b.instant, b.machine, b.job);
}

void keep_first(std::optional<Violation>& first, const Violation& found) {
  if (!first || comes_before(found, *first)) first = found;
}

// Jobs grouped by machine, ascending within a machine: those of machine i are
// job[first[i]] .. job[first[i + 1] - 1].  Jobs without a known machine are in no group.
struct JobsByMachine {
  std::vector<std::size_t> first;
  std::vector<std::size_t> job;

  [[nodiscard]] std::span<const std::size_t> of(std::size_t i) const {
    return std::span(job).subspan(first[i], first[i + 1] - first[i]);
  }
};

JobsByMachine group_by_machine(std::span<const std::int64_t> machine, std::size_t n_machines) {
  const auto is_known = [n_machines](std::int64_t i) { return i >= 0 && static_cast<std::size_t>(i) < n_machines; };
  JobsByMachine groups;
  groups.first.assign(n_machines + 1, 0);
  for (const std::int64_t i : machine) {
    if (is_known(i)) ++groups.first[static_cast<std::size_t>(i) + 1];
  }
  for (std::size_t i = 0; i < n_machines; ++i) groups.first[i + 1] += groups.first[i];
  groups.job.resize(groups.first[n_machines]);
  std::vector<std::size_t> next(groups.first.begin(), groups.first.end() - 1);
  for (std::size_t j = 0; j < machine.size(); ++j) {
    if (is_known(machine[j])) groups.job[next[static_cast<std::size_t>(machine[j])]++] = j;
  }
  return groups;
}

// One pass over the starts and completions of one machine; the buffers serve all machines in turn.
class MachineSweep {
 public:
  MachineSweep(const JobsView& jobs, std::span<const Time> start_time) : jobs_(jobs), start_time_(start_time) {}

  // The first violation on machine i, which has these jobs (ascending) and this capacity.
  [[nodiscard]] std::optional<Violation> run(std::size_t i, std::span<const std::size_t> group,
                                             std::span<const Amount> capacity) {
    collect(group);
    usage_.assign(jobs_.n_resources, 0);
    std::size_t completed = 0;
    for (std::size_t position = 0; position < starts_.size(); ++position) {
      const auto [start, job] = starts_[position];
      for (; completed < completions_.size() && completions_[completed].instant <= start; ++completed) {
        release(completions_[completed].index);
      }
      Violation found{ViolationKind::start_before_release, job, static_cast<std::int64_t>(i), start, 0, 0};
      if (start < jobs_.release_time[job]) return found;
      if (!(start + jobs_.processing_time[job] > start)) {
        found.kind = ViolationKind::no_progress;
        return found;
      }
      if (!take(position, capacity, found)) return found;
    }
    return std::nullopt;
  }

 private:
  // Sorted starts with their demands in the same order, so that the sweep reads memory front to back, and sorted
  // completions.  A job that makes no progress gets no completion: the sweep ends at its start at the latest.
  void collect(std::span<const std::size_t> group) {
    starts_.clear();
    for (const std::size_t job : group) starts_.push_back({start_time_[job], job});
    sorter_.sort(starts_);  // stable: equal starts stay in order of the job
    completions_.clear();
    demand_.clear();
    for (std::size_t position = 0; position < starts_.size(); ++position) {
      const auto [start, job] = starts_[position];
      const Time completion = start + jobs_.processing_time[job];
      if (completion > start) completions_.push_back({completion, position});
      const auto demand = jobs_.demand_of(job);
      demand_.insert(demand_.end(), demand.begin(), demand.end());
    }
    sorter_.sort(completions_);
  }

  // Adds the demand at `position`; false, with resource and excess told, where it does not fit.
  // int64 cannot overflow: usage_ never exceeds a capacity here, because the first excess ends the sweep, so every sum
  // is at most one capacity plus one demand, 2^54.
  [[nodiscard]] bool take(std::size_t position, std::span<const Amount> capacity, Violation& found) {
    const Amount* const demand = demand_.data() + position * jobs_.n_resources;
    for (std::size_t resource = 0; resource < capacity.size(); ++resource) {
      usage_[resource] += demand[resource];
      if (usage_[resource] > capacity[resource]) {
        found.kind = ViolationKind::capacity_exceeded;
        found.resource = resource;
        found.excess = usage_[resource] - capacity[resource];
        return false;
      }
    }
    return true;
  }

  void release(std::size_t position) {
    const Amount* const demand = demand_.data() + position * jobs_.n_resources;
    for (std::size_t resource = 0; resource < usage_.size(); ++resource) {
      usage_[resource] -= demand[resource];
      assert(usage_[resource] >= 0);
    }
  }

  JobsView jobs_;
  std::span<const Time> start_time_;
  TimeSorter sorter_;
  std::vector<TimedIndex> starts_;       // start times and jobs
  std::vector<TimedIndex> completions_;  // completion times and positions in starts_
  std::vector<Amount> demand_;           // row-major, one row for each entry of starts_
  std::vector<Amount> usage_;            // of the jobs that hold amounts now; at most the capacity
};

}  // namespace

std::optional<Violation> find_first_violation(const JobsView& jobs, const MachinesView& machines,
                                              std::span<const Time> start_time,
                                              std::span<const std::int64_t> machine) {
  assert(start_time.size() == jobs.n_jobs() && machine.size() == jobs.n_jobs());
  assert(machines.n_resources == jobs.n_resources);
  std::optional<Violation> first;
  for (std::size_t j = 0; j < start_time.size(); ++j) {
    if (!std::isfinite(start_time[j])) {
      return Violation{ViolationKind::start_not_finite, j, machine[j], start_time[j], 0, 0};
    }
    if (machine[j] < 0 || static_cast<std::size_t>(machine[j]) >= machines.n_machines) {
      keep_first(first, {ViolationKind::unknown_machine, j, machine[j], start_time[j], 0, 0});
    }
  }
  const JobsByMachine groups = group_by_machine(machine, machines.n_machines);
  MachineSweep sweep(jobs, start_time);
  for (std::size_t i = 0; i < machines.n_machines; ++i) {
    if (const auto found = sweep.run(i, groups.of(i), machines.capacity_of(i))) keep_first(first, *found);
  }
  return first;
}

}  // namespace schedcore
