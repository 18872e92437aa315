// Products and quotients of numbers of about 106 bits, see double_double.hpp.
//
// What each returns is within 2^-100 of itself, unless it over- or underflows; `as_double_double` is exact.
#pragma once

#include <cstdint>

#include "schedcore/exact/double_double.hpp"

namespace schedcore {

[[nodiscard]] inline DoubleDouble as_double_double(std::int64_t value) {
  constexpr std::int64_t kHalf = std::int64_t{1} << 32;
  const std::int64_t low = value % kHalf;
  const auto [sum, error] = two_sum(static_cast<double>(value - low), static_cast<double>(low));
  return {sum, error};
}

[[nodiscard]] inline DoubleDouble product(DoubleDouble a, DoubleDouble b) {
  const auto [high, error] = two_product(a.hi, b.hi);
  const auto [sum, low] = two_sum(high, error + (a.hi * b.lo + a.lo * b.hi));
  return {sum, low};
}

// Requires b.hi != 0.
[[nodiscard]] inline DoubleDouble quotient(DoubleDouble a, DoubleDouble b) {
  const double first = a.hi / b.hi;
  DoubleDouble rest = a - product(b, first);
  const double second = rest.hi / b.hi;
  rest = rest - product(b, second);
  return DoubleDouble(first) + second + rest.hi / b.hi;
}

}  // namespace schedcore
