#include "schedcore/exact/rounded_logarithm.hpp"

#include <array>
#include <cmath>

#include "schedcore/exact/double_double_quotient.hpp"

namespace schedcore {
namespace {

// x == mantissa * 2^exponent with the mantissa in [sqrt(1/2), sqrt(2)).
struct Split {
  double mantissa = 0;
  int exponent = 0;
};

Split split(double x) {
  Split parts;
  parts.mantissa = std::frexp(x, &parts.exponent);
  if (parts.mantissa < 0x1.6a09e667f3bcdp-1) {
    parts.mantissa *= 2;
    --parts.exponent;
  }
  return parts;
}

// Of a base: the logarithms of e and of 2.
struct Base {
  DoubleDouble of_e;
  DoubleDouble of_2;
};
const Base kBase2{{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}, {1.0, 0.0}};
const Base kBase10{{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57}, {0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59}};

DoubleDouble in_base(const Base& base, DoubleDouble natural, int exponent) {
  return product(base.of_2, static_cast<double>(exponent)) + product(base.of_e, natural);
}

// ln m = 2 artanh s = 2 (s + s^3 / 3 + s^5 / 5 + ...) with s = (m - 1) / (m + 1), so that s^2 <= 0.0295.  m - 1 is exact.
constexpr int kQuickTerms = 12;    // behind the first one: the next is below 2^-64 of the sum
constexpr int kAccurateTerms = 21; // 2^-108

struct Quick {
  DoubleDouble sum;
  double error = 0;  // more than it is off
};

// Only the first term has more digits than a double: the others are below a hundredth of it, and off by ten roundings.
Quick quick_natural(double mantissa) {
  const double above = mantissa - 1;
  const auto [below, below_error] = two_sum(mantissa, 1);
  const double s = above / below;
  const double s_error = (std::fma(-s, below, above) - s * below_error) / below;
  const double square = s * s;
  double series = 1.0 / (2 * kQuickTerms + 1);
  for (int k = kQuickTerms - 1; k >= 1; --k) series = series * square + 1.0 / (2 * k + 1);
  const double others = s * square * series;
  const auto [sum, low] = two_sum(2 * s, 2 * (s_error + others));
  return {{sum, low}, 0x1p-48 * std::abs(others) + 0x1p-100 * std::abs(s)};
}

DoubleDouble accurate_natural(double mantissa) {
  static const auto kCoefficients = [] {
    std::array<DoubleDouble, kAccurateTerms + 1> all;
    for (int k = 0; k <= kAccurateTerms; ++k) all[static_cast<std::size_t>(k)] = quotient(1.0, 2.0 * k + 1);
    return all;
  }();
  const auto [below, below_error] = two_sum(mantissa, 1);
  const DoubleDouble s = quotient(mantissa - 1, {below, below_error});
  const DoubleDouble square = product(s, s);
  DoubleDouble series = kCoefficients.back();
  for (std::size_t k = kAccurateTerms; k-- > 0;) series = product(series, square) + kCoefficients[k];
  return product(product(s, series), 2.0);
}

double rounded_logarithm(double x, const Base& base) {
  const auto [mantissa, exponent] = split(x);
  const Quick natural = quick_natural(mantissa);
  const DoubleDouble quick = in_base(base, natural.sum, exponent);
  const double error = 2 * natural.error + 0x1p-98 * std::abs(quick.hi);
  if (quick.hi + (quick.lo - error) == quick.hi + (quick.lo + error)) return quick.hi + quick.lo;
  const DoubleDouble accurate = in_base(base, accurate_natural(mantissa), exponent);
  return accurate.hi + accurate.lo;
}

}  // namespace

double rounded_log2(double x) { return rounded_logarithm(x, kBase2); }
double rounded_log10(double x) { return rounded_logarithm(x, kBase10); }

}  // namespace schedcore
