// Doubles as integers: a common power of two turns every value of a column into an exact Int128.
#pragma once

#include <span>
#include <vector>

#include "schedcore/exact/wide.hpp"

namespace schedcore {

// value[i] * 2^exponent is the i-th double.
struct ScaledColumn {
  std::vector<Int128> value;
  int exponent = 0;
};

// Scales positive (or zero), finite doubles so that every value and the sum of all of them lie below 2^120.  Exact
// wherever the values span at most 120 - log2(n) binary digits from the largest to the last set bit of any; where
// they span more, values are rounded up to the next multiple of 2^exponent (the largest keep all 53 digits).
[[nodiscard]] ScaledColumn scale_to_integers(std::span<const double> values);

// floor(value / 2^exponent), at most 2^124: above every sum that `scale_to_integers` can produce.
[[nodiscard]] Int128 floor_at_scale(double value, int exponent);

}  // namespace schedcore
