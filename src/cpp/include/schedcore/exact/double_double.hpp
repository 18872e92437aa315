// Numbers of about 106 bits as an unevaluated pair of doubles, for sums whose error must not grow with their length.
//
// `two_sum` and `two_product` are exact (Knuth; Dekker by fused multiply-add): result + error equals the true value
// unless it over- or underflows.  `DoubleDouble` adds and subtracts with an absolute error of at most
// 2^-104 (|a| + |b|), which is all that its users rely on; the pair is normalised, so comparing hi, then lo, is exact.
// About ten flops an operation.  Not for exact decisions on products of wide integers.  Needs -ffp-contract=off.
#pragma once

#include <cmath>
#include <limits>

namespace schedcore {

struct RoundedWithError {
  double value = 0;
  double error = 0;
};

[[nodiscard]] inline RoundedWithError two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// The largest double up to a + b; finite for finite a and b that are not negative.
[[nodiscard]] inline double sum_up_to(double a, double b) {
  const auto [sum, error] = two_sum(a, b);
  return error < 0 || std::isinf(sum) ? std::nextafter(sum, -std::numeric_limits<double>::infinity()) : sum;
}

[[nodiscard]] inline RoundedWithError two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

struct DoubleDouble {
  double hi = 0;
  double lo = 0;

  DoubleDouble() = default;
  DoubleDouble(double value) : hi(value) {}  // NOLINT: a double is a DoubleDouble
  DoubleDouble(double high, double low) : hi(high), lo(low) {}

  // Sums of terms that overflow are NaN.
  template <class Archive>
  void serialize(Archive& archive) {
    archive.any_number(hi);
    archive.any_number(lo);
  }

  friend DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    const auto [sum, error] = two_sum(a.hi, b.hi);
    const double low = error + (a.lo + b.lo);
    const double high = sum + low;
    return {high, low - (high - sum)};  // |sum| >= |low|: this difference is exact
  }
  friend DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + DoubleDouble(-b.hi, -b.lo); }
  friend bool operator<=(DoubleDouble a, DoubleDouble b) { return a.hi < b.hi || (a.hi == b.hi && a.lo <= b.lo); }
};

// A sum of non-negative terms, correct to about 2^-53 of itself however many terms there are, which also knows
// whether no rounding happened at all.
class TrackedSum {
 public:
  void add(double term) {
    const auto [sum, error] = two_sum(sum_, term);
    sum_ = sum;
    lost_ += error;
    exact_ = exact_ && error == 0;
  }
  void add(RoundedWithError term) {
    add(term.value);
    lost_ += term.error;
    exact_ = exact_ && term.error == 0;
  }
  [[nodiscard]] double value() const { return sum_ + lost_; }
  [[nodiscard]] bool is_exact() const { return exact_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
  bool exact_ = true;
};

}  // namespace schedcore
