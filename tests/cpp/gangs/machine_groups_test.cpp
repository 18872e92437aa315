#include "schedcore/gangs/machine_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "index/gang_makers.hpp"

namespace schedcore {
namespace {

// Every machine with a timeline of its own, and what the groups say of it.
void expect_same_future(const ShortTimeline& own, const ShortTimeline& of_group, Time now) {
  for (Time t = now; t < now + 40; t += 0.5) {
    const Amount* expected = own.row(own.at(t));
    const Amount* found = of_group.row(of_group.at(t));
    ASSERT_EQ(*expected, *found) << "at " << t;
  }
}

TEST(MachineGroupsTest, TellOfEveryMachineWhatItsOwnTimelineTells) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    testing::GangMaker make(seed);
    make.n_resources = 1;
    make.capacity.assign(make.n_machines, 8);
    for (Amount& amount : make.capacity) amount += make.below(2);
    MachineGroups groups(make.machines());
    std::vector<ShortTimeline> own;
    for (std::size_t machine = 0; machine < make.n_machines; ++machine) {
      own.emplace_back(make.machines().capacity_of(machine));
    }
    struct Held {
      std::vector<TaskPlace> places;
      Time from = 0;
      Time to = 0;
      bool takes_all = false;
    };
    std::vector<Held> all;
    const std::vector<Amount> demand{2};
    Time now = 0;
    const auto ahead = [&](const Held& held) {
      const Time from = std::max(held.from, now);
      return from < held.to ? MachineGroups::Booking{held.places, from, held.to} : MachineGroups::Booking{};
    };
    // Both take all of their machines, or neither does.
    const auto change = [&](const Held& before, const Held& after) {
      const bool takes_all = before.takes_all || after.takes_all;
      groups.change(ahead(before), ahead(after), demand, takes_all, now);
      const auto amounts_of = [&](const TaskPlace& place) {
        return std::vector<Amount>{takes_all ? make.machines().capacity_of(place.machine).front() : 2 * place.n_tasks};
      };
      for (const TaskPlace& place : ahead(before).places) {
        own[place.machine].release(ahead(before).from, before.to, amounts_of(place));
      }
      for (const TaskPlace& place : ahead(after).places) {
        own[place.machine].reserve(ahead(after).from, after.to, amounts_of(place));
      }
    };
    // What a reader has seen: who was in which group, and what was ahead of it.
    struct Seen {
      std::uint64_t n_changes = 0;
      std::vector<MachineGroups::Group> group;
      std::vector<ShortTimeline> ahead;
    };
    const auto look = [&] {
      Seen seen{groups.n_changes(), {}, own};
      for (std::size_t machine = 0; machine < make.n_machines; ++machine) seen.group.push_back(groups.of(machine));
      return seen;
    };
    const auto expect_told_of_all_changes = [&](const Seen& seen) {
      std::set<MachineGroups::Group> changed;
      groups.for_each_changed_since(seen.n_changes, [&](MachineGroups::Group group) {
        EXPECT_TRUE(changed.insert(group).second) << "told twice";
      });
      for (std::size_t machine = 0; machine < make.n_machines; ++machine) {
        const MachineGroups::Group group = groups.of(machine);
        if (group != seen.group[machine]) {
          EXPECT_TRUE(changed.contains(group) && changed.contains(seen.group[machine]));
        } else if (!changed.contains(group)) {
          expect_same_future(seen.ahead[machine], own[machine], now);
        }
      }
    };
    const Seen at_first = look();
    Seen before = at_first;
    for (int step = 0; step < 300; ++step) {
      if (make.below(3) == 0) now += static_cast<Time>(make.below(3));
      const bool moves = !all.empty() && make.below(3) == 0;
      const auto chosen_one = all.empty() ? 0 : make.below(static_cast<std::int64_t>(all.size()));
      if (moves || all.empty() || make.below(2) == 0) {
        Held held;
        std::set<std::uint32_t> chosen;
        for (auto left = 1 + make.below(6); left > 0; --left) {
          chosen.insert(static_cast<std::uint32_t>(make.below(static_cast<std::int64_t>(make.n_machines))));
        }
        for (const std::uint32_t machine : chosen) held.places.push_back({machine, 1 + make.below(2)});
        held.from = now + static_cast<Time>(make.below(10));
        held.to = make.below(10) == 0 ? kNever : held.from + 1 + static_cast<Time>(make.below(10));
        held.takes_all = moves ? all[static_cast<std::size_t>(chosen_one)].takes_all : make.below(3) == 0;
        change(moves ? all[static_cast<std::size_t>(chosen_one)] : Held{}, held);
        if (moves) all.erase(all.begin() + chosen_one);
        all.push_back(held);
      } else {
        change(all[static_cast<std::size_t>(chosen_one)], {});
        all.erase(all.begin() + chosen_one);
      }
      groups.check_invariants();
      for (std::size_t machine = 0; machine < make.n_machines; ++machine) {
        expect_same_future(own[machine], groups.timeline(groups.of(machine)), now);
      }
      expect_told_of_all_changes(before);
      if (make.below(20) == 0) expect_told_of_all_changes(at_first);
      if (make.below(4) == 0) before = look();
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GT(groups.n_changes() - at_first.n_changes, 2048u);  // no longer all kept
    // With everything given back there are as many groups as kinds of machines.
    for (const Held& held : all) change(held, {});
    std::set<MachineGroups::Group> left;
    for (std::size_t machine = 0; machine < make.n_machines; ++machine) left.insert(groups.of(machine));
    EXPECT_LE(left.size(), 2u + 64u);
  }
}

TEST(MachineGroupsTest, MachinesOfAJobStayTogetherAndJoinTheOthersAgain) {
  const std::vector<Amount> capacity(100, 4);
  MachineGroups groups({capacity, 100, 1});
  EXPECT_EQ(groups.n_machines_of(groups.of(0)), 100u);
  std::vector<TaskPlace> places;
  for (std::uint32_t machine = 10; machine < 40; ++machine) places.push_back({machine, 1});
  const std::vector<Amount> demand{1};
  groups.change({}, {places, 5, 9}, demand, false, 0);
  EXPECT_EQ(groups.n_machines_of(groups.of(10)), 30u);
  EXPECT_EQ(groups.n_machines_of(groups.of(0)), 70u);
  groups.change({places, 5, 9}, {}, demand, false, 0);
  EXPECT_EQ(groups.n_machines_of(groups.of(10)), 100u);
}

}  // namespace
}  // namespace schedcore
