#include "schedcore/metrics/work_curves.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "schedcore/exact/wide.hpp"
#include "schedcore/metrics/power_sums.hpp"
#include "schedcore/metrics/slot_facts.hpp"
#include "schedcore/metrics/slot_progress.hpp"

namespace schedcore {
namespace {

class TimeGrid {
 public:
  explicit TimeGrid(std::span<const Slot> times)
      : times_(times),
        is_dense_(!times.empty() && times.back() - times.front() + 1 == static_cast<Slot>(times.size())) {}

  [[nodiscard]] std::size_t size() const { return times_.size(); }
  [[nodiscard]] Slot operator[](std::size_t index) const { return times_[index]; }
  // Index of the first time later than `slot`.
  [[nodiscard]] std::size_t first_after(Slot slot) const {
    if (is_dense_) {
      const Slot index = slot - times_.front() + 1;
      return static_cast<std::size_t>(std::clamp<Slot>(index, 0, static_cast<Slot>(size())));
    }
    return static_cast<std::size_t>(std::ranges::upper_bound(times_, slot) - times_.begin());
  }

 private:
  std::span<const Slot> times_;
  bool is_dense_;  // every slot between the first and the last time is one
};

// A function of time made of straight lines, with integer slopes; arithmetic is modulo 2^128, so what is below 2^127 in
// the end is exact whatever happens between.
class LinearPieces {
 public:
  explicit LinearPieces(std::size_t n_times) : slope_(n_times + 1), offset_(n_times + 1) {}

  // Adds `slope` x (t - from) at every time from `index` on.
  void turn(std::size_t index, UInt128 slope, Slot from) {
    slope_[index] += slope;
    offset_[index] += slope * static_cast<UInt128>(from);
  }
  void step(std::size_t index, UInt128 height) { offset_[index] -= height; }
  // value(i, the function at the i-th time)
  template <class Value>
  void evaluate(const TimeGrid& grid, const Value& value) const {
    UInt128 slope = 0, offset = 0;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      slope += slope_[i];
      offset += offset_[i];
      value(i, slope * static_cast<UInt128>(grid[i]) - offset);
    }
  }

 private:
  std::vector<UInt128> slope_, offset_;
};

// The numbers R / d of all rows as integers: R x floor(2^shift / d), with as many digits as the sum of all has room for.
class InverseCores {
 public:
  explicit InverseCores(const SlotTasksView& tasks) {
    inverse_.reserve(tasks.n_rows());
    UInt128 total_time = 1;
    for (const Slot time : tasks.processing_time) total_time += static_cast<UInt128>(time);
    shift_ = std::min(110, 126 - bit_width(total_time));
    const UInt128 one = static_cast<UInt128>(1) << shift_;
    for (std::size_t row = 0; row < tasks.n_rows(); ++row) {
      inverse_.push_back(one / static_cast<UInt128>(tasks.cores_of(row)));
    }
  }
  [[nodiscard]] UInt128 of(std::size_t row) const { return inverse_[row]; }
  [[nodiscard]] double rounded(UInt128 scaled) const { return std::ldexp(static_cast<double>(scaled), -shift_); }

 private:
  std::vector<UInt128> inverse_;
  int shift_;
};

// The fractional cost of the slots between neighbouring times, bucket i being (times[i - 1], times[i]].
class CostBuckets {
 public:
  CostBuckets(const TimeGrid& grid, int k)
      : grid_(grid), n_moments_(static_cast<std::size_t>(k) + 1), n_leaves_(std::bit_ceil(grid.size() + 1)),
        moments_(2 * n_leaves_ * n_moments_), constants_(2 * n_leaves_), cost_(grid.size()) {
    for (int exponent = 0; exponent <= k; ++exponent) powers_.emplace_back(exponent);
    binomials_.resize(n_moments_ * n_moments_);
    for (std::size_t n = 0; n < n_moments_; ++n) {
      for (std::size_t i = 0; i <= n; ++i) {
        binomials_[n * n_moments_ + i] = i == 0 || i == n ? 1 : binomial(n - 1, i - 1) + binomial(n - 1, i);
      }
    }
  }

