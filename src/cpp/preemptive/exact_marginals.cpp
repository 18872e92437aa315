#include "exact_marginals.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "common_multiple.hpp"
#include "schedcore/exact/binary_form.hpp"

namespace schedcore {
namespace {

// value * factor * 2^exponent / (d1 * d2), to the nearest integer, ties away from zero.  Requires a result below 2^124,
// d1 and d2 below 2^53 and 1 <= factor <= 2^40.
Int128 rounded_product(double value, std::int64_t factor, int exponent, std::int64_t d1, std::int64_t d2) {
  if (value == 0) return 0;
  const BinaryForm form = odd_binary_form(value);
  const int shift = form.exponent + exponent + 1;  // one digit more than the result, to round by
  for (std::int64_t* divisor : {&d1, &d2}) {
    const std::int64_t common = std::gcd(factor, *divisor);
    factor /= common;
    *divisor /= common;
  }
  const UInt128 numerator = multiply_words(form.mantissa, static_cast<std::uint64_t>(factor));
  const UInt128 denominator = multiply_words(static_cast<std::uint64_t>(d1), static_cast<std::uint64_t>(d2));
  UInt128 twice = 0;
  if (shift >= 0 && bit_width(numerator) + shift <= 127) {
    twice = (numerator << shift) / denominator;
  } else if (shift >= 0) {
    // The result has at most 125 digits, so 2^shift fits together with what the denominator takes away.
    const int high_shift = std::max(0, shift - 126);
    twice = mul_div_floor(numerator << high_shift, UInt128(1) << (shift - high_shift), denominator, 1,
                          UInt128(1) << 126);
  } else if (shift > -128) {
    twice = mul_div_floor(numerator, 1, denominator, UInt128(1) << -shift, UInt128(1) << 126);
  }
  const auto nearest = static_cast<Int128>((twice + 1) >> 1);
  return value < 0 ? -nearest : nearest;
}

// The largest size of a marginal, times `unit`.
double largest_marginal(const SwitchingRows& rows, std::span<const Amount> most_before, double alpha, double unit) {
  double largest = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto demand = static_cast<double>(rows.demand[row]);
    const auto change = static_cast<double>(2 * std::max(rows.limit[row], most_before[row]) + 1);
    largest = std::max(largest, unit * std::abs(rows.cost[row]) / demand + unit * alpha * change / (demand * demand));
  }
  return largest;
}

}  // namespace

void scale_marginals(const SwitchingRows& rows, std::span<const Amount> most_before, double alpha,
                     std::size_t n_machines, std::vector<ExactMarginal>& marginal) {
  double largest = largest_marginal(rows, most_before, alpha, 1.0);
  int digits_off = 0;
  if (std::isinf(largest)) {  // a change is below 2^54, so with 60 digits taken off it is finite
    digits_off = 60;
    largest = largest_marginal(rows, most_before, alpha, 0x1p-60);
  }
  const std::int64_t root = common_multiple(rows.demand);
  const std::int64_t multiple = root * root;  // of the squares of the demands
  // A path of 2 n_machines + 2 marginals, its potentials and their sum stay below 2^125 with four digits to spare.
  int digits = 0;
  (void)std::frexp(largest, &digits);
  digits += digits_off + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(multiple)));
  const int exponent = 121 - static_cast<int>(std::bit_width(2 * n_machines + 2)) - digits;
  marginal.resize(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Amount demand = rows.demand[row];
    marginal[row].base = rounded_product(rows.cost[row], multiple, exponent, demand, 1);
    marginal[row].weight =
        rows.first[row] != 0 ? Int128{0} : rounded_product(alpha, multiple, exponent, demand, demand);
  }
}

}  // namespace schedcore
