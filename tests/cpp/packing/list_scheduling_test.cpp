#include "schedcore/packing/list_scheduling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "schedcore/exact/wide.hpp"

namespace schedcore::list_scheduling_test {
namespace {

using Sizes = std::vector<Amount>;
using Machines = std::vector<std::uint32_t>;

constexpr Amount kLargest = std::numeric_limits<Amount>::max();

Machines lpt(const Sizes& sorted, std::size_t n_machines) {
  Machines machine(sorted.size());
  longest_first(sorted, n_machines, machine);
  return machine;
}

Machines multifit_of(const Sizes& sorted, std::size_t n_machines) {
  Machines machine(sorted.size());
  multifit(sorted, n_machines, machine);
  return machine;
}

std::vector<Int128> loads(const Sizes& size, const Machines& machine, std::size_t n_machines) {
  std::vector<Int128> load(n_machines);
  for (std::size_t i = 0; i < size.size(); ++i) load[machine[i]] += size[i];
  return load;
}

// The reference implementations: as in a textbook, one task and one machine at a time, in 128 bits.
Machines plain_longest_first(const Sizes& sorted, std::size_t n_machines) {
  Machines machine;
  std::vector<Int128> load(n_machines);
  for (const Amount size : sorted) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += size;
    machine.push_back(static_cast<std::uint32_t>(least - load.begin()));
  }
  return machine;
}

bool plain_first_fit(const Sizes& sorted, std::size_t n_machines, Int128 capacity, Machines& machine) {
  machine.clear();
  std::vector<Int128> load(n_machines);
  for (const Amount size : sorted) {
    std::size_t bin = 0;
    while (bin < n_machines && capacity < load[bin] + size) ++bin;
    if (bin == n_machines) return false;
    load[bin] += size;
    machine.push_back(static_cast<std::uint32_t>(bin));
  }
  return true;
}

Machines plain_multifit(const Sizes& sorted, std::size_t n_machines) {
  UInt128 total = 0;
  for (const Amount size : sorted) total += static_cast<std::uint64_t>(size);
  const auto share = [&](UInt128 amount) {
    const auto rounded_up = static_cast<Int128>((amount + UInt128{n_machines} - 1) / UInt128{n_machines});
    return sorted.empty() ? rounded_up : std::max(rounded_up, static_cast<Int128>(sorted.front()));
  };
  Int128 low = share(total);
  Int128 high = share(total + total);
  Machines kept;
  EXPECT_TRUE(plain_first_fit(sorted, n_machines, high, kept));
  while (low < high) {
    const Int128 middle = (low + high) >> 1;
    Machines trial;
    if (plain_first_fit(sorted, n_machines, middle, trial)) {
      kept = trial;
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return kept;
}

Sizes decreasing(Sizes size) {
  std::sort(size.begin(), size.end(), std::greater<>());
  return size;
}

Sizes random_sizes(std::mt19937_64& random, std::size_t n, Amount smallest, Amount largest) {
  std::uniform_int_distribution<Amount> draw(smallest, largest);
  Sizes size(n);
  for (Amount& one : size) one = draw(random);
  return size;
}

TEST(DecreasingOrder, EqualsAStableSortOnEverySizeAndRange) {
  std::mt19937_64 random(5);
  for (const std::size_t n : std::initializer_list<std::size_t>{0, 1, 2, 3, 100, 1023, 1024, 5000, 70000}) {
    for (const Amount largest : {Amount{0}, Amount{1}, Amount{1000}, Amount{1} << 40, Amount{1} << 53, kLargest}) {
      const Sizes size = random_sizes(random, n, 0, largest);
      Machines expected(n);
      std::iota(expected.begin(), expected.end(), std::uint32_t{0});
      std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return size[a] > size[b]; });
      ASSERT_EQ(decreasing_order(size), expected) << n << " sizes up to " << largest;
    }
  }
}

TEST(LongestFirst, SmallCaseByHand) {
  // 7 | 6 | then 5 beside 6 (11), 4 beside 7 (11), 3 to machine 0 on the tie (14).
  EXPECT_EQ(lpt({7, 6, 5, 4, 3}, 2), (Machines{0, 1, 1, 0, 0}));
}

TEST(LongestFirst, GrahamsFamilyReachesItsRatio) {
  // m = 3: two of 5, 4 and three of 3; LPT ends at 11, the optimum is 9: 4/3 - 1/9.
  const Sizes size{5, 5, 4, 4, 3, 3, 3};
  const auto load = loads(size, lpt(size, 3), 3);
  EXPECT_EQ(static_cast<Amount>(*std::max_element(load.begin(), load.end())), 11);
}

TEST(Multifit, SmallCaseByHand) {
  // W = 25: capacities 13 to 25. 19 and 16 succeed, 14 fails (7 fits neither beside 9 nor beside 8), and 15 packs
  // 9 | 8 7 and the 1 beside 9.
  EXPECT_EQ(multifit_of({9, 8, 7, 1}, 2), (Machines{0, 1, 1, 0}));
}

class ListScheduling : public ::testing::TestWithParam<Amount> {};

TEST_P(ListScheduling, EqualsTheTextbookForms) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = random() % 60;
    const std::size_t n_machines = 1 + random() % 20;
    // The upper end alone makes many ties with small ranges and sums beyond 64 bits with the largest.
    const Sizes size = decreasing(random_sizes(random, n, random() % 2 == 0 ? 0 : GetParam() / 2, GetParam()));
    ASSERT_EQ(lpt(size, n_machines), plain_longest_first(size, n_machines)) << n << " on " << n_machines;
    ASSERT_EQ(multifit_of(size, n_machines), plain_multifit(size, n_machines)) << n << " on " << n_machines;
  }
}

INSTANTIATE_TEST_SUITE_P(UpTo, ListScheduling,
                         ::testing::Values(Amount{1}, Amount{10}, Amount{1000}, Amount{1} << 53, Amount{1} << 61,
                                           kLargest),
                         [](const auto& range) { return std::to_string(range.param); });

TEST(ListSchedulingOfNothing, LeavesNothing) {
  EXPECT_TRUE(decreasing_order({}).empty());
  EXPECT_TRUE(lpt({}, 4).empty());
  EXPECT_TRUE(multifit_of({}, 4).empty());
}

TEST(ListSchedulingOfZeros, StaysOnTheFirstMachine) {
  EXPECT_EQ(lpt({0, 0, 0}, 2), (Machines{0, 0, 0}));
  EXPECT_EQ(multifit_of({0, 0, 0}, 2), (Machines{0, 0, 0}));
}

TEST(ListSchedulingOfManyMachines, CostsNoMoreThanTheTasks) {
  const std::size_t machines = (std::size_t{1} << 32) - 1;
  EXPECT_EQ(lpt({3, 2, 0, 0}, machines), (Machines{0, 1, 2, 2}));
  EXPECT_EQ(multifit_of({3, 2, 0, 0}, machines), (Machines{0, 1, 0, 0}));
}

}  // namespace
}  // namespace schedcore::list_scheduling_test
