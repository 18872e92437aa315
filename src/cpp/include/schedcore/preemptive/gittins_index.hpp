// The Gittins index of a job by the service that it has got, learnt from the jobs that have completed.
//
// With S drawn from the sizes of completed jobs, the index of a job that has got a is
//
//   max over d > 0 of  P(S - a <= d | S > a) / E[min(S - a, d) | S > a],
//
// the best chance of being done soon, for each core-slot that it may cost.  Only d at which some size ends count.  With
// N(x) the number of sizes up to x, and H(x) the sum of min(S, x) over all of them, it is the steepest slope from the
// point (H(a), N(a)) to a point (H(x), N(x)) of a size x > a: a tangent to the upper hull of these points.  Sizes and
// service are core-slots, so this is the two-dimensional Gittins index of Gu et al., "Tiresias: a GPU cluster manager for
// distributed deep learning", NSDI 2019.  Source of the index: Gittins, "Bandit processes and dynamic allocation indices",
// Journal of the Royal Statistical Society B 41, 1979; Aalto, Ayesta and Righter, "On the Gittins index in the M/G/1 queue",
// Queueing Systems 63, 2009.
//
// Numbers: slopes are compared exactly; the index is one division of two doubles.
//
// Cost: O(m) to learn for m different sizes, O(log m + hull) for an index, where the hull has few corners as a rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/exact/wide.hpp"
#include "schedcore/model/slots.hpp"

namespace schedcore {

class GittinsIndex {
 public:
  // Takes sizes in, each at least 1, in any order.  Requires fewer than 2^32 of them in all, of at most 2^53 each.
  void learn(std::span<const Amount> sizes);

  // The index of a job that has got so much; 0 where no job that completed had got more.
  [[nodiscard]] double at(Amount attained) const;

 private:
  // A size that some jobs had.
  struct Corner {
    Amount size;
    std::uint64_t n_here;      // so many
    std::uint64_t n_up_to;     // N(size)
    UInt128 service;           // H(size)
    std::size_t next;          // the next corner of the upper hull of this one and all larger ones; kNone: the last
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::vector<Corner> corners_;  // by ascending size
};

}  // namespace schedcore
