#include "schedcore/index/start_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace schedcore::start_index_test {
namespace {

struct Shape {
  std::size_t n_machines;
  std::size_t n_resources;
  Amount capacity;
  Amount most;  // of a demand
  int n_committed;
  int n_placed;
  bool whole_times;
};

class Draw {
 public:
  Draw(std::uint64_t seed, const Shape& shape) : random_(seed), shape_(shape), demand_(shape.n_resources) {}

  Time time(std::uint64_t below) {
    const auto whole = static_cast<Time>(random_() % below);
    return shape_.whole_times ? whole : whole + static_cast<Time>(random_() % 1000) / 999;
  }
  const std::vector<Amount>& demand() {
    const auto n_amounts = static_cast<std::uint64_t>(shape_.most + 1);
    for (Amount& amount : demand_) amount = static_cast<Amount>(random_() % n_amounts);
    demand_[0] = std::max<Amount>(demand_[0], 1);
    return demand_;
  }
  std::uint64_t operator()() { return random_(); }

 private:
  std::mt19937_64 random_;
  Shape shape_;
  std::vector<Amount> demand_;
};

// The definition: every machine's earliest fit, ties to the lowest machine.
std::pair<Time, std::size_t> first_fit(const std::vector<ResourceTimeline>& timelines, Time from, Time processing_time,
                                       const std::vector<Amount>& demand) {
  std::pair<Time, std::size_t> first{kNever, 0};
  for (std::size_t machine = 0; machine < timelines.size(); ++machine) {
    const Time fit = timelines[machine].earliest_fit(from, processing_time, demand);
    if (fit < first.first) first = {fit, machine};
  }
  return first;
}

void expect_first_fits(std::uint64_t seed, const Shape& shape) {
  Draw draw(seed, shape);
  std::vector<ResourceTimeline> timelines(shape.n_machines,
                                          ResourceTimeline(std::vector<Amount>(shape.n_resources, shape.capacity)));
  for (ResourceTimeline& timeline : timelines) {
    for (int n = 0; n < shape.n_committed; ++n) {
      // Also more than there is: a job that runs longer than planned.
      const Time start = draw.time(300);
      timeline.reserve(start, start + 1 + draw.time(20), draw.demand());
    }
  }
  const Time from = draw.time(50);
  StartIndex index(timelines, from);
  index.check_invariants();
  for (int n = 0; n < shape.n_placed; ++n) {
    const std::vector<Amount> demand = draw.demand();
    const Time processing_time = 1 + draw.time(draw() % 8 == 0 ? 100 : 10);
    const auto [time, machine] = first_fit(timelines, from, processing_time, demand);
    // Any instant that is known to lie no later will do.
    const Time not_before = draw() % 3 == 0 ? from : draw() % 2 == 0 ? time : from + (time - from) / 2;
    const StartIndex::Start start = index.earliest_fit(not_before, processing_time, demand);
    ASSERT_EQ(start.time, time) << "seed " << seed << ", job " << n;
    ASSERT_EQ(start.machine, machine) << "seed " << seed << ", job " << n;
    index.reserve(start, processing_time, demand);
    if (n % 50 == 0) index.check_invariants();
  }
  index.check_invariants();
}

TEST(StartIndex, EqualsTheSearchOfEveryMachineWithFewEntries) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    expect_first_fits(seed, {1 + seed % 4, 1 + seed % 3, 4, 4, static_cast<int>(seed % 7), 12, seed % 2 == 0});
  }
}

TEST(StartIndex, EqualsTheSearchOfEveryMachineWithManyBlocks) {
  std::uint64_t seed = 1000;
  for (const std::size_t n_machines : std::initializer_list<std::size_t>{1, 3, 40}) {
    for (const std::size_t n_resources : std::initializer_list<std::size_t>{1, 2, 3, 4, 5, 33}) {
      for (const bool whole_times : {true, false}) {
        expect_first_fits(seed++, {n_machines, n_resources, 30, 20, 100, 600, whole_times});
      }
    }
  }
}

TEST(StartIndex, SaysThatADemandAboveTheCapacityNeverFits) {
  std::vector<ResourceTimeline> timelines(2, ResourceTimeline(std::vector<Amount>{3}));
  StartIndex index(timelines, 0);
  EXPECT_EQ(index.earliest_fit(0, 1, std::vector<Amount>{4}).time, kNever);
}

// [0, 4) is full on machine 0 and [0, 2) on machine 1; the second job of two units fills [2, 5) there, so the third is
// first at 4 on machine 0.
TEST(StartIndex, AnswersTheHandComputedCase) {
  std::vector<ResourceTimeline> timelines(2, ResourceTimeline(std::vector<Amount>{2}));
  const std::vector<Amount> two{2};
  timelines[0].reserve(0, 4, two);
  timelines[1].reserve(0, 2, two);
  StartIndex index(timelines, 1);
  const auto place = [&](Time not_before) {
    const StartIndex::Start start = index.earliest_fit(not_before, 3, two);
    index.reserve(start, 3, two);
    return std::pair(start.time, start.machine);
  };
  EXPECT_EQ(place(1), std::pair(Time{2}, std::size_t{1}));
  EXPECT_EQ(place(2), std::pair(Time{4}, std::size_t{0}));
  EXPECT_EQ(place(4), std::pair(Time{5}, std::size_t{1}));
}

}  // namespace
}  // namespace schedcore::start_index_test
