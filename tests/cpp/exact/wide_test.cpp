#include "schedcore/exact/wide.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace schedcore {
namespace {

// Magnitudes of all widths, so that carries and empty words both occur.
std::uint64_t draw_word(std::mt19937_64& random) {
  const std::uint64_t word = random();
  switch (random() % 4) {
    case 0: return word >> (random() % 64);
    case 1: return ~std::uint64_t{0} - (word & 3);
    case 2: return word & 1;
    default: return word;
  }
}

UInt128 draw(std::mt19937_64& random) {
  return (static_cast<UInt128>(draw_word(random)) << 64) + static_cast<UInt128>(draw_word(random));
}

// Schoolbook products in base 2^16: no carry can be lost, least significant digit first.
std::vector<std::uint64_t> digits(UInt128 value) {
  std::vector<std::uint64_t> result;
  for (int shift = 0; shift < 128; shift += 16) result.push_back(low_word(value >> shift) & 0xffff);
  return result;
}

std::vector<std::uint64_t> digits(const UInt256& value) {
  std::vector<std::uint64_t> result = digits(value.low);
  for (const std::uint64_t digit : digits(value.high)) result.push_back(digit);
  return result;
}

// The eight digits from `first` on.
UInt128 number(const std::vector<std::uint64_t>& all, std::size_t first) {
  UInt128 value = 0;
  for (std::size_t k = 8; k-- > 0;) value = (value << 16) + static_cast<UInt128>(all[first + k]);
  return value;
}

template <class Wide>
UInt384 schoolbook_product(const Wide& a, UInt128 b) {
  std::vector<std::uint64_t> sum(25, 0);
  const auto da = digits(a), db = digits(b);
  for (std::size_t i = 0; i < da.size(); ++i) {
    for (std::size_t j = 0; j < db.size(); ++j) sum[i + j] += da[i] * db[j];
  }
  for (std::size_t k = 0; k < 24; ++k) {
    sum[k + 1] += sum[k] >> 16;
    sum[k] &= 0xffff;
  }
  return {number(sum, 16), number(sum, 8), number(sum, 0)};
}

UInt384 widened(const UInt256& value) { return {0, value.high, value.low}; }

TEST(Wide, ProductsEqualTheSchoolbook) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    const UInt128 a = draw(random), b = draw(random);
    EXPECT_TRUE(widened(multiply(a, b)) == schoolbook_product(a, b));
    EXPECT_TRUE(multiply_words(low_word(a), low_word(b)) ==
                schoolbook_product(static_cast<UInt128>(low_word(a)), static_cast<UInt128>(low_word(b))).low);
    const UInt256 wide{draw(random), a};
    EXPECT_TRUE(multiply(wide, b) == schoolbook_product(wide, b));
  }
}

TEST(Wide, ComparisonOfProductsIsExact) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 20000; ++round) {
    const UInt128 a = draw(random), b = draw(random), c = draw(random), d = draw(random);
    EXPECT_TRUE(compare_products(a, b, c, d) == (schoolbook_product(a, b) <=> schoolbook_product(c, d)));
    EXPECT_TRUE(compare_products(a, b, b, a) == std::strong_ordering::equal);
    const UInt256 wide_a{a, b}, wide_c{c, b};
    EXPECT_TRUE(compare_products(wide_a, d, wide_c, d) ==
                (schoolbook_product(wide_a, d) <=> schoolbook_product(wide_c, d)));
  }
  // (2^100 + 1)^2 exceeds 2^100 * (2^100 + 2) by one, far below what doubles see.
  const UInt128 power = static_cast<UInt128>(1) << 100;
  const UInt128 one = 1, two = 2;
  EXPECT_TRUE(compare_products(power + one, power + one, power, power + two) == std::strong_ordering::greater);
}

