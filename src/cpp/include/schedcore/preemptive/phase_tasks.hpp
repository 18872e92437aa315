// The equal tasks of one phase of a job, served in the order of their numbers: what each still needs.
//
// A task needs cores x time core-slots and can use `cores` in a slot.  Because tasks with lower numbers are served
// first, no task has more left than one with a higher number: those that are done are the first ones, then come those
// that have begun, and all others are untouched.  So only tasks that have begun are stored, and a slot costs O(tasks that
// get cores), however many the phase has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedcore/model/slots.hpp"

namespace schedcore {

// What a task gets in a slot.
struct TaskCores {
  std::uint32_t task;  // number within its phase
  Amount cores;
  friend bool operator==(const TaskCores&, const TaskCores&) = default;
};

class PhaseTasks {
 public:
  PhaseTasks() = default;  // a phase without tasks
  // Requires n_tasks * cores * time < 2^53.
  PhaseTasks(std::uint32_t n_tasks, Amount cores, Slot time);

  [[nodiscard]] bool done() const { return first_ == n_tasks_; }
  // Cores that the tasks together can use in the next slot.
  [[nodiscard]] Amount limit() const { return static_cast<Amount>(n_tasks_ - first_) * cores_ - unusable_; }
  // Core-slots that all tasks together still need.
  [[nodiscard]] Amount remaining() const { return remaining_; }
  // Core-slots that the task with most of them left needs.
  [[nodiscard]] Amount largest_remaining() const;

  // How `amount` cores, from 0 to limit(), are spread in the next slot.
  struct Share {
    bool has_cut = false;  // whether the last task appended gets less than it can use
    Slot n_slots = 0;      // for how many slots these amounts are the right ones, given the same total in each
  };
  // Appends to `shares`, ascending by task; nothing changes here.
  Share spread(Amount amount, std::vector<TaskCores>& shares) const;

  // Works off `n_slots` slots of the shares that `spread` has just told.  Requires n_slots <= Share::n_slots.
  void work(const TaskCores* shares, std::size_t n_shares, Slot n_slots);

 private:
  [[nodiscard]] Amount full() const { return cores_ * time_; }
  [[nodiscard]] Amount remaining_of(std::size_t task) const {
    const std::size_t position = done_here_ + (task - first_);
    return position < begun_.size() ? begun_[position] : full();
  }
  [[nodiscard]] Amount unusable_of(Amount remaining) const { return std::max<Amount>(0, cores_ - remaining); }

  std::size_t n_tasks_ = 0;
  Amount cores_ = 1;
  Slot time_ = 1;
  std::size_t first_ = 0;      // tasks before it are done
  std::size_t done_here_ = 0;  // entries of begun_ that belong to them
  std::vector<Amount> begun_;  // what tasks first_, first_ + 1, ... need, from entry done_here_ on, not decreasing
  Amount unusable_ = 0;        // sum over tasks that are not done of what they need less than their cores
  Amount remaining_ = 0;
};

}  // namespace schedcore
