#include "schedcore/preemptive/memory_knapsack.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "preemptive/plain_memory.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/packing/knapsack.hpp"

namespace schedcore {
namespace {

using testing::fits_together, testing::greatest_profit, testing::plain_memory_table, testing::set_of, testing::value_of;

// Small integers as profits make ties frequent.
struct Draw {
  std::mt19937_64 random;
  Amount operator()(Amount from, Amount to) { return std::uniform_int_distribution<Amount>(from, to)(random); }

  struct Items {
    std::vector<double> profit;
    std::vector<Amount> memory, capacity;
  };
  Items items(Amount most, std::size_t n_memories) {
    Items drawn;
    drawn.profit.resize(static_cast<std::size_t>((*this)(0, most)));
    for (double& profit : drawn.profit) profit = static_cast<double>((*this)(1, 6)) / (most % 2 == 0 ? 1.0 : 3.0);
    drawn.memory.resize(drawn.profit.size() * n_memories);
    for (Amount& amount : drawn.memory) amount = (*this)(0, 9);
    drawn.capacity.resize(n_memories);
    for (Amount& amount : drawn.capacity) amount = (*this)(0, 30);
    return drawn;
  }
};

TEST(MemoryKnapsack, OneMemoryEqualsThePlainTableWithItsTies) {
  Draw draw{std::mt19937_64(3)};
  MemoryKnapsack knapsack;
  std::vector<std::uint8_t> taken;
  for (int round = 0; round < 3000; ++round) {
    auto [profit, memory, capacity] = draw.items(round % 2 == 0 ? 8 : 41, 1);
    const std::vector<std::uint8_t> expected = plain_memory_table(profit, memory, capacity[0]);
    knapsack.solve(profit, memory, capacity, taken);
    ASSERT_EQ(taken, expected);
    // A smaller unit of memory changes nothing, even where bytes would not fit into a table.
    for (Amount& amount : memory) amount <<= 30;
    capacity[0] = (capacity[0] << 30) + draw(0, (1 << 30) - 1);
    knapsack.solve(profit, memory, capacity, taken);
    ASSERT_EQ(taken, expected);
  }
}

TEST(MemoryKnapsack, AmountsInBytesGiveAnOptimum) {
  Draw draw{std::mt19937_64(4)};
  MemoryKnapsack knapsack;
  std::vector<std::uint8_t> taken;
  for (int round = 0; round < 200; ++round) {
    auto [profit, memory, capacity] = draw.items(10, 1);
    for (Amount& amount : memory) amount = (amount << 40) + draw(0, 1 << 20);
    capacity[0] = (capacity[0] << 40) + draw(0, 1 << 22);
    knapsack.solve(profit, memory, capacity, taken);
    ASSERT_TRUE(fits_together(memory, capacity, set_of(taken)));
    ASSERT_EQ(value_of(profit, set_of(taken)), greatest_profit(profit, memory, capacity));
  }
}

TEST(MemoryKnapsack, SeveralMemoriesGiveAnOptimum) {
  Draw draw{std::mt19937_64(5)};
  MemoryKnapsack knapsack;
  std::vector<std::uint8_t> taken;
  for (int round = 0; round < 600; ++round) {
    const auto [profit, memory, capacity] = draw.items(12, static_cast<std::size_t>(draw(2, 4)));
    knapsack.solve(profit, memory, capacity, taken);
    ASSERT_TRUE(fits_together(memory, capacity, set_of(taken)));
    ASSERT_EQ(value_of(profit, set_of(taken)), greatest_profit(profit, memory, capacity));
  }
}

TEST(MemoryKnapsack, EverythingIsTakenWhereEverythingFits) {
  MemoryKnapsack knapsack;
  std::vector<std::uint8_t> taken;
  // 1e16 + 0.1 is 1e16 in double: a table of totals alone would leave item 1 out.
  knapsack.solve(std::vector<double>{1e16, 0.1}, std::vector<Amount>{3, 4}, std::vector<Amount>{7}, taken);
  EXPECT_EQ(taken, (std::vector<std::uint8_t>{1, 1}));
  knapsack.solve(std::vector<double>{1.0}, std::vector<Amount>{0, 0}, std::vector<Amount>{0, 0}, taken);
  EXPECT_EQ(taken, (std::vector<std::uint8_t>{1}));
}

TEST(MemoryKnapsack, ProfitsNearlyProportionalToBytesStillEndWithAGoodSet) {
  std::mt19937_64 random(1);
  const std::size_t n = 128;
  std::vector<double> profit(n);
  std::vector<Amount> memory(n), capacity{0};
  for (std::size_t i = 0; i < n; ++i) {
    memory[i] = std::uniform_int_distribution<Amount>(Amount{1} << 28, Amount{1} << 35)(random);
    profit[i] = static_cast<double>(memory[i]) * (1.0 + 1e-9 * std::uniform_real_distribution<double>()(random));
    capacity[0] += memory[i] * 4 / 5;
  }
  KnapsackOptions options;
  options.memory_limit = MemoryKnapsack::kKernelMemory;
  const std::vector<Int128> sizes(memory.begin(), memory.end());
  ASSERT_THROW((void)solve_knapsack(profit, sizes, Int128{capacity[0]}, options), UnsupportedError);
  MemoryKnapsack knapsack;
  std::vector<std::uint8_t> taken;
  knapsack.solve(profit, memory, capacity, taken);
  Amount used = 0;
  for (std::size_t i = 0; i < n; ++i) used += taken[i] != 0 ? memory[i] : 0;
  EXPECT_LE(used, capacity[0]);
  EXPECT_GE(used, capacity[0] / 1000 * 999);
}

TEST(VectorKnapsack, BeyondTheBudgetTheSetFitsAndIsWorthTheGreedyOneAtLeast) {
  Draw draw{std::mt19937_64(6)};
  VectorKnapsack knapsack;
  std::vector<std::uint8_t> taken;
  const std::size_t n = 60;
  std::vector<double> profit(n);
  std::vector<Amount> amount(3 * n);
  for (double& value : profit) value = static_cast<double>(draw(1000, 1100));
  for (Amount& value : amount) value = draw(500, 700);
  const std::vector<Amount> capacity{20'000, 19'000, 21'000};
  EXPECT_FALSE(knapsack.solve(profit, amount, capacity, taken));
  EXPECT_TRUE(fits_together(amount, capacity, set_of(taken)));
  const std::vector<std::uint8_t> first = taken;
  EXPECT_FALSE(knapsack.solve(profit, amount, capacity, taken));
  EXPECT_EQ(taken, first);
  const auto share = [&](std::size_t i) {
    double sum = 0.0;
    for (std::size_t r = 0; r < 3; ++r) {
      sum += static_cast<double>(amount[3 * i + r]) / static_cast<double>(capacity[r]);
    }
    return profit[i] / sum;
  };
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return share(a) > share(b); });
  std::uint64_t greedy = 0;
  for (const std::size_t i : order) {
    if (fits_together(amount, capacity, greedy | std::uint64_t{1} << i)) greedy |= std::uint64_t{1} << i;
  }
  EXPECT_GE(value_of(profit, set_of(taken)), value_of(profit, greedy));
}

}  // namespace
}  // namespace schedcore
