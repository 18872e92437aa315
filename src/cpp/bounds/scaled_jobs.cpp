#include "schedcore/bounds/scaled_jobs.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "schedcore/exact/binary_form.hpp"
#include "schedcore/exact/double_double.hpp"

namespace schedcore {
namespace {

double scaled(double value, int exponent) {
  const double result = std::ldexp(value, -exponent);
  return result < 0x1p-400 ? 0 : result;
}

int exponent_of(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return exponent;
}

// Exponent of the lowest set bit of a positive value.
int lowest_bit(double value) { return odd_binary_form(value).exponent; }

// Are schedules computed in doubles free of rounding?  They are if all times are multiples of one power of two with
// room for every sum in 53 bits: shifting a schedule to the left, jobs in order of start, raises no completion time and
// leaves every start at a release time or a completion time, at most max r + sum p.
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

// 2^-46 covers the arithmetic of the bounds.  Without a grid, a job whose completion time was rounded down occupies an
// interval shorter than its processing time, by at most 2^-53 of its end.  Inserting as much time before every
// completion gives each job its full length again and moves no completion by more than n_jobs * 2^-53 of itself, so
// the exact optimum exceeds the rounded one by no more than that.
double lowering_for(const JobsView& jobs, int time_exponent) {
  const double base = 0x1p-46;
  return times_have_a_grid(jobs, time_exponent) ? base : base + static_cast<double>(jobs.n_jobs()) * 0x1p-53;
}

}  // namespace

ScaledJobs in_release_order(const JobsView& jobs) {
  const std::size_t n = jobs.n_jobs();
  assert(n < std::numeric_limits<std::uint32_t>::max());
  ScaledJobs rows;
  rows.job.resize(n);
  std::iota(rows.job.begin(), rows.job.end(), 0U);
  const auto released_earlier = [&](std::uint32_t a, std::uint32_t b) {
    return jobs.release_time[a] != jobs.release_time[b] ? jobs.release_time[a] < jobs.release_time[b] : a < b;
  };
  if (!std::is_sorted(rows.job.begin(), rows.job.end(), released_earlier)) {
    std::sort(rows.job.begin(), rows.job.end(), released_earlier);
  }

  double largest_time = 0;
  double largest_weight = 0;
  for (std::size_t j = 0; j < n; ++j) {
    largest_time = std::max({largest_time, jobs.release_time[j], jobs.processing_time[j]});
    largest_weight = std::max(largest_weight, jobs.weight[j]);
  }
  rows.time_exponent = exponent_of(largest_time);
  rows.weight_exponent = exponent_of(largest_weight);
  rows.lowering = lowering_for(jobs, rows.time_exponent);

  rows.release_time.resize(n);
  rows.processing_time.resize(n);
  rows.weight.resize(n);
  for (std::size_t row = 0; row < n; ++row) {
    const std::uint32_t j = rows.job[row];
    rows.release_time[row] = scaled(jobs.release_time[j], rows.time_exponent);
    rows.processing_time[row] = scaled(jobs.processing_time[j], rows.time_exponent);
    rows.weight[row] = scaled(jobs.weight[j], rows.weight_exponent);
  }
  return rows;
}

double unscaled(double value, int exponent) {
  const double result = std::ldexp(value, exponent);
  if (std::isinf(result)) return std::numeric_limits<double>::max();
  return std::isnormal(result) ? result : 0;
}

std::vector<double> total_capacity(const MachinesView& machines) {
  std::vector<double> totals(machines.n_resources);
  for (std::size_t l = 0; l < machines.n_resources; ++l) {
    TrackedSum total;
    for (std::size_t i = 0; i < machines.n_machines; ++i) total.add(static_cast<double>(machines.capacity_of(i)[l]));
    totals[l] = total.value();
  }
  return totals;
}

void compute_loads(const ScaledJobs& rows, const JobsView& jobs, std::span<const double> totals, std::size_t series,
                   std::vector<double>& load) {
  const auto has_capacity = [](double total) { return total > 0; };
  const auto n_counted = static_cast<double>(std::count_if(totals.begin(), totals.end(), has_capacity));
  load.assign(rows.n_jobs(), 0);
  for (std::size_t row = 0; row < rows.n_jobs(); ++row) {
    const std::span<const Amount> demand = jobs.demand_of(rows.job[row]);
    const auto rate = [&](std::size_t l) { return totals[l] > 0 ? static_cast<double>(demand[l]) / totals[l] : 0; };
    if (series < totals.size()) {
      load[row] = rows.processing_time[row] * rate(series);
    } else if (n_counted > 0) {
      TrackedSum sum;
      for (std::size_t l = 0; l < totals.size(); ++l) sum.add(rate(l));
      load[row] = rows.processing_time[row] * (sum.value() / n_counted);
    }
  }
}

}  // namespace schedcore
