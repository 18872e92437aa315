// Tasks in the order of their arrival, searched for the next one that fits, of which any may leave.
//
// Places are numbered by arrival and never used again; see fitting_list.hpp for the cost of a search.  Memory: up to
// four amounts a resource for every place, also of tasks that have left.  Not for queues that never end: see
// arrival_queue.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/parallel_tasks/fitting_list.hpp"

namespace schedcore {

class FittingQueue {
 public:
  static constexpr std::size_t kNoPlace = static_cast<std::size_t>(-1);

  explicit FittingQueue(std::size_t n_resources) : demands_({}, n_resources) {}

  // The number of waiting tasks.
  [[nodiscard]] std::size_t size() const { return n_waiting_; }
  // One more than the last place that was given away.
  [[nodiscard]] std::size_t end() const { return tasks_.size(); }
  [[nodiscard]] std::size_t task_at(std::size_t place) const { return tasks_[place]; }

  void push(std::size_t task, std::span<const Amount> demand) {
    tasks_.push_back(task);
    demands_.append(demand);
    ++n_waiting_;
  }

  // Requires that the task at `place` waits.
  void remove(std::size_t place) {
    demands_.remove(place);
    --n_waiting_;
  }

  // The first place from `place` on where a task waits whose demand is at most `free` in every resource, or kNoPlace.
  [[nodiscard]] std::size_t next_fitting(std::size_t place, std::span<const Amount> free) const {
    const std::size_t found = demands_.first_fitting(place, free);
    return found == demands_.n_tasks() ? kNoPlace : found;
  }

 private:
  std::vector<std::size_t> tasks_;  // of each place
  std::size_t n_waiting_ = 0;
  FittingList demands_;  // of each place
};

}  // namespace schedcore
