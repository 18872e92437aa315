#include "schedcore/engine/scheduler_views.hpp"

#include <algorithm>
#include <limits>

namespace schedcore {
namespace {

// As callers tell jobs apart.
JobState told(JobState state) {
  return state == JobState::planned || state == JobState::reserved || state == JobState::awaiting ? JobState::submitted : state;
}

}  // namespace

JobRows job_rows(const DecidedState& state, const MachineTable& table, std::optional<JobState> only) {
  const JobTable& jobs = state.jobs();
  std::vector<JobSlot> listed;
  for (JobSlot job = 0; job < jobs.n_slots(); ++job) {
    if (jobs.state(job) != JobState::free_slot && (!only || told(jobs.state(job)) == *only)) listed.push_back(job);
  }
  std::ranges::sort(listed, {}, [&](JobSlot job) { return jobs.id(job); });
  constexpr Time kNone = std::numeric_limits<Time>::quiet_NaN();
  JobRows rows;
  for (const JobSlot job : listed) {
    const bool runs = jobs.state(job) == JobState::running;
    rows.id.push_back(jobs.id(job));
    rows.state.push_back(told(jobs.state(job)));
    rows.release_time.push_back(jobs.release_time(job));
    rows.processing_time.push_back(runs ? jobs.processing_time_on(job, jobs.machine(job)) : jobs.processing_time(job));
    rows.reservation.push_back(jobs.reservation(job));
    rows.weight.push_back(jobs.weight(job));
    rows.n_tasks.push_back(jobs.shape(job).n_tasks);
    const auto demand = jobs.demand(job);
    rows.demand.insert(rows.demand.end(), demand.begin(), demand.end());
    rows.machine.push_back(runs ? table.number_of(jobs.machine(job)) : -1);
    rows.start_time.push_back(runs ? jobs.start_time(job) : kNone);
    rows.estimated_end.push_back(runs ? state.expected_end(job) : kNone);
    if (!runs) continue;
    jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) {
      rows.tasks.push_back({jobs.id(job), table.number_of(machine), n_tasks});
    });
  }
  return rows;
}

MachineRows machine_rows(const DecidedState& state, const MachineTable& table) {
  const JobTable& jobs = state.jobs();
  const std::size_t n_resources = jobs.n_resources();
  const std::size_t n_machines = state.machines().n_machines();
  std::vector<std::int64_t> n_jobs(n_machines);
  for (JobSlot job = 0; job < jobs.n_slots(); ++job) {
    if (jobs.state(job) != JobState::running) continue;
    jobs.for_each_place(job, [&](std::uint32_t machine, Amount /*n_tasks*/) { ++n_jobs[machine]; });
  }
  const Availability& availability = state.availability();
  MachineRows rows;
  std::vector<Amount> reserved;
  std::vector<Amount> idle;
  for (std::uint32_t machine = 0; machine < n_machines; ++machine) {
    if (availability.is_removed(machine)) continue;
    MachineState is = availability.is_out(machine) ? MachineState::outage : MachineState::up;
    if (availability.has_failed(machine)) is = MachineState::failed;
    if (availability.is_closed(machine)) is = MachineState::closed;
    rows.machine.push_back(table.number_of(machine));
    rows.state.push_back(is);
    rows.n_jobs.push_back(n_jobs[machine]);
    // What is free on a blocked machine is less by all that it has.
    const bool is_blocked = availability.is_blocked(machine);
    const auto free = state.machines().free(machine);
    const auto capacity = state.capacity_of(machine);
    rows.capacity.insert(rows.capacity.end(), capacity.begin(), capacity.end());
    const bool is_full = is_blocked || std::ranges::any_of(free, [](Amount amount) { return amount < 0; });
    // What is taken by shares, and what of it the jobs inside leave.
    reserved.assign(n_resources, 0);
    idle.assign(n_resources, 0);
    availability.reservations().for_each_on(machine, [&](const AdvanceReservations::Entry& entry, std::size_t share) {
      if (!entry.has_begun) return;
      for (std::size_t k = 0; k < n_resources; ++k) {
        reserved[k] += entry.reservation.shares[share].amounts[k];
        idle[k] += entry.free[share][k];
      }
    });
    for (std::size_t k = 0; k < n_resources; ++k) {
      rows.used.push_back((is_blocked ? -free[k] : capacity[k] - free[k]) - idle[k]);
      rows.reserved.push_back(reserved[k]);
      rows.free.push_back(is_full ? 0 : free[k]);
    }
  }
  return rows;
}

ReservationRows reservation_rows(const DecidedState& state, const MachineTable& table) {
  ReservationRows rows;
  for (const auto& [number, entry] : state.availability().reservations().all()) {
    for (std::size_t share = 0; share < entry.free.size(); ++share) {
      const ReservedShare& reserved = entry.reservation.shares[share];
      rows.reservation.push_back(number);
      rows.start.push_back(entry.reservation.begin);
      rows.end.push_back(entry.reservation.end);
      rows.machine.push_back(table.number_of(reserved.machine));
      rows.amounts.insert(rows.amounts.end(), reserved.amounts.begin(), reserved.amounts.end());
      rows.free.insert(rows.free.end(), entry.free[share].begin(), entry.free[share].end());
    }
  }
  return rows;
}

}  // namespace schedcore
