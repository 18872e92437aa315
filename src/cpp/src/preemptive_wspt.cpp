#include "schedcore/preemptive_wspt.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "schedcore/double_double.hpp"
#include "schedcore/rank_set.hpp"

namespace schedcore {
namespace {

constexpr std::uint32_t kTakesNoPart = static_cast<std::uint32_t>(-1);
constexpr std::uint64_t kStepsPerPoll = 1 << 14;

struct KeyedRow {
  double key;
  std::uint32_t tie_break;
  std::uint32_t row;
};

struct Progress {
  std::uint32_t rank = kTakesNoPart;
  DoubleDouble remaining;
  double busy = 0;  // integral of time over the processing so far
};

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

double weighted_mean_busy_time(const FluidJobs& jobs, std::span<const std::uint32_t> order,
                               std::span<Time> mean_busy_time, Monitor* monitor) {
  assert(jobs.n_jobs() < kTakesNoPart);
  assert(std::is_sorted(jobs.release_time.begin(), jobs.release_time.end()));
  std::vector<Progress> progress(jobs.n_jobs());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    progress[order[rank]].rank = static_cast<std::uint32_t>(rank);
    progress[order[rank]].remaining = jobs.load[order[rank]];
  }

  RankSet waiting(order.size());
  TrackedSum weighted_sum;
  DoubleDouble now;
  std::size_t next = 0;  // first row that is not released yet
  const auto skip_rows_without_part = [&] {
    while (next < jobs.n_jobs() && progress[next].rank == kTakesNoPart) ++next;
  };
  const auto process = [&](std::uint32_t row, DoubleDouble amount) {
    Progress& job = progress[row];
    const double busy = amount.hi * (now.hi + amount.hi / 2);
    job.busy += busy;
    weighted_sum.add(jobs.weight[row] / jobs.load[row] * busy);
  };

  skip_rows_without_part();
  for (std::uint64_t steps = 0; next < jobs.n_jobs() || !waiting.empty(); ++steps) {
    if (monitor != nullptr && steps % kStepsPerPoll == 0) monitor->poll(next, jobs.n_jobs());
    if (waiting.empty()) now = jobs.release_time[next];
    for (; next < jobs.n_jobs() && DoubleDouble(jobs.release_time[next]) <= now; skip_rows_without_part()) {
      waiting.insert(progress[next++].rank);
    }
    const std::uint32_t row = order[waiting.min()];
    Progress& job = progress[row];
    const bool all_released = next == jobs.n_jobs();
    const DoubleDouble until_release = all_released ? job.remaining : jobs.release_time[next] - now;
    if (job.remaining <= until_release) {
      process(row, job.remaining);
      now = now + job.remaining;
      waiting.erase(job.rank);
    } else {
      process(row, until_release);
      job.remaining = job.remaining - until_release;
      if (job.remaining.hi < 0) job.remaining = 0.0;  // a difference below its own rounding error
      now = jobs.release_time[next];
    }
  }
  for (const std::uint32_t row : order) mean_busy_time[row] = progress[row].busy / jobs.load[row];
  return weighted_sum.value();
}

}  // namespace schedcore
