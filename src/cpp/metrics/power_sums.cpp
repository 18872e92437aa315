#include "schedcore/metrics/power_sums.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace schedcore {
namespace {

// c_r = -(1 - 2^(1 - 2r)) B_2r / (2r)!: -1/24, 7/5760, -31/967680, ...
constexpr std::array<double, 12> kMidpoint{
    -0.041666666666666664,   0.0012152777777777778,   -3.2035383597883595e-05, 8.202608300264551e-07,
    -2.0835982071876168e-08, 5.281609967721337e-10,   -1.3380902920268335e-11, 3.389576851489321e-13,
    -8.585996549822947e-15,  2.174864550325223e-16,   -5.509000201462976e-18,  1.3954463022310702e-19};

}  // namespace

double integer_power(double x, int exponent) {
  double power = 1;
  for (int i = 0; i < exponent; ++i) power *= x;
  return power;
}

PowerSums::PowerSums(int exponent) : exponent_(exponent) {
  assert(exponent >= 0 && exponent <= kMaxExponent);
  n_corrections_ = std::min(kCorrections, static_cast<std::size_t>(exponent) / 2);
  double falling = 1;  // k (k - 1) ... down to the next factor
  int factor = exponent;
  for (std::size_t r = 0; r < n_corrections_; ++r) {
    if (r > 0) falling *= factor--;
    falling *= factor--;
    correction_[r] = kMidpoint[r] * falling;
  }
}

double PowerSums::over(Slot after, Slot upto) const {
  if (upto < exponent_) {  // few numbers, and too small for the corrections to fall quickly
    double sum = 0;
    for (Slot i = after + 1; i <= upto; ++i) sum += integer_power(static_cast<double>(i), exponent_);
    return sum;
  }
  const double a = static_cast<double>(after) + 0.5;
  const double b = static_cast<double>(upto) + 0.5;
  std::array<double, kMaxExponent + 1> products;  // [j]: sum of b^i a^(j - i) over 0 <= i <= j
  products[0] = 1;
  double power = 1;
  const auto k = static_cast<std::size_t>(exponent_);
  for (std::size_t j = 1; j <= k; ++j) {
    power *= b;
    products[j] = a * products[j - 1] + power;
  }
  double mean = products[k] / static_cast<double>(k + 1);
  if (std::isinf(mean)) return mean;
  for (std::size_t r = 0; r < n_corrections_; ++r) mean += correction_[r] * products[k - 2 * (r + 1)];
  return static_cast<double>(upto - after) * mean;
}

}  // namespace schedcore
