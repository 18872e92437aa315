#include "schedcore/packing/knapsack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "packing/knapsack_table.hpp"
#include "schedcore/base/errors.hpp"

namespace schedcore {
namespace {

using Indices = std::vector<std::uint32_t>;
using Integers = std::vector<std::int64_t>;

struct Case {
  Integers weight;
  Integers size;
  std::int64_t capacity = 0;
};

// Unrelated and closely related weights and sizes, few and many distinct ones, zero sizes, any capacity.
Case draw_case(std::mt19937_64& random) {
  const auto below = [&](std::int64_t bound) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound)); };
  const auto pick = [&](std::initializer_list<std::int64_t> values) {
    return *(values.begin() + below(static_cast<std::int64_t>(values.size())));
  };
  Case drawn;
  const std::int64_t n = below(pick({4, 12, 40, 120}));
  const std::int64_t heaviest = pick({1, 2, 3, 10, 200}), largest = pick({2, 5, 30, 300}), relation = below(4);
  for (std::int64_t i = 0; i < n; ++i) {
    drawn.size.push_back(below(largest + 1));
    const std::int64_t size = drawn.size.back();
    drawn.weight.push_back(relation == 0 ? size + 1 : relation == 1 ? size + 4 : relation == 2 ? size / 2 + 1 : 1 + below(heaviest));
  }
  drawn.capacity = below(std::accumulate(drawn.size.begin(), drawn.size.end(), std::int64_t{2}));
  return drawn;
}

Indices solve(const Case& c, const KnapsackOptions& options = {}) {
  return solve_knapsack(std::span<const std::int64_t>(c.weight), std::span<const std::int64_t>(c.size), c.capacity, options);
}

TEST(Knapsack, ExactSetEqualsTheTable) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 4000; ++round) {
    const Case c = draw_case(random);
    ASSERT_EQ(solve(c), testing::canonical_by_table(c.weight, c.size, c.capacity)) << "round " << round;
  }
}

TEST(Knapsack, WideSizesAndFractionalWeightsGiveTheSameSet) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 1500; ++round) {
    const Case c = draw_case(random);
    const int shift = static_cast<int>(random() % 90);
    std::vector<double> weight;
    std::vector<Int128> size;
    for (const std::int64_t w : c.weight) weight.push_back(static_cast<double>(w) * 0x1p-70);
    for (const std::int64_t v : c.size) size.push_back(static_cast<Int128>(v) << shift);
    const Int128 capacity = (static_cast<Int128>(c.capacity) << shift) + ((static_cast<Int128>(1) << shift) - Int128(1));
    ASSERT_EQ(solve_knapsack(std::span<const double>(weight), std::span<const Int128>(size), capacity, {}),
              testing::canonical_by_table(c.weight, c.size, c.capacity))
        << "round " << round;
  }
}

TEST(Knapsack, SizesBeyond128BitsGiveTheSameSetWithEveryMethod) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 1500; ++round) {
    const Case c = draw_case(random);
    const int shift = 60 + static_cast<int>(random() % 140);
    const std::vector<double> weight(c.weight.begin(), c.weight.end());
    std::vector<Int256> size;
    for (const std::int64_t v : c.size) size.push_back(Int256(v) << shift);
    const Int256 capacity = Int256(c.capacity) << shift;
    for (const KnapsackMethod method : {KnapsackMethod::exact, KnapsackMethod::cadp, KnapsackMethod::greedy,
                                        KnapsackMethod::greedy_union, KnapsackMethod::greedy_prefix}) {
      ASSERT_EQ(solve_knapsack(std::span<const double>(weight), std::span<const Int256>(size), capacity, {method}),
                solve(c, {method}))
          << "round " << round;
    }
  }
}

TEST(Knapsack, OneUnitIn200BitsDecides) {
  // The same weight twice, the later item smaller by one: the canonical optimum takes the smaller one.
  const Int256 large = Int256(1) << 200;
  const std::vector<double> weight{3, 3, 1};
  const std::vector<Int256> size{large, large - 1, large};
  for (const KnapsackMethod method : {KnapsackMethod::exact, KnapsackMethod::greedy_prefix}) {
    EXPECT_EQ(solve_knapsack(std::span<const double>(weight), std::span<const Int256>(size), large, {method}),
              (Indices{1}));
  }
  EXPECT_EQ(solve_knapsack(std::span<const double>(weight), std::span<const Int256>(size), large + large - 1, {}),
            (Indices{0, 1}));
  EXPECT_EQ(solve_knapsack(std::span<const double>(weight), std::span<const Int256>(size), large + large - 2, {}),
            (Indices{1}));
}

