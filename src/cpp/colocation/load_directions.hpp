// How much weighted load fits a machine beside what is there: bounds that see several types at once.
//
// A direction gives every type a weight.  If a machine holds the types of a pattern S and may still cost every d in S
// slack[d] more, then for each mixture y of S the additional load x satisfies
//   sum_s x[s] (sum_d y[d] alpha[s][d]) <= sum_d y[d] slack[d],
// hence weight . x <= (y . slack) * max over s in S of weight[s] / (sum_d y[d] alpha[s][d]).  The bound is the best of
// the mixtures "one type of S" and "all of S equally", and the worst of the patterns that the machine may end with.
// Directions: what each type costs its own kind, and the column of alpha of every type (what tasks of that type pay).
//
// For few types only: the patterns number 2^n_types.  Values are doubles, each within a few units in the last place;
// whoever prunes with them allows for kOutward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "schedcore/colocation/colocation.hpp"

namespace schedcore {

class LoadDirections {
 public:
  static constexpr std::size_t kMostTypes = 6;
  static constexpr double kOutward = 1 + 1e-9;  // sums of a few thousand terms stay within this factor

  // alpha is row-major (n_types, n_types) with a positive diagonal; no directions above kMostTypes.
  LoadDirections(std::span<const CostNumerator> alpha, std::size_t n_types) : n_types_(n_types) {
    if (n_types > kMostTypes) return;
    const auto coefficient = [&](std::size_t s, std::size_t d) { return static_cast<double>(alpha[s * n_types + d]); };
    for (std::size_t s = 0; s < n_types; ++s) weight_.push_back(coefficient(s, s));
    for (std::size_t d = 0; d < n_types && n_types > 1; ++d) {
      for (std::size_t s = 0; s < n_types; ++s) weight_.push_back(coefficient(s, d));
    }
    n_directions_ = weight_.size() / n_types;
    for (std::size_t direction = 0; direction < n_directions_; ++direction) {
      for (std::uint32_t pattern = 0; pattern < n_patterns(); ++pattern) {
        for (std::size_t d = 0; d < n_types; ++d) {
          factor_.push_back(largest_ratio(direction, pattern, [&](std::size_t s) { return coefficient(s, d); }));
        }
        factor_.push_back(largest_ratio(direction, pattern, [&](std::size_t s) {
          double caused = 0;
          for (std::size_t d = 0; d < n_types; ++d) caused += has(pattern, d) ? coefficient(s, d) : 0;
          return caused;
        }));
      }
    }
  }

  [[nodiscard]] std::size_t n_directions() const { return n_directions_; }
  [[nodiscard]] std::uint32_t n_patterns() const { return std::uint32_t{1} << n_types_; }
  [[nodiscard]] static bool has(std::uint32_t pattern, std::size_t type) { return ((pattern >> type) & 1u) != 0; }
  [[nodiscard]] double weight(std::size_t direction, std::size_t type) const {
    return weight_[direction * n_types_ + type];
  }

  // The largest additional weight if the machine ends with exactly the types of a pattern that is not empty.
  [[nodiscard]] double most(std::size_t direction, std::uint32_t pattern, std::span<const double> slack) const {
    const double* factor = &factor_[(direction * n_patterns() + pattern) * (n_types_ + 1)];
    double least = std::numeric_limits<double>::infinity();
    double total = 0;
    for (std::size_t d = 0; d < n_types_; ++d) {
      if (!has(pattern, d)) continue;
      total += slack[d];
      least = smaller_product(least, slack[d], factor[d]);
    }
    return smaller_product(least, total, factor[n_types_]);
  }

 private:
  // Infinite factors bound nothing, not even where the slack is 0.
  [[nodiscard]] static double smaller_product(double least, double slack, double factor) {
    if (factor == std::numeric_limits<double>::infinity()) return least;
    const double product = slack * factor;
    return product < least ? product : least;
  }

  template <class Caused>
  [[nodiscard]] double largest_ratio(std::size_t direction, std::uint32_t pattern, Caused caused) const {
    double largest = 0;
    for (std::size_t s = 0; s < n_types_; ++s) {
      if (!has(pattern, s) || weight(direction, s) == 0) continue;
      const double ratio = weight(direction, s) / caused(s);  // infinite where s costs the mixture nothing
      if (ratio > largest) largest = ratio;
    }
    return largest;
  }

  std::size_t n_types_;
  std::size_t n_directions_ = 0;
  std::vector<double> weight_;  // [direction, type]
  std::vector<double> factor_;  // [direction, pattern, type or, last, all of the pattern]
};

}  // namespace schedcore
