// SplitMix64 and the distributions that workloads are drawn from: a workload is a function of its seed.
//
// Every draw advances the state by a constant and mixes it, O(1).  Integer outputs are the same everywhere; logarithms,
// cosines and roots come from the platform's library, whose last bits may differ.  The order of draws inside each
// distribution is part of its definition.  Not for cryptography, and not for millions of parallel streams: streams of
// nearby seeds share the sequence of states and are told apart by their place in it.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace schedcore {

class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : state_(seed) {}
  // The seed of a stream that goes on where this one is.
  [[nodiscard]] std::uint64_t state() const { return state_; }

  [[nodiscard]] std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  // In [0, 1), a multiple of 2^-53.
  [[nodiscard]] double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // In [0, bound), bound > 0.  The remainder of a draw: small numbers are more likely by a share of bound / 2^64.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  // Mean 1; at most 53 ln 2.
  [[nodiscard]] double exponential() { return -std::log(1 - uniform()); }
  // Mean 0, variance 1.  Two uniform draws (Box-Muller); the sine partner is not used.
  [[nodiscard]] double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

// The gamma distribution of a shape >= 1 and scale 1, by the squeeze-free method of Marsaglia and Tsang (2000).
class GammaDistribution {
 public:
  explicit GammaDistribution(double shape) : d_(shape - 1.0 / 3), c_(1 / std::sqrt(9 * d_)) { assert(shape >= 1); }

  // A variable number of draws: a normal until v > 0, then a uniform; all over again where that rejects.
  [[nodiscard]] double draw(RandomStream& random) const {
    for (;;) {
      const double x = random.normal();
      const double root = 1 + c_ * x;
      const double v = root * root * root;
      if (v <= 0) continue;
      if (std::log(1 - random.uniform()) < x * x / 2 + d_ - d_ * v + d_ * std::log(v)) return d_ * v;
    }
  }

 private:
  double d_;
  double c_;
};

// An index with probability proportional to its weight: the first whose running sum exceeds uniform * total.
// Weights are finite and not negative, with a positive sum.  O(log n) a draw.
class WeightTable {
 public:
  explicit WeightTable(std::span<const double> weight) {
    double sum = 0;
    running_sum_.reserve(weight.size());
    for (const double w : weight) running_sum_.push_back(sum += w);
    assert(sum > 0);
  }

  [[nodiscard]] std::size_t draw(RandomStream& random) const {
    const double x = random.uniform() * running_sum_.back();
    const auto found = std::upper_bound(running_sum_.begin(), running_sum_.end(), x);
    return static_cast<std::size_t>(found - running_sum_.begin());
  }

 private:
  std::vector<double> running_sum_;  // uniform() < 1, so that x, rounded, stays below the last entry
};

}  // namespace schedcore
