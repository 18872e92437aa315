#include "schedcore/backfilling/backfill.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "backfilling/backfill_makers.hpp"
#include "engine/plain_cluster.hpp"
#include "schedcore/engine/simulation.hpp"

namespace schedcore {
namespace {

using testing::backfill_maker;
using testing::BesidePlainScheduler;
using testing::PlainCluster;
using testing::PlainJob;
using testing::PlainRunning;
using testing::Punctuality;
using testing::Row;

// The pass as it is defined: the heads, the shadow by adding up what ends, then one pair after the other.
class PlainBackfill {
 public:
  PlainBackfill(Overtaking overtaking, Selection selection, std::uint64_t queue_depth)
      : overtaking_(overtaking), selection_(selection), queue_depth_(queue_depth) {}

  Time operator()(PlainCluster& cluster, const std::vector<PlainRunning>& /*completed*/, Time now) {
    for (PlainRunning& each : cluster.running) {
      if (each.planned_end <= now) each.planned_end = now + each.job.estimate;
    }
    while (!cluster.queue.empty()) {
      const std::size_t machine = cluster.first_fit(cluster.queue.front().demand);
      if (machine == cluster.free.size()) break;
      cluster.start(0, machine, now);
    }
    if (cluster.queue.empty() || overtaking_ == Overtaking::never) return kNever;
    if (overtaking_ == Overtaking::protected_head) find_shadow(cluster, now);
    std::size_t depth = static_cast<std::size_t>(std::min<std::uint64_t>(queue_depth_, cluster.queue.size()));
    while (const auto pair = choose(cluster, depth, now)) {
      const PlainJob job = cluster.queue[pair->position];
      if (pair->machine == shadow_machine_ && now + job.estimate > shadow_time_) {
        for (std::size_t k = 0; k < extra_.size(); ++k) extra_[k] -= job.demand[k];
      }
      cluster.start(pair->position, pair->machine, now);
      --depth;
    }
    return kNever;
  }

 private:
  struct Pair {
    std::size_t position;
    std::size_t machine;
  };

  void find_shadow(const PlainCluster& cluster, Time now) {
    const Row& demand = cluster.queue.front().demand;
    shadow_time_ = kNever;
    for (std::size_t machine = 0; machine < cluster.free.size(); ++machine) {
      std::map<Time, Row> freed;
      for (const PlainRunning& each : cluster.running) {
        if (each.machine != machine) continue;
        Row& row = freed.try_emplace(each.planned_end, Row(demand.size())).first->second;
        for (std::size_t k = 0; k < row.size(); ++k) row[k] += each.job.demand[k];
      }
      Row available = cluster.free[machine];
      for (const auto& [end, row] : freed) {
        for (std::size_t k = 0; k < row.size(); ++k) available[k] += row[k];
        if (!PlainCluster::covers(available, demand)) continue;
        if (end < shadow_time_) {
          shadow_time_ = end;
          shadow_machine_ = machine;
          extra_ = available;
          for (std::size_t k = 0; k < row.size(); ++k) extra_[k] -= demand[k];
        }
        break;
      }
    }
    ASSERT_GT(shadow_time_, now);
    ASSERT_LT(shadow_time_, kNever);
  }

  [[nodiscard]] std::optional<Pair> choose(const PlainCluster& cluster, std::size_t depth, Time now) const {
    Row capacity;
    for (const Row& row : cluster.capacity) capacity.insert(capacity.end(), row.begin(), row.end());
    SelectionScores scores({capacity, cluster.capacity.size(), cluster.capacity.front().size()}, selection_);
    const auto free_of = [&](std::uint32_t machine) { return std::span<const Amount>(cluster.free[machine]); };
    std::optional<Pair> chosen;
    ScoredPair best;
    for (std::size_t position = 1; position < depth; ++position) {
      const PlainJob& job = cluster.queue[position];
      for (std::size_t machine = 0; machine < cluster.free.size(); ++machine) {
        const bool is_legal = overtaking_ == Overtaking::always || machine != shadow_machine_ ||
                              now + job.estimate <= shadow_time_ || PlainCluster::covers(extra_, job.demand);
        if (!is_legal || !PlainCluster::covers(cluster.free[machine], job.demand)) continue;
        scores.look_at(machine, cluster.free[machine]);
        const ScoredPair pair = scores.score(job.demand, job.estimate);
        if (!chosen || scores.compare(pair, best, free_of) == std::weak_ordering::less) {
          chosen = Pair{position, machine};
          best = pair;
        }
      }
    }
    return chosen;
  }

