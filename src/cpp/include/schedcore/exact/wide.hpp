// Exact wide arithmetic: the one place where integers above 64 bits are handled.
//
// `Int128` and `UInt128` are the compiler's 128-bit integers where it has them; elsewhere, and when
// SCHEDCORE_PORTABLE_WIDE is defined, they are two-word structs with the same operators (+ - * << >> comparisons, / of
// unsigned values, conversions by static_cast) and the same results: arithmetic is modulo 2^128, shifts take 0..127,
// divisors are positive.  The names mangle differently, so mixing both in one program fails at link time and not at
// run time.  `Int256` adds, subtracts, shifts and compares, within its range; products `UInt256` and `UInt384` exist to be
// compared and divided only.  Everything is constexpr and O(1), a division in one step for each binary digit of the
// quotient; nothing overflows silently except the documented modulo arithmetic.
#pragma once

#include <bit>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace schedcore {

#if defined(__SIZEOF_INT128__) && !defined(SCHEDCORE_PORTABLE_WIDE)

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

#else

struct Int128;

struct UInt128 {
  std::uint64_t high = 0;  // declared first: the defaulted comparison is lexicographic
  std::uint64_t low = 0;

  constexpr UInt128() = default;
  constexpr UInt128(std::uint64_t high_word, std::uint64_t low_word) : high(high_word), low(low_word) {}
  template <std::integral T>
  constexpr UInt128(T value)  // NOLINT(google-explicit-constructor): converts like the native type
      : high(value < T{0} ? ~std::uint64_t{0} : 0), low(static_cast<std::uint64_t>(value)) {}
  constexpr explicit UInt128(const Int128& value);
  template <std::integral T>
  constexpr explicit operator T() const { return static_cast<T>(low); }
  constexpr explicit operator double() const {
    // One rounding: bits below the 64 leading ones only matter as "something is left" (sticky bit).
    if (high == 0) return static_cast<double>(low);
    const int shift = 64 - std::countl_zero(high);
    const std::uint64_t kept = shift == 64 ? high : (high << (64 - shift)) | (low >> shift);
    const std::uint64_t lost = shift == 64 ? low : low & ((std::uint64_t{1} << shift) - 1);
    double scale = 1;
    for (int i = 0; i < shift; ++i) scale *= 2;
    return static_cast<double>(kept | (lost != 0 ? 1u : 0u)) * scale;
  }

  friend constexpr auto operator<=>(const UInt128&, const UInt128&) = default;
  friend constexpr UInt128 operator+(UInt128 a, UInt128 b) {
    const std::uint64_t low_sum = a.low + b.low;
    return {a.high + b.high + (low_sum < a.low ? 1u : 0u), low_sum};
  }
  friend constexpr UInt128 operator-(UInt128 a, UInt128 b) {
    return {a.high - b.high - (a.low < b.low ? 1u : 0u), a.low - b.low};
  }
  friend constexpr UInt128 operator*(UInt128 a, UInt128 b);
  friend constexpr UInt128 operator/(UInt128 a, UInt128 b);
  friend constexpr UInt128 operator<<(UInt128 a, int shift) {
    if (shift == 0) return a;
    if (shift >= 64) return {a.low << (shift - 64), 0};
    return {(a.high << shift) | (a.low >> (64 - shift)), a.low << shift};
  }
  friend constexpr UInt128 operator>>(UInt128 a, int shift) {
    if (shift == 0) return a;
    if (shift >= 64) return {0, a.high >> (shift - 64)};
    return {a.high >> shift, (a.low >> shift) | (a.high << (64 - shift))};
  }
  constexpr UInt128& operator+=(UInt128 other) { return *this = *this + other; }
  constexpr UInt128& operator-=(UInt128 other) { return *this = *this - other; }
  constexpr UInt128& operator*=(UInt128 other);
};

struct Int128 {
  std::int64_t high = 0;  // declared first: signed high word, then unsigned low word, is the numeric order
  std::uint64_t low = 0;

