#include "schedcore/online/volume.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace schedcore {
namespace {

// Jobs of one resource on machines of `capacity` units.
struct Workload {
  Amount capacity;
  std::vector<Time> processing_time;
  std::vector<Amount> demand;

  [[nodiscard]] JobTable table() const {
    JobTable jobs(1);
    for (std::size_t j = 0; j < demand.size(); ++j) {
      static_cast<void>(jobs.add({0, processing_time[j], 1, 0, static_cast<std::int64_t>(j)}, {&demand[j], 1}));
    }
    return jobs;
  }
  [[nodiscard]] VolumeKnapsack knapsack(Time gamma, std::size_t n_machines) const {
    std::vector<JobSlot> items(demand.size());
    std::iota(items.begin(), items.end(), JobSlot{0});
    return {items, table(), DemandScale({&capacity, 1}), gamma, n_machines};
  }
};

TEST(Volume, EqualityWithTheCapacityStillFitsAndOneUnitMoreDoesNot) {
  // two machines, gamma 5, capacity 7: zeta = 70
  Workload workload{7, {10, 5, 5}, {2, 3, 7}};
  EXPECT_TRUE(workload.knapsack(5, 2).everything_fits());
  workload.processing_time[1] = std::nextafter(5.0, 6.0);
  EXPECT_FALSE(workload.knapsack(5, 2).everything_fits()) << "2^-50 too much";
  workload.processing_time[1] = std::nextafter(5.0, 4.0);
  EXPECT_TRUE(workload.knapsack(5, 2).everything_fits());
}

TEST(Volume, AmountsNearTheLargestAreSummedExactly) {
  const Amount most = Amount{1} << 53;
  const auto longest = static_cast<Time>(most);
  Workload workload{most, {longest, longest - 1, 1}, {most, most, most}};
  EXPECT_TRUE(workload.knapsack(longest, 2).everything_fits()) << "2 * 2^106 exactly";
  workload.demand[2] = most - 1;
  EXPECT_TRUE(workload.knapsack(longest, 2).everything_fits());
  workload.demand[2] = most;
  workload.processing_time[2] = 2;
  EXPECT_FALSE(workload.knapsack(longest, 2).everything_fits());
}

TEST(Volume, ChoosesWhatTheKnapsackOverIntegerVolumesChooses) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 2 + random() % 8;
    const Amount capacity = static_cast<Amount>(1 + random() % 20);
    Workload workload{capacity, {}, {}};
    std::vector<Int128> size;
    std::vector<double> weight;
    Int128 total = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const std::uint64_t processing_time = 1 + random() % 40;
      const Amount demand = static_cast<Amount>(1 + random() % static_cast<std::uint64_t>(capacity));
      workload.processing_time.push_back(static_cast<Time>(processing_time));
      workload.demand.push_back(demand);
      size.push_back(static_cast<Int128>(static_cast<std::int64_t>(processing_time) * demand));
      total += size.back();
      weight.push_back(static_cast<double>(1 + random() % 5));
    }
    const std::uint64_t gamma = 1 + random() % 40;
    const std::size_t n_machines = 1 + random() % 3;
    const Int128 zeta = static_cast<Int128>(static_cast<std::int64_t>(gamma * n_machines) * capacity);
    for (const KnapsackMethod method : {KnapsackMethod::exact, KnapsackMethod::cadp, KnapsackMethod::greedy}) {
      const KnapsackOptions options{method, {1, 10}};
      const VolumeKnapsack volumes = workload.knapsack(static_cast<Time>(gamma), n_machines);
      ASSERT_EQ(volumes.everything_fits(), total <= zeta);
      if (volumes.everything_fits()) continue;
      const auto chosen = volumes.solve(weight, options);
      ASSERT_EQ(chosen, solve_knapsack(std::span<const double>(weight), std::span<const Int128>(size), zeta, options));
      // A power of two changes nothing.
      Workload scaled = workload;
      for (Time& processing_time : scaled.processing_time) processing_time *= 0x1p-70;
      ASSERT_EQ(scaled.knapsack(static_cast<Time>(gamma) * 0x1p-70, n_machines).solve(weight, options), chosen);
    }
  }
}

TEST(Volume, AmountsNearTheLargestAreExactForManyJobsOfManyResources) {
  // 64 resources and 5,000 jobs near 2^53: volumes of 112 bits, and n times their sum has 137.
  constexpr std::size_t kManyResources = 64;
  const Amount most = Amount{1} << 53;
  const std::vector<Amount> capacity(kManyResources, most);
  JobTable jobs(kManyResources);
  std::vector<JobSlot> items;
  std::vector<double> weight;
  for (std::int64_t j = 0; j < 5000; ++j) {
    std::vector<Amount> demand(kManyResources, most);
    demand[0] -= j == 4000 ? 1 : 0;
    static_cast<void>(jobs.add({0, static_cast<Time>(most), 1, 0, j}, demand));
    items.push_back(static_cast<JobSlot>(j));
    weight.push_back(1);
  }
  const DemandScale scale{std::span<const Amount>(capacity)};
  const auto gamma = static_cast<Time>(most);
  EXPECT_TRUE(VolumeKnapsack(items, jobs, scale, gamma, 5000).everything_fits());
  const VolumeKnapsack volumes(items, jobs, scale, std::nextafter(gamma, 0.0), 5000);
  ASSERT_FALSE(volumes.everything_fits()) << "one job is smaller by 2^53, the room by 5000 * 2^59";
  std::vector<std::uint32_t> all_but_last(4999);
  std::iota(all_but_last.begin(), all_but_last.end(), 0U);
  EXPECT_EQ(volumes.solve(weight, {}), all_but_last);
  // The smaller one fills the room alone, although the doubles of all volumes are equal.
  const VolumeKnapsack room_for_one(items, jobs, scale, gamma * (1 + 0x1p-52), 1);
  EXPECT_EQ(room_for_one.solve(weight, {}), (std::vector<std::uint32_t>{4000}));
}

TEST(Volume, TimesTooFarApartForExactSumsFallBackToDoubles) {
  const Workload workload{10, {0x1p-1000, 1.0, 1.5}, {10, 6, 10}};
  const VolumeKnapsack volumes = workload.knapsack(1.5, 1);
  ASSERT_FALSE(volumes.everything_fits());
  // zeta = 15: the two short jobs weigh more than the long one
  EXPECT_EQ(volumes.solve(std::vector<double>{1, 2, 2}, {}), (std::vector<std::uint32_t>{0, 1}));
}

}  // namespace
}  // namespace schedcore
