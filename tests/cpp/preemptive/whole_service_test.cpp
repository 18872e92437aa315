#include "schedcore/preemptive/whole_service.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "schedcore/base/errors.hpp"

namespace schedcore::whole_service_test {
namespace {

constexpr std::uint32_t kNowhere = WholeService::kNoServer;
using Servers = std::vector<std::uint32_t>;

// Jobs are rows, and the order is that of the rows.
struct OneSlot {
  std::vector<Amount> demand;
  std::vector<Amount> capacity;
  std::size_t n_resources = 1;
  std::vector<Slot> times = std::vector<Slot>(demand.size() / n_resources, 1);

  [[nodiscard]] Servers decide(Servers before, bool repacked = false, bool skip = false) const {
    const SlotJobs jobs{times, times, demand, {}, n_resources};
    WholeService service(jobs, {capacity, capacity.size() / n_resources, n_resources}, repacked, skip);
    std::vector<std::uint32_t> rows(times.size());
    std::iota(rows.begin(), rows.end(), 0u);
    service.decide(rows, rows, before);
    return before;
  }
};

TEST(WholeService, TakesTheLowestServerBesideThoseThatRun) {
  const OneSlot slot{{1, 2, 2}, {2, 2, 2}};
  EXPECT_EQ(slot.decide({kNowhere, 0, kNowhere}), (Servers{1, 0, 2}));
  EXPECT_EQ(slot.decide({kNowhere, 0, kNowhere}, true), (Servers{0, 1, 2}));
}

TEST(WholeService, TakesTheServerOfALaterRowWhereNoneIsFree) {
  const OneSlot slot{{2, 1, 2}, {2, 2}};
  // Row 0 takes server 0 from row 2, which finds server 1 taken by row 1.
  EXPECT_EQ(slot.decide({kNowhere, 1, 0}), (Servers{0, 1, kNowhere}));
  // Row 1 loses server 0 and moves to server 1, where row 2 loses its room.
  EXPECT_EQ(slot.decide({kNowhere, 0, 1}), (Servers{0, 1, kNowhere}));
}

TEST(WholeService, ARowThatRanAfterTheOneThatLostItsServerMayKeepIt) {
  // Row 0 takes server 0, on which rows 1 (3 cores) and 2 (1 core) ran: row 1 has no room any more, row 2 has.
  const OneSlot slot{{2, 3, 1}, {4}};
  EXPECT_EQ(slot.decide({kNowhere, 0, 0}, false, true), (Servers{0, kNowhere, 0}));
  EXPECT_EQ(slot.decide({kNowhere, 0, 0}, false, false), (Servers{0, kNowhere, kNowhere}));
}

TEST(WholeService, AllResourcesMustFitOneServer) {
  const OneSlot slot{{1, 3, 1, 0, 1, 1}, {4, 2, 1, 8}, 2};
  EXPECT_EQ(slot.decide({kNowhere, kNowhere, kNowhere}), (Servers{1, 0, 0}));
  EXPECT_THROW((void)(OneSlot{{2, 3}, {4, 2, 1, 8}, 2}.decide({kNowhere})), InfeasibleError);
}

TEST(WholeService, DecidesTheSameAgainAlsoWhereRowsThatRunHaveMovedForward) {
  std::mt19937 random(5);
  const auto draw = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  for (int trial = 0; trial < 400; ++trial) {
    const auto n = static_cast<std::size_t>(draw(1, 12));
    OneSlot slot{{}, {}, 2, {}};
    for (std::size_t job = 0; job < n; ++job) slot.demand.insert(slot.demand.end(), {draw(1, 4), draw(0, 3)});
    for (int server = draw(1, 40); server > 0; --server) slot.capacity.insert(slot.capacity.end(), {draw(4, 6), 3});
    slot.times.assign(n, 1);
    const bool skip = draw(0, 1) == 1;
    const SlotJobs jobs{slot.times, slot.times, slot.demand, {}, 2};
    WholeService service(jobs, {slot.capacity, slot.capacity.size() / 2, 2}, false, skip);
    std::vector<std::uint32_t> rows(n), order(n);
    std::iota(rows.begin(), rows.end(), 0u);
    std::iota(order.begin(), order.end(), 0u);
    Servers decided(n, kNowhere);
    for (int slots = 0; slots < 3; ++slots) {
      std::shuffle(order.begin(), order.end(), random);
      service.decide(rows, order, decided);
    }
    Servers again = decided;
    service.decide(rows, order, again);
    EXPECT_EQ(again, decided);
    std::stable_partition(order.begin(), order.end(), [&](std::uint32_t row) {
      return decided[row] != kNowhere && draw(0, 1) == 1;
    });
    service.decide(rows, order, again);
    EXPECT_EQ(again, decided);
  }
}

}  // namespace
}  // namespace schedcore::whole_service_test
