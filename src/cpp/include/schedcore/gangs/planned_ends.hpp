// When the running jobs end by their estimates, in order.  A job that is still running then gets its estimate once more,
// from the first event on at which that shows; this is counted.
//
// Cost with k running jobs: insert and erase O(log k) and up to 16 k bytes moved, of those that end before; visiting in order
// O(1) a job.  Memory 24 bytes a job.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedcore/backfilling/backfill_limits.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/engine/policy.hpp"

namespace schedcore {

class PlannedEnds {
 public:
  PlannedEnds() = default;
  explicit PlannedEnds(Time resolution) : resolution_(resolution) {}

  // Of a running job.
  [[nodiscard]] Time end_of(JobSlot job) const { return end_[job]; }
  [[nodiscard]] std::uint64_t n_overruns() const { return n_overruns_; }

  void insert(JobSlot job, Time end);
  void erase(JobSlot job);
  // A running job says another end than before; returns what it said before.
  Time reschedule(JobSlot job, const JobTable& jobs);
  // Gives every running job whose end is not after now its estimate once more; calls extended(job, end) for each.  The old
  // estimate counts for those that are to be rescheduled after this.
  template <class Extended>
  void extend_overruns(Time now, const JobTable& jobs, std::span<const Rescheduled> not_yet, const Extended& extended) {
    const auto extend = [&](JobSlot job, Time estimate) {
      erase(job);
      insert(job, renewed_end(now, estimate, resolution_));
      ++n_overruns_;
      extended(job, end_[job]);
    };
    for (const Rescheduled& each : not_yet) {
      const bool runs = each.job < end_.size() && end_[each.job] < kNever;  // not one that is adopted after this
      if (runs && end_[each.job] <= now) extend(each.job, each.processing_time_before);
    }
    while (!ends_.empty() && ends_.back().first <= now) extend(ends_.back().second, jobs.processing_time(ends_.back().second));
  }

  // Calls visit(job, end) in order of end until it returns false.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (auto entry = ends_.rbegin(); entry != ends_.rend(); ++entry) {
      if (!visit(entry->second, entry->first)) return;
    }
  }

  void take_over(const Commitments& commitments) {
    for (const auto& [job, end] : commitments.planned_ends) insert(job, end);
    n_overruns_ = commitments.n_overruns;
  }
  // Of the running jobs.  Reading is for a plan that has seen no start.
  void write(SnapshotWriter& archive) const;
  void read(SnapshotReader& archive);

 private:
  using Entry = std::pair<Time, JobSlot>;

  Time resolution_ = 0;
  std::vector<Entry> ends_;  // the last to end in front, because the first are erased most often
  std::vector<Time> end_;    // by slot; kNever for those that do not run
  std::uint64_t n_overruns_ = 0;
};

}  // namespace schedcore
