// A lower bound on where the next job of a batch can start, from where the jobs before it started.
//
// While a batch is placed at earliest fits, its machines only fill up.  So a job starts no earlier than any job placed
// before it that asked no more of every resource for no longer, whatever the machine.  `bound` is the latest of those;
// where many jobs resemble each other it is close to the start itself, and little before that start is looked at.
//
// The jobs of the batch, known from the outset, are put in the order of a space-filling curve through (demand,
// processing time) and cut into leaves; a balanced tree over the leaves knows the least corner and the latest start of
// each part.  For N jobs and R resources: build O(N (R + log N)), record O(log N), bound O(R) for each node looked at:
// some tens as a rule and never more than kMostNodes, after which it is lower than need be, yet a bound.  Memory about
// 16 (R + 1) bytes a job.  Where no two jobs are comparable it only costs time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/engine/job_table.hpp"

namespace schedcore {

class EarliestStarts {
 public:
  // Nothing of the batch is placed yet, and nothing can start before `from`.
  EarliestStarts(std::span<const WaitingJob> batch, const JobTable& jobs, Time from);

  // The latest start recorded for a job that demands no more of any resource for no longer than the one at `position`
  // in the batch; `from` if there is none.
  [[nodiscard]] Time bound(std::size_t position) const;
  // A hint that this bound is asked soon.
  void prefetch(std::size_t position) const {
#if defined(__GNUC__)
    const std::size_t first = place_[position] / kLeafSize * kLeafSize;
    for (std::size_t i = 0; i < kLeafSize; i += 4) __builtin_prefetch(job_.data() + first + i);
    for (std::size_t i = 0; i < kLeafSize; i += 2) __builtin_prefetch(demand_.data() + (first + i) * n_resources_);
#else
    (void)position;
#endif
  }
  // The job at `position` in the batch was placed at its earliest fit.
  void record(std::size_t position, Time start);

  // Throws std::logic_error unless what is said at the data members holds.
  void check_invariants() const;

 private:
  static constexpr std::size_t kLeafSize = 8;
  static constexpr std::size_t kMostNodes = 512;
  static constexpr std::size_t kMostOpen = 128;  // two a level

  struct Times {
    Time processing_time = kNever;
    Time start = 0;
  };

  template <class Width>
  [[nodiscard]] Time search(std::size_t own, Width width) const;

  std::size_t n_resources_;
  Time from_;
  std::size_t n_leaves_ = 1;
  // The jobs in the order of the curve, leaf i from i kLeafSize on; `start` is from_ until it is recorded.  The last
  // leaf is filled up with what counts for nobody: processing time kNever.
  std::vector<Times> job_;
  std::vector<Amount> demand_;        // a row a job
  std::vector<std::uint32_t> place_;  // of each job of the batch in that order
  // A complete binary tree, the children of node i at 2 i and 2 i + 1, leaf i at n_leaves_ + i: of all jobs below, the
  // least processing time and demands and the latest start; kNever, the largest amounts and from_ without jobs.
  std::vector<Times> node_;
  std::vector<Amount> least_demand_;  // a row a node
};

}  // namespace schedcore
