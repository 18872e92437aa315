#include "schedcore/gangs/gang_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "index/gang_makers.hpp"
#include "schedcore/gangs/plan_of_gangs.hpp"

namespace schedcore {
namespace {

struct Kind {
  std::vector<Amount> demand;
  Eligibility eligibility;
  JobShape shape;
  Time estimate = 1;
};

// A random plan, which changes, and the same classes of jobs twice: asked of one job, and of two that share it.
struct Plans {
  explicit Plans(std::uint64_t seed) : make(seed), has_fractions(seed % 4 == 1) {
    if (seed % 2 == 0) make.capacity.assign(make.capacity.size(), 4);
    plan = GangPlan(make.machines(), seed % 3 == 0 ? 2 : 0);
    alone = shared = GangClasses(make.machines());
    for (int i = 0; i < 5; ++i) {
      kinds.push_back({make.demand(), make.eligibility(), make.shape(), 1 + static_cast<Time>(make.below(8)) + fraction()});
      const Kind& kind = kinds.back();
      of_alone.push_back(alone.add(kind.demand, kind.eligibility, kind.shape));
      of_shared.push_back(shared.add(kind.demand, kind.eligibility, kind.shape));
      static_cast<void>(shared.add(kind.demand, kind.eligibility, kind.shape));
    }
  }
  [[nodiscard]] GangEntry entry(std::size_t kind, bool is_shared) const {
    GangEntry one;
    one.n_tasks = kinds[kind].shape.n_tasks;
    one.estimate = kinds[kind].estimate;
    one.job_class = is_shared ? of_shared[kind] : of_alone[kind];
    return one;
  }
  // Several machines are taken, or given back, for a time.
  void change() {
    if (!held.empty() && make.below(2) == 0) {
      const auto chosen = make.below(static_cast<std::int64_t>(held.size()));
      const Held& one = held[static_cast<std::size_t>(chosen)];
      plan.vacate({one.places, one.from, one.to}, kinds[one.kind].demand, one.takes_all);
      held.erase(held.begin() + chosen);
      return;
    }
    Held one;
    std::set<std::uint32_t> chosen;
    for (auto left = 1 + make.below(6); left > 0; --left) {
      chosen.insert(static_cast<std::uint32_t>(make.below(static_cast<std::int64_t>(make.n_machines))));
    }
    for (const std::uint32_t machine : chosen) one.places.push_back({machine, 1 + make.below(2)});
    one.kind = static_cast<std::size_t>(make.below(5));
    one.from = now + static_cast<Time>(make.below(10)) + fraction();
    one.to = make.below(8) == 0 ? kNever : one.from + 1 + static_cast<Time>(make.below(10)) + fraction();
    one.takes_all = make.below(3) == 0;
    plan.occupy({one.places, one.from, one.to}, kinds[one.kind].demand, one.takes_all);
    held.push_back(one);
  }
  // So that there are more instants than parts of a window, in some plans.
  Time fraction() { return has_fractions ? static_cast<Time>(make.below(256)) / 256 : 0; }
  void pass_time() {
    if (make.below(3) > 0) return;
    now += static_cast<Time>(make.below(3));
    plan.pass_to(now);
  }

