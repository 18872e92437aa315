#include "schedcore/workloads/colocation_workloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace schedcore {
namespace {

struct Draw {
  std::vector<std::int64_t> chosen;
  std::vector<std::int64_t> alpha;
};

Draw draw(std::uint64_t seed, const std::vector<std::int64_t>& type, std::size_t n_types, CoefficientClass coefficients,
          std::size_t n_tasks, bool symmetric = true) {
  Draw drawn{std::vector<std::int64_t>(n_tasks), std::vector<std::int64_t>(n_types * n_types)};
  draw_colocation(seed, type, n_types, coefficients, symmetric, drawn.chosen, drawn.alpha);
  return drawn;
}

// `n` tasks, all of type 0 except one of each other type, which stand at the end.
std::vector<std::int64_t> mostly_one_type(std::size_t n, std::size_t n_types) {
  std::vector<std::int64_t> type(n, 0);
  for (std::size_t t = 1; t < n_types; ++t) type[n - t] = static_cast<std::int64_t>(t);
  return type;
}

TEST(DrawDistinct, MembersAreDistinctAndAllOfThemAPermutation) {
  for (const std::size_t n_chosen : {std::size_t{0}, std::size_t{1}, std::size_t{40}, std::size_t{100}}) {
    std::vector<std::int64_t> chosen(n_chosen);
    draw_distinct(3, 100, chosen);
    const std::set<std::int64_t> members(chosen.begin(), chosen.end());
    EXPECT_EQ(members.size(), n_chosen);
    EXPECT_TRUE(std::all_of(chosen.begin(), chosen.end(), [](std::int64_t i) { return 0 <= i && i < 100; }));
  }
}

TEST(DrawDistinct, AShorterSampleIsThePrefixOfALongerOne) {
  std::vector<std::int64_t> few(10);
  std::vector<std::int64_t> many(50);
  draw_distinct(7, 1000, few);
  draw_distinct(7, 1000, many);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

TEST(DrawUsageRecords, ValuesLieInTheUnitIntervalAndBothKindsAreAsFrequent) {
  std::vector<double> cpu(10'000);
  std::vector<double> memory(10'000);
  draw_usage_records(57, cpu, memory);
  int n_cpu_heavy = 0;
  for (std::size_t i = 0; i < cpu.size(); ++i) {
    EXPECT_TRUE(0 < cpu[i] && cpu[i] <= 1 && 0 < memory[i] && memory[i] <= 1);
    n_cpu_heavy += cpu[i] > memory[i] ? 1 : 0;
  }
  EXPECT_NEAR(n_cpu_heavy, 5000, 200);  // four standard deviations
}

TEST(DrawColocation, EveryTypeHasATask) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const std::size_t n_types : {std::size_t{2}, std::size_t{3}, std::size_t{4}}) {
      const auto type = mostly_one_type(500, n_types);
      const auto drawn = draw(seed, type, n_types, CoefficientClass::compatible, n_types + seed % 5);
      std::set<std::int64_t> types;
      for (const std::int64_t task : drawn.chosen) types.insert(type[static_cast<std::size_t>(task)]);
      EXPECT_EQ(types.size(), n_types);
      EXPECT_EQ(std::set<std::int64_t>(drawn.chosen.begin(), drawn.chosen.end()).size(), drawn.chosen.size());
    }
  }
}

// Tasks 0..4 of types 0 0 0 0 1; three are chosen with seed 1.  Whatever the shuffle gives, a missing type 1 takes the
// last place, because all chosen ones are of type 0.
TEST(DrawColocation, AMissingTypeTakesTheLastPlaceOfTheMostFrequentOne) {
  const std::vector<std::int64_t> type{0, 0, 0, 0, 1};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<std::int64_t> shuffled(3);
    draw_distinct(seed, 5, shuffled);
    const auto chosen = draw(seed, type, 2, CoefficientClass::clashing, 3).chosen;
    if (std::find(shuffled.begin(), shuffled.end(), 4) == shuffled.end()) shuffled[2] = 4;
    EXPECT_EQ(chosen, shuffled);
  }
}

TEST(DrawColocation, CoefficientsStayInTheRangeOfTheirClass) {
  const std::vector<std::int64_t> type{0, 1, 2, 3};
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    for (const bool symmetric : {true, false}) {
      const auto compatible = draw(seed, type, 4, CoefficientClass::compatible, 4, symmetric).alpha;
      const auto incompatible = draw(seed, type, 4, CoefficientClass::incompatible, 4, symmetric).alpha;
      const auto clashing = draw(seed, type, 4, CoefficientClass::clashing, 4, symmetric).alpha;
      const auto mixed = draw(seed, type, 4, CoefficientClass::mixed, 4, symmetric).alpha;
      for (std::size_t s = 0; s < 4; ++s) {
        for (std::size_t d = 0; d < 4; ++d) {
          const std::size_t cell = 4 * s + d;
          if (s == d) {
            EXPECT_EQ(compatible[cell], 1000);
            EXPECT_EQ(mixed[cell], 1000);
            continue;
          }
          EXPECT_TRUE(0 <= compatible[cell] && compatible[cell] <= 999);
          EXPECT_TRUE(1001 <= incompatible[cell] && incompatible[cell] <= 1999);
          EXPECT_TRUE(1001 <= clashing[cell] && clashing[cell] <= 3999);
          EXPECT_EQ(mixed[cell], s / 2 == d / 2 ? compatible[cell] : incompatible[cell]);
          if (symmetric) {
            EXPECT_EQ(clashing[cell], clashing[4 * d + s]);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace schedcore