  // Adds factor x (t - release)^k + constant for the slots t from start + 1 to end.
  void add(double factor, double constant, Slot release, Slot start, Slot end) {
    std::size_t bucket = grid_.first_after(start);
    if (bucket == grid_.size()) return;
    const auto add_part = [&](std::size_t to, Slot from, Slot until) {
      cost_[to] += factor * powers_.back().over(from - release, until - release) +
                   constant * static_cast<double>(until - from);
    };
    if (bucket == 0 || grid_[bucket - 1] < start || end < grid_[bucket]) {
      add_part(bucket, start, std::min(end, grid_[bucket]));
      start = grid_[bucket];
      if (end <= start) return;
      ++bucket;
    }
    const std::size_t last = grid_.first_after(end);  // buckets up to here are covered in full
    if (last < grid_.size() && grid_[last - 1] < end) add_part(last, grid_[last - 1], end);
    if (last < bucket + kFew) {
      for (; bucket < last; ++bucket) add_part(bucket, grid_[bucket - 1], grid_[bucket]);
      return;
    }
    std::size_t low = bucket + n_leaves_, high = last + n_leaves_;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) add_block(low++, factor, constant, release);
      if (high % 2 == 1) add_block(--high, factor, constant, release);
    }
  }

  // The cost up to each time.  To be called once.
  [[nodiscard]] std::vector<double> cumulative() {
    for (std::size_t block = 1; block < n_leaves_; ++block) push_down(block);
    double total = 0, carry = 0;
    for (std::size_t bucket = 0; bucket < cost_.size(); ++bucket) {
      const double term = (cost_[bucket] + cost_of_leaf(bucket)) + carry;
      const double next = total + term;
      carry = std::isinf(next) ? 0 : term - (next - total);
      cost_[bucket] = total = next;
    }
    return std::move(cost_);
  }

 private:
  static constexpr std::size_t kFew = 4;  // so many buckets are dealt with one by one

  [[nodiscard]] double binomial(std::size_t n, std::size_t i) const { return binomials_[n * n_moments_ + i]; }
  [[nodiscard]] double* moments_of(std::size_t block) { return &moments_[block * n_moments_]; }
  // The slot before the first of a block.  Bucket 0 is in no block that holds anything.
  [[nodiscard]] Slot start_of(std::size_t block) const {
    const std::size_t first = (block << (std::bit_width(n_leaves_) - std::bit_width(block))) - n_leaves_;
    return first == 0 || first > grid_.size() ? 0 : grid_[first - 1];
  }
  // moments[i] is the sum over pieces of factor x (start of the block - release)^i.
  void add_block(std::size_t block, double factor, double constant, Slot release) {
    double* moments = moments_of(block);
    const auto elapsed = static_cast<double>(start_of(block) - release);
    double term = factor;
    for (std::size_t i = 0; i < n_moments_; ++i, term *= elapsed) moments[i] += term;
    constants_[block] += constant;
  }
  void push_down(std::size_t block) {
    const double* moments = moments_of(block);
    if (moments[0] == 0) return;
    const std::size_t left = 2 * block, right = left + 1;
    constants_[left] += constants_[block];
    constants_[right] += constants_[block];
    const auto shift = static_cast<double>(start_of(right) - start_of(block));
    for (std::size_t i = 0; i < n_moments_; ++i) {
      moments_of(left)[i] += moments[i];
      double moved = 0;  // sum of binomial(i, l) moments[l] shift^(i - l), by Horner
      for (std::size_t l = 0; l <= i; ++l) moved = moved * shift + binomial(i, l) * moments[l];
      moments_of(right)[i] += moved;
    }
  }
  [[nodiscard]] double cost_of_leaf(std::size_t bucket) {
    const double* moments = moments_of(n_leaves_ + bucket);
    if (moments[0] == 0) return 0;
    const Slot length = grid_[bucket] - grid_[bucket - 1];
    double cost = constants_[n_leaves_ + bucket] * static_cast<double>(length);
    const std::size_t k = n_moments_ - 1;
    for (std::size_t l = 0; l <= k; ++l) {
      if (moments[l] != 0) cost += binomial(k, l) * moments[l] * powers_[k - l].over(0, length);
    }
    return cost;
  }

  const TimeGrid& grid_;
  std::size_t n_moments_;
  std::size_t n_leaves_;            // a power of two, more than there are buckets
  std::vector<double> moments_;     // of each block, block 1 being all of them and 2 b and 2 b + 1 the halves of b
  std::vector<double> constants_;   // of each block, per slot
  std::vector<double> cost_;        // of each bucket, from pieces that cover part of it
  std::vector<PowerSums> powers_;   // by exponent
  std::vector<double> binomials_;
};

}  // namespace

