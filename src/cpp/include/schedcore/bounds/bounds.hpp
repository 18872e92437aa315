// Proven lower bounds on what any schedule, preemptive or not, can reach on an instance.
//
// Let T_l be the capacity of resource l over all machines together, identical or not.  In a feasible schedule job j
// uses resource l at the constant rate demand_jl while it runs and all jobs together at rate at most T_l; in units of
// T_l, job j needs load_jl = processing_time_j * demand_jl / T_l of a machine of speed one.  The average over the
// resources with T_l > 0 obeys the same limit, being an average of rates that are at most one: with load_j = mean_l
// load_jl the instance relaxes to one unit-speed machine again ("the sum of all resources").  Resources with T_l = 0
// are left out.
//
// Values are proven, also against schedules in doubles, in which a job completes at the double nearest to start_time +
// processing_time: a value is lowered by 2^-46 of itself, which covers the rounding of its own computation.  Where the
// times have no common grid with room for every sum in 53 bits, so that schedules themselves are rounded, another n_jobs *
// 2^-53 is taken off (scaled_jobs.cpp).  The
// trivial bound is exact where every operation on the way to it was, and else lowered by 2^-51; so is the end of the job
// that completes last by itself.  Nothing is ever above the exact optimum either.  Multiplying all times, or all weights, by a power of two multiplies every bound by it exactly.
#pragma once

#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/base/types.hpp"

namespace schedcore {

// Lower bounds on sum weight_j * completion_time_j; vectors have n_resources + 1 entries, the last for the sum of all.
struct CompletionTimeBounds {
  double trivial = 0;             // sum weight * (release_time + processing_time)
  std::vector<double> mean_busy;  // sum weight * (mean busy time on the unit-speed machine + processing_time / 2)
  std::vector<double> split;      // each job's weight goes either to the trivial bound or to the mean busy time
  double fractional_split = 0;    // as split, but in fractions, and every job may use another resource
  double best = 0;                // the maximum of all
};

// O(n_jobs * n_resources * log n_jobs) time, about 150 bytes a job.  Requires weight >= 0, processing_time > 0.
[[nodiscard]] CompletionTimeBounds completion_time_bounds(const JobsView& jobs, const MachinesView& machines,
                                                          Monitor* monitor = nullptr);

struct MeanBusyTimeBound {
  double value = 0;
  std::vector<Time> mean_busy_time;  // in job order; the release time where load is 0
};

// Lower bound sum weight_j * (mean_busy_time_j + processing_time_j / 2) for given loads on the unit-speed machine.
// Valid if in every feasible schedule the jobs that run at one time have load_j / processing_time_j summing to at most
// one; any convex combination of the load_jl above is such a choice.
[[nodiscard]] MeanBusyTimeBound mean_busy_time_bound(const JobsView& jobs, std::span<const double> load,
                                                     Monitor* monitor = nullptr);

// Lower bound on the makespan: the largest release_time + processing_time, and for every release time t and every
// resource, and the sum of all, t + total load of the jobs released at t or later.  O(n_jobs (n_resources + log)).
[[nodiscard]] double makespan_bound(const JobsView& jobs, const MachinesView& machines, Monitor* monitor = nullptr);

}  // namespace schedcore
