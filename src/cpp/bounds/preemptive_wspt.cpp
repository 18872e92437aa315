#include "schedcore/bounds/preemptive_wspt.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "schedcore/base/rank_set.hpp"
#include "schedcore/exact/double_double.hpp"

namespace schedcore {
namespace {

constexpr std::uint32_t kTakesNoPart = static_cast<std::uint32_t>(-1);
constexpr std::uint64_t kStepsPerPoll = 1 << 14;
constexpr std::size_t kRowsAhead = 16;

struct KeyedRow {
  double key;
  std::uint32_t tie_break;
  std::uint32_t row;
};

struct Progress {
  DoubleDouble remaining;
  Time release_time = 0;
  double key = 0;       // weight / load
  double integral = 0;  // of time since release over the processing so far
};

// Arrivals touch ranks in no order; asking for them early hides most of the cache misses of millions of jobs.
void prefetch([[maybe_unused]] const Progress& job) {
#if defined(__GNUC__)
  __builtin_prefetch(&job);
#endif
}

}  // namespace

std::vector<std::uint32_t> wspt_order(const FluidJobs& jobs, std::vector<std::uint32_t> among) {
  std::vector<KeyedRow> keyed(among.size());
  for (std::size_t i = 0; i < among.size(); ++i) {
    const std::uint32_t row = among[i];
    keyed[i] = {jobs.weight[row] / jobs.load[row], jobs.tie_break[row], row};
  }
  std::sort(keyed.begin(), keyed.end(), [](const KeyedRow& a, const KeyedRow& b) {
    return a.key != b.key ? a.key > b.key : a.tie_break < b.tie_break;
  });
  const auto lower_index_first = [](const KeyedRow& a, const KeyedRow& b) { return a.tie_break < b.tie_break; };
  for (auto run = keyed.begin(); run != keyed.end();) {
    const double last_equal_key = run->key * (1 - 0x1p-48);
    const auto end = std::find_if(run, keyed.end(), [&](const KeyedRow& k) { return k.key < last_equal_key; });
    if (!std::is_sorted(run, end, lower_index_first)) std::sort(run, end, lower_index_first);
    run = end;
  }
  for (std::size_t i = 0; i < among.size(); ++i) among[i] = keyed[i].row;
  return among;
}

double weighted_mean_busy_delay(const FluidJobs& jobs, std::span<const std::uint32_t> order,
                                std::span<Time> mean_busy_delay, Monitor* monitor) {
  const std::size_t n = jobs.n_jobs();
  assert(n < kTakesNoPart);
  assert(std::is_sorted(jobs.release_time.begin(), jobs.release_time.end()));
  std::vector<std::uint32_t> rank_of(n, kTakesNoPart);
  std::vector<Progress> progress(order.size());  // by rank, so that neighbours in the queue share memory
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const std::uint32_t row = order[rank];
    rank_of[row] = static_cast<std::uint32_t>(rank);
    progress[rank] = {jobs.load[row], jobs.release_time[row], jobs.weight[row] / jobs.load[row], 0};
  }

  RankSet waiting(order.size());
  TrackedSum weighted_sum;
  DoubleDouble now;
  std::size_t next = 0;  // first row that takes part and is not released yet
  const auto skip_rows_without_part = [&] {
    while (next < n && rank_of[next] == kTakesNoPart) ++next;
  };
  const auto process = [&](Progress& job, DoubleDouble amount) {
    const double integral = amount.hi * ((now - job.release_time).hi + amount.hi / 2);
    job.integral += integral;
    weighted_sum.add(job.key * integral);
  };

  skip_rows_without_part();
  for (std::uint64_t steps = 0; next < n || !waiting.empty(); ++steps) {
    if (monitor != nullptr && steps % kStepsPerPoll == 0) monitor->poll(next, n);
    if (waiting.empty()) now = jobs.release_time[next];
    for (; next < n && DoubleDouble(jobs.release_time[next]) <= now; skip_rows_without_part()) {
      waiting.insert(rank_of[next++]);
      const std::size_t ahead = next + kRowsAhead;
      if (ahead < n && rank_of[ahead] != kTakesNoPart) prefetch(progress[rank_of[ahead]]);
    }
    const std::size_t rank = waiting.min();
    Progress& job = progress[rank];
    const DoubleDouble until_release = next < n ? jobs.release_time[next] - now : job.remaining;
    if (job.remaining <= until_release) {
      process(job, job.remaining);
      now = now + job.remaining;
      waiting.erase(rank);
    } else {
      process(job, until_release);
      job.remaining = job.remaining - until_release;
      if (job.remaining.hi < 0) job.remaining = 0.0;  // a difference below its own rounding error
      now = jobs.release_time[next];
    }
  }
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    mean_busy_delay[order[rank]] = progress[rank].integral / jobs.load[order[rank]];
  }
  return weighted_sum.value();
}

}  // namespace schedcore
