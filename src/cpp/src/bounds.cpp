#include "schedcore/bounds.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "schedcore/double_double.hpp"
#include "schedcore/preemptive_wspt.hpp"

namespace schedcore {
namespace {

constexpr int kSplitRounds = 10;

// The jobs in order of release, times and weights divided by powers of two so that the largest of each lies in
// [1/2, 1).  That changes no mantissa, and no product below over- or underflows.  Values under 2^-400 become 0: every
// bound is monotone in every time, weight and load, so that can only lower it.
struct ScaledJobs {
  std::vector<std::uint32_t> job;  // the input index of a row
  std::vector<Time> release_time;
  std::vector<Time> processing_time;
  std::vector<double> weight;
  int time_exponent = 0;
  int weight_exponent = 0;
  double lowering = 0;  // every rounded bound is multiplied by 1 - lowering

  [[nodiscard]] std::size_t n_jobs() const { return job.size(); }
};

double scaled(double value, int exponent) {
  const double result = std::ldexp(value, -exponent);
  return result < 0x1p-400 ? 0 : result;
}

// A lower bound back in the caller's units; never rounded up at either end of the range of doubles.
double unscaled(double value, int exponent) {
  const double result = std::ldexp(value, exponent);
  if (std::isinf(result)) return std::numeric_limits<double>::max();
  return std::isnormal(result) ? result : 0;
}

// Exponent of the lowest set bit of a positive value.
int lowest_bit(double value) {
  int exponent = 0;
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  return exponent - 53 + std::countr_zero(mantissa);
}

int exponent_of(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return exponent;
}

// Shifting a schedule to the left, jobs in order of start, raises no completion time and leaves every start at a
// release time or completion time.  So if all times are multiples of 2^g and the horizon max r + sum p has 53 bits
// above 2^g, every schedule is at least as good as one without rounding, and the bounds hold as they are.  Otherwise
// jobs may occupy intervals shorter than their processing time, each by at most 2^-53 of its end; stretching time by
// as much before every completion makes room again and moves no completion time by more than n_jobs * 2^-53 of itself.
bool times_have_a_grid(const JobsView& jobs, int time_exponent) {
  int grid = time_exponent;
  double latest_release = 0;
  TrackedSum horizon;
  for (std::size_t j = 0; j < jobs.n_jobs(); ++j) {
    for (const Time time : {jobs.release_time[j], jobs.processing_time[j]}) {
      if (time > 0) grid = std::min(grid, lowest_bit(time));
    }
    latest_release = std::max(latest_release, jobs.release_time[j]);
    horizon.add(std::ldexp(jobs.processing_time[j], -time_exponent));
  }
  horizon.add(std::ldexp(latest_release, -time_exponent));
  return horizon.value() < std::ldexp(1.0, grid - time_exponent + 52);
}

ScaledJobs in_release_order(const JobsView& jobs) {
  const std::size_t n = jobs.n_jobs();
  assert(n < std::numeric_limits<std::uint32_t>::max());
  ScaledJobs result;
  result.job.resize(n);
  std::iota(result.job.begin(), result.job.end(), 0U);
  const auto released_earlier = [&](std::uint32_t a, std::uint32_t b) {
    return jobs.release_time[a] != jobs.release_time[b] ? jobs.release_time[a] < jobs.release_time[b] : a < b;
  };
  if (!std::is_sorted(result.job.begin(), result.job.end(), released_earlier)) {
    std::sort(result.job.begin(), result.job.end(), released_earlier);
  }
  double largest_time = 0;
  double largest_weight = 0;
  for (std::size_t j = 0; j < n; ++j) {
    largest_time = std::max({largest_time, jobs.release_time[j], jobs.processing_time[j]});
    largest_weight = std::max(largest_weight, jobs.weight[j]);
  }
  result.time_exponent = exponent_of(largest_time);
  result.weight_exponent = exponent_of(largest_weight);
  result.lowering = 0x1p-46 + (times_have_a_grid(jobs, result.time_exponent) ? 0 : static_cast<double>(n) * 0x1p-53);
  result.release_time.resize(n);
  result.processing_time.resize(n);
  result.weight.resize(n);
  for (std::size_t row = 0; row < n; ++row) {
    const std::uint32_t j = result.job[row];
    result.release_time[row] = scaled(jobs.release_time[j], result.time_exponent);
    result.processing_time[row] = scaled(jobs.processing_time[j], result.time_exponent);
    result.weight[row] = scaled(jobs.weight[j], result.weight_exponent);
  }
  return result;
}

// Total capacity T_l of every resource; at most one rounding.
std::vector<double> total_capacity(const MachinesView& machines) {
  std::vector<double> totals(machines.n_resources);
  for (std::size_t l = 0; l < machines.n_resources; ++l) {
    TrackedSum total;
    for (std::size_t i = 0; i < machines.n_machines; ++i) {
      total.add(static_cast<double>(machines.capacity[i * machines.n_resources + l]));
    }
    totals[l] = total.value();
  }
  return totals;
}

// load[row] of resource `series`, or of the sum of all where series == n_resources; relative error below 2^-50.
void compute_loads(const ScaledJobs& rows, const JobsView& jobs, std::span<const double> totals, std::size_t series,
                   std::vector<double>& load) {
  const std::size_t n_resources = totals.size();
  const auto n_counted = static_cast<double>(std::count_if(totals.begin(), totals.end(), [](double t) { return t > 0; }));
  load.assign(rows.n_jobs(), 0);
  for (std::size_t row = 0; row < rows.n_jobs(); ++row) {
    const std::span<const Amount> demand = jobs.demand_of(rows.job[row]);
    const auto rate = [&](std::size_t l) { return totals[l] > 0 ? static_cast<double>(demand[l]) / totals[l] : 0; };
    if (series < n_resources) {
      load[row] = rows.processing_time[row] * rate(series);
    } else if (n_counted > 0) {
      TrackedSum sum;
      for (std::size_t l = 0; l < n_resources; ++l) sum.add(rate(l));
      load[row] = rows.processing_time[row] * (sum.value() / n_counted);
    }
  }
}

RoundedWithError times_weight(double weight, double time) { return two_product(weight, time); }

struct SeriesBounds {
  double mean_busy = 0;
  double split = 0;
};

// LB2 and LB3 for one choice of loads, in scaled units and not lowered yet.  `mean_busy_time` receives the mean busy
// times of the unsplit weights.
SeriesBounds bound_series(const ScaledJobs& rows, std::span<const double> load, std::vector<Time>& mean_busy_time,
                          Monitor* monitor, int rounds) {
  const std::size_t n = rows.n_jobs();
  const FluidJobs fluid{rows.release_time, load, rows.weight, rows.job};
  std::vector<std::uint32_t> order;
  for (std::uint32_t row = 0; row < n; ++row) {
    if (load[row] > 0) order.push_back(row);
  }
  order = wspt_order(fluid, std::move(order));
  std::vector<char> is_relaxed(n, 1);  // 0: the job's weight goes to the trivial bound
  std::vector<Time> busy(rows.release_time);
  SeriesBounds bounds;
  for (int round = 0; round < rounds; ++round) {
    TrackedSum sum;
    sum.add(weighted_mean_busy_time(fluid, order, busy, monitor));
    bool changed = false;
    for (std::size_t row = 0; row < n; ++row) {
      const double release = rows.release_time[row];
      const double processing = rows.processing_time[row];
      if (is_relaxed[row] == 0) {
        sum.add(rows.weight[row] * (release + processing));
        continue;
      }
      sum.add(rows.weight[row] * processing / 2);
      if (!(load[row] > 0)) sum.add(rows.weight[row] * release);
      // Equality keeps the weight; 2^-40 lets rounded equality count as such.
      if (busy[row] + processing / 2 < (release + processing) * (1 - 0x1p-40)) {
        is_relaxed[row] = 0;
        changed = true;
      }
    }
    if (round == 0) {
      bounds.mean_busy = sum.value();
      mean_busy_time = busy;
    }
    bounds.split = std::max(bounds.split, sum.value());
    if (!changed) break;
    std::erase_if(order, [&](std::uint32_t row) { return is_relaxed[row] == 0; });
  }
  return bounds;
}

}  // namespace

CompletionTimeBounds completion_time_bounds(const JobsView& jobs, const MachinesView& machines, Monitor* monitor) {
  assert(jobs.n_resources == machines.n_resources);
  CompletionTimeBounds bounds;
  bounds.mean_busy.assign(jobs.n_resources + 1, 0);
  bounds.split.assign(jobs.n_resources + 1, 0);
  if (jobs.n_jobs() == 0) return bounds;

  const ScaledJobs rows = in_release_order(jobs);
  const int exponent = rows.time_exponent + rows.weight_exponent;
  TrackedSum trivial;
  for (std::size_t row = 0; row < rows.n_jobs(); ++row) {
    trivial.add(two_product(rows.weight[row], rows.release_time[row]));
    trivial.add(two_product(rows.weight[row], rows.processing_time[row]));
  }
  bounds.trivial = unscaled(trivial.value() * (trivial.is_exact() ? 1 : 1 - rows.lowering), exponent);
  bounds.best = bounds.trivial;

  const std::vector<double> totals = total_capacity(machines);
  std::vector<double> load;
  std::vector<Time> mean_busy_time;
  for (std::size_t series = 0; series <= jobs.n_resources; ++series) {
    compute_loads(rows, jobs, totals, series, load);
    const SeriesBounds found = bound_series(rows, load, mean_busy_time, monitor, kSplitRounds);
    bounds.mean_busy[series] = unscaled(found.mean_busy * (1 - rows.lowering), exponent);
    bounds.split[series] = unscaled(found.split * (1 - rows.lowering), exponent);
    bounds.best = std::max({bounds.best, bounds.mean_busy[series], bounds.split[series]});
  }
  return bounds;
}

}  // namespace schedcore
