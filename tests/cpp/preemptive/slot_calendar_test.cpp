#include "schedcore/preemptive/slot_calendar.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace schedcore {
namespace {

std::vector<std::uint32_t> listed(std::span<const std::uint32_t> jobs) { return {jobs.begin(), jobs.end()}; }

TEST(SlotArrivals, HandsOutEachJobInTheSlotAfterItsRelease) {
  const std::vector<Slot> release{3, 0, 7, 0, 3};
  SlotArrivals arrivals(release);
  EXPECT_TRUE(arrivals.take(0).empty());
  EXPECT_EQ(arrivals.next_release(), 0);
  EXPECT_EQ(listed(arrivals.take(1)), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(arrivals.next_release(), 3);
  EXPECT_TRUE(arrivals.take(3).empty());
  EXPECT_EQ(listed(arrivals.take(9)), (std::vector<std::uint32_t>{0, 2, 4}));
  EXPECT_EQ(arrivals.next_release(), kNoSlot);
}

TEST(ActiveRows, ColumnsAndPiecesFollowTheirJobs) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    ActiveRows active;
    std::set<std::uint32_t> expected;
    std::vector<std::uint64_t> job_of;  // a column that holds its own job
    std::vector<CorePiece> pieces;      // two of each job in `pieced`; their cores name the job
    std::vector<std::uint32_t> pieced;
    for (int change = 0; change < 12; ++change) {
      std::vector<std::uint32_t> jobs, rows;
      if (random() % 2 == 0) {
        for (std::uint32_t job = 0; job < 20; ++job)
          if (random() % 4 == 0 && !expected.contains(job)) jobs.push_back(job);
        active.add(jobs);
        expected.insert(jobs.begin(), jobs.end());
        active.follow(job_of);
        ASSERT_EQ(active.new_rows().size(), jobs.size());
        for (std::size_t i = 0; i < jobs.size(); ++i) {
          ASSERT_EQ(active.jobs()[active.new_rows()[i]], jobs[i]);
          ASSERT_EQ(job_of[active.new_rows()[i]], 0u);
          job_of[active.new_rows()[i]] = jobs[i];
        }
      } else {
        for (std::uint32_t row = 0; row < active.size(); ++row)
          if (random() % 3 == 0) {
            rows.push_back(row);
            expected.erase(active.jobs()[row]);
          }
        active.remove(rows);
        active.follow(job_of);
      }
      active.follow(pieces);
      ASSERT_TRUE(std::ranges::equal(active.jobs(), expected));
      ASSERT_TRUE(std::ranges::equal(job_of, expected));
      for (const CorePiece& piece : pieces) ASSERT_EQ(active.jobs()[piece.row], piece.cores);
      std::erase_if(pieced, [&](std::uint32_t job) { return !expected.contains(job); });
      ASSERT_EQ(pieces.size(), 2 * pieced.size());
      pieces.clear();
      pieced.clear();
      for (std::uint32_t row = 0; row < active.size(); row += 1 + static_cast<std::uint32_t>(random() % 2)) {
        pieced.push_back(active.jobs()[row]);
        for (std::uint32_t machine = 0; machine < 2; ++machine) pieces.push_back({row, machine, active.jobs()[row]});
      }
    }
  }
}

}  // namespace
}  // namespace schedcore
