// When running jobs are expected to end by what they say: their starts and what they take, and for one that has outlived that as
// much once more, from the first event on that shows it.
//
// Cost: O(log n) a start and a late job; the end of a run costs nothing.  Memory 12 bytes a slot and 16 a running job, twice
// that at worst.  Copyable.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/engine/job_table.hpp"

namespace schedcore {

// The end in a plan whose ends are multiples of `resolution`; 0: as it is.  In doubles: integers come out exactly, other
// times may end one multiple later.
[[nodiscard]] inline Time rounded_up(Time end, Time resolution) {
  return resolution > 0 ? std::max(end, resolution * std::ceil(end / resolution)) : end;
}

// When a job that has outlived its estimate is expected to end: the estimate once more from now, later than now even where
// it is lost in rounding, and before the end of the clock.
[[nodiscard]] inline Time renewed_end(Time now, Time estimate, Time resolution) {
  const Time end = rounded_up(now + estimate, resolution);
  return std::max(std::min(end, std::numeric_limits<Time>::max()), std::nextafter(now, kNever));
}

class RunEnds {
 public:
  // Of a running job.
  [[nodiscard]] Time end_of(JobSlot job) const { return end_[job]; }

  // It has started, or says another end than before.
  void set(JobSlot job, Time end) {
    if (job >= end_.size()) end_.resize(job + std::size_t{1}, kNever);
    end_[job] = end;
    heap_.emplace_back(end, job);
    std::push_heap(heap_.begin(), heap_.end(), kLater);
  }
  // After the events of `now`: whoever still runs and should have ended is late.
  void pass_to(Time now, const JobTable& jobs, std::size_t n_running) {
    while (!heap_.empty() && heap_.front().first <= now) {
      const auto [end, job] = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), kLater);
      heap_.pop_back();
      if (!is_current(end, job, jobs)) continue;
      ++n_late_;
      set(job, std::max(now + jobs.processing_time_on(job, jobs.machine(job)), std::nextafter(now, kNever)));
    }
    if (heap_.size() > 2 * n_running + kSlack) sweep(jobs);
  }
  // How often a job turned out to be late.
  [[nodiscard]] std::uint64_t n_late() const { return n_late_; }
  // Entries, of runs that are over among them: at most twice as many as run, and a few.
  [[nodiscard]] std::size_t n_kept() const { return heap_.size(); }

 private:
  using Entry = std::pair<Time, JobSlot>;
  static constexpr std::size_t kSlack = 64;
  static constexpr auto kLater = [](const Entry& a, const Entry& b) { return a > b; };

  [[nodiscard]] bool is_current(Time end, JobSlot job, const JobTable& jobs) const {
    return job < jobs.n_slots() && jobs.state(job) == JobState::running && end_[job] == end;
  }
  // Entries of runs that are over, or have other ends by now.
  void sweep(const JobTable& jobs) {
    std::erase_if(heap_, [&](const Entry& entry) { return !is_current(entry.first, entry.second, jobs); });
    std::sort(heap_.begin(), heap_.end());
    heap_.erase(std::unique(heap_.begin(), heap_.end()), heap_.end());
  }

  std::vector<Time> end_;     // by slot
  std::uint64_t n_late_ = 0;
  std::vector<Entry> heap_;   // the first to end in front; some entries are out of date
};

}  // namespace schedcore
