#include "schedcore/index/room_counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "index/gang_makers.hpp"

namespace schedcore {
namespace {

using Class = GangClasses::Class;

struct Kind {
  std::vector<Amount> demand;
  Eligibility eligibility;
  JobShape shape;
  Class number = 0;
};

// What has room by the definition, machine by machine.
struct Definition {
  std::vector<std::vector<Amount>> free;
  std::vector<std::vector<RoomCounts::Limit>> limits;

  [[nodiscard]] Amount room(const Kind& kind, std::size_t machine, Time end, const MachinesView& machines) const {
    if (!kind.eligibility.allows(machine)) return 0;
    auto row = free[machine];
    for (const auto& [from, left] : limits[machine]) {
      if (from >= end) continue;
      for (std::size_t k = 0; k < row.size(); ++k) row[k] = left.empty() ? 0 : std::min(row[k], left[k]);
    }
    if (std::ranges::any_of(row, [](Amount amount) { return amount < 0; })) return 0;
    if (kind.shape.is_exclusive && !std::ranges::equal(row, machines.capacity_of(machine))) return 0;
    Amount most = kind.shape.n_tasks == 1 ? 1 : std::min(kind.shape.spread, kind.shape.n_tasks);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (kind.demand[k] > 0) most = std::min(most, row[k] / kind.demand[k]);
    }
    return most;
  }
  [[nodiscard]] std::vector<TaskPlace> place(const Kind& kind, Time end, const MachinesView& machines) const {
    std::vector<TaskPlace> places;
    Amount left = kind.shape.n_tasks;
    for (std::uint32_t machine = 0; machine < free.size() && left > 0; ++machine) {
      const Amount taken = std::min(left, room(kind, machine, end, machines));
      if (taken > 0) places.push_back({machine, taken});
      left -= taken;
    }
    return left == 0 ? places : std::vector<TaskPlace>{};
  }
};

TEST(RoomCountsTest, JobsFitAndGoWhereTheDefinitionSays) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    testing::GangMaker make(seed);
    const MachinesView machines = make.machines();
    GangClasses classes(machines);
    RoomCounts counts(machines);
    Definition definition{{}, std::vector<std::vector<RoomCounts::Limit>>(make.n_machines)};
    for (std::size_t machine = 0; machine < make.n_machines; ++machine) {
      const auto all = machines.capacity_of(machine);
      definition.free.emplace_back(all.begin(), all.end());
    }
    std::vector<Kind> kinds;
    for (int step = 0; step < 600; ++step) {
      const auto machine = static_cast<std::size_t>(make.below(static_cast<std::int64_t>(make.n_machines)));
      const auto chosen = kinds.empty() ? 0 : static_cast<std::size_t>(make.below(static_cast<std::int64_t>(kinds.size())));
      switch (make.below(8)) {
        case 0:
          kinds.push_back({make.demand(), make.eligibility(), make.shape()});
          kinds.back().number = classes.add(kinds.back().demand, kinds.back().eligibility, kinds.back().shape);
          break;
        case 1:
          if (kinds.size() < 20) break;
          classes.remove(kinds[chosen].number);
          kinds.erase(kinds.begin() + static_cast<std::ptrdiff_t>(chosen));
          break;
        case 2:
          definition.limits[machine].clear();
          for (Time from = static_cast<Time>(make.below(20)); make.below(2) == 0; from += static_cast<Time>(1 + make.below(5))) {
            std::vector<Amount> row = make.free_row(machine);
            if (make.below(6) == 0) row.front() = -1;
            if (make.below(3) == 0) row.clear();
            definition.limits[machine].push_back({from, std::move(row)});
          }
          counts.set_limits(machine, definition.limits[machine]);
          break;
        case 3:
        case 4:
        case 5:
          definition.free[machine] = make.free_row(machine);
          counts.set_free(machine, definition.free[machine]);
          break;
        default: {
          if (kinds.empty()) break;
          const Kind& kind = kinds[chosen];
          const auto end = static_cast<Time>(make.below(25));
          const auto expected = definition.place(kind, end, machines);
          const bool fits = counts.has_room(kind.number, kind.shape.n_tasks, end, classes);
          ASSERT_EQ(fits, !expected.empty()) << "seed " << seed << ", step " << step;
          if (!fits) break;
          std::vector<TaskPlace> places;
          counts.place(kind.number, kind.shape.n_tasks, end, classes, places);
          ASSERT_EQ(places, expected) << "seed " << seed << ", step " << step;
        }
      }
    }
    counts.check_invariants(classes);
  }
}

TEST(GangClassesTest, EqualJobsShareAClassAndNumbersOfGoneOnesAreUsedAgain) {
  testing::GangMaker make(7);
  GangClasses classes(make.machines());
  const std::vector<Amount> one(make.n_resources, 1);
  const Class first = classes.add(one, {}, {});
  EXPECT_EQ(classes.add(one, {}, {}), first);
  JobShape one_task_spread;
  one_task_spread.spread = 1;  // says nothing of a job of one task
  EXPECT_EQ(classes.add(one, {}, one_task_spread), first);
  JobShape alone;
  alone.is_exclusive = true;
  EXPECT_NE(classes.add(one, {}, alone), first);
  // A class without jobs keeps its number until many others have gone.
  const std::vector<Amount> two(make.n_resources, 2);
  const Class kept = classes.add(two, {}, {});
  const auto generation = classes.generation(kept);
  classes.remove(kept);
  EXPECT_EQ(classes.add(two, {}, {}), kept);
  EXPECT_EQ(classes.generation(kept), generation);
  for (Amount amount = 3; amount < 2000; ++amount) {
    classes.remove(classes.add(std::vector<Amount>(make.n_resources, amount), {}, {}));
  }
  EXPECT_LT(classes.size(), 200u);
}

}  // namespace
}  // namespace schedcore
