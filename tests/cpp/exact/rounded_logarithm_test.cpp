#include "schedcore/exact/rounded_logarithm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace schedcore {
namespace {

struct Logarithms {
  double x;
  double log2;
  double log10;
};

// With 60 digits, then rounded.
const Logarithms kKnown[] = {
    {1, 0, 0},
    {2, 1, 0x1.34413509f79ffp-2},
    {3, 0x1.95c01a39fbd68p+0, 0x1.e8927964fd5fdp-2},
    {7, 0x1.675767f54042dp+1, 0x1.b0b0b0b78cc3fp-1},
    {10, 0x1.a934f0979a371p+1, 1},
    {1000, 0x1.3ee7b471b3a95p+3, 3},
    {86400, 0x1.06614110c5c60p+4, 0x1.3befd7560ce3fp+2},
    {1234567, 0x1.43c4e8ee661e3p+4, 0x1.85db605256b71p+2},
    {0.3, -0x1.bca9c6f53897bp+0, -0x1.0bb6c34d81502p-1},
    {5e-324, -1074, -0x1.434e6420f4374p+8},
    {std::numeric_limits<double>::max(), 1024, 0x1.34413509f79ffp+8},
    {std::nextafter(1.0, 2.0), 0x1.71547652b82fdp-52, 0x1.bcb7b1526e50dp-54},
};

TEST(RoundedLogarithm, IsTheNearestDouble) {
  for (const auto& [x, log2, log10] : kKnown) {
    EXPECT_EQ(rounded_log2(x), log2) << x;
    EXPECT_EQ(rounded_log10(x), log10) << x;
  }
}

TEST(RoundedLogarithm, IsExactForPowers) {
  for (int power = -1074; power <= 1023; ++power) EXPECT_EQ(rounded_log2(std::ldexp(1.0, power)), power);
  double ten = 1;  // up to 1e22 a double
  for (int power = 0; power <= 22; ++power, ten *= 10) EXPECT_EQ(rounded_log10(ten), power);
}

// Whose own is off by a unit in the last place at most.
TEST(RoundedLogarithm, IsNearThatOfTheLibrary) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double x = std::ldexp(static_cast<double>((random() >> 11) + 1), static_cast<int>(random() % 300) - 200);
    EXPECT_NEAR(rounded_log2(x), std::log2(x), 4e-16 * std::abs(std::log2(x))) << x;
    EXPECT_NEAR(rounded_log10(x), std::log10(x), 4e-16 * std::abs(std::log10(x))) << x;
  }
}

}  // namespace
}  // namespace schedcore
