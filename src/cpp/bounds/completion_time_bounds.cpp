#include <algorithm>
#include <cassert>
#include <cmath>

#include "schedcore/bounds/bounds.hpp"
#include "schedcore/bounds/preemptive_wspt.hpp"
#include "schedcore/bounds/scaled_jobs.hpp"
#include "schedcore/exact/double_double.hpp"

namespace schedcore {
namespace {

constexpr int kSplitRounds = 10;
constexpr int kFractionalRounds = 10;

std::vector<std::uint32_t> rows_where(std::size_t n, auto condition) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < n; ++row) {
    if (condition(row)) rows.push_back(row);
  }
  return rows;
}

// No completion time is below the largest double up to release + processing time, neither an exact one nor one in
// doubles, as rounding keeps the order.  So nothing need be given up for the rounding of schedules, and of this sum only
// that of its value and, for n terms, n^2 times 2^-104 of what is kept beside it.
double trivial_bound(const ScaledJobs& rows) {
  TrackedSum sum;
  for (std::size_t row = 0; row < rows.n_jobs(); ++row) {
    sum.add(two_product(rows.weight[row], sum_up_to(rows.release_time[row], rows.processing_time[row])));
  }
  const auto n = static_cast<double>(rows.n_jobs());
  return sum.is_exact() ? sum.value() : sum.value() * (1 - (0x1p-51 + n * n * 0x1p-104));
}

struct SeriesBounds {
  double mean_busy = 0;
  double split = 0;
  std::vector<Time> mean_busy_delay;  // a row, with unsplit weights
};

// Mean busy time bound and weight splitting for one choice of loads: the weight of a job whose completion time the
// relaxation puts below release + processing time moves to the trivial bound, up to `rounds` times.
SeriesBounds bound_series(const ScaledJobs& rows, std::span<const double> load, int rounds, Monitor* monitor) {
  const std::size_t n = rows.n_jobs();
  const FluidJobs fluid{rows.release_time, load, rows.weight, rows.job};
  std::vector<std::uint32_t> order = wspt_order(fluid, rows_where(n, [&](std::size_t row) { return load[row] > 0; }));
  std::vector<char> is_relaxed(n, 1);  // 0: the job's weight counts in the trivial bound
  std::vector<Time> delay(n, 0);
  SeriesBounds bounds;
  for (int round = 0; round < rounds; ++round) {
    TrackedSum sum;
    sum.add(weighted_mean_busy_delay(fluid, order, delay, monitor));
    bool changed = false;
    for (std::size_t row = 0; row < n; ++row) {
      const Time half = rows.processing_time[row] / 2;
      sum.add(rows.weight[row] * (rows.release_time[row] + half));
      if (is_relaxed[row] == 0) {
        sum.add(rows.weight[row] * half);
      } else if (delay[row] < half * (1 - 0x1p-44)) {  // equality up to rounding keeps the weight
        is_relaxed[row] = 0;
        changed = true;
      }
    }
    if (round == 0) {
      bounds.mean_busy = sum.value();
      bounds.mean_busy_delay = delay;
    }
    bounds.split = std::max(bounds.split, sum.value());
    if (!changed) break;
    std::erase_if(order, [&](std::uint32_t row) { return is_relaxed[row] == 0; });
  }
  return bounds;
}

// For every row, the relaxation that carries its weight.
struct Assignment {
  std::vector<std::uint32_t> series;
  std::vector<double> load;

  explicit Assignment(std::size_t n) : series(n), load(n) {}
};

// The concave function that the fractional split climbs: share[row] of a row's weight counts with its mean busy time
// in its own relaxation, where only rows of that relaxation compete, the rest in the trivial bound.
double shared_bound(const ScaledJobs& rows, const Assignment& assignment, std::size_t n_series,
                    std::span<const double> share, std::span<Time> delay, Monitor* monitor) {
  const std::size_t n = rows.n_jobs();
  std::vector<double> relaxed_weight(n);
  for (std::size_t row = 0; row < n; ++row) relaxed_weight[row] = rows.weight[row] * share[row];
  const FluidJobs fluid{rows.release_time, assignment.load, relaxed_weight, rows.job};
  TrackedSum sum;
  for (std::size_t series = 0; series < n_series; ++series) {
    auto members = rows_where(n, [&](std::size_t row) { return assignment.series[row] == series && share[row] > 0; });
    if (members.empty()) continue;
    sum.add(weighted_mean_busy_delay(fluid, wspt_order(fluid, std::move(members)), delay, monitor));
  }
  for (std::size_t row = 0; row < n; ++row) {
    const Time half = rows.processing_time[row] / 2;
    sum.add(rows.weight[row] * (rows.release_time[row] + half));
    sum.add((rows.weight[row] - relaxed_weight[row]) * half);
  }
  return sum.value();
}

