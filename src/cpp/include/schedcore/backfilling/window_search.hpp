// Which of the first waiting jobs start together: the window-based selection of BBSched, with an exact search.
//
// Source: Fan, Lan, Rich, Allcock, Papka, Austin and Paul, HPDC 2019.  A set of jobs that fits now uses some of every
// resource.  Of the sets that no other one dominates, let x be the one with the most use of the primary resource (then
// with the greatest sum of shares of the others).  It gives way to a set y whose gain, that sum less the one of x, is more
// than `trade` times the loss, the share of the primary resource that y uses less; of several to the one with the greatest
// gain, then the least loss.  Of equal sets the one that comes first counts: it holds the earliest job in which they differ.
//
// With O the sum of the other shares, P the primary share and T = O + trade P, the condition on y is T(y) > T(x).  What
// dominates y satisfies it too, with no less gain and loss, so two searches over all sets, for the greatest (P, O) and for
// the greatest (O, P) with T above that, end at the set that the rule takes from the exact front, without listing it.
// Values are integers: shares times a common multiple of the total capacities, in 128 bits or, where that is too few, of
// any size.  Resources without capacity do not count.
//
// A set is placed in queue order, each job on the lowest machine with room, and fits if that succeeds; use is summed over
// machines.  Of jobs with equal demands that may use the same machines a set holds the earliest ones, so that equal jobs
// do not multiply the search.
//
// Depth first in queue order, jobs taken before they are left: what is found first is the first fit, and of equal sets the
// first.  A branch is left where nothing that may follow can make a better set: not all that still fits, as far as the
// free amounts go, and behind the first looks none of the sums of the last ten jobs, which are listed then.  Bounds take
// all machines for one.
//
// Cost of a search of n jobs: O(M K) for a copy of the machines; at most 2^n sets, and the number of looks at jobs is what
// varies.  A look costs a search for a machine, O(n K), and up to 64 of the listed sums in O(K) each; where 128 bits are too
// few for a value, numbers of any size are made for each of them.  `work` bounds the looks, and then the best set so far
// is the answer, at least the first fit.  Memory beside that of the machines: 2^11 sums.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/exact/natural.hpp"
#include "schedcore/exact/wide.hpp"
#include "schedcore/index/eligibility.hpp"
#include "schedcore/index/machine_index.hpp"

namespace schedcore {

// A number that is not negative, as a fraction; x / 0 is more than any number.
struct TradeFactor {
  std::uint64_t numerator = 2;
  std::uint64_t denominator = 1;
};

struct WindowCandidate {
  std::span<const Amount> demand;
  Eligibility eligibility;
};

struct WindowChoice {
  std::uint64_t set = 0;  // bit i: candidate i
  bool is_cut = false;    // the work was over before the search
};

class WindowSearch {
 public:
  static constexpr std::size_t kMaxWindow = 64;

  WindowSearch() = default;
  // Requires primary < n_resources, a trade factor other than 0 / 0, and work > 0.
  WindowSearch(const MachinesView& machines, std::size_t primary, TradeFactor trade, std::uint64_t work);

  // Requires at most kMaxWindow candidates, in queue order, each of which fits some machine as it is, and demands
  // something.  `poll` is called every few hundred looks.
  [[nodiscard]] WindowChoice choose(std::span<const WindowCandidate> candidates, const MachineIndex& machines,
                                    const std::function<void()>& poll);

 private:
  template <class Number>
  class Walk;

  // What a unit of each resource counts, for O and P, and for T.
  template <class Number>
  struct Weights {
    std::vector<Number> share;
    Number of_others;   // O times this and
    Number of_primary;  // P times this are T
  };

  void prepare(std::span<const WindowCandidate> candidates, const MachineIndex& machines);

  std::size_t n_resources_ = 0;
  std::size_t primary_ = 0;
  std::uint64_t work_ = 1;
  bool is_wide_ = false;  // 128 bits are too few
  Weights<UInt128> weights_;
  Weights<Natural> wide_weights_;

  // Scratch of one search.
  MachineIndex room_;
  std::vector<std::uint8_t> class_of_;  // by candidate: the first one that is equal
  std::vector<Amount> rest_;            // row i: the demands of candidates i and later, added
  std::vector<Amount> free_;            // on all machines, as far as it may count
  std::vector<Amount> sum_;             // of the demands taken
};

}  // namespace schedcore
