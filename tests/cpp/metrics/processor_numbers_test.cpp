#include "schedcore/metrics/processor_numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace schedcore {
namespace {

TEST(ProcessorNumbers, AJobTakesTheLowestFreeNumbersInIntervals) {
  // Jobs 0, 1, 2 take 0-1, 2, 3-4 at time 0; job 3 starts as 0 and 2 complete and takes 0-1 and 3.
  const std::vector<Time> start = {0, 0, 0, 4};
  const std::vector<Time> length = {4, 9, 4, 1};
  const std::vector<Amount> processors = {2, 1, 2, 3};
  const std::vector<std::int64_t> machine(4, 0);
  const auto numbers = lowest_free_processors(start, length, processors, machine, std::vector<Amount>{5});
  EXPECT_EQ(numbers.offset, (std::vector<std::int64_t>{0, 1, 2, 3, 5}));
  EXPECT_EQ(numbers.first, (std::vector<Amount>{0, 2, 3, 0, 3}));
  EXPECT_EQ(numbers.last, (std::vector<Amount>{1, 2, 4, 1, 3}));
}

TEST(ProcessorNumbers, TheNumbersOfAMachineFollowThoseOfTheOneBefore) {
  const std::vector<Time> start = {0, 0};
  const std::vector<Time> length = {1, 1};
  const std::vector<Amount> processors = {1, 2};
  const std::vector<std::int64_t> machine = {1, 0};
  const auto numbers = lowest_free_processors(start, length, processors, machine, std::vector<Amount>{3, 4});
  EXPECT_EQ(numbers.first, (std::vector<Amount>{3, 0}));
  EXPECT_EQ(numbers.last, (std::vector<Amount>{3, 1}));
}

TEST(ProcessorNumbers, NoJobsHaveNoNumbers) {
  const auto numbers = lowest_free_processors({}, {}, {}, {}, std::vector<Amount>{3});
  EXPECT_EQ(numbers.offset, (std::vector<std::int64_t>{0}));
  EXPECT_TRUE(numbers.first.empty());
}

// As long as the machine: jobs of random sizes start one after another as soon as enough processors are free.
TEST(ProcessorNumbers, RandomSchedulesHoldEachNumberOnceAndTakeTheLowest) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const Amount capacity = 1 + static_cast<Amount>(random() % 9);
    std::vector<Time> start;
    std::vector<Time> length;
    std::vector<Amount> processors;
    std::multimap<Time, Amount> running;
    Amount free = capacity;
    Time now = 0;
    for (int j = 0; j < 30; ++j) {
      const Amount size = 1 + static_cast<Amount>(random() % static_cast<unsigned>(capacity));
      while (free < size || (!running.empty() && running.begin()->first <= now)) {
        now = std::max(now, running.begin()->first);
        free += running.begin()->second;
        running.erase(running.begin());
      }
      start.push_back(now);
      length.push_back(1 + static_cast<Time>(random() % 5));
      processors.push_back(size);
      running.emplace(now + length.back(), size);
      free -= size;
    }
    const std::vector<std::int64_t> machine(start.size(), 0);
    const auto numbers = lowest_free_processors(start, length, processors, machine, std::vector<Amount>{capacity});
    std::vector<std::set<Amount>> held(start.size());
    for (std::size_t j = 0; j < start.size(); ++j) {
      std::set<Amount> expected;
      for (Amount p = 0; p < capacity; ++p) expected.insert(p);
      for (std::size_t other = 0; other < j; ++other) {  // earlier starts have lower indices here
        if (start[other] + length[other] > start[j]) {
          for (const Amount p : held[other]) EXPECT_EQ(expected.erase(p), 1U);
        }
      }
      while (expected.size() > static_cast<std::size_t>(processors[j])) expected.erase(std::prev(expected.end()));
      for (auto i = numbers.offset[j]; i < numbers.offset[j + 1]; ++i) {
        const auto at = static_cast<std::size_t>(i);
        for (Amount p = numbers.first[at]; p <= numbers.last[at]; ++p) held[j].insert(p);
      }
      ASSERT_EQ(held[j], expected);
    }
  }
}

}  // namespace
}  // namespace schedcore
