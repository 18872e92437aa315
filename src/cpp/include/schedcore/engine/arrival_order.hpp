// Jobs that wait, in the order of their release times, and then of their ids.
//
// Cost: a job that comes last O(1) amortised, another one O(n), as after a kill; leaving O(log n), O(1) more amortised.
// Memory: at most twice that of the jobs that wait.  A value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/engine/job_table.hpp"

namespace schedcore {

class ArrivalOrder {
 public:
  [[nodiscard]] std::size_t size() const { return entries_.size() - n_gone_; }
  [[nodiscard]] bool empty() const { return size() == 0; }

  // A job that is not there.
  void insert(JobSlot job, const JobTable& jobs);
  // Nothing where it is not there.
  void erase(JobSlot job, const JobTable& jobs);
  // The same job goes on in another slot.
  void move(JobSlot before, JobSlot after, const JobTable& jobs);
  void clear();

  [[nodiscard]] std::vector<JobSlot> all() const;

 private:
  using Key = std::pair<Time, std::int64_t>;
  struct Entry {
    Key key;
    JobSlot job = 0;
    bool is_gone = false;
  };

  [[nodiscard]] static Key key_of(JobSlot job, const JobTable& jobs) { return {jobs.release_time(job), jobs.id(job)}; }
  [[nodiscard]] std::vector<Entry>::iterator find(JobSlot job, const JobTable& jobs);

  std::vector<Entry> entries_;  // by key; those that are gone are taken out together
  std::size_t n_gone_ = 0;
};

}  // namespace schedcore