TEST(Knapsack, RealSizesCountAsExactFractions) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 1500; ++round) {
    const Case c = draw_case(random);
    std::vector<double> weight(c.weight.begin(), c.weight.end()), size;
    for (const std::int64_t v : c.size) size.push_back(static_cast<double>(v) * 0x1p-200);
    const double capacity = (static_cast<double>(c.capacity) + 0.5) * 0x1p-200;
    ASSERT_EQ(solve_knapsack(std::span<const double>(weight), std::span<const double>(size), capacity, {}),
              testing::canonical_by_table(c.weight, c.size, c.capacity))
        << "round " << round;
  }
}

TEST(Knapsack, CadpEqualsTheTableOverScaledSizes) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 1500; ++round) {
    const Case c = draw_case(random);
    if (c.capacity == 0 || c.size.empty()) continue;
    const Ratio epsilon{1 + static_cast<std::int64_t>(random() % 9), 10};
    const auto n = static_cast<std::int64_t>(c.size.size());
    Integers scaled;
    for (const std::int64_t v : c.size) scaled.push_back(v * n * epsilon.den / (epsilon.num * c.capacity));
    ASSERT_EQ(solve(c, {KnapsackMethod::cadp, epsilon}),
              testing::canonical_by_table(c.weight, scaled, n * epsilon.den / epsilon.num))
        << "round " << round;
  }
}

TEST(Knapsack, SpansBeyondTheScaleNeverExceedTheCapacity) {
  // The small sizes vanish beside the large one in any common integer unit; rounded up, they still count.
  const std::vector<double> weight{1e300, 1, 1e-300};
  const std::vector<double> size{1, 1e-300, 1e-200};
  EXPECT_EQ(solve_knapsack(std::span<const double>(weight), std::span<const double>(size), 2.0, {}), (Indices{0, 1, 2}));
  EXPECT_EQ(solve_knapsack(std::span<const double>(weight), std::span<const double>(size), 1.0, {}), (Indices{0}));
}

TEST(Knapsack, TwoWeightsNeedNoTableForManyItems) {
  std::mt19937_64 random(5);
  const std::size_t n = 300000;
  Case c;
  for (std::size_t i = 0; i < n; ++i) {
    c.weight.push_back(1 + static_cast<std::int64_t>(random() % 2));
    c.size.push_back(1 + static_cast<std::int64_t>(random() % 1000000007));
  }
  c.capacity = std::accumulate(c.size.begin(), c.size.end(), std::int64_t{0}) / 3;
  const Indices chosen = solve(c, {KnapsackMethod::exact, {1, 10}, 1});  // one byte of memory suffices
  // No unchosen item fits beside the chosen ones, and none is smaller than a chosen one of at most its weight.
  std::vector<bool> is_chosen(n, false);
  std::int64_t used = 0;
  std::array<std::int64_t, 3> largest{0, 0, 0};
  for (const std::uint32_t i : chosen) {
    is_chosen[i] = true;
    used += c.size[i];
    largest[static_cast<std::size_t>(c.weight[i])] = std::max(largest[static_cast<std::size_t>(c.weight[i])], c.size[i]);
  }
  ASSERT_LE(used, c.capacity);
  for (std::size_t i = 0; i < n; ++i) {
    if (is_chosen[i]) continue;
    EXPECT_GT(used + c.size[i], c.capacity);
    EXPECT_GE(c.size[i], largest[static_cast<std::size_t>(c.weight[i])]);
  }
}