  struct Held {
    std::vector<TaskPlace> places;
    std::size_t kind = 0;
    Time from = 0;
    Time to = 0;
    bool takes_all = false;
  };
  testing::GangMaker make;
  bool has_fractions = false;
  GangPlan plan;
  GangClasses alone, shared;
  std::vector<Kind> kinds;
  std::vector<GangClasses::Class> of_alone, of_shared;
  std::vector<Held> held;
  Time now = 0;
};

TEST(GangPlanTest, FindsTheSameInGapsAsByLookingAtAllMachines) {
  int n_found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Plans plans(seed);
    for (int step = 0; step < 150; ++step) {
      plans.change();
      plans.pass_time();
      const auto kind = static_cast<std::size_t>(plans.make.below(5));
      const GangEntry one = plans.entry(kind, false);
      const GangEntry other = plans.entry(kind, true);
      if (plans.alone.is_shared(one.job_class)) continue;
      const Time from = plans.now + static_cast<Time>(plans.make.below(6)) / 2;
      const Time until = plans.make.below(2) == 0 ? kNever : from + 1 + static_cast<Time>(plans.make.below(15));
      const Time first = plans.plan.earliest(one, from, until, plans.alone, false);
      const std::vector<TaskPlace> places = plans.plan.places();
      ASSERT_EQ(plans.plan.earliest(other, from, until, plans.shared, false), first) << "seed " << seed << ", step " << step;
      if (first < kNever) {
        ++n_found;
        ASSERT_EQ(plans.plan.places(), places);
      }
      const bool fits = plans.plan.fits_at(one, from, plans.alone);
      ASSERT_EQ(plans.plan.fits_at(other, from, plans.shared), fits);
      ASSERT_EQ(fits, first == from);
    }
  }
  EXPECT_GT(n_found, 2000);
}

TEST(GangPlanTest, NeverMissesAPlaceThatAJobMakesRoomForItself) {
  int n_earlier = 0;
  int n_promised = 0;
  int n_bounded = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Plans plans(seed);
    for (int step = 0; step < 60; ++step) {
      plans.change();
      plans.pass_time();
      const auto kind = static_cast<std::size_t>(plans.make.below(5));
      const GangEntry entry = plans.entry(kind, true);
      const Time start = plans.plan.earliest(entry, plans.now + 4, kNever, plans.shared, false);
      if (start == kNever) continue;
      const std::vector<TaskPlace> places = plans.plan.places();
      const Time end = plans.plan.planned_end(entry.estimate, start);
      const bool is_exclusive = plans.kinds[kind].shape.is_exclusive;
      plans.plan.occupy({places, start, end}, plans.kinds[kind].demand, is_exclusive);
      const auto any_place = [](const TaskPlace& /*place*/) { return true; };
      const Amount n_before = plans.plan.room_before(places, entry, start, plans.shared, any_place);
      Amount at_most = n_before + plans.make.below(3);
      const Time promised = plans.plan.earliest_without(places, at_most, start, end, entry, plans.now, start, plans.shared);
      const Amount most_together = plans.plan.most_together();
      ASSERT_LT(most_together, entry.n_tasks);
      ASSERT_GE(at_most, n_before);
      // What was found without giving the places back, at the instant that was promised.
      const bool fits = promised < kNever && plans.plan.fits_without(places, start, entry, promised, plans.shared);
      const std::vector<TaskPlace> others = plans.plan.places();
      const std::uint32_t last = std::ranges::max_element(places, {}, &TaskPlace::machine)->machine;
      const bool has_room = plans.plan.has_room_on_one_before(last, entry, start, end, plans.shared);
      bool expected = false;
      for (std::uint32_t machine = 0; machine < last; ++machine) {
        expected = expected || (plans.shared.allows(entry.job_class, machine) &&
                                plans.plan.room_on(machine, entry, start, end, plans.shared) > 0);
      }
      ASSERT_EQ(has_room, expected);
      plans.plan.vacate({places, start, end}, plans.kinds[kind].demand, is_exclusive);
      const Time first = plans.plan.earliest(entry, plans.now, start, plans.shared, false);
      ASSERT_LE(promised, first) << "seed " << seed << ", step " << step;
      if (promised < kNever) {
        ASSERT_EQ(fits, promised == first) << "seed " << seed << ", step " << step;
        if (fits) {
          ASSERT_EQ(others, plans.plan.places());
        }
      }
      // No more tasks have room together before that.
      if (most_together + 1 < entry.n_tasks) {
        GangEntry smaller = entry;
        smaller.n_tasks = most_together + 1;
        const Time until = std::min(promised, start);
        ASSERT_EQ(plans.plan.earliest(smaller, plans.now, until, plans.shared, false), kNever)
            << "seed " << seed << ", step " << step;
        ++n_bounded;
      }
      n_earlier += first < kNever ? 1 : 0;
      n_promised += promised < kNever ? 1 : 0;
    }
  }
  EXPECT_GT(n_earlier, 1000);
  EXPECT_LT(n_promised, n_earlier * 3 / 2);
  EXPECT_GT(n_bounded, 1000);
}

