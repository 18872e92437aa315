// What do the running jobs of each party hold, and would one more be above a limit?
//
// O(1) a job and limit; 16 bytes for each party of a limit, none without limits.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "schedcore/exact/wide.hpp"
#include "schedcore/validation/run_validator.hpp"

namespace schedcore {

class LimitCounts {
 public:
  struct Exceeded {
    std::size_t limit = 0;
    Int128 excess = 0;  // above 0
  };

  // The views must outlive it.
  LimitCounts(const ClusterJobsView& jobs, const RunRules& rules);

  // The first limit that the job would exceed beside those that run.
  [[nodiscard]] std::optional<Exceeded> first_exceeded_by(std::size_t job) const;

  void start(std::size_t job);
  void end(std::size_t job);

 private:
  // Where the limit counts the job among `used_[limit]`; -1 where it does not.
  [[nodiscard]] std::int64_t slot_of(std::size_t limit, std::size_t job) const;
  [[nodiscard]] Int128 amount_of(std::size_t limit, std::size_t job) const;

  const ClusterJobsView& jobs_;
  std::span<const RunLimit> limits_;
  // Of each limit, of each party, or of the only one.  In [0, most] between calls, as whoever exceeds does not start.
  std::vector<std::vector<Int128>> used_;
};

}  // namespace schedcore
