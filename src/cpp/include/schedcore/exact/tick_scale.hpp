// Times as integers: ticks of 1 / (q^k 2^e), on which times stay exact that are divided by a fraction v = q / d.
//
// Dividing an integer time by v gives a multiple of 1/q; dividing what is left of a task after such an instant gives
// a multiple of 1/q^2, and so on.  e is the number of binary digits behind the point that the given instants have, and
// k is as large as 126 bits allow, at least 1: for v = 209/250 and times up to 2^30 it is 10.  Deeper quotients are
// rounded up to a tick, below 2^-70 or so; `divided` says when.  With q = 1 nothing is ever rounded.
//
// Instants become ticks exactly, and ticks become the nearest doubles: those that doubles hold come back bit for bit.
// O(1); turning ticks into a double takes a division, and 64 steps more where it is no integer.
#pragma once

#include <cstdint>
#include <span>

#include "schedcore/base/types.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {

using Ticks = Int128;  // above -2^126 and below 2^126

// A positive fraction in lowest terms; both below 2^31.
struct PositiveFraction {
  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;
};

class TickScale {
 public:
  // For times up to `horizon` and divisors `v`.  Throws UnsupportedError if the digits of the instants need more than 126
  // bits.
  TickScale(std::span<const Time> instants, Time horizon, PositiveFraction v);

  [[nodiscard]] Ticks ticks(std::int64_t whole) const { return static_cast<Ticks>(whole) * ticks_of_one_; }
  // Requires one of the instants that the scale was made for.
  [[nodiscard]] Ticks ticks(Time instant) const;
  [[nodiscard]] Time time(Ticks ticks) const;

  struct Quotient {
    Ticks ticks = 0;
    bool rounded = false;
  };
  // duration / v, rounded up.  Requires 0 <= duration <= the horizon.
  [[nodiscard]] Quotient divided(Ticks duration) const;

 private:
  PositiveFraction v_;
  int binary_digits_ = 0;     // e
  Ticks ticks_of_one_ = 1;    // q^k 2^e
  Ticks ticks_of_digit_ = 1;  // q^k
};

}  // namespace schedcore
