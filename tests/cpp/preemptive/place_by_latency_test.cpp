#include "schedcore/preemptive/place_by_latency.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "schedcore/base/random_stream.hpp"

namespace schedcore {
namespace {

struct Tasks {
  std::vector<Amount> capacity;
  std::vector<double> latency;
  std::vector<std::uint32_t> task;
  std::vector<Amount> demand;
  std::vector<Amount> cores;
};

Tasks random_tasks(RandomStream& random, std::size_t n_tasks, std::size_t n_machines, bool fractions) {
  Tasks tasks;
  for (std::size_t i = 0; i < n_machines; ++i) tasks.capacity.push_back(static_cast<Amount>(random.below(4)));
  Amount left = std::accumulate(tasks.capacity.begin(), tasks.capacity.end(), Amount{0});
  for (std::uint32_t row = 0; row < n_tasks; ++row) {
    tasks.task.push_back(static_cast<std::uint32_t>(n_tasks) - 1 - row);
    tasks.demand.push_back(static_cast<Amount>(random.below(4)) + 1);
    const auto most = static_cast<std::uint64_t>(std::min(left, tasks.demand.back()));
    tasks.cores.push_back(static_cast<Amount>(random.below(most + 1)));
    left -= tasks.cores.back();
    for (std::size_t i = 0; i < n_machines; ++i) {
      tasks.latency.push_back(fractions ? random.uniform() : static_cast<double>(random.below(4)));
    }
  }
  return tasks;
}

std::vector<CorePiece> placed(const Tasks& tasks) {
  std::vector<CorePiece> pieces;
  LatencyPlacement(tasks.capacity, tasks.latency).place(tasks.task, tasks.demand, tasks.cores, pieces);
  return pieces;
}

double cost_of(const Tasks& tasks, const std::vector<CorePiece>& pieces) {
  return latency_cost(pieces, tasks.task, tasks.demand, tasks.latency, tasks.capacity.size());
}

void expect_all_placed(const Tasks& tasks, const std::vector<CorePiece>& pieces) {
  std::vector<Amount> room = tasks.capacity;
  std::vector<Amount> left = tasks.cores;
  for (const CorePiece& piece : pieces) {
    EXPECT_GT(piece.cores, 0);
    EXPECT_GE(room[piece.machine] -= piece.cores, 0);
    left[piece.row] -= piece.cores;
  }
  EXPECT_EQ(left, std::vector<Amount>(tasks.cores.size(), 0));
}

double least_cost(const Tasks& tasks) {
  const std::size_t n_machines = tasks.capacity.size();
  double least = std::numeric_limits<double>::infinity();
  std::vector<Amount> room = tasks.capacity;
  std::vector<CorePiece> pieces;
  const auto extend = [&](const auto& self, std::uint32_t row, std::uint32_t machine, Amount left) -> void {
    if (left == 0) {
      if (row + 1 >= tasks.task.size()) {
        least = std::min(least, cost_of(tasks, pieces));
      } else {
        self(self, row + 1, 0, tasks.cores[row + 1]);
      }
      return;
    }
    if (machine == n_machines) return;
    for (Amount cores = 0; cores <= std::min(left, room[machine]); ++cores) {
      if (cores > 0) pieces.push_back({row, machine, cores});
      room[machine] -= cores;
      self(self, row, machine + 1, left - cores);
      room[machine] += cores;
      if (cores > 0) pieces.pop_back();
    }
  };
  extend(extend, 0, 0, tasks.cores[0]);
  return least;
}

TEST(PlaceByLatency, EqualsTheBestOfAllPlacements) {
  RandomStream random(1);
  for (int round = 0; round < 1500; ++round) {
    const Tasks tasks = random_tasks(random, 1 + random.below(4), 1 + random.below(4), random.below(2) == 0);
    const std::vector<CorePiece> pieces = placed(tasks);
    expect_all_placed(tasks, pieces);
    ASSERT_NEAR(cost_of(tasks, pieces), least_cost(tasks), 1e-9) << round;
  }
}

TEST(PlaceByLatency, MakesWayAlongSeveralMachines) {
  // One core each.  Task 2 is near machine 0 alone, task 0 can go to 1, and task 1 from there to 2, for 1 each.
  const Tasks tasks{{1, 1, 1}, {0, 1, 9, 9, 0, 1, 0, 9, 9}, {0, 1, 2}, {1, 1, 1}, {1, 1, 1}};
  EXPECT_EQ(placed(tasks), (std::vector<CorePiece>{{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}));
  EXPECT_EQ(cost_of(tasks, placed(tasks)), 2);
}

TEST(PlaceByLatency, LargeAmountsMoveTogether) {
  const Amount many = Amount{1} << 52;
  const Tasks tasks{{many, many}, {0, 1, 0, 5}, {0, 1}, {many, many}, {many, many}};
  EXPECT_EQ(placed(tasks), (std::vector<CorePiece>{{0, 1, many}, {1, 0, many}}));
  EXPECT_EQ(cost_of(tasks, placed(tasks)), 1);
}

TEST(PlaceByLatency, OneObjectServesSlotsOfAnySize) {
  RandomStream random(2);
  const Tasks all = random_tasks(random, 6, 5, false);
  LatencyPlacement placement(all.capacity, all.latency);
  std::vector<CorePiece> pieces;
  for (std::size_t n_rows : {6u, 2u, 0u, 5u}) {
    Tasks some = all;
    some.task.resize(n_rows);
    some.demand.resize(n_rows);
    some.cores.resize(n_rows);
    placement.place(some.task, some.demand, some.cores, pieces);
    EXPECT_EQ(pieces, placed(some));
  }
}

TEST(PlaceByLatency, LatenciesOfAnyMagnitudeAreKeptApart) {
  for (const double unit : {1e-300, 1e-3, 1.0, 1e300}) {
    const Tasks tasks{{1, 1}, {0, 1 * unit, 0, 3 * unit}, {0, 1}, {3, 7}, {1, 1}};
    EXPECT_EQ(placed(tasks), (std::vector<CorePiece>{{0, 1, 1}, {1, 0, 1}}));
  }
}

}  // namespace
}  // namespace schedcore
