#include "schedcore/preemptive/fair_rates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace schedcore::fair_rates_test {
namespace {

struct Slot {
  std::vector<Amount> demand, limit;
  std::vector<double> weight;
  std::vector<Amount> capacity;  // of one machine
  [[nodiscard]] std::vector<double> shares(FairRule rule, std::vector<double>* prices = nullptr) const {
    FairRates rates(rule, {capacity, 1, capacity.size()});
    std::vector<double> cores;
    rates.assign({demand, limit, weight}, cores);
    if (prices != nullptr) *prices = rates.prices();
    return cores;
  }
};

void expect_near(const std::vector<double>& cores, const std::vector<double>& expected) {
  ASSERT_EQ(cores.size(), expected.size());
  for (std::size_t row = 0; row < cores.size(); ++row) EXPECT_NEAR(cores[row], expected[row], 1e-12) << row;
}

TEST(FairRates, DominantSharesOfThePaper) {
  // 9 processors and 18 GB; tasks of (1, 4) and of (3, 1): three and two of them.  Here twice that, and as many tasks as
  // fit alone: 9 of the first, 6 of the second.
  const Slot slot{{9, 36, 18, 6}, {9, 18}, {}, {18, 36}};
  expect_near(slot.shares(FairRule::drf), {6, 12});
}

TEST(FairRates, RowsThatAreFullLeaveTheRestToOthers) {
  // Ten cores: 2, and 4 each for the others.
  const Slot slot{{2, 6, 6}, {2, 6, 6}, {}, {10}};
  expect_near(slot.shares(FairRule::drf), {2, 4, 4});
  expect_near(slot.shares(FairRule::proportional_fairness), {2, 4, 4});
  // What little is left of a row is a limit, too, and is got exactly.
  const Slot last{{6, 6, 6}, {1, 6, 6}, {1, 2, 1}, {10}};
  for (const FairRule rule : {FairRule::drf, FairRule::proportional_fairness}) {
    expect_near(last.shares(rule), {1, 6, 3});
    EXPECT_EQ(last.shares(rule)[0], 1.0);
  }
}

TEST(FairRates, WhoUsesWhatIsUsedUpStopsAndTheOthersGoOn) {
  // Memory of 4 is short for rows 0 and 1: half each, which is half a core each of 8; row 2 gets what it asks for.
  const Slot slot{{1, 4, 1, 4, 7, 0}, {1, 1, 7}, {}, {8, 4}};
  expect_near(slot.shares(FairRule::drf), {0.5, 0.5, 7});
  expect_near(slot.shares(FairRule::proportional_fairness), {0.5, 0.5, 7});
}

TEST(FairRates, ProportionalFairnessTradesOffWhatDominantSharesMakeEqual) {
  // Row 0 takes both resources, row 1 the first, row 2 the second and a sixth of the first.  Dominant shares grow to 6/13,
  // where the first resource is used up.
  const Slot slot{{6, 6, 6, 0, 1, 6}, {6, 6, 1}, {}, {6, 6}};
  std::vector<double> prices;
  expect_near(slot.shares(FairRule::drf), {36.0 / 13, 36.0 / 13, 6.0 / 13});
  // Both are used up: 6 x_0 + 6 x_1 + x_2 = 6, x_0 + x_2 = 1; 1 / x_0 = p + q, 1 / x_1 = p, 1 / x_2 = p / 6 + q.
  const auto cores = slot.shares(FairRule::proportional_fairness, &prices);
  const double x0 = cores[0] / 6, x1 = cores[1] / 6, x2 = cores[2];
  EXPECT_NEAR(6 * x0 + 6 * x1 + x2, 6, 1e-12);
  EXPECT_NEAR(x0 + x2, 1, 1e-12);
  EXPECT_NEAR(1 / x0, prices[0] + prices[1], 1e-11);
  EXPECT_NEAR(1 / x1, prices[0], 1e-11);
  EXPECT_NEAR(1 / x2, prices[0] / 6 + prices[1], 1e-11);
}

TEST(FairRates, FarSmallerWeightsShareWhatIsLeft) {
  const Slot slot{{4, 6, 6, 6}, {4, 6, 6, 6}, {1, 0, 1e-30, 1e-30}, {10}};
  for (const FairRule rule : {FairRule::drf, FairRule::proportional_fairness})
    expect_near(slot.shares(rule), {4, 0, 3, 3});
}

// Rates are what rows take at the prices, what has a price is used up, and nothing is overfull.
void expect_optimum(const Slot& slot) {
  const std::size_t k = slot.capacity.size(), n = slot.limit.size();
  std::vector<double> prices;
  const auto cores = slot.shares(FairRule::proportional_fairness, &prices);
  std::vector<double> used(k, 0.0);
  for (std::size_t row = 0; row < n; ++row) {
    double cost = 0.0;
    const double asked = static_cast<double>(slot.demand[row * k]), rate = cores[row] / asked;
    for (std::size_t r = 0; r < k; ++r) {
      const double part = static_cast<double>(slot.demand[row * k + r]) / static_cast<double>(slot.capacity[r]);
      used[r] += part * rate;
      cost += part * prices[r];
    }
    const double most = static_cast<double>(slot.limit[row]) / asked;
    const double wanted = slot.weight[row] >= cost * most ? most : slot.weight[row] / cost;
    ASSERT_NEAR(rate, wanted, 1e-12);
  }
  for (std::size_t r = 0; r < k; ++r) {
    ASSERT_LE(used[r], 1 + 1e-12);
    ASSERT_GE(used[r], prices[r] > 0.0 ? 1 - 1e-12 : 0.0);
  }
}

Amount drawn(std::mt19937_64& random, Amount most) {
  return static_cast<Amount>(random() % static_cast<std::uint64_t>(most + 1));
}

Slot random_slot(std::mt19937_64& random, std::size_t n, std::size_t k, Amount largest) {
  Slot slot;
  for (std::size_t r = 0; r < k; ++r) slot.capacity.push_back(1 + drawn(random, largest));
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t r = 0; r < k; ++r) slot.demand.push_back(drawn(random, slot.capacity[r]));
    Amount& cores = slot.demand[row * k];
    cores = std::max(cores, Amount{1});
    slot.limit.push_back(random() % 4 == 0 ? 1 + drawn(random, cores - 1) : cores);
    slot.weight.push_back(static_cast<double>(1 + drawn(random, 5)));
  }
  return slot;
}

