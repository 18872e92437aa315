#include "schedcore/index/short_timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {
namespace {

TEST(ShortTimelineTest, IsTheTreeInTwoArrays) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return static_cast<Amount>(random() % n); };
    const std::vector<Amount> capacity{below(9), below(9)};
    ShortTimeline timeline(capacity);
    ResourceTimeline tree(capacity);
    Time now = 0;
    std::vector<Amount> expected(2);
    for (int step = 0; step < 400; ++step) {
      const Time from = now + static_cast<Time>(below(12));
      const Time to = below(12) == 0 ? kNever : from + 1 + static_cast<Time>(below(9));
      const std::vector<Amount> amounts{below(4), below(4)};
      switch (below(5)) {
        case 0:
          now += static_cast<Time>(below(4));
          timeline.forget_before(now);
          tree.forget_before(now);
          break;
        case 1:
        case 2:
          timeline.reserve(from, to, amounts);
          tree.reserve(from, to, amounts);
          break;
        default:
          timeline.release(from, to, amounts);
          tree.release(from, to, amounts);
      }
      timeline.check_invariants();
      bool any_negative = false;
      for (Time t = now; t < now + 40; t += 0.5) {
        tree.free_at(t, expected);
        const std::size_t stretch = timeline.at(t);
        EXPECT_LE(timeline.begin_of(stretch), t);
        EXPECT_GT(timeline.end_of(stretch), t);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), timeline.row(stretch))) << seed << " at " << t;
        if (t > now) {
          EXPECT_LT(timeline.begin_of(timeline.last_before(t)), t);
        }
        any_negative |= std::ranges::any_of(expected, [](Amount amount) { return amount < 0; });
      }
      tree.range_min(now, kNever, expected);
      EXPECT_EQ(timeline.is_negative_from(now), expected[0] < 0 || expected[1] < 0);
      EXPECT_LE(any_negative, timeline.is_negative_from(now));
    }
  }
}

TEST(ShortTimelineTest, FuturesAreComparedWithoutWhatIsOver) {
  const std::vector<Amount> capacity{4};
  const std::vector<Amount> one{1};
  ShortTimeline a(capacity);
  ShortTimeline b(capacity);
  a.reserve(2, 5, one);
  a.reserve(7, 9, one);
  b.reserve(7, 9, one);
  EXPECT_FALSE(a.has_same_future(b));
  a.forget_before(6);
  EXPECT_TRUE(a.has_same_future(b));
  EXPECT_EQ(a.hash(), b.hash());
}

}  // namespace
}  // namespace schedcore
