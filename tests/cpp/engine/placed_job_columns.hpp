// Jobs that may run on all of 200 machines but the last, for another time on each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "schedcore/engine/job_placements.hpp"

namespace schedcore::testing {

class PlacedJobColumns {
 public:
  static constexpr std::int64_t kMachines = 200;
  static constexpr std::size_t kRowBytes = (kMachines - 1) * (sizeof(std::int64_t) + 1);  // what a job brings

  explicit PlacedJobColumns(std::size_t n_jobs)
      : group_(n_jobs, 0), processing_time_(n_jobs, 1), weight_(n_jobs, 1), demand_(n_jobs, 1) {
    for (std::size_t job = 0; job < n_jobs; ++job) {
      for (std::int64_t each = 0; each + 1 < kMachines; ++each) {
        machine_.push_back(each);
        time_.push_back(1 + each);
      }
      start_.push_back(static_cast<std::int64_t>(machine_.size()));
    }
    local_ = std::make_unique<bool[]>(machine_.size());
  }
  [[nodiscard]] JobsView jobs() const { return {{}, processing_time_, weight_, demand_, 1}; }
  [[nodiscard]] PlacementsView placements() const {
    return {start_, machine_, time_, {local_.get(), machine_.size()}, group_};
  }

 private:
  std::vector<std::int64_t> start_{0}, machine_, time_, group_;
  std::unique_ptr<bool[]> local_;
  std::vector<Time> processing_time_;
  std::vector<double> weight_;
  std::vector<Amount> demand_;
};

}  // namespace schedcore::testing
