// What running jobs take of their machines over time, by their estimates: the profile that backfilling plans on.
//
// A job that started at s with estimate e holds its demand on [s, planned_end(s + e)); with a resolution q the planned
// end is rounded up to a multiple of q, so that a plan has fewer breakpoints.  A completion gives the rest back.  A job
// that is still running at its planned end gets its estimate once more, from the first event on at which that shows; this
// is counted.
//
// Cost: a start and a completion O(R log k) for k breakpoints and a heap operation; without timelines the latter alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "schedcore/backfilling/backfill_limits.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/engine/cluster.hpp"
#include "schedcore/engine/job_table.hpp"
#include "schedcore/engine/policy.hpp"
#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {

// Refuses a snapshot in which a running job is planned to end at an instant that its estimate does not lead to.
void require_planned_end(const SnapshotReader& archive, Time end, JobSlot job, Time resolution);

class PlannedLoad {
 public:
  PlannedLoad() = default;
  // resolution 0: planned ends are not rounded.
  PlannedLoad(const MachinesView& machines, Time resolution, bool has_timelines);

  // Of a running job.
  [[nodiscard]] Time end_of(JobSlot job) const { return end_[job]; }
  [[nodiscard]] std::vector<ResourceTimeline>& timelines() { return timelines_; }
  [[nodiscard]] const std::vector<ResourceTimeline>& timelines() const { return timelines_; }

  // The job starts now.
  void start(JobSlot job, std::size_t machine, Time now, const JobTable& jobs);
  // The job starts now, and its occupation until `end` stands in the timeline already.
  void start_reserved(JobSlot job, Time end, const JobTable& jobs);
  // The job has ended now.  Returns until when its occupation would have lasted, kNever if it was over.
  Time complete(JobSlot job, std::size_t machine, Time now, const JobTable& jobs);

  // Calls extended(machine) for every running job whose planned end is not after now.
  template <class Extended>
  void extend_overruns(Time now, const JobTable& jobs, const Extended& extended) {
    while (!ends_.empty() && ends_.front().end <= now) {
      const End top = ends_.front();
      pop_end();
      if (!is_current(top, jobs)) continue;
      ++n_overruns_;
      const Time to = renewed_end(now, jobs.processing_time(top.job), resolution_);
      const std::uint32_t machine = jobs.machine(top.job);
      if (!timelines_.empty()) {
        timelines_[machine].forget_before(now);
        timelines_[machine].reserve(now, to, jobs.demand(top.job));
      }
      push_end({to, top.job, top.generation});
      extended(machine);
    }
  }
  [[nodiscard]] std::uint64_t n_overruns() const { return n_overruns_; }
  // Calls visit(job, end) for every running job that has not been given its estimate once more, in any order.  O(k).
  template <class Visit>
  void for_each_on_time(const JobTable& jobs, const Visit& visit) const {
    for (const End& entry : ends_) {
      if (!is_current(entry, jobs)) continue;
      if (entry.end > rounded_up(jobs.start_time(entry.job) + jobs.processing_time(entry.job), resolution_)) continue;
      visit(entry.job, entry.end);
    }
  }

  // The planned ends of the running jobs, and how many were late.
  void commit(Commitments& commitments, const Cluster& cluster) const;

  // The planned ends of the running jobs; timelines are built again from them and from what else is reserved.  Reading is
  // for a load that has seen no start.
  void write(SnapshotWriter& archive) const;
  void read(SnapshotReader& archive, std::vector<Occupation> reserved);

 private:
  struct End {
    Time end = 0;
    JobSlot job = 0;
    std::uint32_t generation = 0;
    friend bool operator<(const End& a, const End& b) { return a.end > b.end; }  // a heap with the first end on top
  };
  static constexpr std::size_t kSlack = 64;

  // Whether the job runs and is planned to end then.
  [[nodiscard]] bool is_current(const End& entry, const JobTable& jobs) const {
    return end_[entry.job] == entry.end && jobs.generation(entry.job) == entry.generation;
  }
  void push_end(const End& end);
  void pop_end();

  Time resolution_ = 0;
  std::vector<ResourceTimeline> timelines_;
  std::vector<Time> end_;  // by slot: the planned end of a running job, kNever otherwise
  std::vector<End> ends_;  // a heap; entries of jobs that have ended are dropped when they come up
  std::size_t n_running_ = 0;
  std::uint64_t n_overruns_ = 0;
};

}  // namespace schedcore