  constexpr Int128() = default;
  constexpr Int128(std::int64_t high_word, std::uint64_t low_word) : high(high_word), low(low_word) {}
  template <std::integral T>
  constexpr Int128(T value)  // NOLINT(google-explicit-constructor): converts like the native type
      : high(value < T{0} ? -1 : 0), low(static_cast<std::uint64_t>(value)) {}
  constexpr explicit Int128(const UInt128& value)
      : high(static_cast<std::int64_t>(value.high)), low(value.low) {}
  template <std::integral T>
  constexpr explicit operator T() const { return static_cast<T>(low); }
  constexpr explicit operator double() const {
    return high < 0 ? -static_cast<double>(UInt128(-*this)) : static_cast<double>(UInt128(*this));
  }

  friend constexpr auto operator<=>(const Int128&, const Int128&) = default;
  friend constexpr Int128 operator+(Int128 a, Int128 b) { return Int128(UInt128(a) + UInt128(b)); }
  friend constexpr Int128 operator-(Int128 a, Int128 b) { return Int128(UInt128(a) - UInt128(b)); }
  friend constexpr Int128 operator*(Int128 a, Int128 b);
  friend constexpr Int128 operator<<(Int128 a, int shift) { return Int128(UInt128(a) << shift); }
  friend constexpr Int128 operator>>(Int128 a, int shift) {  // arithmetic: rounds towards minus infinity
    if (a.high >= 0) return Int128(UInt128(a) >> shift);
    return Int128(UInt128{} - UInt128{1} - ((UInt128{} - UInt128{1} - UInt128(a)) >> shift));
  }
  constexpr Int128 operator-() const { return Int128{} - *this; }
  constexpr Int128& operator+=(Int128 other) { return *this = *this + other; }
  constexpr Int128& operator-=(Int128 other) { return *this = *this - other; }
  constexpr Int128& operator*=(Int128 other) { return *this = *this * other; }
};

constexpr UInt128::UInt128(const Int128& value) : high(static_cast<std::uint64_t>(value.high)), low(value.low) {}

#endif

// The full product of two 64-bit words.
[[nodiscard]] constexpr UInt128 multiply_words(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__) && !defined(SCHEDCORE_PORTABLE_WIDE)
  return static_cast<UInt128>(a) * b;
#else
  constexpr std::uint64_t kHalf = 0xffffffffu;
  const std::uint64_t low = (a & kHalf) * (b & kHalf);
  const std::uint64_t middle = (a >> 32) * (b & kHalf) + (low >> 32);
  const std::uint64_t other_middle = (a & kHalf) * (b >> 32) + (middle & kHalf);
  return {(a >> 32) * (b >> 32) + (middle >> 32) + (other_middle >> 32), (other_middle << 32) | (low & kHalf)};
#endif
}

[[nodiscard]] constexpr std::uint64_t low_word(UInt128 value) { return static_cast<std::uint64_t>(value); }
[[nodiscard]] constexpr std::uint64_t high_word(UInt128 value) { return static_cast<std::uint64_t>(value >> 64); }

#if !defined(__SIZEOF_INT128__) || defined(SCHEDCORE_PORTABLE_WIDE)
constexpr UInt128 operator*(UInt128 a, UInt128 b) {
  UInt128 product = multiply_words(a.low, b.low);
  product.high += a.high * b.low + a.low * b.high;
  return product;
}
constexpr UInt128& UInt128::operator*=(UInt128 other) { return *this = *this * other; }
constexpr Int128 operator*(Int128 a, Int128 b) { return Int128(UInt128(a) * UInt128(b)); }
#endif

// 2^127 - 1 and its negative: bounds of sums that a caller must not reach.
inline constexpr Int128 kMaxInt128 = static_cast<Int128>((static_cast<UInt128>(1) << 127) - static_cast<UInt128>(1));

// Number of binary digits; 0 for 0.
[[nodiscard]] constexpr int bit_width(UInt128 value) {
  const std::uint64_t high = high_word(value);
  return high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(low_word(value));
}

