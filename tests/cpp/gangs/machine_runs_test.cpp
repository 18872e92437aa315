#include "schedcore/gangs/machine_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <vector>

namespace schedcore {
namespace {

using Taken = std::map<std::int64_t, Amount>;  // by the number of the machine

// Run after run is looked for anew, among machines in the order of their numbers.
Taken taken_by_trying(const std::vector<Amount>& room, const std::vector<std::int64_t>& weight, Amount n_tasks) {
  Taken taken;
  std::vector<std::int64_t> weights = weight;
  std::ranges::sort(weights);
  for (const std::int64_t each : weights) {
    while (n_tasks > 0) {
      std::vector<std::vector<std::int64_t>> runs;
      std::vector<Amount> sums;
      for (std::int64_t m = 0, before = -2; m < std::ssize(room); ++m) {
        if (weight[static_cast<std::size_t>(m)] != each || room[static_cast<std::size_t>(m)] == 0) continue;
        if (before + 1 != m) {
          runs.emplace_back();
          sums.push_back(0);
        }
        runs.back().push_back(m);
        sums.back() += room[static_cast<std::size_t>(m)];
        before = m;
      }
      std::size_t best = runs.size();
      for (std::size_t run = 0; run < runs.size(); ++run) {
        if (taken.contains(runs[run].front())) continue;
        const bool suffices = sums[run] >= n_tasks;
        const bool best_suffices = best < runs.size() && sums[best] >= n_tasks;
        if (best == runs.size() || (suffices && (!best_suffices || sums[run] < sums[best])) ||
            (!suffices && !best_suffices && sums[run] > sums[best])) {
          best = run;
        }
      }
      if (best == runs.size()) break;
      for (const std::int64_t m : runs[best]) {
        const Amount here = std::min(n_tasks, room[static_cast<std::size_t>(m)]);
        taken[m] = here;  // also of a machine of the run that gets none
        n_tasks -= here;
      }
    }
  }
  std::erase_if(taken, [](const auto& each) { return each.second == 0; });
  return taken;
}

TEST(MachineRuns, AreThoseThatTryingFinds) {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  for (int round = 0; round < 3000; ++round) {
    const std::size_t n = 1 + below(12);
    std::vector<Amount> room(n);
    std::vector<std::int64_t> weight(n);
    for (Amount& each : room) each = static_cast<Amount>(below(4));
    for (std::int64_t& each : weight) each = static_cast<std::int64_t>(below(3)) - 1;
    // The engine numbers machines by weight.
    std::vector<std::int64_t> number_of(n);
    std::iota(number_of.begin(), number_of.end(), std::int64_t{0});
    std::ranges::stable_sort(number_of, {}, [&](std::int64_t m) { return weight[static_cast<std::size_t>(m)]; });
    std::vector<std::int64_t> weight_of;
    std::vector<TaskPlace> rooms;
    for (std::uint32_t machine = 0; machine < n; ++machine) {
      const auto number = static_cast<std::size_t>(number_of[machine]);
      weight_of.push_back(weight[number]);
      if (room[number] > 0) rooms.push_back({machine, room[number]});
    }
    const Amount together = std::accumulate(room.begin(), room.end(), Amount{0});
    if (together == 0) continue;
    const Amount n_tasks = 1 + static_cast<Amount>(below(static_cast<std::uint64_t>(together)));
    const MachineNames names(number_of, weight_of);
    const std::vector<TaskPlace> places = places_in_runs(rooms, n_tasks, &names);
    EXPECT_TRUE(std::ranges::is_sorted(places, {}, &TaskPlace::machine));
    Taken taken;
    for (const TaskPlace& place : places) taken[number_of[place.machine]] += place.n_tasks;
    EXPECT_EQ(taken, taken_by_trying(room, weight, n_tasks));
  }
}

TEST(MachineRuns, WithoutNamesMachinesAreCalledAsTheyAreNumbered) {
  const std::vector<TaskPlace> rooms{{0, 1}, {1, 1}, {3, 1}, {4, 1}, {5, 1}};
  const auto machines = [&](Amount n_tasks) {
    std::vector<std::uint32_t> all;
    for (const TaskPlace& place : places_in_runs(rooms, n_tasks, nullptr)) all.push_back(place.machine);
    return all;
  };
  EXPECT_EQ(machines(1), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(machines(3), (std::vector<std::uint32_t>{3, 4, 5}));
  EXPECT_EQ(machines(4), (std::vector<std::uint32_t>{0, 3, 4, 5}));
}

}  // namespace
}  // namespace schedcore
