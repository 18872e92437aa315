#include "schedcore/preemptive/whole_cores.hpp"

#include <gtest/gtest.h>

#include <random>

namespace schedcore {
namespace {

std::vector<Amount> whole(const std::vector<double>& cores, Amount total, const std::vector<Amount>& owed = {}) {
  std::vector<CoreShare> share;
  for (const double each : cores) share.push_back(core_share(each));
  std::vector<Int128> units;
  for (const Amount each : owed) units.emplace_back(each);
  std::vector<Amount> given;
  WholeCores().assign(share, units, total, given);
  return given;
}

TEST(WholeCores, SharesAreRoundedToTheNearestUnit) {
  constexpr double unit = 0x1p-20;
  EXPECT_EQ(core_share(0.0), (CoreShare{0, 0}));
  EXPECT_EQ(core_share(2.5), (CoreShare{2, CoreShare::kUnits / 2}));
  EXPECT_EQ(core_share(3.0 - unit / 4), (CoreShare{3, 0}));
  EXPECT_EQ(core_share(3.0 - unit / 2), (CoreShare{3, 0}));
  EXPECT_EQ(core_share(3.0 - unit * 0.75), (CoreShare{2, CoreShare::kUnits - 1}));
  EXPECT_EQ(core_share(0x1p53), (CoreShare{Amount{1} << 53, 0}));
}

TEST(WholeCores, FurtherCoresGoToTheLargestRemainders) {
  EXPECT_EQ(whole({1.25, 1.5, 1.25}, 4), (std::vector<Amount>{1, 2, 1}));
  EXPECT_EQ(whole({1.5, 1.5, 1.0}, 9), (std::vector<Amount>{2, 1, 1}));  // ties to the lower row
  EXPECT_EQ(whole({0.2, 0.2, 0.2, 0.2, 0.2}, 9), (std::vector<Amount>{1, 0, 0, 0, 0}));
  EXPECT_EQ(whole({0.75, 0.5, 0.5}, 9), (std::vector<Amount>{1, 0, 0}));  // 1.75 cores are one
  EXPECT_EQ(whole({}, 3), std::vector<Amount>{});
}

TEST(WholeCores, WhatIsOwedAddsToTheRemainder) {
  constexpr Amount core = CoreShare::kUnits;
  EXPECT_EQ(whole({0.5, 0.5}, 1, {0, 1}), (std::vector<Amount>{0, 1}));
  EXPECT_EQ(whole({0.75, 0.25}, 1, {-core / 2, 1}), (std::vector<Amount>{0, 1}));
  EXPECT_EQ(whole({1.0, 0.5, 0.5}, 2, {9 * core, 0, 0}), (std::vector<Amount>{1, 1, 0}));  // whole shares stay
}

TEST(WholeCores, SumsShortOfAWholeNumberByRoundingCountAsThatNumber) {
  EXPECT_EQ(whole({1.0 / 3, 1.0 / 3, 1.0 / 3}, 1), (std::vector<Amount>{1, 0, 0}));  // 3 * 349525 = 2^20 - 1 units
  EXPECT_EQ(whole({5.0 / 6, 5.0 / 6, 4.0 / 3}, 3), (std::vector<Amount>{1, 1, 1}));
}

TEST(WholeCores, ThePoolIsNeverExceeded) {
  EXPECT_EQ(whole({2.0, 2.0}, 3), (std::vector<Amount>{2, 1}));
  EXPECT_EQ(whole({1.5, 1.5}, 2), (std::vector<Amount>{1, 1}));
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> cores(1 + random() % 9);
    double sum = 0;
    for (double& each : cores) sum += each = static_cast<double>(random() % 4096) / 1024;
    const auto total = static_cast<Amount>(sum);
    const auto given = whole(cores, total);
    Amount together = 0;
    for (std::size_t row = 0; row < cores.size(); ++row) {
      together += given[row];
      ASSERT_GT(static_cast<double>(given[row]), cores[row] - 1);
      ASSERT_LT(static_cast<double>(given[row]), cores[row] + 1);
    }
    ASSERT_EQ(together, total);
  }
}

}  // namespace
}  // namespace schedcore