#if !defined(__SIZEOF_INT128__) || defined(SCHEDCORE_PORTABLE_WIDE)
constexpr UInt128 operator/(UInt128 a, UInt128 b) {
  if (a < b) return 0;
  UInt128 quotient = 0;
  for (int digit = bit_width(a) - bit_width(b); digit >= 0; --digit) {
    const UInt128 multiple = b << digit;
    if (a < multiple) continue;
    a -= multiple;
    quotient += UInt128(1) << digit;
  }
  return quotient;
}
#endif

// The largest integer that is at most `value`, exactly.  Requires |value| < 2^126.
[[nodiscard]] inline Int128 floor_to_int128(double value) {
  int exponent = 0;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  const int shift = exponent - 53;
  if (shift >= 0) return static_cast<Int128>(mantissa) << shift;
  return static_cast<Int128>(mantissa >> (shift <= -63 ? 63 : -shift));
}

// Unsigned integers of two and three parts, the most significant first, so that the defaulted comparison is numeric.
struct UInt256 {
  UInt128 high = 0;
  UInt128 low = 0;

  friend constexpr auto operator<=>(const UInt256&, const UInt256&) = default;
};
struct UInt384 {
  UInt128 high = 0;
  UInt128 middle = 0;
  UInt128 low = 0;

  friend constexpr auto operator<=>(const UInt384&, const UInt384&) = default;
};

// The full products.
[[nodiscard]] constexpr UInt256 multiply(UInt128 a, UInt128 b) {
  const UInt128 low = multiply_words(low_word(a), low_word(b));
  const UInt128 cross = multiply_words(high_word(a), low_word(b));
  const UInt128 other = multiply_words(low_word(a), high_word(b));
  const UInt128 high = multiply_words(high_word(a), high_word(b));
  // The middle column is at most 3 * (2^64 - 1), so its carry into `upper` is at most 2; `upper` cannot overflow.
  const UInt128 middle = static_cast<UInt128>(high_word(low)) + low_word(cross) + low_word(other);
  const UInt128 upper = high + high_word(cross) + high_word(other) + high_word(middle);
  return {upper, (middle << 64) + low_word(low)};
}
[[nodiscard]] constexpr UInt384 multiply(const UInt256& a, UInt128 b) {
  const UInt256 low = multiply(a.low, b);
  const UInt256 high = multiply(a.high, b);
  const UInt128 middle = high.low + low.high;
  return {high.high + (middle < low.high ? 1 : 0), middle, low.low};
}

// A signed 256-bit integer in two's complement.
struct Int256 {
  Int128 high = 0;  // declared first: signed high part, then unsigned low part, is the numeric order
  UInt128 low = 0;

  constexpr Int256() = default;
  constexpr Int256(Int128 high_part, UInt128 low_part) : high(high_part), low(low_part) {}
  template <std::integral T>
  constexpr Int256(T value)  // NOLINT(google-explicit-constructor): converts like the native types
      : Int256(static_cast<Int128>(value)) {}
  constexpr explicit Int256(Int128 value) : high(value < 0 ? -1 : 0), low(static_cast<UInt128>(value)) {}
  constexpr explicit Int256(const UInt256& value) : high(static_cast<Int128>(value.high)), low(value.low) {}
  constexpr explicit operator Int128() const { return static_cast<Int128>(low); }
  constexpr explicit operator UInt128() const { return low; }
  constexpr explicit operator UInt256() const { return {static_cast<UInt128>(high), low}; }
  constexpr explicit operator std::int64_t() const { return static_cast<std::int64_t>(low); }
  // Within 2^-52 of the value.
  constexpr explicit operator double() const {
    if (high < 0) return -static_cast<double>(-*this);
    return static_cast<double>(high) * 0x1p128 + static_cast<double>(low);
  }

