// Sums of k-th powers of consecutive integers, without adding them up one by one.
//
// Euler-Maclaurin about the midpoints of the unit intervals, which for a polynomial ends and is exact:
//   sum of i^k over x < i <= y  =  integral of u^k from a to b  +  sum over r >= 1 of c_r (f^(2r-1)(b) - f^(2r-1)(a)),
// with a = x + 1/2, b = y + 1/2, f(u) = u^k.  Every difference b^j - a^j is taken as (b - a) times a sum of products
// b^i a^(j-1-i), which are all positive, so nothing cancels however short [a, b] is beside b.
#pragma once

#include <array>
#include <cstddef>

#include "schedcore/model/slots.hpp"

namespace schedcore {

// x^exponent by multiplying one factor after the other.
[[nodiscard]] double integer_power(double x, int exponent);

class PowerSums {
 public:
  static constexpr int kMaxExponent = 64;

  // Requires 0 <= exponent <= kMaxExponent.
  explicit PowerSums(int exponent);

  // Sum of i^exponent over after < i <= upto, within a relative error of some (exponent + 4) 2^-52; infinity beyond the
  // doubles.  O(exponent).  Requires 0 <= after <= upto <= 2^53.
  [[nodiscard]] double over(Slot after, Slot upto) const;

 private:
  static constexpr std::size_t kCorrections = 12;  // the next is below 1e-20 of the sum where it is used

  int exponent_;
  std::size_t n_corrections_ = 0;
  std::array<double, kCorrections> correction_{};  // c_r k (k - 1) ... (k - 2r + 2)
};

}  // namespace schedcore
