#include "schedcore/metrics/overtaking.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/base/time_sort.hpp"

namespace schedcore {
namespace {

std::vector<TimedIndex> starts_in_order_of_arrival(std::span<const Time> release_time,
                                                   std::span<const Time> start_time) {
  std::vector<TimedIndex> queue(release_time.size());
  for (std::size_t job = 0; job < queue.size(); ++job) queue[job] = {release_time[job], job};
  TimeSorter().sort(queue);  // stable, so by index within an instant
  for (TimedIndex& entry : queue) entry.instant = start_time[entry.index];
  return queue;
}

// Merges two neighbouring runs, each in order of start.  Whoever of the left run is passed by some of the right run on
// the way out was overtaken by them: they arrived later and started strictly earlier.
void merge_runs(std::span<const TimedIndex> left, std::span<const TimedIndex> right, std::span<TimedIndex> merged,
                std::span<std::int64_t> times_overtaken) {
  std::size_t from_left = 0;
  std::size_t from_right = 0;
  auto out = merged.begin();
  while (from_left < left.size()) {
    if (from_right < right.size() && right[from_right].instant < left[from_left].instant) {
      *out++ = right[from_right++];
    } else {
      times_overtaken[left[from_left].index] += static_cast<std::int64_t>(from_right);
      *out++ = left[from_left++];
    }
  }
  std::copy(right.begin() + static_cast<std::ptrdiff_t>(from_right), right.end(), out);
}

}  // namespace

void count_overtakers(std::span<const Time> release_time, std::span<const Time> start_time,
                      std::span<std::int64_t> times_overtaken, Monitor* monitor) {
  std::fill(times_overtaken.begin(), times_overtaken.end(), 0);
  std::vector<TimedIndex> queue = starts_in_order_of_arrival(release_time, start_time);
  std::vector<TimedIndex> merged(queue.size());
  const std::size_t n_jobs = queue.size();
  const auto rounds = static_cast<std::uint64_t>(std::bit_width(n_jobs));
  std::uint64_t round = 0;
  for (std::size_t length = 1; length < n_jobs; length *= 2) {
    if (monitor != nullptr) monitor->poll(round++, rounds);
    for (std::size_t first = 0; first < n_jobs; first += 2 * length) {
      const std::size_t middle = std::min(first + length, n_jobs);
      const std::size_t last = std::min(middle + length, n_jobs);
      const std::span<const TimedIndex> left(queue.data() + first, middle - first);
      const std::span<const TimedIndex> right(queue.data() + middle, last - middle);
      if (right.empty() || !(right.front().instant < left.back().instant)) {
        std::copy(left.begin(), left.end(), merged.begin() + static_cast<std::ptrdiff_t>(first));
        std::copy(right.begin(), right.end(), merged.begin() + static_cast<std::ptrdiff_t>(middle));
      } else {
        merge_runs(left, right, std::span(merged).subspan(first, last - first), times_overtaken);
      }
    }
    std::swap(queue, merged);
  }
}

}  // namespace schedcore
