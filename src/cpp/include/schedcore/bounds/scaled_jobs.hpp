// The jobs of an instance as the bounds read them: in order of release, brought to one order of magnitude, with their
// loads on one machine of speed one.
//
// Times and weights are divided by powers of two so that the largest of each lies in [1/2, 1).  That changes no
// mantissa, and no product of the bounds over- or underflows.  Values under 2^-400 become 0: every bound is monotone in
// every time, weight and load, so that can only lower it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

struct ScaledJobs {
  std::vector<std::uint32_t> job;  // the input index of a row; rows are sorted by release time, then index
  std::vector<Time> release_time;
  std::vector<Time> processing_time;
  std::vector<double> weight;
  int time_exponent = 0;
  int weight_exponent = 0;
  double lowering = 0;  // what a rounded bound must give up, relative to itself, to be proven

  [[nodiscard]] std::size_t n_jobs() const { return job.size(); }
};

// O(n) if the jobs come in order of release, else O(n log n).  Requires fewer than 2^32 - 1 jobs.
[[nodiscard]] ScaledJobs in_release_order(const JobsView& jobs);

// A lower bound `value * 2^exponent` in the caller's units, never rounded up at either end of the range of doubles.
[[nodiscard]] double unscaled(double value, int exponent);

// Capacity of every resource over all machines together, rounded at most once.
[[nodiscard]] std::vector<double> total_capacity(const MachinesView& machines);

// Processing time of every row on the unit-speed machine that relaxes resource `series`, or the sum of all resources
// where series == totals.size(); relative error below 2^-50.  Resources without capacity are left out.
void compute_loads(const ScaledJobs& rows, const JobsView& jobs, std::span<const double> totals, std::size_t series,
                   std::vector<double>& load);

}  // namespace schedcore
