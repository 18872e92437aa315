// How many tasks of a job with a reservation may have room together, at most, if it started earlier.
//
// The time before its start is in parts, and each part has a bound.  Room that is given back raises the bounds of the starts
// that it may help; a search of the parts whose bounds suffice lowers them again.
//
// Cost O(kParts) for each operation.  Memory 88 bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "schedcore/base/types.hpp"
#include "schedcore/index/job_shape.hpp"

namespace schedcore {

class EarlierStarts {
 public:
  // All starts in [now, start) have the same bound.
  void reset(Time now, Time start, Amount at_most) {
    begin_ = now;
    end_ = start;
    const Time parts_per_time = kParts / (start - now);
    parts_per_time_ = now < start && parts_per_time < kNever ? parts_per_time : 0;
    at_most_.fill(at_most);
  }
  // Starts before now no longer count.
  void pass_to(Time now) {
    if (part_of(now) < kParts / 2) return;
    const EarlierStarts before = *this;
    reset(now, end_, 0);
    for (std::size_t part = before.part_of(now); part < kParts; ++part) {
      const auto [from, until] = before.span_of(part, part + 1);
      raise(from, until, before.at_most_[part]);
    }
  }
  // So many more tasks may have room at starts in [first, last].  Beyond what any job has they are not counted.
  void add(Time first, Time last, Amount n_tasks) {
    n_tasks = std::min(n_tasks, kMostTasks);
    for (std::size_t part = part_of(first), behind = part_of(last) + 1; part < behind; ++part) {
      at_most_[part] = std::min(at_most_[part] + n_tasks, kMostTasks);
    }
  }
  // The parts from the first to the last where so many tasks may have room, as numbers of the first and of the one behind.
  using Parts = std::pair<std::size_t, std::size_t>;
  [[nodiscard]] Parts parts_for(Amount n_tasks) const {
    const auto suffices = [&](Amount at_most) { return at_most >= n_tasks; };
    const auto first = std::ranges::find_if(at_most_, suffices);
    const auto last = std::find_if(at_most_.rbegin(), std::make_reverse_iterator(first), suffices);
    return {first - at_most_.begin(), last.base() - at_most_.begin()};
  }
  // All their starts are in [from, until), which may be a little longer.
  [[nodiscard]] std::pair<Time, Time> span_of(std::size_t first, std::size_t behind) const {
    if (parts_per_time_ == 0) return {begin_, end_};
    const Time slack = end_ * (8 * std::numeric_limits<Time>::epsilon());
    const auto at = [&](std::size_t part) { return begin_ + (end_ - begin_) * (static_cast<Time>(part) / kParts); };
    return {first == 0 ? begin_ : at(first) - slack, behind == kParts ? end_ : std::min(end_, at(behind) + slack)};
  }
  void set(const Parts& parts, Amount at_most) {
    std::fill(at_most_.begin() + static_cast<std::ptrdiff_t>(parts.first),
              at_most_.begin() + static_cast<std::ptrdiff_t>(parts.second), at_most);
  }
  // At any start.
  [[nodiscard]] Amount at_most() const { return *std::ranges::max_element(at_most_); }

 private:
  static constexpr std::size_t kParts = 8;

  // Does not decrease with the time, which may be kNever.
  [[nodiscard]] std::size_t part_of(Time t) const {
    if (parts_per_time_ == 0) return 0;
    return static_cast<std::size_t>(std::clamp((t - begin_) * parts_per_time_, 0.0, kParts - 1.0));
  }
  void raise(Time first, Time last, Amount at_most) {
    for (std::size_t part = part_of(first), behind = part_of(last) + 1; part < behind; ++part) {
      at_most_[part] = std::max(at_most_[part], at_most);
    }
  }

  Time begin_ = 0;
  Time end_ = 0;
  Time parts_per_time_ = 0;
  std::array<Amount, kParts> at_most_{};
};

}  // namespace schedcore