// Climbs shared_bound by multiplicative steps along its supergradient, mean busy delay - p/2, from shares of 0.9.
//  Every point is a valid bound; start, steps and their number were chosen by measurement (docs/bounds.md).
double fractional_split(const ScaledJobs& rows, const Assignment& assignment, std::size_t n_series, Monitor* monitor) {
  const std::size_t n = rows.n_jobs();
  std::vector<double> share(n);
  for (std::size_t row = 0; row < n; ++row) share[row] = assignment.load[row] > 0 ? 0.9 : 0;
  std::vector<Time> delay(n, 0);
  double best = 0;
  for (int round = 0; round < kFractionalRounds; ++round) {
    best = std::max(best, shared_bound(rows, assignment, n_series, share, delay, monitor));
    const double step = 2 / std::sqrt(1.0 + round);
    for (std::size_t row = 0; row < n; ++row) {
      if (!(share[row] > 0)) continue;
      const Time half = rows.processing_time[row] / 2;
      const double slope = step * (delay[row] - half) / (std::max(delay[row], half) + half);
      const double grown = share[row] * (1 + slope + slope * slope / 2);  // exp(slope), the same on every platform
      share[row] = grown / (grown + (1 - share[row]));
    }
  }
  return best;
}

}  // namespace

CompletionTimeBounds completion_time_bounds(const JobsView& jobs, const MachinesView& machines, Monitor* monitor) {
  assert(jobs.n_resources == machines.n_resources);
  const std::size_t n = jobs.n_jobs();
  const std::size_t n_series = jobs.n_resources + 1;
  CompletionTimeBounds bounds;
  bounds.mean_busy.assign(n_series, 0);
  bounds.split.assign(n_series, 0);
  if (n == 0) return bounds;

  const ScaledJobs rows = in_release_order(jobs);
  const int exponent = rows.time_exponent + rows.weight_exponent;
  const auto proven = [&](double value) { return unscaled(value * (1 - rows.lowering), exponent); };
  bounds.trivial = unscaled(trivial_bound(rows), exponent);

  const std::vector<double> totals = total_capacity(machines);
  Assignment bottleneck(n);  // all weight on the relaxation with the best bound
  Assignment own_worst(n);   // every job's weight on the relaxation in which it is busy latest
  std::vector<Time> longest_delay(n, -1);
  double best_mean_busy = -1;
  std::vector<double> load;
  for (std::size_t series = 0; series < n_series; ++series) {
    compute_loads(rows, jobs, totals, series, load);
    const SeriesBounds found = bound_series(rows, load, kSplitRounds, monitor);
    bounds.mean_busy[series] = proven(found.mean_busy);
    bounds.split[series] = proven(found.split);
    for (std::size_t row = 0; row < n; ++row) {
      if (found.mean_busy_delay[row] <= longest_delay[row]) continue;
      longest_delay[row] = found.mean_busy_delay[row];
      own_worst.series[row] = static_cast<std::uint32_t>(series);
      own_worst.load[row] = load[row];
    }
    if (found.mean_busy > best_mean_busy) {
      best_mean_busy = found.mean_busy;
      bottleneck.load = load;
    }
  }

  std::vector<double> all_of_it(n);
  for (std::size_t row = 0; row < n; ++row) all_of_it[row] = own_worst.load[row] > 0 ? 1 : 0;
  const double of_own_worst = shared_bound(rows, own_worst, n_series, all_of_it, longest_delay, monitor);
  const Assignment& start = of_own_worst > best_mean_busy ? own_worst : bottleneck;
  const double climbed = fractional_split(rows, start, n_series, monitor);
  bounds.fractional_split = proven(std::max({best_mean_busy, of_own_worst, climbed}));

  bounds.best = std::max({bounds.trivial, *std::max_element(bounds.mean_busy.begin(), bounds.mean_busy.end()),
                          *std::max_element(bounds.split.begin(), bounds.split.end()), bounds.fractional_split});
  return bounds;
}

MeanBusyTimeBound mean_busy_time_bound(const JobsView& jobs, std::span<const double> load, Monitor* monitor) {
  const std::size_t n = jobs.n_jobs();
  assert(load.size() == n);
  MeanBusyTimeBound bound;
  bound.mean_busy_time.resize(n);
  if (n == 0) return bound;
  const ScaledJobs rows = in_release_order(jobs);
  std::vector<double> scaled_load(n);
  for (std::size_t row = 0; row < n; ++row) {
    const double in_scale = std::ldexp(load[rows.job[row]], -rows.time_exponent);
    scaled_load[row] = in_scale < 0x1p-400 ? 0 : std::min(in_scale, 0x1p400);  // a smaller load lowers the bound
  }
  const SeriesBounds found = bound_series(rows, scaled_load, 1, monitor);
  bound.value = unscaled(found.mean_busy * (1 - rows.lowering), rows.time_exponent + rows.weight_exponent);
  for (std::size_t row = 0; row < n; ++row) {
    const Time mean_busy_time = rows.release_time[row] + found.mean_busy_delay[row];
    bound.mean_busy_time[rows.job[row]] = std::ldexp(mean_busy_time, rows.time_exponent);
  }
  return bound;
}

}  // namespace schedcore
