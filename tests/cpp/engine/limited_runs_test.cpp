#include "schedcore/engine/limited_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace schedcore {
namespace {

// Beside a map, and a set of those that nobody was told of since they were set.
TEST(LimitedRuns, EqualAMapAndAskAboutAllThatIsNewOrLate) {
  std::mt19937_64 random(7);
  LimitedRuns runs;
  std::map<JobSlot, Time> ends;
  std::set<JobSlot> fresh;
  Time now = 0;
  for (int step = 0; step < 5000; ++step) {
    const auto job = static_cast<JobSlot>(random() % 40);
    switch (random() % 4) {
      case 0:
      case 1:
        ends[job] = now + static_cast<Time>(random() % 20);
        runs.set(job, ends[job]);
        fresh.insert(job);
        break;
      case 2:
        ends.erase(job);
        fresh.erase(job);
        runs.erase(job);
        break;
      default: {
        now += static_cast<Time>(random() % 3);
        std::set<JobSlot> expected = fresh;
        for (const auto& [each, end] : ends) {
          if (end <= now) expected.insert(each);
        }
        const std::vector<JobSlot> asked = runs.to_ask(now);
        ASSERT_EQ(std::set<JobSlot>(asked.begin(), asked.end()), expected);
        fresh.clear();
      }
    }
    ASSERT_EQ(runs.empty(), ends.empty());
    for (JobSlot each = 0; each < 45; ++each) {
      const auto found = ends.find(each);
      ASSERT_EQ(runs.end_of(each), found == ends.end() ? kNever : found->second);
    }
  }
  runs.clear();
  EXPECT_TRUE(runs.empty());
  EXPECT_TRUE(runs.to_ask(kNever).empty());
}

}  // namespace
}  // namespace schedcore
