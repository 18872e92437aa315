// The free amounts of a machine over time: a right-continuous step function that jobs reserve and release.
//
// Intervals are half-open.  Amounts are exact and may become negative where a running job outlives its plan; nothing
// fits there.  After every change neighbouring stretches differ, so the number k of breakpoints is the least possible.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "schedcore/types.hpp"

namespace schedcore {

class ResourceTimeline {
 public:
  ResourceTimeline() : ResourceTimeline(std::span<const Amount>{}) {}
  // `capacity` is free from `origin` on.
  explicit ResourceTimeline(std::span<const Amount> capacity, Time origin = 0);

  [[nodiscard]] std::size_t n_resources() const { return n_resources_; }
  [[nodiscard]] Time origin() const { return time_.front(); }
  // The breakpoints, the origin among them.
  [[nodiscard]] std::size_t n_breakpoints() const { return time_.size(); }

  // free -= demand and += demand on [start, end).  Requires origin() <= start < end; end may be kNever.
  void reserve(Time start, Time end, std::span<const Amount> demand) { add(start, end, demand, -1); }
  void release(Time start, Time end, std::span<const Amount> demand) { add(start, end, demand, 1); }

  // The free amounts at t >= origin(), and their minima over [start, end), origin() <= start < end.
  void free_at(Time t, std::span<Amount> out) const;
  void range_min(Time start, Time end, std::span<Amount> out) const;

  // The earliest t >= from at which the demand does not fit, kNever if there is none.
  [[nodiscard]] Time first_shortage(Time from, std::span<const Amount> demand) const;

  // The earliest s >= not_before such that the demand fits on all of [s, s + duration), the end being the double
  // s + duration; `not_before` or an instant at which availability rises; kNever if there is none.
  [[nodiscard]] Time earliest_fit(Time not_before, Time duration, std::span<const Amount> demand) const;

  // Drops what lies before t, which becomes the origin; earlier instants may not be asked or changed any more.
  void forget_before(Time t);
  // The first breakpoint after `after`, kNever if there is none.
  [[nodiscard]] Time next_change(Time after) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(n_resources_, time_, free_);
  }
  void check_invariants() const;

 private:
  [[nodiscard]] std::size_t stretch_at(Time t) const;
  std::size_t split_at(Time t);
  void merge_at(std::size_t stretch);
  void add(Time start, Time end, std::span<const Amount> demand, Amount sign);

  // time_ is sorted; row i of free_ holds on [time_[i], time_[i + 1]).
  std::size_t n_resources_ = 0;
  std::vector<Time> time_;
  std::vector<Amount> free_;
};

}  // namespace schedcore
