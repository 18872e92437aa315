#include "schedcore/online/earliest_starts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "schedcore/index/fit.hpp"

namespace schedcore {
namespace {

constexpr Time kFrom = 100;
constexpr Amount kLargest = Amount{1} << 53;

// A batch, and the definition by comparing all pairs.
struct Batch {
  JobTable jobs;
  std::vector<WaitingJob> batch;
  std::vector<Time> start;  // kFrom until recorded

  explicit Batch(std::size_t n_resources) : jobs(n_resources) {}

  void add(Time processing_time, const std::vector<Amount>& demand) {
    const auto id = static_cast<std::int64_t>(batch.size());
    const JobSlot job = jobs.add({0, processing_time, 1, 0, id}, demand);
    batch.push_back({jobs.priority(job, PriorityRule::by_id, {}), job});
    start.push_back(kFrom);
  }
  [[nodiscard]] bool asks_no_more(std::size_t i, std::size_t j) const {
    return jobs.processing_time(batch[i].job) <= jobs.processing_time(batch[j].job) &&
           fits(jobs.demand(batch[i].job), jobs.demand(batch[j].job));
  }
  [[nodiscard]] Time bound(std::size_t position) const {
    Time latest = kFrom;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (asks_no_more(i, position)) latest = std::max(latest, start[i]);
    }
    return latest;
  }
};

Batch draw(std::mt19937_64& random, std::size_t n_resources, std::size_t n_jobs, Amount most) {
  Batch drawn(n_resources);
  std::vector<Amount> demand(n_resources);
  for (std::size_t i = 0; i < n_jobs; ++i) {
    for (Amount& amount : demand) amount = static_cast<Amount>(random() % static_cast<std::uint64_t>(most + 1));
    drawn.add(std::ldexp(1.0, static_cast<int>(random() % 12)) + static_cast<Time>(random() % 3), demand);
  }
  return drawn;
}

TEST(EarliestStarts, EqualsTheComparisonOfAllPairs) {
  std::mt19937_64 random(1);
  for (const std::size_t n_resources : std::initializer_list<std::size_t>{0, 1, 2, 3, 4, 5, 70}) {
    for (const std::size_t n_jobs : std::initializer_list<std::size_t>{1, 7, 8, 9, 64, 300}) {
      for (const Amount most : {Amount{1}, Amount{9}, kLargest}) {
        Batch input = draw(random, n_resources, n_jobs, most);
        EarliestStarts starts(input.batch, input.jobs, kFrom);
        for (std::size_t i = 0; i < n_jobs; ++i) {
          ASSERT_EQ(starts.bound(i), input.bound(i)) << n_resources << " resources, " << n_jobs << " jobs";
          input.start[i] = kFrom + static_cast<Time>(random() % 50);
          starts.record(i, input.start[i]);
        }
        starts.check_invariants();
      }
    }
  }
}

// With ten thousand jobs a search may end before it has seen everything; it stays below and finds nearly all.
TEST(EarliestStarts, StaysBelowWhereTheSearchIsCutShort) {
  std::mt19937_64 random(2);
  Batch input = draw(random, 5, 10'000, 1'000'000);
  EarliestStarts starts(input.batch, input.jobs, kFrom);
  std::size_t n_equal = 0;
  std::size_t n_asked = 0;
  for (std::size_t i = 0; i < input.batch.size(); ++i) {
    starts.prefetch(i);
    const Time bound = starts.bound(i);
    if (i % 20 == 0) {
      const Time expected = input.bound(i);
      ASSERT_LE(bound, expected);
      ++n_asked;
      n_equal += static_cast<std::size_t>(bound == expected);
    }
    input.start[i] = bound + static_cast<Time>(random() % 9);
    starts.record(i, input.start[i]);
  }
  EXPECT_GE(n_equal, n_asked / 10 * 9);
  starts.check_invariants();
}

}  // namespace
}  // namespace schedcore
