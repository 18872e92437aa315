#include "schedcore/preemptive/slot_rates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace schedcore {
namespace {

std::vector<std::uint32_t> rows_by_key(std::span<const double> key) {
  std::vector<std::uint32_t> order(key.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return key[row]; });
  return order;
}

TEST(SlotRates, GivesEveryRowItsLimitWhileThePoolLasts) {
  const std::vector<double> key{-1.25, -2.0, -1.5, -0.5};
  const std::vector<Amount> limit{4, 2, 2, 2};
  std::vector<Amount> cores;
  EXPECT_EQ(slot_rates(key, limit, 8, cores), kNoRow);
  EXPECT_EQ(cores, (std::vector<Amount>{4, 2, 2, 0}));
  EXPECT_EQ(slot_rates(key, limit, 7, cores), 0u);
  EXPECT_EQ(cores, (std::vector<Amount>{3, 2, 2, 0}));
  EXPECT_EQ(slot_rates(key, limit, 100, cores), kNoRow);
  EXPECT_EQ(cores, limit);
  EXPECT_EQ(slot_rates({}, {}, 5, cores), kNoRow);
  EXPECT_TRUE(cores.empty());
}

TEST(SlotRates, BreaksTiesByRow) {
  std::vector<Amount> cores;
  EXPECT_EQ(slot_rates(std::vector<double>(4, 1.0), std::vector<Amount>{2, 2, 2, 2}, 5, cores), 2u);
  EXPECT_EQ(cores, (std::vector<Amount>{2, 2, 1, 0}));
}

TEST(SlotRates, EqualsTheWalkInSortedOrder) {
  std::mt19937_64 random(1);
  SlotRates rates;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t n = random() % (round % 10 == 0 ? 2000 : 60);
    std::vector<double> key(n);
    std::vector<Amount> limit(n);
    const auto distinct = 1 + random() % 100;
    for (std::size_t row = 0; row < n; ++row) {
      key[row] = static_cast<double>(random() % distinct) - 20.0;
      limit[row] = static_cast<Amount>(random() % 8);
    }
    const Amount wanted = std::accumulate(limit.begin(), limit.end(), Amount{0});
    const Amount total = static_cast<Amount>(random() % (static_cast<std::uint64_t>(wanted) + 3));
    std::vector<Amount> cores, expected;
    const std::size_t cut = rates.assign(key, limit, total, cores);
    ASSERT_EQ(cut, SlotRates::assign_in_order(rows_by_key(key), limit, total, expected));
    ASSERT_EQ(cores, expected);
    ASSERT_EQ(std::accumulate(cores.begin(), cores.end(), Amount{0}), std::min(total, wanted));
  }
}

TEST(SlotRates, StaysExactWhereLimitsAddUpBeyondInt64) {
  const Amount huge = Amount{1} << 53;
  const std::vector<Amount> limit(5000, huge);
  std::vector<double> key(5000);
  std::iota(key.rbegin(), key.rend(), 0.0);
  std::vector<Amount> cores;
  EXPECT_EQ(slot_rates(key, limit, huge * 3 - 1, cores), 4997u);
  EXPECT_EQ(cores[4999], huge);
  EXPECT_EQ(cores[4997], huge - 1);
  EXPECT_EQ(cores[4996], 0);
}

}  // namespace
}  // namespace schedcore
