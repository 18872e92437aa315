#include "schedcore/whole_machines/cycle_columns.hpp"

#include <string>

#include "schedcore/base/errors.hpp"

namespace schedcore {
namespace {

constexpr std::int64_t kLatestSecond = std::int64_t{1} << 53;
constexpr std::int64_t kMostUnits = std::int64_t{1} << 31;

template <class T>
void check_length(const std::vector<T>& column, std::size_t n_rows, const char* name) {
  if (column.size() == n_rows) return;
  throw InvalidInstanceError(std::string(name) + " has " + std::to_string(column.size()) + " entries instead of " + std::to_string(n_rows));
}

void check_value(std::int64_t value, std::int64_t low, std::int64_t high, const std::string& name) {
  if (value >= low && value <= high) return;
  throw InvalidInstanceError(name + " = " + std::to_string(value) + " must be from " + std::to_string(low) + " to " + std::to_string(high));
}

void check_column(const std::vector<std::int64_t>& column, std::size_t n_rows, std::int64_t low, std::int64_t high, const char* name) {
  check_length(column, n_rows, name);
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (column[i] < low || column[i] > high) check_value(column[i], low, high, std::string(name) + "[" + std::to_string(i) + "]");
  }
}

// Offsets of lists that have so many entries together.
void check_offsets(const std::vector<std::int64_t>& offset, std::size_t n_entries, const char* name) {
  if (offset.empty()) throw InvalidInstanceError(std::string(name) + " has no entries, not even a 0");
  check_column(offset, offset.size(), 0, static_cast<std::int64_t>(n_entries), name);
  for (std::size_t i = 0; i < offset.size(); ++i) {
    const std::int64_t before = i == 0 ? 0 : offset[i - 1];
    if (offset[i] < before || (i == 0 && offset[i] != 0)) {
      throw InvalidInstanceError(std::string(name) + "[" + std::to_string(i) + "] = " + std::to_string(offset[i]) +
                                 " must be 0 in the first row, and never below the row before");
    }
  }
  if (offset.back() != static_cast<std::int64_t>(n_entries)) {
    throw InvalidInstanceError(std::string(name) + " ends with " + std::to_string(offset.back()) + " instead of " + std::to_string(n_entries));
  }
}

void check_runs(const CycleRuns& runs, std::size_t n_machines) {
  const auto last_machine = static_cast<std::int64_t>(n_machines) - 1;
  check_column(runs.end, runs.end.size(), 0, kLatestSecond, "end");
  check_length(runs.likely_end, runs.end.size(), "likely_end");
  for (std::size_t run = 0; run < runs.size(); ++run) {
    check_value(runs.likely_end[run], runs.end[run], kLatestSecond, "likely_end[" + std::to_string(run) + "]");
  }
  check_length(runs.offset, runs.end.size() + 1, "offset");
  check_offsets(runs.offset, runs.machine.size(), "offset");
  check_column(runs.machine, runs.machine.size(), 0, last_machine, "machine");
  check_column(runs.processors, runs.machine.size(), 0, kMostUnits, "processors");
  check_column(runs.memory, runs.machine.size(), 0, kLatestSecond, "memory");
  std::vector<std::size_t> seen(n_machines, runs.size());
  std::vector<std::int64_t> memory(n_machines);
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (std::int64_t at = runs.offset[run]; at < runs.offset[run + 1]; ++at) {
      const auto place = static_cast<std::size_t>(at);
      const auto machine = static_cast<std::size_t>(runs.machine[place]);
      if (seen[machine] == run) {
        throw InvalidInstanceError("run " + std::to_string(run) + " has machine " + std::to_string(machine) + " twice");
      }
      seen[machine] = run;
      memory[machine] += runs.memory[place];
      check_value(memory[machine], 0, kLatestSecond, "memory that runs hold of machine " + std::to_string(machine));
    }
  }
}

void check_requests(const CycleRequests& requests, std::int64_t last_set, std::int64_t last_reservation) {
  const std::size_t n = requests.size();
  check_column(requests.limit, n, 1, kLatestSecond, "limit");
  check_column(requests.min_machines, n, 1, kMostUnits, "min_machines");
  check_column(requests.max_machines, n, 1, kMostUnits, "max_machines");
  check_column(requests.n_tasks, n, 1, kMostUnits, "n_tasks");
  check_column(requests.processors_per_task, n, 1, kMostUnits, "processors_per_task");
  check_column(requests.tasks_per_machine, n, 0, kMostUnits, "tasks_per_machine");
  check_column(requests.least_processors, n, 0, kMostUnits, "least_processors");
  check_column(requests.memory_kind, n, 0, static_cast<std::int64_t>(MemoryKind::whole), "memory_kind");
  check_column(requests.memory, n, 0, kLatestSecond, "memory");
  check_length(requests.is_exclusive, n, "is_exclusive");
  check_column(requests.partition, n, -1, last_set, "partition");
  check_column(requests.eligible, n, -1, last_set, "eligible");
  check_column(requests.required, n, -1, last_set, "required");
  check_column(requests.reservation, n, -1, last_reservation, "reservation");
  check_column(requests.n_copies, n, 1, kMostUnits, "n_copies");
  check_column(requests.array, n, -1, kLatestSecond, "array");
  check_length(requests.may_wait, n, "may_wait");
  check_column(requests.selection, n, 0, static_cast<std::int64_t>(MachineOrder::spread), "selection");
}

}  // namespace

void check_cycle(const CycleMachines& machines, const MachineLists& sets, const CycleRuns& runs, const CycleRequests& requests,
                 const CycleReservations& reservations, const CycleSettings& settings) {
  check_column(machines.processors, machines.size(), 0, kMostUnits, "processors");
  check_column(machines.memory, machines.size(), 0, kLatestSecond, "memory");
  check_column(machines.weight, machines.size(), -kLatestSecond, kLatestSecond, "weight");
  check_length(machines.is_up, machines.size(), "is_up");
  check_offsets(sets.offset, sets.machine.size(), "offset");
  check_column(sets.machine, sets.machine.size(), 0, static_cast<std::int64_t>(machines.size()) - 1, "machine");
  check_runs(runs, machines.size());

  const auto last_set = static_cast<std::int64_t>(sets.size()) - 1;
  check_requests(requests, last_set, static_cast<std::int64_t>(reservations.size()) - 1);
  check_column(reservations.start, reservations.size(), 0, kLatestSecond, "start");
  check_column(reservations.end, reservations.size(), 0, kLatestSecond, "end");
  check_column(reservations.machines, reservations.size(), 0, last_set, "machines");
  check_length(reservations.takes_all, reservations.size(), "takes_all");
  check_length(reservations.is_maintenance, reservations.size(), "is_maintenance");
  check_length(reservations.is_flexible, reservations.size(), "is_flexible");
  for (std::size_t i = 0; i < reservations.size(); ++i) {
    check_value(reservations.end[i], reservations.start[i] + 1, kLatestSecond + 1, "end[" + std::to_string(i) + "]");
  }

  check_value(settings.now, 0, kLatestSecond, "now");
  check_value(settings.window, 1, kLatestSecond, "window");
  check_value(settings.resolution, 1, kLatestSecond, "resolution");
  check_value(settings.depth, 0, kLatestSecond, "depth");
  check_value(settings.most_intervals, 0, kLatestSecond, "most_intervals");
  check_value(settings.growth, 0, kLatestSecond, "growth");
}

}  // namespace schedcore