TEST(Knapsack, MemoryLimitIsAnErrorWithTheFigures) {
  std::mt19937_64 random(6);
  Case c;
  for (int i = 0; i < 500; ++i) {
    c.size.push_back(1000000000 + 2 * static_cast<std::int64_t>(random() % 1000000000));
    c.weight.push_back(c.size.back());
  }
  c.capacity = std::accumulate(c.size.begin(), c.size.end(), std::int64_t{0}) / 2 | 1;  // odd: no set fills it
  try {
    (void)solve(c, {KnapsackMethod::exact, {1, 10}, 1 << 20});
    FAIL() << "the limit was not noticed";
  } catch (const UnsupportedError& error) {
    const std::string message = error.what();
    for (const char* part : {"500 items", "bytes", "memory_limit is 1048576", "greedy", "greedy_union", "epsilon"}) {
      EXPECT_NE(message.find(part), std::string::npos) << message;
    }
  }
}

TEST(Knapsack, WorkThatLeadsNowhereIsRefusedInTime) {
  // 20,000 proportional items: within the memory for minutes, but the list of states would have to be read too often.
  std::mt19937_64 random(9);
  Case c;
  for (int i = 0; i < 20000; ++i) {
    c.size.push_back(500000 + static_cast<std::int64_t>(random() % 500000));
    c.weight.push_back(c.size.back());
  }
  c.capacity = std::accumulate(c.size.begin(), c.size.end(), std::int64_t{0}) / 2;
  std::uint64_t done = 0;
  struct Watch : Monitor {
    std::uint64_t* done = nullptr;
    void poll(std::uint64_t now, std::uint64_t) override { *done = std::max(*done, now); }
  } watch;
  watch.done = &done;
  try {
    (void)solve(c, {KnapsackMethod::exact, {1, 10}, std::uint64_t{1} << 30, &watch});
    FAIL() << "the work was not bounded";
  } catch (const UnsupportedError& error) {
    const std::string message = error.what();
    for (const char* part : {"20000 items", "read states of more than 17179869184 bytes", "memory_limit is 1073741824",
                             "greedy_union", "epsilon"}) {
      EXPECT_NE(message.find(part), std::string::npos) << message;
    }
  }
  EXPECT_LT(done, 64) << "decided items before the end was foreseen";
}

class Interruption : public Monitor {
 public:
  void poll(std::uint64_t, std::uint64_t) override { throw std::runtime_error("interrupted"); }
};

TEST(Knapsack, MonitorEndsTheComputation) {
  std::mt19937_64 random(7);
  Case c;
  for (int i = 0; i < 400; ++i) {
    c.size.push_back(1 + static_cast<std::int64_t>(random() % 100000));
    c.weight.push_back(c.size.back() + 1000);
  }
  c.capacity = std::accumulate(c.size.begin(), c.size.end(), std::int64_t{0}) / 2;
  Interruption interruption;
  EXPECT_THROW((void)solve(c, {KnapsackMethod::exact, {1, 10}, 1 << 30, &interruption}), std::runtime_error);
}

TEST(Knapsack, GreedyFormsFollowTheWorkedExample) {
  const Case c{{6, 5, 4, 3, 2}, {50, 45, 31, 30, 9}, 100};
  EXPECT_EQ(solve(c, {KnapsackMethod::greedy_prefix}), (Indices{0, 2, 4}));
  EXPECT_EQ(solve(c, {KnapsackMethod::greedy}), (Indices{0, 1, 2, 3, 4}));
  EXPECT_EQ(solve(c, {KnapsackMethod::greedy_union}), (Indices{0, 1, 2, 4}));
  // The overflowing item alone outweighs the densest prefix; on equal weight the prefix stays.
  EXPECT_EQ(solve({{2, 9}, {1, 10}, 10}, {KnapsackMethod::greedy_prefix}), (Indices{1}));
  EXPECT_EQ(solve({{9, 9}, {1, 10}, 10}, {KnapsackMethod::greedy_prefix}), (Indices{0}));
}

TEST(Knapsack, NothingAndNoRoomAreAnswered) {
  for (const KnapsackMethod method : {KnapsackMethod::exact, KnapsackMethod::cadp, KnapsackMethod::greedy,
                                      KnapsackMethod::greedy_union, KnapsackMethod::greedy_prefix}) {
    EXPECT_EQ(solve({{}, {}, 7}, {method}), Indices{});
    EXPECT_EQ(solve({{3}, {7}, 0}, {method}), Indices{});
    EXPECT_EQ(solve({{3}, {7}, 7}, {method}), Indices{0});
  }
}

}  // namespace
}  // namespace schedcore