  friend constexpr auto operator<=>(const Int256&, const Int256&) = default;
  friend constexpr Int256 operator+(const Int256& a, const Int256& b) {
    const UInt128 low_sum = a.low + b.low;
    return {a.high + b.high + (low_sum < a.low ? 1 : 0), low_sum};
  }
  friend constexpr Int256 operator-(const Int256& a, const Int256& b) {
    return {a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low};
  }
  friend constexpr Int256 operator<<(const Int256& a, int shift) {  // of what is not negative, by 0..255
    if (shift == 0) return a;
    if (shift >= 128) return {static_cast<Int128>(a.low << (shift - 128)), 0};
    return {(a.high << shift) + static_cast<Int128>(a.low >> (128 - shift)), a.low << shift};
  }
  constexpr Int256 operator-() const { return Int256{} - *this; }
  constexpr Int256& operator+=(const Int256& other) { return *this = *this + other; }
  constexpr Int256& operator-=(const Int256& other) { return *this = *this - other; }
};

// The double next to the value, which is not negative; ties to even, as conversions of 128 bits.
[[nodiscard]] inline double nearest_double(const Int256& value) {
  if (value.high == 0) return static_cast<double>(value.low);
  // The leading 128 bits, the last of which says whether anything follows.
  const int shift = bit_width(static_cast<UInt128>(value.high));
  const UInt128 lost = value.low << (128 - shift);
  UInt128 leading = (static_cast<UInt128>(value.high) << (128 - shift)) + (value.low >> shift);
  if (lost != 0 && (low_word(leading) & 1) == 0) leading += 1;
  return std::ldexp(static_cast<double>(leading), shift);
}

// What is not negative, as an operand of the products.
[[nodiscard]] constexpr UInt128 magnitude(std::int64_t value) { return static_cast<UInt128>(value); }
[[nodiscard]] constexpr UInt128 magnitude(Int128 value) { return static_cast<UInt128>(value); }
[[nodiscard]] constexpr UInt256 magnitude(const Int256& value) { return static_cast<UInt256>(value); }

// a * b <=> c * d, exactly: the comparison of the fractions a/d and c/b without dividing.
[[nodiscard]] constexpr std::strong_ordering compare_products(UInt128 a, UInt128 b, UInt128 c, UInt128 d) {
  if (high_word(a) == 0 && high_word(b) == 0 && high_word(c) == 0 && high_word(d) == 0) {
    const UInt128 left = multiply_words(low_word(a), low_word(b));
    const UInt128 right = multiply_words(low_word(c), low_word(d));
    return left < right ? std::strong_ordering::less
                        : (right < left ? std::strong_ordering::greater : std::strong_ordering::equal);
  }
  return multiply(a, b) <=> multiply(c, d);
}

[[nodiscard]] constexpr std::strong_ordering compare_products(const UInt256& a, UInt128 b, const UInt256& c,
                                                              UInt128 d) {
  return multiply(a, b) <=> multiply(c, d);
}

// floor(numerator / denominator), exactly; `limit` where the quotient is larger than `limit`.  Requires a positive
// denominator and limit < 2^127.  One step for each binary digit of `limit`, so a small limit is also fast.
[[nodiscard]] constexpr UInt128 floor_quotient(const UInt384& numerator, const UInt256& denominator, UInt128 limit) {
  const auto at_most = [&](UInt128 quotient) { return multiply(denominator, quotient) <= numerator; };
  if (at_most(limit)) return limit;
  UInt128 quotient = 0;  // always at_most; its digits are decided from the top
  for (int digit = bit_width(limit) - 1; digit >= 0; --digit) {
    const UInt128 candidate = quotient + (static_cast<UInt128>(1) << digit);
    if (candidate <= limit && at_most(candidate)) quotient = candidate;
  }
  return quotient;
}

// floor(a * b / (c * d)) as above; c * d must stay below 2^256.
[[nodiscard]] constexpr UInt128 mul_div_floor(UInt128 a, UInt128 b, UInt128 c, UInt128 d, UInt128 limit) {
  const UInt256 numerator = multiply(a, b);
  return floor_quotient({0, numerator.high, numerator.low}, multiply(c, d), limit);
}
[[nodiscard]] constexpr UInt128 mul_div_floor(const UInt256& a, UInt128 b, const UInt256& c, UInt128 d, UInt128 limit) {
  const UInt384 denominator = multiply(c, d);
  return floor_quotient(multiply(a, b), {denominator.middle, denominator.low}, limit);
}

}  // namespace schedcore
