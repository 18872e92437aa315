#include <algorithm>
#include <cassert>

#include "schedcore/bounds/bounds.hpp"
#include "schedcore/bounds/scaled_jobs.hpp"
#include "schedcore/exact/double_double.hpp"

namespace schedcore {

double makespan_bound(const JobsView& jobs, const MachinesView& machines, Monitor* monitor) {
  assert(jobs.n_resources == machines.n_resources);
  const std::size_t n = jobs.n_jobs();
  if (n == 0) return 0;

  double best = 0;
  for (std::size_t j = 0; j < n; ++j) {
    best = std::max(best, sum_up_to(jobs.release_time[j], jobs.processing_time[j]));
  }

  const ScaledJobs rows = in_release_order(jobs);
  const std::vector<double> totals = total_capacity(machines);
  std::vector<double> load;
  double best_by_load = 0;
  for (std::size_t series = 0; series <= totals.size(); ++series) {
    if (monitor != nullptr) monitor->poll(series, totals.size() + 1);
    compute_loads(rows, jobs, totals, series, load);
    TrackedSum later;  // load of the rows from `row` on; every one of them starts at release_time[row] or later
    for (std::size_t row = n; row-- > 0;) {
      later.add(load[row]);
      best_by_load = std::max(best_by_load, rows.release_time[row] + later.value());
    }
  }
  return std::max(best, unscaled(best_by_load * (1 - rows.lowering), rows.time_exponent));
}

}  // namespace schedcore
