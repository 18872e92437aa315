#include "schedcore/metrics/overtaking.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "schedcore/base/monitor.hpp"

namespace schedcore {
namespace {

using Counts = std::vector<std::int64_t>;

Counts overtakers(const std::vector<Time>& release_time, const std::vector<Time>& start_time,
                  Monitor* monitor = nullptr) {
  Counts counts(release_time.size(), -1);
  count_overtakers(release_time, start_time, counts, monitor);
  return counts;
}

Counts overtakers_by_definition(const std::vector<Time>& release_time, const std::vector<Time>& start_time) {
  Counts counts(release_time.size(), 0);
  for (std::size_t waiting = 0; waiting < counts.size(); ++waiting) {
    for (std::size_t other = 0; other < counts.size(); ++other) {
      const bool later = release_time[other] > release_time[waiting] ||
                         (release_time[other] == release_time[waiting] && other > waiting);
      if (later && start_time[other] < start_time[waiting]) ++counts[waiting];
    }
  }
  return counts;
}

TEST(Overtaking, CountsWhoArrivedLaterAndStartedEarlier) {
  // Queue: jobs 1, 0, 2, 3, released at 0, 1, 1, 5.  Job 1 starts after job 2, and job 0 after jobs 2 and 3.
  EXPECT_EQ(overtakers({1, 0, 1, 5}, {9, 4, 2, 6}), (Counts{2, 1, 0, 0}));
  EXPECT_EQ(overtakers({}, {}), Counts{});
  EXPECT_EQ(overtakers({3}, {7}), Counts{0});
}

TEST(Overtaking, JobsThatStartTogetherDoNotOvertake) {
  EXPECT_EQ(overtakers({0, 1, 2}, {5, 5, 5}), (Counts{0, 0, 0}));
  EXPECT_EQ(overtakers({0, 0}, {0.0, -0.0}), (Counts{0, 0}));
}

TEST(Overtaking, TheLastOfAQueueThatIsServedBackwardsIsNeverOvertaken) {
  std::vector<Time> release_time;
  std::vector<Time> start_time;
  for (int job = 0; job < 5000; ++job) {
    release_time.push_back(job);
    start_time.push_back(10'000 - job);
  }
  const Counts counts = overtakers(release_time, start_time);
  for (std::size_t job = 0; job < counts.size(); ++job) {
    ASSERT_EQ(counts[job], static_cast<std::int64_t>(counts.size() - 1 - job));
  }
}

TEST(Overtaking, EqualsTheDefinitionForEveryLengthAndDisorder) {
  std::mt19937_64 random(11);
  for (const std::size_t n_jobs : std::initializer_list<std::size_t>{1, 2, 3, 7, 64, 65, 300, 2500}) {
    for (const std::uint64_t longest_wait : std::initializer_list<std::uint64_t>{1, 3, 40, 5000}) {
      std::vector<Time> release_time;
      std::vector<Time> start_time;
      for (std::size_t job = 0; job < n_jobs; ++job) {
        release_time.push_back(static_cast<Time>(random() % (n_jobs + 1)));
        start_time.push_back(release_time.back() + static_cast<Time>(random() % longest_wait));
      }
      ASSERT_EQ(overtakers(release_time, start_time), overtakers_by_definition(release_time, start_time));
    }
  }
}

class CountingMonitor : public Monitor {
 public:
  void poll(std::uint64_t done, std::uint64_t total) override {
    EXPECT_LT(done, total);
    ++polls;
  }
  int polls = 0;
};

TEST(Overtaking, TheMonitorIsAskedInEveryRound) {
  CountingMonitor monitor;
  (void)overtakers(std::vector<Time>(1025), std::vector<Time>(1025), &monitor);
  EXPECT_EQ(monitor.polls, 11);
}

}  // namespace
}  // namespace schedcore