TEST(Wide, QuotientOfProductsIsTheFloor) {
  std::mt19937_64 random(3);
  const UInt128 one = 1;
  for (int round = 0; round < 3000; ++round) {
    const UInt128 divisor_a = (draw(random) >> 1) + one, divisor_b = (draw(random) >> 1) + one;
    const std::uint64_t quotient = draw_word(random) >> 1;
    const UInt128 limit = std::numeric_limits<std::uint64_t>::max();
    // quotient * divisor_a * divisor_b divides back exactly; one unit less in the first factor does not reach it.
    if (static_cast<double>(divisor_a) * static_cast<double>(quotient) > 1e38) continue;
    const UInt128 numerator = divisor_a * static_cast<UInt128>(quotient);
    EXPECT_TRUE(mul_div_floor(numerator, divisor_b, divisor_a, divisor_b, limit) == static_cast<UInt128>(quotient));
    if (quotient > 0) {
      EXPECT_TRUE(mul_div_floor(numerator - one, divisor_b, divisor_a, divisor_b, limit) <
                  static_cast<UInt128>(quotient));
      EXPECT_TRUE(mul_div_floor(numerator, divisor_b, divisor_a, divisor_b, 5) ==
                  static_cast<UInt128>(quotient < 5 ? quotient : 5));
    }
  }
  // 173 bits: 2^53 * 2^60 * 2^60 / (2^60 * 2^60).
  const UInt128 wide = static_cast<UInt128>(1) << 60;
  EXPECT_TRUE(mul_div_floor((static_cast<UInt128>(1) << 53) * wide, wide, wide, wide, static_cast<UInt128>(1) << 60) ==
              static_cast<UInt128>(1) << 53);
}

TEST(Wide, QuotientTimesDivisorLeavesLessThanTheDivisor) {
  std::mt19937_64 random(5);
  const UInt128 one = 1;
  for (int round = 0; round < 20000; ++round) {
    const UInt128 a = draw(random), b = round % 2 == 0 ? draw(random) + one : static_cast<UInt128>(draw_word(random) | 1);
    if (b == static_cast<UInt128>(0)) continue;  // the sum wrapped around
    const UInt128 quotient = a / b;
    EXPECT_TRUE(schoolbook_product(quotient, b) <= (UInt384{0, 0, a}));
    EXPECT_TRUE(a - quotient * b < b);
  }
  const UInt128 most = static_cast<UInt128>(0) - one;
  EXPECT_TRUE(most / one == most);
  EXPECT_TRUE(most / most == one);
  EXPECT_TRUE((most - one) / most == static_cast<UInt128>(0));
}

TEST(Wide, QuotientOfWideProductsIsTheFloor) {
  std::mt19937_64 random(6);
  const UInt128 one = 1;
  for (int round = 0; round < 3000; ++round) {
    // numerator = divisor * quotient in parts, so that both fit their 256 bits.
    const UInt256 divisor{draw(random) >> 30, draw(random)};
    if (divisor.high == 0) continue;
    const UInt128 quotient = (draw(random) >> 100) + one, scale = (draw(random) >> 100) + one;
    const UInt384 product = multiply(divisor, quotient);
    const UInt256 numerator{product.middle, product.low};
    const UInt128 limit = one << 60;
    EXPECT_TRUE(mul_div_floor(numerator, scale, divisor, scale, limit) == quotient);
    const UInt256 less = static_cast<UInt256>(Int256(numerator) - Int256(1));
    EXPECT_TRUE(mul_div_floor(less, scale, divisor, scale, limit) == quotient - one);
    EXPECT_TRUE(mul_div_floor(numerator, scale, divisor, scale, one) == one);
  }
}

TEST(Wide, SignedWideValuesOrderAddAndShiftLikeIntegers) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20000; ++round) {
    // Numbers of 100 bits, moved up by as many bits as fit: the same order, sums and differences.
    const int shift = static_cast<int>(random() % 150);
    const Int128 a = static_cast<Int128>(draw(random) >> 28), b = static_cast<Int128>(draw(random) >> 28);
    const Int256 x = Int256(a) << shift, y = Int256(b) << shift;
    EXPECT_EQ(x < y, a < b);
    EXPECT_EQ(x == y, a == b);
    EXPECT_TRUE(x + y == Int256(a + b) << shift);
    EXPECT_TRUE(x - y == (a < b ? -(Int256(b - a) << shift) : Int256(a - b) << shift));
    EXPECT_EQ(x - y < 0, a < b);
    EXPECT_TRUE((x << 1) == x + x);
    const double expected = std::ldexp(static_cast<double>(a), shift);
    EXPECT_LE(std::abs(static_cast<double>(x) - expected), expected * 0x1p-52);
    EXPECT_EQ(static_cast<double>(-x), -static_cast<double>(x));
    if (shift == 0) {
      EXPECT_TRUE(static_cast<Int128>(x) == a);
      EXPECT_EQ(static_cast<std::int64_t>(x), static_cast<std::int64_t>(a));
    }
  }
  EXPECT_TRUE(Int256(-1) + Int256(1) == 0);
  EXPECT_TRUE(Int256(-1) < 0);
  EXPECT_TRUE((Int256(1) << 128) - 1 == Int256(0, static_cast<UInt128>(0) - static_cast<UInt128>(1)));
  EXPECT_TRUE((Int256(1) << 254) > (Int256(1) << 253));
}

