#include "schedcore/exact/demand_scale.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "schedcore/base/errors.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {
namespace {

UInt128 product(Amount a, Amount b) {
  return multiply_words(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
}

TEST(DemandScale, ExactSharesAreProportionalToTheCapacity) {
  const std::vector<Amount> capacity{12, 18, 1'000'000};
  const DemandScale scale(capacity);
  ASSERT_TRUE(scale.exact());
  EXPECT_EQ(scale.common_capacity(), 9'000'000);  // lcm(12, 18, 10^6)
  for (std::size_t resource = 0; resource < capacity.size(); ++resource) {
    for (const Amount amount : {Amount{0}, Amount{1}, Amount{7}, capacity[resource]}) {
      EXPECT_TRUE(product(scale.scaled(resource, amount), capacity[resource]) ==
                  product(amount, scale.common_capacity()));
    }
  }
  EXPECT_EQ(scale.total(std::vector<Amount>{12, 9, 0}), 9'000'000u + 4'500'000u);
}

TEST(DemandScale, ApproximateSharesAreTheFloorAndAtLeastOne) {
  // Neighbouring numbers near 2^53 have no common factor to speak of: their lcm exceeds 2^53.
  const std::vector<Amount> capacity{(Amount{1} << 53) - 1, (Amount{1} << 53) - 111, 3};
  const DemandScale scale(capacity);
  ASSERT_FALSE(scale.exact());
  EXPECT_EQ(scale.common_capacity(), Amount{1} << 40);
  std::mt19937_64 random(1);
  for (int round = 0; round < 5000; ++round) {
    for (std::size_t resource = 0; resource < capacity.size(); ++resource) {
      const auto amount = static_cast<Amount>(random() % static_cast<std::uint64_t>(capacity[resource] + 1));
      const Amount share = scale.scaled(resource, amount);
      const UInt128 exact = product(amount, Amount{1} << 40);
      EXPECT_TRUE(exact < product(share + 1, capacity[resource]));
      EXPECT_TRUE(share == 1 || product(share, capacity[resource]) <= exact);
    }
  }
  EXPECT_EQ(scale.scaled(0, 0), 0);
  EXPECT_EQ(scale.scaled(0, 1), 1);
  EXPECT_EQ(scale.scaled(0, capacity[0]), Amount{1} << 40);
}

TEST(DemandScale, ResourcesWithoutCapacityAreLeftOut) {
  const DemandScale scale(std::vector<Amount>{10, 0, 4});
  EXPECT_EQ(scale.n_resources(), 2u);
  EXPECT_EQ(scale.common_capacity(), 20);
  EXPECT_EQ(scale.total(std::vector<Amount>{5, 7, 1}), 15u);
}

TEST(DemandScale, RefusesMoreResourcesThanATotalCanHold) {
  const std::vector<Amount> capacity(1025, 1);
  EXPECT_THROW(DemandScale{capacity}, UnsupportedError);
  EXPECT_THROW((void)DemandScale::of_cluster({capacity, 1, 1025}), UnsupportedError);
}

TEST(DemandScale, OfIdenticalMachinesHasTheSharesOfOne) {
  const std::vector<Amount> capacity{12, 18, 0, 12, 18, 0};
  for (const DemandScale& scale :
       {DemandScale::of_cluster({capacity, 2, 3}), DemandScale::of_machines({capacity, 2, 3})}) {
    EXPECT_EQ(scale.common_capacity(), 36);
    EXPECT_EQ(scale.n_resources(), 2u);
    EXPECT_EQ(scale.scaled(0, 5), 15);
    EXPECT_EQ(scale.multiplier().size(), 3u);
  }
  EXPECT_EQ(DemandScale::of_cluster({capacity, 2, 3}).n_capacities(), 2u);
}

TEST(DemandScale, OfAClusterHasTheSharesOfAllMachinesTogetherWhereTheyDiffer) {
  const std::vector<Amount> capacity{2, 10, 0, 6, 10, 0};
  const DemandScale scale = DemandScale::of_cluster({capacity, 2, 3});
  EXPECT_EQ(scale.common_capacity(), 40);  // lcm(8, 20)
  EXPECT_EQ(scale.n_capacities(), 1u);
  EXPECT_EQ(scale.n_resources(), 2u);
  EXPECT_EQ(scale.total(std::vector<Amount>{2, 2, 0}), 14u);
  EXPECT_EQ(scale.total(std::vector<Amount>{1, 5, 0}), 15u);
}

TEST(DemandScale, OfMachinesThatDifferHasARowForEach) {
  const std::vector<Amount> capacity{4, 0, 10, 6};
  const DemandScale scale = DemandScale::of_machines({capacity, 2, 2});
  EXPECT_EQ(scale.common_capacity(), 60);
  EXPECT_EQ(scale.scaled(0, 3), 45);
  EXPECT_EQ(scale.scaled(1, 0), 0);
  EXPECT_EQ(scale.scaled(2, 3), 18);
  EXPECT_EQ(scale.scaled(3, 3), 30);
}

TEST(DemandScale, TotalsOfAClusterMayExceed64Bits) {
  constexpr Amount kLargest = Amount{1} << 53;
  std::vector<Amount> capacity(4096, kLargest);
  capacity.front() -= 1;  // (2^53 - 1) + 4095 * 2^53
  const DemandScale scale = DemandScale::of_cluster({capacity, 4096, 1});
  ASSERT_FALSE(scale.exact());
  EXPECT_EQ(scale.scaled(0, kLargest), Amount{1} << 28);  // a 4096th of 2^40, and a hair
  EXPECT_EQ(scale.scaled(0, 1), 1);
}

}  // namespace
}  // namespace schedcore
