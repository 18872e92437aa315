#include "schedcore/metrics/processor_numbers.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/time_sort.hpp"

namespace schedcore {
namespace {

struct Interval {
  Amount first = 0;
  Amount last = 0;
};

// The free numbers of one machine as intervals, first -> last; no two of them are adjacent.
class FreeNumbers {
 public:
  FreeNumbers(Amount first, Amount count) {
    if (count > 0) last_of_.emplace(first, first + count - 1);
  }

  void take_lowest(Amount count, std::vector<Interval>& taken) {
    while (count > 0) {
      if (last_of_.empty()) throw InvalidInstanceError("a machine has fewer processors than its jobs hold at once");
      const auto [first, last] = *last_of_.begin();
      const Amount end = std::min(last, first + count - 1);
      taken.push_back({first, end});
      count -= end - first + 1;
      last_of_.erase(last_of_.begin());
      if (end < last) last_of_.emplace_hint(last_of_.begin(), end + 1, last);
    }
  }

  void give_back(Interval freed) {
    auto after = last_of_.upper_bound(freed.first);
    if (after != last_of_.end() && after->first == freed.last + 1) {
      freed.last = after->second;
      after = last_of_.erase(after);
    }
    if (after != last_of_.begin()) {
      const auto before = std::prev(after);
      if (before->second + 1 == freed.first) {
        before->second = freed.last;
        return;
      }
    }
    last_of_.emplace_hint(after, freed.first, freed.last);
  }

 private:
  std::map<Amount, Amount> last_of_;
};

std::vector<TimedIndex> sorted(std::span<const Time> start_time, std::span<const Time> length) {
  std::vector<TimedIndex> events(start_time.size());
  for (std::size_t j = 0; j < events.size(); ++j) {
    events[j] = {length.empty() ? start_time[j] : start_time[j] + length[j], j};
  }
  TimeSorter().sort(events);
  return events;
}

}  // namespace

ProcessorNumbers lowest_free_processors(std::span<const Time> start_time, std::span<const Time> processing_time,
                                        std::span<const Amount> processors, std::span<const std::int64_t> machine,
                                        std::span<const Amount> capacity) {
  std::vector<FreeNumbers> free;
  Amount n_processors = 0;
  for (const Amount count : capacity) {
    free.emplace_back(n_processors, count);
    n_processors += count;
  }
  const auto free_of = [&](std::size_t job) -> FreeNumbers& { return free[static_cast<std::size_t>(machine[job])]; };

  const std::size_t n_jobs = start_time.size();
  const auto starts = sorted(start_time, {});
  const auto completions = sorted(start_time, processing_time);
  std::vector<Interval> taken;  // in the order of the starts; those of job j are [begin[j], end[j])
  std::vector<std::size_t> begin(n_jobs);
  std::vector<std::size_t> end(n_jobs);
  std::size_t completed = 0;
  for (const auto [instant, job] : starts) {
    for (; completed < n_jobs && completions[completed].instant <= instant; ++completed) {
      const std::size_t done = completions[completed].index;
      for (std::size_t i = begin[done]; i < end[done]; ++i) free_of(done).give_back(taken[i]);
    }
    begin[job] = taken.size();
    free_of(job).take_lowest(processors[job], taken);
    end[job] = taken.size();
  }

  ProcessorNumbers numbers;
  numbers.offset.reserve(n_jobs + 1);
  numbers.offset.push_back(0);
  numbers.first.reserve(taken.size());
  numbers.last.reserve(taken.size());
  for (std::size_t j = 0; j < n_jobs; ++j) {
    for (std::size_t i = begin[j]; i < end[j]; ++i) {
      numbers.first.push_back(taken[i].first);
      numbers.last.push_back(taken[i].last);
    }
    numbers.offset.push_back(static_cast<std::int64_t>(numbers.first.size()));
  }
  return numbers;
}

}  // namespace schedcore
