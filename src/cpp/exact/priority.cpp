#include "schedcore/exact/priority.hpp"

#include <bit>

#include "schedcore/exact/binary_form.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {
namespace {

constexpr int kExponentBias = 4096;  // |exponent| of a quotient stays below 2 * 1074 + 1024 + 64

// 192 leading bits, top bit set, of a positive number that lies in [2^exponent, 2^(exponent+1)).
struct Leading {
  std::uint64_t top, middle, low;
  int exponent;
};

Leading normalised(UInt128 value, int exponent) {
  auto high = static_cast<std::uint64_t>(value >> 64);
  auto low = static_cast<std::uint64_t>(value);
  exponent += 127;
  if (high == 0) {
    high = low;
    low = 0;
    exponent -= 64;
  }
  const int shift = std::countl_zero(high);
  if (shift > 0) {
    high = (high << shift) | (low >> (64 - shift));
    low <<= shift;
  }
  return {high, low, 0, exponent - shift};
}

// One digit of long division: (remainder, digit) of (remainder * 2^64 + digit) / divisor.
std::uint64_t divide_digit(std::uint64_t& remainder, std::uint64_t digit, std::uint64_t divisor) {
  const UInt128 dividend = (UInt128(remainder) << 64) + UInt128(digit);
  const UInt128 quotient = dividend / UInt128(divisor);
  remainder = static_cast<std::uint64_t>(dividend - quotient * UInt128(divisor));
  return static_cast<std::uint64_t>(quotient);
}

// The numerator has its top bit set; so has the divisor once it is normalised.
Leading leading_quotient(const Leading& numerator, std::uint64_t divisor, int divisor_exponent) {
  const int shift = std::countl_zero(divisor);
  divisor <<= shift;
  divisor_exponent += 63 - shift;  // divisor in [2^divisor_exponent, 2^(divisor_exponent + 1))
  const bool first = numerator.top >= divisor;
  std::uint64_t remainder = first ? numerator.top - divisor : numerator.top;
  const std::uint64_t q2 = divide_digit(remainder, numerator.middle, divisor);
  const std::uint64_t q1 = divide_digit(remainder, numerator.low, divisor);
  const std::uint64_t q0 = divide_digit(remainder, 0, divisor);
  const int exponent = numerator.exponent - divisor_exponent;
  if (first) return {(std::uint64_t{1} << 63) | (q2 >> 1), (q2 << 63) | (q1 >> 1), (q1 << 63) | (q0 >> 1), exponent};
  return {q2, q1, q0, exponent - 1};
}

}  // namespace

Priority quotient_priority(double time, std::uint64_t amount, double weight, std::int64_t id) {
  if (amount == 0) return {0, 0, 0, id};  // others have a positive exponent in front
  const BinaryForm numerator = binary_form(time);
  const BinaryForm denominator = binary_form(weight);
  Leading leading = normalised(UInt128(numerator.mantissa) * UInt128(amount), numerator.exponent);
  if (std::has_single_bit(denominator.mantissa)) {
    leading.exponent -= denominator.exponent + std::countr_zero(denominator.mantissa);
  } else {
    leading = leading_quotient(leading, denominator.mantissa, denominator.exponent);
  }
  // 13 bits of exponent, then the bits behind the leading one.
  const auto exponent = static_cast<std::uint64_t>(leading.exponent + kExponentBias);
  const std::uint64_t top = leading.top << 1;
  return {(exponent << 51) | (top >> 13), (top << 51) | (leading.middle >> 13),
          (leading.middle << 51) | (leading.low >> 13), id};
}

Priority number_priority(double number, std::int64_t id) {
  return {number_rank(number), 0, 0, id};
}

}  // namespace schedcore
