// What the progress of jobs through intervals with ends 1, 2, 4, ... decides: how slow to go, and whom to prefer.
//
// F_j(l) is how much of every task of job j is done by the end of interval l, in units of which kWholeTask make a task:
// zero for l = 0, never decreasing, whole in the last interval.  Row-major (n_jobs, n_intervals).  All comparisons are
// exact, whatever the weights and however many intervals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace schedcore {

struct IntervalProgressView {
  std::span<const std::int64_t> units;
  std::size_t n_intervals = 0;

  [[nodiscard]] std::size_t n_jobs() const { return units.size() / n_intervals; }
  [[nodiscard]] std::span<const std::int64_t> of(std::size_t job) const {
    return units.subspan(job * n_intervals, n_intervals);
  }
};

// The A that minimises sum_j w_j 2^(l_j(A) - 1) / A, where l_j(A) is the first interval with F_j(l) >= A, among all
// positive values of F and kWholeTask; the largest of several.  Weights are finite and not negative.  O(n log n) for
// n = n_jobs n_intervals, with numbers as long as the weights are apart.
[[nodiscard]] std::int64_t lambda_of_smallest_proxy(const IntervalProgressView& progress,
                                                    std::span<const double> weight);

// The rank of every job by its completion in the program, sum_l 2^(l - 1) (F_j(l) - F_j(l - 1)); equal jobs share the
// lowest.  Requires at most 90 intervals.
[[nodiscard]] std::vector<std::int64_t> completion_ranks(const IntervalProgressView& progress);

}  // namespace schedcore