  Overtaking overtaking_;
  Selection selection_;
  std::uint64_t queue_depth_;
  Time shadow_time_ = kNever;
  std::size_t shadow_machine_ = 0;
  Row extra_;
};

constexpr std::uint64_t kAnyDepth = BackfillLimits{}.queue_depth;
const std::vector<Selection> kSelections{testing::kFirstFit, testing::kBalanced, testing::kBalanceAlone, testing::kLowest,
                                         testing::kShortBalanced};

void expect_the_defined_passes(Overtaking overtaking, Punctuality punctuality, std::uint64_t queue_depth) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Selection selection = kSelections[seed % kSelections.size()];
    BesidePlainScheduler beside(seed, 1 + seed / 5 % 4, backfill_maker(overtaking, selection, testing::limits(queue_depth)),
                                punctuality);
    beside.run(150, PlainBackfill(overtaking, selection, queue_depth), [](const Decision&, Time) {});
    ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "seed " << seed;
  }
}

TEST(Backfill, ArrivalOrderIsKeptWhereNoneMayOvertake) {
  expect_the_defined_passes(Overtaking::never, Punctuality::any, kAnyDepth);
}
TEST(Backfill, FirstFitPassesAreAsDefined) {
  expect_the_defined_passes(Overtaking::always, Punctuality::any, kAnyDepth);
  expect_the_defined_passes(Overtaking::always, Punctuality::any, 4);
}
TEST(Backfill, EasyPassesAreAsDefinedForEstimatesThatAreNeverTooShort) {
  expect_the_defined_passes(Overtaking::protected_head, Punctuality::exact, kAnyDepth);
  expect_the_defined_passes(Overtaking::protected_head, Punctuality::never_late, kAnyDepth);
  expect_the_defined_passes(Overtaking::protected_head, Punctuality::never_late, 3);
}
TEST(Backfill, EasyPassesAreAsDefinedWhileJobsOutliveTheirEstimates) {
  expect_the_defined_passes(Overtaking::protected_head, Punctuality::any, kAnyDepth);
  expect_the_defined_passes(Overtaking::protected_head, Punctuality::any, 5);
}

