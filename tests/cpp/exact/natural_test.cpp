#include "schedcore/exact/natural.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "exact/plain_natural.hpp"

namespace schedcore {
namespace {

using testing::PlainNatural;

constexpr std::uint64_t kLargestWord = std::numeric_limits<std::uint64_t>::max();

Natural natural_of(const PlainNatural& plain) {
  Natural number;
  for (std::size_t i = plain.digits().size(); i-- > 0;) {
    number = number * Natural(10) + Natural(static_cast<std::uint64_t>(plain.digits()[i]));
  }
  return number;
}

// Words with long runs of equal bits, where carries and borrows run far.
std::uint64_t word(std::mt19937_64& random) {
  switch (random() % 4) {
    case 0: return random();
    case 1: return kLargestWord - random() % 3;
    case 2: return std::uint64_t{1} << random() % 64;
    default: return random() % 3;
  }
}

std::pair<Natural, PlainNatural> number(std::mt19937_64& random) {
  std::pair<Natural, PlainNatural> both;
  const PlainNatural base = PlainNatural(kLargestWord) + PlainNatural(1);
  const Natural natural_base = Natural(kLargestWord) + Natural(1);
  for (std::uint64_t n = random() % 5; n > 0; --n) {
    const std::uint64_t next = word(random);
    both.first = both.first * natural_base + Natural(next);
    both.second = both.second * base + PlainNatural(next);
  }
  return both;
}

TEST(Natural, EqualsArithmeticOnPaper) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 1500; ++round) {
    const auto [a, plain_a] = number(random);
    const auto [b, plain_b] = number(random);
    ASSERT_EQ(a, natural_of(plain_a));
    ASSERT_EQ(a + b, natural_of(plain_a + plain_b));
    ASSERT_EQ(a * b, natural_of(plain_a * plain_b));
    ASSERT_TRUE((a <=> b) == (plain_a <=> plain_b));
    ASSERT_EQ(a == b, plain_a == plain_b);
    if (plain_a >= plain_b) {
      ASSERT_EQ(a - b, natural_of(plain_a - plain_b));
    }
  }
}

TEST(Natural, ObeysTheLawsOfArithmetic) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    const Natural a = number(random).first;
    const Natural b = number(random).first;
    const Natural c = number(random).first;
    ASSERT_EQ((a + b) - b, a);
    ASSERT_EQ(a * (b + c), a * b + a * c);
    ASSERT_EQ((a * b) * c, a * (b * c));
    ASSERT_TRUE(a + b >= a);
    ASSERT_TRUE(((a + c) <=> (b + c)) == (a <=> b));
    const auto exponent = static_cast<unsigned>(random() % 9);
    ASSERT_EQ(a.to_the_power(exponent) * a, a.to_the_power(exponent + 1));
    ASSERT_EQ(a.to_the_power(0), Natural(1));
  }
}

TEST(Natural, ZeroHasOneForm) {
  const Natural large = Natural(kLargestWord) * Natural(kLargestWord);
  EXPECT_EQ(Natural(0), Natural());
  EXPECT_EQ(large - large, Natural());
  EXPECT_EQ(large * Natural(), Natural());
  EXPECT_EQ(Natural() * large, Natural());
  EXPECT_EQ(Natural() + Natural(), Natural());
  EXPECT_TRUE(Natural() < Natural(1));
}

// 2^64 = 2^32 2^32: a borrow through two empty limbs.
TEST(Natural, BorrowsAndCarriesCrossEmptyLimbs) {
  const Natural power = Natural(std::uint64_t{1} << 32) * Natural(std::uint64_t{1} << 32);
  EXPECT_EQ(power - Natural(1), Natural(kLargestWord));
  EXPECT_EQ(Natural(kLargestWord) + Natural(1), power);
  EXPECT_TRUE(power > Natural(kLargestWord));
}

}  // namespace
}  // namespace schedcore
