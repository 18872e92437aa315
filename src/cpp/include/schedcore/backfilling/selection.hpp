// Which of several jobs that may overtake starts first: by order in the queue, or by how well they balance a machine.
//
// Sources: Leinberger, Karypis and Kumar, SC'99, for BB and BL; Tsafrir, Etsion and Feitelson, TPDS 2007, for the shortest
// job first, which is short_balanced with a window of 0; that with others is our own.  With u_k the share of resource k that
// is used on the machine once the job runs, avg their mean and fullness = 1 - avg:
//   balanced (BB)   (max_k u_k / avg)^window * fullness; the paper's window is 1
//   lowest (BL)     (1 + mismatch) * fullness, where the `window` least used resources should be the job's most demanded
//                   ones in this order, and mismatch counts those from the first on that is not
//   short_balanced  (max_k u_k / avg)^window * estimate
// The lowest score wins.  Without fullness that factor is 1.  Resources without capacity do not count.
//
// Scores are compared as the rational numbers they are: in doubles where these differ by more than their error, else in
// integers.  Cost O(K) a score, O(window K) more for BL, O(K log K) a look at a machine.  An exact comparison of balances
// takes tens of nanoseconds where the capacities of a machine have a common multiple below 2^40, others one to six
// microseconds for K = 2 to 8; like jobs on like machines in the same state are told at once.  Powers take up to
// milliseconds; they are formed where one job balances better, the other is shorter (of BB: leaves less free), and the
// scores agree to ten digits.  Keeps only scratch between calls.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

enum class SelectionRule : std::uint8_t { first_fit, balanced, lowest, short_balanced };

struct Selection {
  SelectionRule rule = SelectionRule::first_fit;
  std::uint32_t window = 1;  // of BL, cut to K - 1; the exponent of short_balanced, and of BB with fullness
  bool fullness = true;
};

// A job on a machine, and what it is worth there.
struct ScoredPair {
  double score = 0;  // where a balance has an exponent: the logarithm to base 2; of short_balanced with 0: the estimate
  Time estimate = 0;
  std::uint32_t mismatch = 0;
  std::uint32_t machine = 0;
  std::span<const Amount> demand;
};

class SelectionScores {
 public:
  SelectionScores() = default;
  SelectionScores(const MachinesView& machines, Selection selection);

  // The pairs to come are on this machine, of which these amounts are free.
  void look_at(std::size_t machine, std::span<const Amount> free);
  // Requires that the demand fits.
  [[nodiscard]] ScoredPair score(std::span<const Amount> demand, Time estimate) const;

  // Whether the scores in doubles tell that `a` comes after `b`.
  [[nodiscard]] bool is_clearly_worse(const ScoredPair& a, const ScoredPair& b) const {
    return b.score + tolerance_ < a.score;
  }
  // `free_of(machine)` gives the free amounts that both pairs were scored with.
  template <class FreeOf>
  [[nodiscard]] std::weak_ordering compare(const ScoredPair& a, const ScoredPair& b, const FreeOf& free_of) const {
    if (a.score + tolerance_ < b.score) return std::weak_ordering::less;
    if (b.score + tolerance_ < a.score) return std::weak_ordering::greater;
    return compare_exactly(a, free_of(a.machine), b, free_of(b.machine));
  }

 private:
  [[nodiscard]] const Amount* capacity_of(std::size_t machine) const { return capacity_.data() + machine * n_resources_; }
  [[nodiscard]] std::uint32_t mismatch(std::span<const Amount> demand) const;
  [[nodiscard]] std::weak_ordering compare_balance(const ScoredPair& a, std::span<const Amount> free_a, const ScoredPair& b,
                                                   std::span<const Amount> free_b) const;
  [[nodiscard]] std::weak_ordering compare_exactly(const ScoredPair& a, std::span<const Amount> free_a, const ScoredPair& b,
                                                   std::span<const Amount> free_b) const;

  // Whether powers are part of the scores.
  [[nodiscard]] bool has_exponent() const {
    return selection_.rule == SelectionRule::short_balanced ||
           (selection_.rule == SelectionRule::balanced && selection_.fullness && selection_.window != 1);
  }

  Selection selection_;
  std::size_t n_resources_ = 0;
  std::vector<Amount> capacity_;                // row-major
  std::vector<std::uint64_t> share_unit_;       // of a machine's capacities; 0 where it is too large for words
  double tolerance_ = 0;          // more than the error of the difference of two scores in doubles

  // Of the machine looked at.
  std::size_t machine_ = 0;
  std::vector<std::size_t> counted_;  // resources with capacity, for BL the least used first
  std::vector<Amount> used_;
};

}  // namespace schedcore
