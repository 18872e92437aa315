// Priority keys as order-preserving integers: exact comparison of fractions of doubles at the price of a few words.
//
// A key such as v/w = p*u/w is a quotient of exact numbers: p and w are doubles (53-bit mantissas), u an integer below
// 2^63.  Two different such quotients differ by a relative 2^-171 at least (2^-(53+63) for the numerator times 2^-53 for
// the denominator, and a factor 4 for rounding), so the leading 180 bits of the quotient order them exactly and equal
// quotients get equal bits.  A Priority holds a biased exponent and those bits, then the job's id, which breaks ties;
// comparing two priorities almost always ends at the first word.  Smaller comes first.
//
// Cost: a shift where the weight is a power of two, otherwise three 128-by-64-bit divisions a job.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>

#include "schedcore/base/types.hpp"

namespace schedcore {

// The keys of the online family; `custom` orders by a number that the caller computed, `by_id` by the tie rule alone.
enum class PriorityRule : std::uint8_t { wsjf, wsvf, wsdf, sjf, svf, sdf, erf, custom, by_id };

struct Priority {
  std::uint64_t high = 0;
  std::uint64_t middle = 0;
  std::uint64_t low = 0;
  std::int64_t id = 0;

  friend auto operator<=>(const Priority&, const Priority&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(high, middle, low, id);
  }
};

// The quotient time * amount / weight.  Requires time > 0, weight > 0 finite and amount < 2^63.
[[nodiscard]] Priority quotient_priority(double time, std::uint64_t amount, double weight, std::int64_t id);

// Any finite double in its natural order; -0.0 equals 0.0.
[[nodiscard]] Priority number_priority(double number, std::int64_t id);
// Its leading word; the others are 0.
[[nodiscard]] inline std::uint64_t number_rank(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);  // -0.0 + 0.0 == 0.0
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

}  // namespace schedcore
