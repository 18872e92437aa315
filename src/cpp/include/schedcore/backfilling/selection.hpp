// Which of several jobs that may overtake starts first: by order in the queue, or by how well they balance a machine.
//
// With u_k the share of resource k that is used on the machine once the job runs, avg their mean, balance = max_k u_k / avg
// and fullness = 1 - avg:
//   product   balance^b * fullness^f * estimate^e
//   lowest    (1 + mismatch), times fullness if f is 1, where the `window` least used resources should be the job's most
//             demanded ones in this order, and mismatch counts those from the first on that is not
// The lowest score wins.  Resources without capacity do not count.
//
// Sources: Leinberger, Karypis and Kumar, SC'99, for (b, f, e) = (1, 1, 0), which is BB, and lowest, BL; Tsafrir, Etsion and
// Feitelson, TPDS 2007, for (0, 0, 1), the shortest job first.  Other powers are our own.
//
// Scores are compared as the rational numbers they are: in doubles where these differ by more than their error, else in
// integers.  Cost O(K) a score, O(window K) more for BL, O(K log K) a look at a machine.  An exact comparison of balances
// takes tens of nanoseconds where the capacities of a machine have a common multiple below 2^40, others one to six
// microseconds for K = 2 to 8; like jobs on like machines in the same state are told at once.  Powers are formed only
// where one job is better by one factor, the other by another, and the scores agree to about eight digits: in
// microseconds for small powers, in seconds for the largest ones with 20 resources of unlike capacities near 2^53.  Keeps
// only scratch between calls.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

enum class SelectionRule : std::uint8_t { first_fit, product, lowest };

struct Selection {
  static constexpr std::uint32_t kLargestBalance = 999;  // powers of a product
  static constexpr std::uint32_t kLargestFullness = 99;
  static constexpr std::uint32_t kLargestEstimate = 99;

  SelectionRule rule = SelectionRule::first_fit;
  std::uint32_t balance = 0;   // powers of a product; of lowest: the window, cut to K - 1
  std::uint32_t fullness = 0;  // of lowest at most 1
  std::uint32_t estimate = 0;

  [[nodiscard]] static constexpr Selection product(std::uint32_t balance, std::uint32_t fullness, std::uint32_t estimate) {
    return {SelectionRule::product, balance, fullness, estimate};
  }
  [[nodiscard]] static constexpr Selection lowest(std::uint32_t window, bool fullness) {
    return {SelectionRule::lowest, window, fullness ? 1U : 0U, 0};
  }
  [[nodiscard]] bool heeds_estimates() const { return rule == SelectionRule::product && estimate > 0; }
};

// A job on a machine, and what it is worth there.
struct ScoredPair {
  double score = 0;  // of products that are logarithms: the one to base 2
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

  // Whether the job scores 0 whatever its estimate, which counts: it leaves nothing free, and that counts, too.
  [[nodiscard]] bool is_zero(const ScoredPair& pair) const {
    return selection_.heeds_estimates() && pair.score == -std::numeric_limits<double>::infinity();
  }
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

  [[nodiscard]] bool is_product(std::uint32_t balance, std::uint32_t fullness, std::uint32_t estimate) const {
    return selection_.rule == SelectionRule::product && selection_.balance == balance &&
           selection_.fullness == fullness && selection_.estimate == estimate;
  }
  [[nodiscard]] bool is_estimate() const { return is_product(0, 0, 1); }
  // Whether scores in doubles are logarithms: of products but the plain ones.
  [[nodiscard]] bool is_logarithm() const {
    return selection_.rule == SelectionRule::product && !is_estimate() && !is_product(1, 0, 0) && !is_product(1, 1, 0);
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