TEST(GangPlanTest, TellsWhereAMachineHasRoomForATask) {
  int n_found = 0;
  int n_missing = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Plans plans(seed);
    for (int step = 0; step < 100; ++step) {
      plans.change();
      plans.pass_time();
      const GangEntry entry = plans.entry(static_cast<std::size_t>(plans.make.below(5)), true);
      const auto machine = static_cast<std::uint32_t>(plans.make.below(static_cast<std::int64_t>(plans.make.n_machines)));
      const Time from = plans.now + static_cast<Time>(plans.make.below(6)) / 2;
      const Time to = plans.make.below(4) == 0 ? kNever : from + 1 + static_cast<Time>(plans.make.below(12)) / 2;
      const PlanOfGangs seen(plans.plan, plans.shared);
      const auto has_room = [&](Time start, Time end) {
        return plans.plan.room_on(machine, entry, start, end, plans.shared) > 0;
      };
      const auto before = [](Time t) { return std::nextafter(t, -kNever); };
      const auto after = [](Time t) { return std::nextafter(t, kNever); };
      const RoomSpan room = seen.first_room_of(machine, from, to, entry.job_class);
      const Time none_until = std::min({room.begin, to, from + 40});
      for (Time t = from; t < none_until; t += 0.25) ASSERT_FALSE(has_room(t, after(t)));
      if (room.begin == kNever) {
        ++n_missing;
        continue;
      }
      ++n_found;
      ASSERT_TRUE(room.begin < to && from < room.end);
      const Time begin = std::max(room.begin, plans.now);
      ASSERT_TRUE(has_room(begin, room.end));
      if (room.end < kNever) {
        ASSERT_FALSE(has_room(room.end, after(room.end)));
      }
      if (room.begin > plans.now) {
        ASSERT_FALSE(has_room(before(room.begin), room.begin));
      }
      if (begin > plans.now) {
        ASSERT_EQ(seen.room_since(machine, begin, entry.job_class), begin);
      }
      ASSERT_EQ(seen.room_since(machine, after(begin), entry.job_class), room.begin);
      std::vector<Amount> most(plans.kinds[0].demand.size());
      seen.most_free(machine, from, to, most);
      for (std::size_t k = 0; k < most.size(); ++k) {
        const auto has = [&](Amount amount) {
          return plans.plan.first_room(machine, from, to, [&](const Amount* row) { return row[k] >= amount; }).first < kNever;
        };
        ASSERT_TRUE(has(most[k]) && !has(most[k] + 1));
      }
    }
  }
  EXPECT_GT(n_found, 1000);
  EXPECT_GT(n_missing, 500);
}

TEST(GangPlanTest, KnowsThatAnExclusiveJobMayPutMoreTasksOnAMachineThatItHolds) {
  // Three tasks at 10 on the first and the last machine, which has been free since 9 and has room for all of them.
  const std::vector<Amount> capacity{2, 3, 4};
  const MachinesView machines{capacity, 3, 1};
  GangPlan plan(machines, 0);
  GangClasses classes(machines);
  const std::vector<Amount> demand{1};
  JobShape shape;
  shape.n_tasks = 3;
  shape.is_exclusive = true;
  GangEntry entry;
  entry.n_tasks = 3;
  entry.estimate = 2;
  entry.job_class = classes.add(demand, {}, shape);
  static_cast<void>(classes.add(demand, {}, shape));
  const auto block = [&](std::uint32_t machine, Time from, Time to) {
    const TaskPlace place{machine, 1};
    plan.occupy({{&place, 1}, from, to}, demand, true);
  };
  block(0, 8, 10);
  block(1, 8, 11);
  block(2, 8, 9);
  plan.pass_to(9);
  const std::vector<TaskPlace> places{{0, 2}, {2, 1}};
  plan.occupy({places, 10, 12}, demand, true);
  EXPECT_EQ(plan.room_before(places, entry, 10, classes, [](const TaskPlace& place) { return place.machine == 2; }), 4);
  Amount n_before = 4;
  EXPECT_EQ(plan.earliest_without(places, n_before, 10, 12, entry, 9, 10, classes), 9);
  EXPECT_TRUE(plan.fits_without(places, 10, entry, 9, classes));
  EXPECT_EQ(plan.places(), (std::vector<TaskPlace>{{2, 3}}));
}

}  // namespace
}  // namespace schedcore
