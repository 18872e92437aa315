#include "schedcore/exact/tick_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "schedcore/base/errors.hpp"
#include "schedcore/exact/natural.hpp"

namespace schedcore {
namespace {

constexpr PositiveFraction kUsual{209, 250};

TEST(TickScale, GivesInstantsBackBitForBit) {
  std::mt19937_64 random(3);
  std::vector<Time> instants{0, 1, 0.1, 1e-5, 123456.789, 0.75};
  for (int i = 0; i < 1000; ++i) instants.push_back(std::uniform_real_distribution<Time>(0, 1e6)(random));
  const TickScale scale(instants, 0x1p21, kUsual);
  for (const Time instant : instants) EXPECT_EQ(scale.time(scale.ticks(instant)), instant);
  EXPECT_EQ(scale.time(scale.ticks(std::int64_t{1} << 21)), 0x1p21);
}

TEST(TickScale, DividesAgainAndAgainWithoutRounding) {
  const TickScale scale({}, 0x1p30, kUsual);
  Ticks time = scale.ticks(std::int64_t{1});
  long double expected = 1;
  for (int level = 0; level < 10; ++level) {
    const auto [quotient, rounded] = scale.divided(time);
    EXPECT_FALSE(rounded);
    expected = expected * 250 / 209;
    time = quotient;
    EXPECT_NEAR(scale.time(time), static_cast<Time>(expected), 1e-14 * static_cast<Time>(expected));
  }
}

TEST(TickScale, RoundsQuotientsUpWhereTheyAreNestedTooDeeply) {
  const TickScale scale({}, 0x1p30, kUsual);
  const auto [quotient, rounded] = scale.divided(1);
  EXPECT_TRUE(rounded);
  EXPECT_EQ(quotient, 2);  // 250/209
}

TEST(TickScale, NeverRoundsForNumeratorOne) {
  const TickScale scale({}, 0x1p50, {1, 3});
  EXPECT_EQ(scale.time(scale.divided(scale.ticks(std::int64_t{7})).ticks), 21);
  EXPECT_FALSE(scale.divided(1).rounded);
}

TEST(TickScale, NamesAnInstantThatIsTooFine) {
  const std::vector<Time> instants{1, 1e-40};
  try {
    const TickScale scale(instants, 100, kUsual);
    FAIL();
  } catch (const UnsupportedError& error) {
    EXPECT_NE(std::string(error.what()).find("1e-40"), std::string::npos);
  }
}

// a * 2^shift, for either sign of the shift on the side that it belongs to.
Natural shifted(const Natural& a, int shift) {
  return shift <= 0 ? a : a * Natural(2).to_the_power(static_cast<unsigned>(shift));
}
Natural natural(Ticks ticks) {
  return Natural(high_word(magnitude(ticks))) * Natural(2).to_the_power(64) + Natural(low_word(magnitude(ticks)));
}

TEST(TickScale, TurnsTicksIntoTheNearestDouble) {
  std::mt19937_64 random(4);
  const TickScale scale(std::vector<Time>{0.125}, 0x1p40, kUsual);
  const Natural one = natural(scale.ticks(std::int64_t{1}));
  for (int round = 0; round < 2000; ++round) {
    const int bits = static_cast<int>(random() % 110);
    const Ticks ticks = static_cast<Ticks>(((static_cast<UInt128>(random()) << 64) + random()) >> (127 - bits));
    if (ticks == 0) continue;
    const Time time = scale.time(ticks);
    // time = mantissa 2^exponent; ticks / one lies between the middles to its neighbours,
    // (2 mantissa -+ 1) 2^(exponent - 1).
    int exponent = 0;
    const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(time, &exponent), 53));
    const int half = exponent - 54;
    const Natural value = shifted(natural(ticks), -half);
    ASSERT_LE(shifted(Natural(2 * mantissa - 1) * one, half), value);
    ASSERT_GE(shifted(Natural(2 * mantissa + 1) * one, half), value);
  }
}

}  // namespace
}  // namespace schedcore
