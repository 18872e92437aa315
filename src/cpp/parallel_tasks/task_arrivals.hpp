// The jobs of an instance in the order of their arrival: by release time, then by index.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "schedcore/model/parallel_tasks.hpp"

namespace schedcore {

class TaskArrivals {
 public:
  explicit TaskArrivals(const ParallelTasksView& tasks) : release_time_(tasks.release_time), order_(tasks.n_jobs()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {}, [this](std::size_t job) { return release_time_[job]; });
  }

  // When the next job arrives; kNever if all have.
  [[nodiscard]] Time next_time() const { return n_taken_ < order_.size() ? release_time_[order_[n_taken_]] : kNever; }
  // Requires that a job is to come.
  [[nodiscard]] std::size_t take() { return order_[n_taken_++]; }

 private:
  std::span<const Time> release_time_;
  std::vector<std::size_t> order_;
  std::size_t n_taken_ = 0;
};

}  // namespace schedcore
