#include "schedcore/base/time_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace schedcore {
namespace {

void expect_sorted_like_the_standard_library(std::vector<TimedIndex> entries, TimeSorter& sorter) {
  auto expected = entries;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const TimedIndex& a, const TimedIndex& b) { return a.instant < b.instant; });
  sorter.sort(entries);
  ASSERT_EQ(entries.size(), expected.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    ASSERT_EQ(entries[k].instant, expected[k].instant);
    ASSERT_EQ(entries[k].index, expected[k].index);
  }
}

TEST(TimeSort, EqualsTheStandardStableSortOnEverySizeAndSign) {
  std::mt19937_64 random(7);
  TimeSorter sorter;
  for (const std::size_t size : std::initializer_list<std::size_t>{0, 1, 2, 100, 2047, 2048, 5000, 100}) {
    for (const Time scale : {1.0, 0.001, 1e300}) {
      std::vector<TimedIndex> entries;
      for (std::size_t k = 0; k < size; ++k) {
        entries.push_back({scale * (static_cast<Time>(random() % 1000) - 200.0), k});
      }
      expect_sorted_like_the_standard_library(entries, sorter);
    }
  }
}

TEST(TimeSort, NegativeZeroTiesWithZeroAndInfinitiesStandAtTheEnds) {
  TimeSorter sorter;
  const Time inf = std::numeric_limits<Time>::infinity();
  std::vector<TimedIndex> entries;
  for (std::size_t k = 0; k < 3000; ++k) {
    constexpr Time denormal = std::numeric_limits<Time>::denorm_min();
    const Time instants[] = {0.0, -0.0, inf, -inf, denormal, -denormal};
    entries.push_back({instants[(k * 7) % 6], k});
  }
  expect_sorted_like_the_standard_library(entries, sorter);
}

}  // namespace
}  // namespace schedcore
