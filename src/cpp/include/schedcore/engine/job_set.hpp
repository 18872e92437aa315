// A set of jobs by their slots, one bit each: for a set that changes at every event and is read as a whole now and then.
//
// Insert (amortised) and erase O(1), in one cache line; the members in ascending order of slot take O(highest slot / 64 +
// members).  Memory: highest slot / 8 bytes; it never shrinks.  Where the smallest is asked for often, see `RankSet`.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedcore/index/class_queue.hpp"

namespace schedcore {

class JobSet {
 public:
  // Of a job that is no member.
  void insert(JobSlot job) {
    assert(!contains(job));
    if (job / 64 >= words_.size()) words_.resize(job / 64 + 1);
    words_[job / 64] |= bit(job);
  }
  // Of a member.
  void erase(JobSlot job) {
    assert(contains(job));
    words_[job / 64] &= ~bit(job);
  }
  [[nodiscard]] bool contains(JobSlot job) const { return job / 64 < words_.size() && (words_[job / 64] & bit(job)) != 0; }

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
        visit(static_cast<JobSlot>(i * 64 + static_cast<std::size_t>(std::countr_zero(left))));
      }
    }
  }

 private:
  static constexpr std::uint64_t bit(JobSlot job) { return std::uint64_t{1} << (job % 64); }

  std::vector<std::uint64_t> words_;
};

}  // namespace schedcore
