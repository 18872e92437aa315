// The order of the Gittins policy: highest weight times index first, where the index is learnt as jobs complete.
//
// A job that has got more than any job that has completed is one of which nothing is known: these come last, by what they
// have got over their weights, the least first.  So do all jobs until the first completes, as under least attained service;
// it is also the order of the index where few jobs are very long (Pareto), whose hazard rate falls as 1 / a.  Jobs of weight
// 0 come after all others.  Ties by row.
#pragma once

#include <cstdint>
#include <vector>

#include "schedcore/model/slots.hpp"
#include "schedcore/preemptive/active_jobs.hpp"
#include "schedcore/preemptive/gittins_index.hpp"

namespace schedcore {

class GittinsOrder {
 public:
  // `jobs` must outlive this.
  explicit GittinsOrder(const SlotJobs& jobs) : jobs_(jobs) {}

  // After jobs were let in or go: who is not there any more has completed.  O(rows).
  void follow(const ActiveJobs& active);

  // The key of every row, smallest first: -(w index), or attained / w.  O(rows) indices, and the cost of learning if a job
  // has completed since the last call.
  void keys(const ActiveJobs& active, std::vector<double>& key);

 private:
  SlotJobs jobs_;
  std::vector<std::uint32_t> present_;  // active jobs, ascending
  std::vector<Amount> unlearnt_;        // sizes of those that have completed since the last keys
  GittinsIndex index_;
};

}  // namespace schedcore
