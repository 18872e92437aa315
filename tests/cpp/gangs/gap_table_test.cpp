#include "schedcore/gangs/gap_table.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace schedcore {
namespace {

// A class on machines that have room for nothing, so that a search knows the gaps that are added to it alone.
struct FullMachines {
  FullMachines() : groups(machines), classes(machines) {
    of = classes.add(demand, {}, {});
    const std::vector<TaskPlace> places{{0, 1}, {1, 1}};
    groups.change({}, {places, 0, kNever}, demand, false, 0);
    gaps.bring_up_to_date(of, groups, classes);
  }
  // Of tasks that last `duration`, which start in [0, 100).
  Time first_of(Amount n_tasks, Time duration, const std::vector<GapTable::Gap>& added) {
    const auto end_of = [&](Time start) { return start + duration; };
    EXPECT_EQ(gaps.count(of, duration, 0, 100), 0);
    EXPECT_EQ(gaps.collect(of, duration, 0, 100, end_of), 0);
    for (const GapTable::Gap& gap : added) gaps.add(gap, duration, 0, 100, end_of);
    return gaps.first_instant(n_tasks, end_of);
  }
  std::vector<Amount> capacity{1, 1};
  std::vector<Amount> demand{1};
  MachinesView machines{capacity, 2, 1};
  MachineGroups groups;
  GangClasses classes;
  GapTable gaps;
  GangClasses::Class of = 0;
};

TEST(GapTableTest, BoundsWhatHasRoomTogetherWhereASearchEndsEarly) {
  // Four tasks until 0.25, one from 0.5 on, five from 0.75 on: six at most together, found out once the four are over.
  FullMachines full;
  EXPECT_EQ(full.first_of(7, 0.125, {{0, 0.25, 4}, {0.5, 90, 1}, {0.75, 90, 5}}), kNever);
  EXPECT_EQ(full.gaps.most_together(), 6);
  EXPECT_EQ(full.first_of(6, 0.125, {{0, 0.25, 4}, {0.5, 90, 1}, {0.75, 90, 5}}), 0.75);
  EXPECT_EQ(full.gaps.most_together(), 4);
}

TEST(GapTableTest, BoundsWhatHasRoomTogetherByPartsOfTheTime) {
  // Enough in all, but never in the same part of the hundred.
  FullMachines full;
  EXPECT_EQ(full.first_of(3, 2, {{0, 10, 2}, {40, 60, 1}, {70, kNever, 2}}), kNever);
  EXPECT_EQ(full.gaps.most_together(), 2);
  // Windows may begin up to 58, in the part with 57.
  EXPECT_EQ(full.first_of(3, 2, {{40, 60, 1}, {57, kNever, 2}}), 57);
  EXPECT_EQ(full.first_of(3, 4, {{40, 60, 1}, {57, kNever, 2}}), kNever);
}

}  // namespace
}  // namespace schedcore
