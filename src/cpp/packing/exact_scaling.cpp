#include "exact_scaling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "schedcore/exact/binary_form.hpp"

namespace schedcore {
namespace {

constexpr int kSumDigits = 120;
constexpr int kMantissaDigits = 53;

bool is_moderate_integer(double value) { return value < 0x1p53 && value == std::floor(value); }

}  // namespace

ScaledColumn scale_to_integers(std::span<const double> values) {
  ScaledColumn column;
  column.value.reserve(values.size());
  if (std::all_of(values.begin(), values.end(), is_moderate_integer)) {
    for (const double value : values) column.value.push_back(static_cast<std::int64_t>(value));
    return column;
  }
  int lowest_digit = 2000;
  int above_highest_digit = -2000;
  for (const double value : values) {
    if (value == 0) continue;
    const BinaryForm parts = odd_binary_form(value);
    lowest_digit = std::min(lowest_digit, parts.exponent);
    above_highest_digit = std::max(above_highest_digit, parts.exponent + static_cast<int>(std::bit_width(parts.mantissa)));
  }
  const auto sum_digits = static_cast<int>(std::bit_width(values.size()));
  column.exponent = std::max(lowest_digit, above_highest_digit + sum_digits - kSumDigits);
  for (const double value : values) {
    if (value == 0) {
      column.value.push_back(0);
      continue;
    }
    const BinaryForm parts = odd_binary_form(value);
    const int shift = parts.exponent - column.exponent;
    const auto mantissa = static_cast<std::int64_t>(parts.mantissa);
    if (shift >= 0) {
      column.value.push_back(static_cast<Int128>(mantissa) << shift);
    } else {
      column.value.push_back(shift <= -kMantissaDigits ? 1 : -((-mantissa) >> -shift));  // rounds up
    }
  }
  return column;
}

Int128 floor_at_scale(double value, int exponent) {
  constexpr int kClip = kSumDigits + 4;
  if (value == 0) return 0;
  if (std::ilogb(value) - exponent >= kClip) return static_cast<Int128>(1) << kClip;
  return floor_to_int128(std::ldexp(value, -exponent));
}

}  // namespace schedcore
