#include "schedcore/preemptive/gittins_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace schedcore {
namespace {

GittinsIndex learnt(const std::vector<Amount>& sizes) {
  GittinsIndex index;
  index.learn(sizes);
  return index;
}

// The definition: of all d at which some size ends, the best number of jobs done over what is spent on all.
double by_definition(Amount attained, const std::vector<Amount>& sizes) {
  UInt128 best_n = 0, best_service = 1;
  for (const Amount end : sizes) {
    if (end <= attained) continue;
    std::uint64_t n = 0;
    UInt128 service = 0;
    for (const Amount size : sizes) {
      if (size <= attained) continue;
      n += size <= end ? 1u : 0u;
      service += magnitude(std::min(size, end) - attained);
    }
    if (UInt128(n) * best_service > best_n * service) {
      best_n = n;
      best_service = service;
    }
  }
  return static_cast<double>(best_n) / static_cast<double>(best_service);
}

TEST(GittinsIndex, IsZeroWhereNoJobHadGotMore) {
  EXPECT_EQ(GittinsIndex().at(0), 0.0);
  EXPECT_EQ(learnt({3, 5}).at(5), 0.0);
  EXPECT_EQ(learnt({3, 5}).at(9), 0.0);
}

TEST(GittinsIndex, OfASingleSizeIsOneOverWhatIsLeft) {
  const GittinsIndex index = learnt({8, 8, 8});
  EXPECT_EQ(index.at(0), 1.0 / 8);
  EXPECT_EQ(index.at(6), 1.0 / 2);
}

TEST(GittinsIndex, LooksAsFarAheadAsPays) {
  // Sizes 1, 1, 10.  At 0: d = 1 ends two jobs for three slots, d = 10 three for twelve.  At 1 the long one is alone.
  const GittinsIndex index = learnt({1, 10, 1});
  EXPECT_EQ(index.at(0), 2.0 / 3);
  EXPECT_EQ(index.at(1), 1.0 / 9);
  // Sizes 5, 6, 6.  At 0: d = 5 ends one job for 15, d = 6 three for 17.
  EXPECT_EQ(learnt({6, 5, 6}).at(0), 3.0 / 17);
}

TEST(GittinsIndex, SizesAreLearntInAnyOrderAndPortions) {
  GittinsIndex index;
  index.learn(std::vector<Amount>{10});
  EXPECT_EQ(index.at(1), 1.0 / 9);
  index.learn(std::vector<Amount>{1});
  index.learn({});
  index.learn(std::vector<Amount>{1});
  EXPECT_EQ(index.at(0), 2.0 / 3);
}

TEST(GittinsIndex, IsThatOfTheDefinitionOnManySizes) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 400; ++round) {
    // Small sizes that repeat, sizes of all magnitudes, and the largest that there are.
    const int kind = round % 3;
    const auto draw = [&]() -> Amount {
      if (kind == 0) return static_cast<Amount>(1 + random() % 12);
      if (kind == 1) return static_cast<Amount>(1 + (random() >> (11 + random() % 53)));
      return (Amount{1} << 53) - static_cast<Amount>(random() % 40);
    };
    std::vector<Amount> sizes(1 + random() % 25);
    for (Amount& size : sizes) size = draw();
    GittinsIndex index;
    const std::size_t first = random() % (sizes.size() + 1);
    index.learn(std::span(sizes).first(first));
    index.learn(std::span(sizes).subspan(first));
    for (int i = 0; i < 12; ++i) {
      const Amount attained = i == 0 ? 0 : draw() - 1;
      ASSERT_EQ(index.at(attained), by_definition(attained, sizes)) << "after " << attained << " in round " << round;
    }
  }
}

}  // namespace
}  // namespace schedcore