TEST(FairRates, PricesAreThoseOfTheOptimumOnManyKindsOfSlots) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t k = 1 + random() % 4, n = 1 + random() % 30;
    expect_optimum(random_slot(random, n, k, round % 2 == 0 ? 6 : 2000));
    if (HasFatalFailure()) return;
  }
}

TEST(FairRates, PricesAreThoseOfTheOptimumOfWeightsAndUsesThatAreFarApart) {
  std::mt19937_64 random(10);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t k = 2 + random() % 5, n = round % 100 == 0 ? 3000 : 2 + random() % 40;
    Slot slot = random_slot(random, n, k, 1'000'000'000);
    for (double& weight : slot.weight) weight = std::ldexp(1.0, -static_cast<int>(random() % 40));
    // Some resources are hardly used by anybody but one row, and some rows alike in all.
    for (std::size_t row = 1; row < n; ++row) {
      for (std::size_t r = 1; r < k; ++r) {
        if (random() % 3 == 0) slot.demand[row * k + r] >>= random() % 30;
        if (random() % 5 == 0) slot.demand[row * k + r] = slot.demand[(row - 1) * k + r];
      }
    }
    expect_optimum(slot);
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

TEST(FairRates, ResourcesThatAreUsedUpAtLargestRatesHavePricesThatAreNumbers) {
  // Both resources are exactly used up, or too much by one row, when all rows have their largest rates.
  for (const Amount more : {0, 1}) {
    Slot slot{{4, 6, 2, 4, 4 + more, 6}, {4, 2, 4 + more}, {1, 1, 1e-9}, {10, 16}};
    expect_optimum(slot);
    slot.weight = {1e-300, 1, 1e-300};
    expect_optimum(slot);
  }
}

}  // namespace
}  // namespace schedcore::fair_rates_test
