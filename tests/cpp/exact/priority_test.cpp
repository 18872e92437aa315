#include "schedcore/exact/priority.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "schedcore/exact/wide.hpp"

namespace schedcore {
namespace {

// time * amount / weight with integer times and weights, so that 256-bit products decide the order exactly.
struct Key {
  std::uint64_t time, amount, weight;

  [[nodiscard]] Priority priority() const {
    return quotient_priority(static_cast<double>(time), amount, static_cast<double>(weight), 0);
  }
};

std::strong_ordering exact_order(const Key& a, const Key& b) {
  return compare_products(multiply_words(a.time, a.amount), b.weight, multiply_words(b.time, b.amount), a.weight);
}

std::uint64_t draw_up_to(std::mt19937_64& random, int digits) {
  return std::max<std::uint64_t>(1, random() >> (64 - digits + static_cast<int>(random() % static_cast<unsigned>(digits))));
}

TEST(Priority, OrdersQuotientsLikeExactFractions) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    const Key a{draw_up_to(random, 53), draw_up_to(random, 63), draw_up_to(random, 53)};
    const Key b{draw_up_to(random, 53), draw_up_to(random, 63), draw_up_to(random, 53)};
    EXPECT_TRUE((a.priority() <=> b.priority()) == exact_order(a, b));
  }
}

TEST(Priority, TellsApartQuotientsThatDoublesSeeAsEqual) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 20000; ++round) {
    const std::uint64_t least_time = (std::uint64_t{1} << 53) - 9;
    const Key a{least_time + random() % 8, (std::uint64_t{1} << 63) - 1 - random() % 8, least_time + random() % 8};
    const Key b{least_time + random() % 8, (std::uint64_t{1} << 63) - 1 - random() % 8, least_time + random() % 8};
    EXPECT_TRUE((a.priority() <=> b.priority()) == exact_order(a, b));
  }
}

TEST(Priority, EqualQuotientsAreEqualAndTheIdDecides) {
  // 6 * 5 / 9 == 2 * 35 / 21, and a power of two in time and weight cancels.
  const Priority first = quotient_priority(6, 5, 9, 0);
  EXPECT_TRUE(first == quotient_priority(2, 35, 21, 0));
  EXPECT_TRUE(first == quotient_priority(std::ldexp(6.0, -300), 5, std::ldexp(9.0, -300), 0));
  EXPECT_LT(quotient_priority(6, 5, 9, 1), quotient_priority(2, 35, 21, 2));
  EXPECT_LT(quotient_priority(2, 35, 21, 1), quotient_priority(6, 5, 9, 2));
}

// As where no machine has any of what a job demands.
TEST(Priority, NothingComesFirstAndTheIdDecides) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const double huge = std::numeric_limits<double>::max();
  EXPECT_EQ(quotient_priority(3, 0, 7, 1), quotient_priority(huge, 0, 1, 1));
  EXPECT_LT(quotient_priority(huge, 0, tiny, 1), quotient_priority(tiny, 0, huge, 2));
  EXPECT_LT(quotient_priority(huge, 0, tiny, 2), quotient_priority(tiny, 1, huge, 1));
}

TEST(Priority, ExponentsFromDenormalToHugeKeepTheOrder) {
  std::vector<Priority> ascending;
  for (int exponent = -1074; exponent <= 1023; ++exponent) {
    ascending.push_back(quotient_priority(std::ldexp(1.0, exponent), 1, 1, 0));
  }
  ascending.push_back(quotient_priority(std::ldexp(1.0, 1023), std::uint64_t{1} << 62, std::ldexp(1.0, -1074), 0));
  EXPECT_TRUE(std::is_sorted(ascending.begin(), ascending.end()));
  EXPECT_TRUE(std::adjacent_find(ascending.begin(), ascending.end()) == ascending.end());
  EXPECT_LT(quotient_priority(std::ldexp(1.0, -1074), 1, std::ldexp(1.0, 1023), 0), ascending.front());
}

TEST(Priority, NumbersKeepTheirOrderAndZeroHasNoSign) {
  const std::vector<double> ascending{-1e300, -2.0, -0x1p-1074, 0.0, 0x1p-1074, 1.0, 1e300};
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(number_priority(ascending[i - 1], 9), number_priority(ascending[i], 0));
  }
  EXPECT_TRUE(number_priority(-0.0, 3) == number_priority(0.0, 3));
}

}  // namespace
}  // namespace schedcore
