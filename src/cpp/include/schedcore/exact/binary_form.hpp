// A double as what it is: an integer times a power of two.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace schedcore {

// |value| == mantissa * 2^exponent.
struct BinaryForm {
  std::uint64_t mantissa = 0;
  int exponent = 0;
};

// Requires a finite value.  The mantissa is below 2^53, and at least 2^52 unless the value is 0.
[[nodiscard]] inline BinaryForm binary_form(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  return {static_cast<std::uint64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

// The same with an odd mantissa.  Requires a finite value other than 0.
[[nodiscard]] inline BinaryForm odd_binary_form(double value) {
  const BinaryForm form = binary_form(value);
  const int zeros = std::countr_zero(form.mantissa);
  return {form.mantissa >> zeros, form.exponent + zeros};
}

}  // namespace schedcore
