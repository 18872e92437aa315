#include "schedcore/exact/tick_scale.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/number_text.hpp"
#include "schedcore/exact/binary_form.hpp"

namespace schedcore {
namespace {

constexpr int kBits = 126;

// How many binary digits `value` has behind the point.
int digits_behind_point(Time value) {
  if (value == 0) return 0;
  return std::max(0, -odd_binary_form(value).exponent);
}

}  // namespace

TickScale::TickScale(std::span<const Time> instants, Time horizon, PositiveFraction v) : v_(v) {
  Time finest = 0;
  for (const Time instant : instants) {
    const int digits = digits_behind_point(instant);
    if (digits > binary_digits_) {
      binary_digits_ = digits;
      finest = instant;
    }
  }
  // Products with d must fit, too; one bit for rounding the horizon to a double, one for a sum of two times.
  const int whole = bit_width(magnitude(floor_to_int128(std::ceil(horizon)))) + bit_width(UInt128(v.denominator)) + 2;
  const int per_level = bit_width(UInt128(v.numerator));
  if (whole + binary_digits_ + (v.numerator > 1 ? per_level : 0) > kBits) {
    throw UnsupportedError("the instant " + number_text(finest) + " has " + std::to_string(binary_digits_) +
                           " binary digits behind the point; with times up to " + number_text(horizon) +
                           " that needs more than " + std::to_string(kBits) + " bits");
  }
  if (v.numerator > 1) {
    while (whole + binary_digits_ + bit_width(magnitude(ticks_of_digit_)) + per_level <= kBits) {
      ticks_of_digit_ *= static_cast<Ticks>(v.numerator);
    }
  }
  ticks_of_one_ = ticks_of_digit_ << binary_digits_;
}

Ticks TickScale::ticks(Time instant) const {
  return floor_to_int128(std::ldexp(instant, binary_digits_)) * ticks_of_digit_;
}

Time TickScale::time(Ticks ticks) const {
  const auto value = static_cast<UInt128>(ticks);
  const auto one = static_cast<UInt128>(ticks_of_one_);
  const UInt128 whole = value / one;
  if (whole * one == value) return static_cast<Time>(whole);
  // value * 2^shift / one has 64 or 65 binary digits; their lowest one stands for all that follow, so that the
  // conversion below is the only rounding.
  const int shift = 64 + bit_width(one) - bit_width(value);
  const int first = std::min(shift, 127 - bit_width(value));
  const UInt128 numerator = value << first;
  const UInt128 factor = static_cast<UInt128>(1) << (shift - first);
  const UInt128 quotient = mul_div_floor(numerator, factor, one, 1, static_cast<UInt128>(1) << 66);
  const bool exact = multiply(quotient, one) == multiply(numerator, factor);
  const UInt128 sticky = low_word(quotient) % 2 != 0 || exact ? 0 : 1;
  return std::ldexp(static_cast<Time>(quotient + sticky), -shift);
}

TickScale::Quotient TickScale::divided(Ticks duration) const {
  const UInt128 numerator = static_cast<UInt128>(duration) * static_cast<UInt128>(v_.denominator);
  const auto divisor = static_cast<UInt128>(v_.numerator);
  const UInt128 quotient = numerator / divisor;
  const bool rounded = quotient * divisor != numerator;
  return {static_cast<Ticks>(quotient + (rounded ? 1 : 0)), rounded};
}

}  // namespace schedcore
