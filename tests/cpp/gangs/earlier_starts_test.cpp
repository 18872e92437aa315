#include "schedcore/gangs/earlier_starts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "schedcore/base/random_stream.hpp"

namespace schedcore {
namespace {

TEST(EarlierStartsTest, NeverTellsOfFewerTasksThanHaveRoom) {
  int n_searches = 0;
  int n_narrow = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomStream draw(seed);
    const auto below = [&](std::int64_t bound) { return static_cast<Amount>(draw.below(static_cast<std::uint64_t>(bound))); };
    Time now = seed % 3 == 0 ? 1e9 : 0;
    const Time start = now + (seed % 2 == 0 ? 97.0 : 0.3);
    EarlierStarts earlier;
    earlier.reset(now, start, 5);
    // Some of the starts, and how many tasks have room there.
    std::vector<std::pair<Time, Amount>> starts;
    for (int i = 0; i < 40; ++i) starts.emplace_back(now + (start - now) * draw.uniform(), below(6));
    starts.emplace_back(now, 5);
    // Those at the edges of parts, and next to them.
    for (int i = 1; i < 8; ++i) {
      const Time edge = now + (start - now) * i / 8;
      for (const Time t : {std::nextafter(edge, now), edge, std::nextafter(edge, start)}) starts.emplace_back(t, below(6));
    }
    for (int step = 0; step < 200; ++step) {
      const auto action = below(4);
      if (action == 0) {
        now += (start - now) * draw.uniform() / 8;
        earlier.pass_to(now);
        std::erase_if(starts, [&](const auto& each) { return each.first < now; });
      } else if (action == 1) {
        for (auto& [t, n_tasks] : starts) n_tasks -= std::min(n_tasks, below(2));
      } else {
        const Time first = now + (start - now) * draw.uniform();
        const Time last = first + (start - first) * draw.uniform();
        const Amount n_more = below(4);
        earlier.add(first, below(5) == 0 ? kNever : last, n_more);
        for (auto& [t, n_tasks] : starts) n_tasks += first <= t && t <= last ? below(n_more + 1) : 0;
      }
      const Amount n_wanted = 1 + below(12);
      const EarlierStarts::Parts parts = earlier.parts_for(n_wanted);
      const auto [from, until] = earlier.span_of(parts.first, parts.second);
      Amount n_most = 0;
      for (const auto& [t, n_tasks] : starts) {
        ASSERT_LE(n_tasks, earlier.at_most());
        const bool is_inside = parts.first < parts.second && from <= t && t < until;
        ASSERT_TRUE(is_inside || n_tasks < n_wanted) << "seed " << seed << ", step " << step << ", start " << t;
        if (is_inside) n_most = std::max(n_most, n_tasks);
      }
      if (parts.first >= parts.second) continue;
      ++n_searches;
      n_narrow += until - from < (start - now) / 2 ? 1 : 0;
      if (n_most >= n_wanted) continue;
      earlier.set(parts, n_most);
      const EarlierStarts::Parts left = earlier.parts_for(n_wanted);
      ASSERT_GE(left.first, left.second);
    }
  }
  EXPECT_GT(n_searches, 10000);
  EXPECT_GT(n_narrow, 2000);
}

TEST(EarlierStartsTest, SearchesAllOfATimeTooShortToBeInParts) {
  EarlierStarts earlier;
  earlier.reset(0, 4e-308, 2);
  earlier.add(3e-308, 4e-308, 2);
  const EarlierStarts::Parts parts = earlier.parts_for(4);
  const auto [from, until] = earlier.span_of(parts.first, parts.second);
  EXPECT_LE(from, 3e-308);
  EXPECT_EQ(until, 4e-308);
}

TEST(EarlierStartsTest, CountsNoMoreThanAnyJobHas) {
  EarlierStarts earlier;
  earlier.reset(0, 8, 2);
  for (int i = 0; i < 100; ++i) earlier.add(0, 8, std::numeric_limits<Amount>::max() / 2);
  EXPECT_EQ(earlier.at_most(), kMostTasks);
}

TEST(EarlierStartsTest, KnowsNoStartBeforeOneThatIsDueOrOverdue) {
  EarlierStarts overdue;
  overdue.reset(9, 7, 3);
  overdue.add(9, kNever, 2);
  EXPECT_EQ(overdue.at_most(), 5);
  EarlierStarts earlier;
  earlier.reset(7, 7, 3);
  EXPECT_EQ(earlier.at_most(), 3);
  earlier.add(7, kNever, 2);
  EXPECT_EQ(earlier.at_most(), 5);
  const EarlierStarts::Parts parts = earlier.parts_for(5);
  const auto [from, until] = earlier.span_of(parts.first, parts.second);
  EXPECT_LE(until, 7);
  EXPECT_LE(until - from, 1e-12);
}

}  // namespace
}  // namespace schedcore