WorkCurves work_curves(const SlotTasksView& tasks, const SlotPiecesView& pieces, int k, std::span<const Slot> times) {
  const TimeGrid grid(times);
  const InverseCores inverse(tasks);
  LinearPieces offered(grid.size()), unfinished(grid.size()), unfinished_time(grid.size());
  CostBuckets cost(grid, k);
  const std::vector<FractionalWeight> weights = fractional_weights(tasks, k);

  const std::vector<Slot> done = follow_progress(tasks, pieces, [&](const SlotProgress& progress) {
    const std::size_t row = progress.row, begins = grid.first_after(progress.start), ends = grid.first_after(progress.end);
    const auto cores = static_cast<UInt128>(progress.cores);
    unfinished.turn(begins, UInt128(0) - cores, progress.start);
    unfinished.turn(ends, cores, progress.end);
    const UInt128 rate = cores * inverse.of(row);
    unfinished_time.turn(begins, UInt128(0) - rate, progress.start);
    unfinished_time.turn(ends, rate, progress.end);
    const double share = static_cast<double>(progress.cores) / static_cast<double>(tasks.cores_of(row));
    cost.add(share / weights[row].divisor, share * weights[row].constant, tasks.release_time[progress.job],
             progress.start, progress.end);
  });
  std::vector<double> power(grid.size() + 1);  // of the flow times of jobs completed since the time before
  const std::vector<Slot> completion = job_completions(tasks, done);
  for (std::size_t job = 0; job < tasks.n_jobs(); ++job) {
    const Slot release = tasks.release_time[job];
    const std::size_t known = grid.first_after(release);
    for (std::size_t row = tasks.first_row(job); row < tasks.end_row(job); ++row) {
      const auto work = static_cast<UInt128>(tasks.work_of(row));
      offered.step(known, work);
      unfinished.step(known, work);
      unfinished_time.step(known, work * inverse.of(row));
    }
    if (completion[job] == kNotDone) continue;
    power[grid.first_after(completion[job] - 1)] += integer_power(static_cast<double>(completion[job] - release), k);
  }

  const std::size_t n = grid.size();
  const std::vector<double> zeros(n);
  WorkCurves curves{zeros, zeros, zeros, zeros, cost.cumulative()};
  offered.evaluate(grid, [&](std::size_t i, UInt128 value) { curves.offered_volume[i] = static_cast<double>(value); });
  unfinished.evaluate(grid,
                      [&](std::size_t i, UInt128 value) { curves.unfinished_volume[i] = static_cast<double>(value); });
  unfinished_time.evaluate(grid,
                           [&](std::size_t i, UInt128 value) { curves.unfinished_time[i] = inverse.rounded(value); });
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) curves.flow_power[i] = total += power[i];
  return curves;
}

}  // namespace schedcore