class EveryBackfilling : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryBackfilling, GoesOnIdenticallyFromSnapshotsAndCopies) {
  const auto& maker = testing::backfill_makers()[GetParam()].second;
  std::mt19937_64 random(GetParam());
  for (const std::size_t size : {20u, 60u, 200u, 400u}) {
    for (const std::size_t n_machines : {1u, 3u}) {
      std::vector<std::uint8_t> bytes(size);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
      testing::SchedulerCaller interrupted(n_machines, maker);
      testing::SchedulerCaller straight(n_machines, maker);
      EXPECT_EQ(interrupted.play(bytes, true), straight.play(bytes, false));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backfill, EveryBackfilling, ::testing::Range(std::size_t{0}, testing::backfill_makers().size()),
                         [](const auto& named) {
                           std::string name = testing::backfill_makers()[named.param].first;
                           std::replace(name.begin(), name.end(), '!', '_');
                           return name;
                         });

// A workload of jobs (release, cpu, memory, length), length = estimate, on one machine.
struct Simulated {
  std::vector<Time> start;
  std::vector<ShadowRecord> shadows;
};

Simulated simulate_easy(const std::vector<std::vector<Time>>& rows, const Row& capacity, Selection selection) {
  std::vector<Time> release, length;
  std::vector<double> weight(rows.size(), 1);
  Row demand;
  for (const auto& row : rows) {
    release.push_back(row.front());
    length.push_back(row.back());
    for (std::size_t k = 1; k + 1 < row.size(); ++k) demand.push_back(static_cast<Amount>(row[k]));
  }
  Simulated simulated{std::vector<Time>(rows.size()), {}};
  std::vector<std::int64_t> machine(rows.size());
  const MachinesView machines{capacity, 1, capacity.size()};
  Engine engine(machines, std::make_unique<BackfillPolicy>(Overtaking::protected_head, selection, BackfillLimits{}, true));
  simulate({release, length, weight, demand, capacity.size()}, {}, {}, {}, engine, machines, nullptr, simulated.start, machine);
  simulated.shadows = dynamic_cast<const BackfillPolicy&>(engine.policy()).shadows();
  return simulated;
}

// At 1 the head, job 2, has shadow 10 with (5, 3) to spare; job 3 runs beyond with (2, 2), (3, 1) remain.  At 4 job 4 needs
// (2, 2) until 12: refused for the second resource alone.  Jobs 5 and 6 start, at 10 the head.
TEST(Backfill, WhatTheHeadLeavesFreeIsAVector) {
  const auto simulated = simulate_easy({{0, 6, 4, 10}, {0, 2, 4, 4}, {1, 5, 7, 5}, {1, 2, 2, 12}, {2, 2, 2, 8},
                                        {3, 2, 1, 20}, {3, 0, 3, 6}},
                                       {10, 10}, testing::kFirstFit);
  EXPECT_EQ(simulated.start, (std::vector<Time>{0, 0, 10, 1, 13, 4, 4}));
  EXPECT_EQ(simulated.shadows.front().job, 2);
  EXPECT_EQ(simulated.shadows.front().shadow_time, 10);
}

// Four demands near 2^53 that leave nothing or one unit.
TEST(Backfill, AmountsNearTheLargestAreExact) {
  const Amount all = Amount{1} << 53;
  const auto large = static_cast<Time>(all);
  const auto simulated = simulate_easy({{0, large - 1, 2}, {0, large, 5}, {1, 2, 1}, {1, 1, 1}}, {all}, testing::kBalanced);
  EXPECT_EQ(simulated.start, (std::vector<Time>{0, 2, 7, 1}));
}

TEST(Backfill, TheHeadNeverStartsAfterItsShadow) {
  std::mt19937_64 random(7);
  for (const Selection& selection : kSelections) {
    std::vector<std::vector<Time>> rows;
    Time release = 0;
    for (int job = 0; job < 300; ++job) {
      release += static_cast<Time>(random() % 3);
      rows.push_back({release, static_cast<Time>(1 + random() % 9), static_cast<Time>(random() % 10),
                      static_cast<Time>(1 + random() % 20)});
    }
    const auto simulated = simulate_easy(rows, {12, 11}, selection);
    ASSERT_FALSE(simulated.shadows.empty());
    std::map<std::int64_t, Time> last;
    for (const ShadowRecord& shadow : simulated.shadows) {
      EXPECT_LE(simulated.start[static_cast<std::size_t>(shadow.job)], shadow.shadow_time);
      const auto [before, is_first] = last.try_emplace(shadow.job, shadow.shadow_time);
      EXPECT_LE(shadow.shadow_time, before->second);
      before->second = shadow.shadow_time;
    }
  }
}

// A job of half a unit still runs after 2^54, where adding its estimate to the present changes nothing.
TEST(Backfill, AnEstimateLostInRoundingStillEnds) {
  for (const auto& [name, maker] : testing::backfill_makers()) {
    const Row capacity{4};
    OnlineScheduler scheduler({capacity, 1, 1}, maker());
    const Time half = 0.5;
    const double weight = 1;
    const Row demand{3};
    const JobsView job{{}, {&half, 1}, {&weight, 1}, demand, 1};
    const auto ids = scheduler.submit(job, {}, {}, 0);
    EXPECT_EQ(scheduler.advance(0, nullptr).starts.size(), 1u) << name;
    const Time late = 18014398509481984.0;
    EXPECT_TRUE(scheduler.advance(late, nullptr).starts.empty()) << name;
    scheduler.complete(ids, late + 4);
    EXPECT_TRUE(scheduler.advance(late + 4, nullptr).starts.empty()) << name;
    EXPECT_EQ(scheduler.n_running(), 0u) << name;
  }
}

// A short job waits behind one that is to end after 2^54, where its own estimate is lost; that one ends at 5.
TEST(Backfill, APlanBeyondWhatDoublesResolveMovesForward) {
  for (const auto& [name, maker] : testing::backfill_makers()) {
    const Row capacity{4};
    OnlineScheduler scheduler({capacity, 1, 1}, maker());
    const std::vector<Time> estimates{18014398509481984.0, 0.5};
    const std::vector<double> weight{1};
    const Row demand{3};
    const auto submit = [&](std::size_t job) {  // one by one, so that the long one runs in whatever order jobs wait
      return scheduler.submit({{}, std::span(estimates).subspan(job, 1), weight, demand, 1}, {}, {}, 0);
    };
    const auto ids = submit(0);
    EXPECT_EQ(scheduler.advance(0, nullptr).starts.size(), 1u) << name;
    submit(1);
    EXPECT_TRUE(scheduler.advance(0, nullptr).starts.empty()) << name;
    scheduler.complete(ids, 5);
    const bool is_compressed = name != "conservative_uncompressed";
    EXPECT_EQ(scheduler.advance(5, nullptr).starts.size(), is_compressed ? 1u : 0u) << name;
  }
}

}  // namespace
}  // namespace schedcore
