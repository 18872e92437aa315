#include "schedcore/metrics/power_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace schedcore {
namespace {

long double literal(int exponent, Slot after, Slot upto) {
  long double sum = 0;
  for (Slot i = after + 1; i <= upto; ++i) sum += std::pow(static_cast<long double>(i), exponent);
  return sum;
}

TEST(PowerSums, EqualTheSumOneByOne) {
  std::mt19937_64 random(3);
  for (int exponent = 0; exponent <= PowerSums::kMaxExponent; ++exponent) {
    const PowerSums powers(exponent);
    for (const Slot most : {3, 30, 70, 300, 2000}) {
      for (int round = 0; round < 12; ++round) {
        const Slot after = std::uniform_int_distribution<Slot>(0, most)(random);
        const Slot upto = after + std::uniform_int_distribution<Slot>(1, most)(random);
        const long double expected = literal(exponent, after, upto);
        ASSERT_NEAR(static_cast<double>(powers.over(after, upto) / expected), 1, 3e-14)
            << exponent << ' ' << after << ' ' << upto;
      }
    }
  }
}

TEST(PowerSums, AreExactForSmallIntegers) {
  EXPECT_EQ(PowerSums(1).over(0, 100), 5050);
  EXPECT_EQ(PowerSums(2).over(0, 24), 4900);
  EXPECT_EQ(PowerSums(3).over(9, 10), 1000);
  EXPECT_EQ(PowerSums(5).over(4, 4), 0);
}

TEST(PowerSums, LoseNothingWhereAStretchIsShortBesideItsPlace) {
  // n^2 x n of huge numbers: m^2 + (m + 1)^2 in exact integers is below 2^127.
  const Slot far = Slot{1} << 50;
  const auto m = static_cast<long double>(far + 1);
  EXPECT_NEAR(static_cast<double>(PowerSums(2).over(far, far + 2) / (2 * m * m + 2 * m + 1)), 1, 1e-15);
}

TEST(PowerSums, BecomeInfiniteAndNeverNan) {
  EXPECT_TRUE(std::isinf(PowerSums(64).over(0, 1'000'000'000)));
  EXPECT_TRUE(std::isinf(PowerSums(64).over(1'000'000'000, 1'000'000'001)));
  EXPECT_TRUE(std::isfinite(PowerSums(64).over(0, 50'000)));
}

}  // namespace
}  // namespace schedcore
