// One planning pass of a scheduler that plans over whole machines, as docs/slurm-plan.md words it: jobs in order, each at the
// first instant tried at which it fits beside what runs and on machines that no plan before it holds for its whole limit.
//
// What runs is shared by processors and memory (running_shares.hpp); what is planned holds machines whole
// (planned_intervals.hpp).  Instants are the present, ends of plans at which a machine becomes free that the job lacks, and
// ends of advance reservations.  A job that starts now runs from then on, for those behind it.
//
// The columns have passed `check_cycle`.  The monitor, if any, is polled for every request.  Cost: O(r) instants for each
// request among r intervals, each O(n / 64) for the intervals that it looks at; a choice of machines (machine_choice.hpp) for
// the groups of ends where enough machines are free.
#pragma once

#include "schedcore/base/monitor.hpp"
#include "schedcore/whole_machines/cycle_columns.hpp"

namespace schedcore {

[[nodiscard]] CyclePlan plan_cycle(const CycleMachines& machines, const MachineLists& sets, const CycleRuns& runs,
                                   const CycleRequests& requests, const CycleReservations& reservations,
                                   const CycleSettings& settings, Monitor* monitor = nullptr);

}  // namespace schedcore
