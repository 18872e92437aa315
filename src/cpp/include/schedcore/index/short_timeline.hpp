// The free amounts of a machine over time as two sorted arrays, for a timeline that changes in few places.
//
// What ResourceTimeline says of its function and its changes holds here, too: half-open intervals, exact amounts that may
// become negative, neighbours that differ.  The stretches are there to be read.
//
// Cost with k breakpoints and R resources: at O(log k); reserve and release O(R k); forget_before amortised O(R k).  Memory
// 8 (R + 1) k bytes and two allocations.  Up to some tens of breakpoints this is several times faster than the tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

class ShortTimeline {
 public:
  ShortTimeline() = default;
  // `capacity` is free from 0 on.
  explicit ShortTimeline(std::span<const Amount> capacity) : time_{0}, rows_(capacity.begin(), capacity.end()) {}

  [[nodiscard]] std::size_t size() const { return time_.size(); }
  [[nodiscard]] Time begin_of(std::size_t stretch) const { return time_[stretch]; }
  [[nodiscard]] Time end_of(std::size_t stretch) const {
    return stretch + 1 < time_.size() ? time_[stretch + 1] : kNever;
  }
  [[nodiscard]] const Amount* row(std::size_t stretch) const { return rows_.data() + stretch * n_resources(); }
  // The stretch with the instant, which is not before the first; the last one that begins before it.
  [[nodiscard]] std::size_t at(Time t) const;
  [[nodiscard]] std::size_t last_before(Time t) const;

  // free -= amounts and free += amounts on [start, end); end may be kNever.  What lies before the first stretch is passed.
  void reserve(Time start, Time end, std::span<const Amount> amounts) { change<-1>(start, end, amounts); }
  void release(Time start, Time end, std::span<const Amount> amounts) { change<1>(start, end, amounts); }
  // What lies before t is dropped; the first stretch begins at t from then on.
  void forget_before(Time t);

  // Whether both are the same from where their first stretches overlap on; equal ones have the same hash.
  [[nodiscard]] bool has_same_future(const ShortTimeline& other) const {
    return rows_ == other.rows_ && std::equal(time_.begin() + 1, time_.end(), other.time_.begin() + 1, other.time_.end());
  }
  [[nodiscard]] std::uint64_t hash() const;

  // Whether some amount is below 0 at an instant in [from, to).
  [[nodiscard]] bool is_negative_in(Time from, Time to) const;
  [[nodiscard]] bool is_negative_from(Time t) const { return is_negative_in(t, kNever); }
  // Throws std::logic_error unless times increase and neighbours differ.
  void check_invariants() const;

 private:
  [[nodiscard]] std::size_t n_resources() const { return rows_.size() / time_.size(); }
  template <int kSign>
  void change(Time start, Time end, std::span<const Amount> amounts);
  // The stretch that begins at t, cut where there was none.
  std::size_t cut(Time t);
  void merge_with_previous(std::size_t stretch);

  std::vector<Time> time_;
  std::vector<Amount> rows_;  // row-major
};

}  // namespace schedcore
