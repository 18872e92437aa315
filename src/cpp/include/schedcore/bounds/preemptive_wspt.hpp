// Preemptive weighted-shortest-processing-time-first on one unit-speed machine, and the mean busy times it gives.
//
// At every moment the released unfinished job with the largest weight/load runs (ties: lower `tie_break`).  This
// minimises sum weight_k * MB_k over all schedules, also fluid ones, of the single machine (Goemans 1997; Goemans,
// Queyranne, Schulz, Skutella, Wang 2002), where MB_k, the mean busy time, is the mean of the instants at which job k
// is processed.  It is the relaxation under every bound on sum w C in bounds.hpp.
//
// What is promised about rounding: sum weight_k * release_time_k + `weighted_mean_busy_delay` exceeds the exact minimum
// for the given doubles by at most 2^-47 of itself, for any number of jobs below 2^32.  Why:
// * The minimum is monotone in weight, load and release time (thinning out the rate of a job keeps its MB_k), and
//   raising all of them by a factor 1 + e raises it by at most (1 + e)^2.  So it suffices that the computed schedule
//   is exactly optimal for data within such factors of the given ones.
// * Keys weight/load are doubles; keys within 2^-48 of the largest of their run count as equal, so that true ties are
//   ties whatever the rounding of `load` (ties lower index then decides, as in exact arithmetic).  The schedule is
//   optimal for weights raised by less than 2^-48 + 2^-52.
// * Clock and remaining loads are DoubleDouble.  A completion or a preemption shifts the clock by 2^-103 of itself, as
//   if release times were so much larger; 2^33 events shift it by less than 2^-69.
// * Every piece of processing adds a non-negative term of relative error below 2^-50, through a TrackedSum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/base/types.hpp"

namespace schedcore {

// One row a job, in order of release_time; loads positive, weights non-negative, both and their quotient normal
// doubles (or weight 0).  Rows must stay alive during a call.
struct FluidJobs {
  std::span<const Time> release_time;
  std::span<const double> load;  // processing time on the unit-speed machine
  std::span<const double> weight;
  std::span<const std::uint32_t> tie_break;

  [[nodiscard]] std::size_t n_jobs() const { return release_time.size(); }
};

// The rows `among` in priority order.  O(n log n).
[[nodiscard]] std::vector<std::uint32_t> wspt_order(const FluidJobs& jobs, std::vector<std::uint32_t> among);

// Runs the rows of `order` (others take no part), writes mean busy time - release time of each to
// mean_busy_delay[row], accurate also where it is much smaller than the times themselves, and returns the sum of
// weight * mean busy delay.  O(n) steps of a RankSet; a run of 64,000 jobs takes a few milliseconds.
[[nodiscard]] double weighted_mean_busy_delay(const FluidJobs& jobs, std::span<const std::uint32_t> order,
                                              std::span<Time> mean_busy_delay, Monitor* monitor = nullptr);

}  // namespace schedcore
