#include "schedcore/parallel_tasks/interval_progress.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "schedcore/exact/binary_form.hpp"
#include "schedcore/exact/natural.hpp"
#include "schedcore/exact/wide.hpp"
#include "schedcore/parallel_tasks/capped_fractions.hpp"

namespace schedcore {
namespace {

Natural power_of_two(std::size_t exponent) { return Natural(2).to_the_power(static_cast<unsigned>(exponent)); }

// Weights in a common unit, the largest power of two that divides the last digit of all of them.
std::vector<Natural> whole_weights(std::span<const double> weight) {
  int unit = 0;
  bool found = false;
  for (const double value : weight) {
    const BinaryForm form = binary_form(value);
    if (form.mantissa == 0) continue;
    unit = found ? std::min(unit, form.exponent) : form.exponent;
    found = true;
  }
  std::vector<Natural> whole;
  whole.reserve(weight.size());
  for (const double value : weight) {
    const BinaryForm form = binary_form(value);
    const Natural mantissa(form.mantissa);
    whole.push_back(value == 0 ? mantissa : mantissa * power_of_two(static_cast<std::size_t>(form.exponent - unit)));
  }
  return whole;
}

// Once lambda exceeds `units`, the job counts with its interval `to` in place of `from`.
struct Delay {
  std::int64_t units;
  std::size_t job;
  std::size_t from, to;
};

}  // namespace

std::int64_t lambda_of_smallest_proxy(const IntervalProgressView& progress, std::span<const double> weight) {
  const std::vector<Natural> whole = whole_weights(weight);
  std::vector<Natural> start(progress.n_intervals);  // of each interval but the first, whose start no job counts with
  for (std::size_t l = 1; l < progress.n_intervals; ++l) start[l] = power_of_two(l - 1);

  Natural sum;  // of weight times start, for the candidate at hand
  std::vector<Delay> delays;
  for (std::size_t job = 0; job < progress.n_jobs(); ++job) {
    const auto done = progress.of(job);
    const auto after = [&](std::int64_t units) {
      return static_cast<std::size_t>(std::upper_bound(done.begin(), done.end(), units) - done.begin());
    };
    std::size_t interval = after(0);
    assert(interval > 0 && done.back() == kWholeTask);
    sum = sum + whole[job] * start[interval];
    while (done[interval] < kWholeTask) {
      const std::size_t next = after(done[interval]);
      delays.push_back({done[interval], job, interval, next});
      interval = next;
    }
  }
  std::sort(delays.begin(), delays.end(), [](const Delay& a, const Delay& b) { return a.units < b.units; });

  std::int64_t best = 0;
  Natural best_sum;
  const auto consider = [&](std::int64_t units) {
    const bool is_smaller = best == 0 || sum * Natural(static_cast<std::uint64_t>(best)) <=
                                             best_sum * Natural(static_cast<std::uint64_t>(units));
    if (!is_smaller) return;
    best = units;
    best_sum = sum;
  };
  for (std::size_t i = 0; i < delays.size();) {
    const std::int64_t units = delays[i].units;
    consider(units);
    for (; i < delays.size() && delays[i].units == units; ++i) {
      const Delay& delay = delays[i];
      sum = sum + whole[delay.job] * (start[delay.to] - start[delay.from]);
    }
  }
  consider(kWholeTask);
  return best;
}

std::vector<std::int64_t> completion_ranks(const IntervalProgressView& progress) {
  assert(progress.n_intervals <= 90);  // 2^88 times kWholeTask fits
  std::vector<UInt128> completion(progress.n_jobs(), 0);
  for (std::size_t job = 0; job < progress.n_jobs(); ++job) {
    const auto done = progress.of(job);
    for (std::size_t l = 1; l < progress.n_intervals; ++l) {
      completion[job] += UInt128(static_cast<std::uint64_t>(done[l] - done[l - 1])) << static_cast<int>(l - 1);
    }
  }
  std::vector<std::size_t> order(progress.n_jobs());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return completion[a] < completion[b]; });
  std::vector<std::int64_t> rank(order.size(), 0);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const bool is_equal = completion[order[i]] == completion[order[i - 1]];
    rank[order[i]] = is_equal ? rank[order[i - 1]] : static_cast<std::int64_t>(i);
  }
  return rank;
}

}  // namespace schedcore