TEST(Wide, SignedValuesOrderAddMultiplyAndShiftLikeIntegers) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 20000; ++round) {
    const auto a = static_cast<std::int32_t>(random()), b = static_cast<std::int32_t>(random());
    const std::int64_t wide_a = a, wide_b = b;
    const Int128 x = a, y = b;
    EXPECT_EQ(x < y, a < b);
    EXPECT_TRUE(x + y == Int128(wide_a + wide_b));
    EXPECT_TRUE(x - y == Int128(wide_a - wide_b));
    EXPECT_TRUE(x * y == Int128(wide_a * wide_b));
    EXPECT_TRUE(-x == Int128(-wide_a));
    const int shift = static_cast<int>(random() % 31);
    EXPECT_TRUE((x >> shift) == Int128(wide_a >> shift));
    EXPECT_TRUE(((x << 90) >> 90) == x);
    EXPECT_EQ(static_cast<std::int64_t>(x * y), wide_a * wide_b);
    EXPECT_EQ(static_cast<double>(x), static_cast<double>(a));
  }
}

TEST(Wide, ConversionToDoubleRoundsOnceToNearest) {
  const UInt128 one = 1;
  EXPECT_EQ(static_cast<double>(one << 127), 0x1p127);
  EXPECT_EQ(static_cast<double>((one << 100) + one), 0x1p100);
  // A tie at bit 47 goes to even; anything below the tie breaks it upwards.
  EXPECT_EQ(static_cast<double>((one << 100) + (one << 47)), 0x1p100);
  EXPECT_EQ(static_cast<double>((one << 100) + (one << 47) + one), 0x1p100 + 0x1p48);
  EXPECT_EQ(static_cast<double>((one << 100) + (one << 47) + (one << 48)), 0x1p100 + 0x1p49);
}

TEST(Wide, TheNearestDoubleOfA256BitNumberIsRoundedOnce) {
  const auto power = [](int exponent) { return Int256(1) << exponent; };
  EXPECT_EQ(nearest_double(Int256(12345)), 12345.0);
  EXPECT_EQ(nearest_double(Int256(Int128(0), (static_cast<UInt128>(1) << 100) + 1)), 0x1p100);
  for (const int top : {128, 140, 200, 254}) {
    const int tie = top - 53;
    EXPECT_EQ(nearest_double(power(top)), std::ldexp(1.0, top));
    EXPECT_EQ(nearest_double(power(top) + power(tie)), std::ldexp(1.0, top)) << top;
    EXPECT_EQ(nearest_double(power(top) + power(tie) + Int256(1)), std::ldexp(1.0, top) + std::ldexp(1.0, tie + 1)) << top;
    EXPECT_EQ(nearest_double(power(top) + power(tie) - Int256(1)), std::ldexp(1.0, top)) << top;
    EXPECT_EQ(nearest_double(power(top) + power(tie + 1) + power(tie)), std::ldexp(1.0, top) + std::ldexp(1.0, tie + 2));
  }
}

TEST(Wide, FloorOfDoublesIsExact) {
  for (const double value : {0.0, 0.5, -0.5, 1.0, -1.0, 1.75, -1.75, 0x1p52 + 0.5, -0x1p52 - 0.5, 1e-300, -1e-300}) {
    EXPECT_EQ(static_cast<std::int64_t>(floor_to_int128(value)), static_cast<std::int64_t>(std::floor(value)));
  }
  EXPECT_TRUE(floor_to_int128(0x1.8p100) == static_cast<Int128>(3) << 99);
  EXPECT_TRUE(floor_to_int128(-0x1.8p100) == -(static_cast<Int128>(3) << 99));
}

TEST(Wide, BitWidthCountsDigits) {
  EXPECT_EQ(bit_width(0), 0);
  for (int digit = 0; digit < 128; ++digit) EXPECT_EQ(bit_width(static_cast<UInt128>(1) << digit), digit + 1);
}

}  // namespace
}  // namespace schedcore
