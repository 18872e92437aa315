#include "schedcore/engine/event_log.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/counted_allocations.hpp"
#include "engine/placed_job_columns.hpp"
#include "schedcore/engine/job_placements.hpp"

namespace schedcore {
namespace {

using testing::fail_every_allocation;
using testing::PlacedJobColumns;

TEST(EventLog, DropsWhatIsFirstAndKeepsTheRest) {
  EventLog log(1);
  const Amount demand = 3;
  for (std::int64_t number = 0; number < 1000; ++number) {
    const auto now = static_cast<Time>(number);
    log.add_arrival(now, {now, 1, 1, 0, number}, {&demand, 1});
    log.add_completion(now, number + 5);
    if (number % 3 != 0) log.drop_first(1);
  }
  ASSERT_EQ(log.size(), 334U);
  for (std::size_t event = 0; event < log.size(); ++event) {
    const auto number = static_cast<std::int64_t>(666 + event);
    EXPECT_EQ(log.instant(event), static_cast<Time>(number));
    ASSERT_EQ(log[event].arrivals.size(), 1U);
    EXPECT_EQ(log[event].arrivals[0].id, number);
    EXPECT_EQ(log[event].demand[0], 3);
    ASSERT_EQ(log[event].completions.size(), 1U);
    EXPECT_EQ(log[event].completions[0], number + 5);
  }
  EXPECT_LT(log.n_bytes(), 2 * 334 * 100U) << "what was dropped is cleared away";
  log.keep_first(2);
  ASSERT_EQ(log.size(), 2U);
  EXPECT_EQ(log[1].arrivals[0].id, 667);
}

class LogOfPlacedJobs : public ::testing::Test {
 protected:
  // An event of four jobs, which say where they may run.
  void append_placed(EventLog& log, Time now) const { log.append({now, jobs_, demand_, placements_, {}}); }
  void append_plain(EventLog& log, Time now) const { log.append({now, jobs_, demand_, {}, {}}); }

  const PlacedJobColumns columns_{4};
  EligibilitySets sets_;
  const std::vector<JobPlacements> placements_ = copied_placements(columns_.placements(), PlacedJobColumns::kMachines, sets_);
  const std::vector<JobColumns> jobs_{4};
  const std::vector<Amount> demand_{1, 1, 1, 1};
};

TEST_F(LogOfPlacedJobs, CountsWhatTheyOwn) {
  EventLog log(1);
  append_placed(log, 1);
  const std::size_t of_one_event = log.n_bytes();
  EXPECT_GT(of_one_event, 4 * PlacedJobColumns::kRowBytes);
  append_placed(log, 2);
  append_placed(log, 3);
  EXPECT_EQ(log.n_bytes(), 3 * of_one_event);
  log.keep_first(2);
  EXPECT_EQ(log.n_bytes(), 2 * of_one_event);
  log.drop_first(1);
  EXPECT_EQ(log.n_bytes(), of_one_event);
}

TEST_F(LogOfPlacedJobs, KeepsThemBesidePlainOnes) {
  EventLog log(1);
  append_plain(log, 1);
  append_placed(log, 2);
  append_plain(log, 3);
  log.add_arrival(3, jobs_[0], std::span(demand_).first(1), &placements_[0]);
  log.add_arrival(4, jobs_[0], std::span(demand_).first(1));
  const std::vector<std::vector<bool>> is_plain{{true, true, true, true}, {false, false, false, false},
                                                {true, true, true, true, false}, {true}};
  ASSERT_EQ(log.size(), is_plain.size());
  for (std::size_t event = 0; event < log.size(); ++event) {
    const auto placements = log[event].placements;
    ASSERT_EQ(placements.size(), log[event].arrivals.size());
    for (std::size_t k = 0; k < placements.size(); ++k) EXPECT_EQ(placements[k].is_plain(), is_plain[event][k]);
  }
}

TEST_F(LogOfPlacedJobs, CountsRightlyWhatCouldNotBeAddedWhole) {
  for (const bool is_empty : {true, false}) {
    EventLog before(1);
    if (!is_empty) append_placed(before, 1);
    std::size_t left = before.n_bytes();
    // How often the log was extended in part.
    const auto cuts = [&](const auto& add) {
      int n_cuts = 0;
      fail_every_allocation([&] { return left; }, [&] {
        EventLog log = before;
        try {
          add(log);
        } catch (...) {
          log.cut_back(before.mark());
          left = log.n_bytes();
          ++n_cuts;
          throw;
        }
      });
      return n_cuts;
    };
    // Each of the four columns grows.
    EXPECT_GE(cuts([&](EventLog& log) { append_placed(log, 2); }), 4);
    EXPECT_GE(cuts([&](EventLog& log) {
                for (std::size_t k = 0; k < 4; ++k) log.add_arrival(2, jobs_[k], {&demand_[k], 1}, &placements_[k]);
              }), 4);
  }
}

}  // namespace
}  // namespace schedcore
