// Running jobs on machines where advance reservations are to come, and until when each of them takes of what these leave.
//
// Ends are what somebody else expects, who may say otherwise as soon as a job has started, has changed or is late; so these
// are listed to be asked about.
//
// Cost: O(log n) a change.  Memory 8 bytes a slot, and 52 a job.  Copyable.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "schedcore/engine/job_table.hpp"

namespace schedcore {

class LimitedRuns {
 public:
  [[nodiscard]] bool empty() const { return ends_.empty(); }
  // kNever of a job that is not among them.
  [[nodiscard]] Time end_of(JobSlot job) const { return job < end_.size() ? end_[job] : kNever; }
  void set(JobSlot job, Time end) {
    erase(job);
    if (job >= end_.size()) end_.resize(job + std::size_t{1}, kNever);
    end_[job] = end;
    ends_.emplace(end, job);
    fresh_.push_back(job);
  }
  void erase(JobSlot job) {
    if (end_of(job) == kNever) return;
    ends_.erase({end_[job], job});
    end_[job] = kNever;
  }
  void clear() { *this = {}; }
  // Those that were set since the last call, and those whose ends are not after now; some perhaps twice.
  [[nodiscard]] std::vector<JobSlot> to_ask(Time now) {
    std::vector<JobSlot> jobs = std::exchange(fresh_, {});
    std::erase_if(jobs, [&](JobSlot job) { return end_of(job) == kNever; });
    for (auto each = ends_.begin(); each != ends_.end() && each->first <= now; ++each) jobs.push_back(each->second);
    return jobs;
  }

 private:
  std::vector<Time> end_;  // by slot
  std::set<std::pair<Time, JobSlot>> ends_;
  std::vector<JobSlot> fresh_;
};

}  // namespace schedcore
