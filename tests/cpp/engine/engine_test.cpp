#include "schedcore/engine/engine.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "engine/scheduler_caller.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/engine/simulation.hpp"

namespace schedcore {
namespace {

using Row = std::tuple<JobSlot, std::uint32_t, Time>;

// What a policy saw, and what it is told to answer at the next events.
struct Script {
  struct Seen {
    Time now;
    std::vector<JobSlot> completed, arrived;
    Amount free_on_first;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> seen;
  std::vector<Placement> start_now, plan;
  std::vector<JobSlot> unplan;
  std::vector<std::tuple<JobSlot, std::uint32_t, Time, Time>> running;  // when the last decision had been made
  std::vector<std::uint32_t> preference;
};

// Does what its script says and remembers what it was shown.
class ScriptedPolicy final : public Policy {
 public:
  explicit ScriptedPolicy(Script& script) : script_(&script) {}
  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<ScriptedPolicy>(*this); }
  void write(SnapshotWriter& /*archive*/) const override {}
  void read(SnapshotReader& /*archive*/) override {}
  void attach(const MachinesView& /*machines*/) override {}
  [[nodiscard]] bool plans() const override { return true; }
  void decide(const Event& event, Turn& turn) override {
    Script::Seen seen{event.now, {}, {event.arrived.begin(), event.arrived.end()}, turn.machines().free(0)[0]};
    for (const Completion& completion : event.completed) seen.completed.push_back(completion.job);
    script_->seen.push_back(std::move(seen));
    for (const JobSlot job : script_->unplan) {
      const Time start = turn.jobs().start_time(job);
      turn.timelines()[turn.jobs().machine(job)].release(start, start + turn.jobs().processing_time(job),
                                                         turn.jobs().demand(job));
      turn.unplan(job);
    }
    for (const Placement& placement : script_->plan) {
      turn.timelines()[placement.machine].reserve(placement.start_time,
                                                  placement.start_time + turn.jobs().processing_time(placement.job),
                                                  turn.jobs().demand(placement.job));
      turn.plan(placement);
    }
    for (const Placement& placement : script_->start_now) turn.start(placement.job, placement.machine);
    script_->running.clear();
    for (const RunningJob& each : turn.running()) {
      script_->running.emplace_back(each.job, each.machine, each.start_time, each.expected_end);
    }
    script_->preference.assign(turn.preference().begin(), turn.preference().end());
    EXPECT_TRUE(event.killed.empty() && event.cancelled.empty() && event.withdrawn.empty());
    EXPECT_TRUE(event.changed_machines.empty());
    script_->start_now.clear();
    script_->plan.clear();
    script_->unplan.clear();
  }

 private:
  Script* script_;
};

// Two machines of 4 units; every job is 5 long, jobs 0 to 3 take 3, 2, 2 and 4 units.
class EngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Amount units : {3, 2, 2, 4}) {
      const auto id = static_cast<std::int64_t>(engine_.jobs().n_slots());
      static_cast<void>(engine_.jobs().add({0, 5, 1, 0, id}, {{units}}));
    }
  }
  std::vector<Row> advance(Time now, const std::vector<JobSlot>& completed, const std::vector<JobSlot>& arrived) {
    std::vector<Placement> starts;
    engine_.advance(now, completed, arrived, starts);
    std::vector<Row> rows;
    for (const Placement& start : starts) rows.emplace_back(start.job, start.machine, start.start_time);
    return rows;
  }
  [[nodiscard]] std::vector<Row> planned() const {
    std::vector<Row> rows;
    for (const Placement& entry : engine_.planned()) rows.emplace_back(entry.job, entry.machine, entry.start_time);
    return rows;
  }

  const std::vector<Amount> capacity_{4, 4};
  Script script_;
  Engine engine_{MachinesView{capacity_, 2, 1}, std::make_unique<ScriptedPolicy>(script_)};
};

TEST_F(EngineTest, CompletionsAndDueStartsComeBeforeTheDecision) {
  script_.start_now = {{0, 0, 0}, {3, 1, 0}};
  script_.plan = {{1, 0, 5}};
  EXPECT_EQ(advance(0, {}, {0, 1, 3}), (std::vector<Row>{{0, 0, 0}, {3, 1, 0}}));
  EXPECT_EQ(engine_.next_wakeup(), 5);
  script_.start_now = {{2, 0, 5}};
  // J1 was planned and comes first; the policy then starts J2 beside it
  EXPECT_EQ(advance(5, {0, 3}, {2}), (std::vector<Row>{{1, 0, 5}, {2, 0, 5}}));
  EXPECT_EQ(script_.seen.back(), (Script::Seen{5, {0, 3}, {2}, 2}));
}

TEST_F(EngineTest, APolicySeesTheRunningJobsByExpectedEndAndTheMachinesByPreference) {
  script_.start_now = {{2, 1, 0}, {1, 0, 0}};
  advance(0, {}, {1, 2});
  EXPECT_EQ(script_.running, (decltype(script_.running){{1, 0, 0, 5}, {2, 1, 0, 5}})) << "equal ends by id";
  EXPECT_EQ(script_.preference, (std::vector<std::uint32_t>{0, 1}));
  advance(4, {1}, {});
  EXPECT_EQ(script_.running, (decltype(script_.running){{2, 1, 0, 5}}));
  script_.start_now = {{0, 0, 6}};
  advance(6, {}, {0});  // job 2 has outlived its processing time
  EXPECT_EQ(script_.running, (decltype(script_.running){{2, 1, 0, 5}, {0, 0, 6, 11}}));
  advance(11, {0, 2}, {});
  EXPECT_TRUE(script_.running.empty());
}

TEST_F(EngineTest, StartsPlannedForThisVeryInstantAreMadeAtOnce) {
  script_.plan = {{1, 0, 2}, {0, 1, 2}, {2, 0, 7}};
  EXPECT_EQ(advance(2, {}, {0, 1, 2}), (std::vector<Row>{{1, 0, 2}, {0, 1, 2}})) << "in the order of planning";
  EXPECT_EQ(planned(), (std::vector<Row>{{2, 0, 7}}));
  EXPECT_EQ(engine_.next_wakeup(), 7);
}

TEST_F(EngineTest, ThePlanIsOrderedByStartThenByPlanning) {
  script_.plan = {{2, 0, 9}, {1, 1, 3}, {0, 0, 3}};
  advance(0, {}, {0, 1, 2});
  EXPECT_EQ(planned(), (std::vector<Row>{{1, 1, 3}, {0, 0, 3}, {2, 0, 9}}));
  script_.unplan = {1};
  script_.plan = {{1, 0, 14}};
  advance(1, {}, {});
  EXPECT_EQ(planned(), (std::vector<Row>{{0, 0, 3}, {2, 0, 9}, {1, 0, 14}}));
}

TEST_F(EngineTest, OverdueJobsWaitInPlanOrderForRoom) {
  script_.start_now = {{0, 0, 0}};
  script_.plan = {{1, 0, 5}, {2, 0, 5}};
  advance(0, {}, {0, 1, 2});
  EXPECT_TRUE(advance(5, {}, {}).empty()) << "J0 overruns";
  EXPECT_EQ(engine_.next_wakeup(), kNever) << "an overdue job waits for a completion, not for a time";
  EXPECT_EQ(planned(), (std::vector<Row>{{1, 0, 5}, {2, 0, 5}}));
  EXPECT_EQ(advance(6, {0}, {}), (std::vector<Row>{{1, 0, 6}, {2, 0, 6}}));
  EXPECT_EQ(engine_.jobs().start_time(2), 6);
}

TEST_F(EngineTest, AJobThatEndsEarlyLeavesThePlanAsItIs) {
  script_.start_now = {{0, 0, 0}};
  script_.plan = {{1, 0, 5}};
  advance(0, {}, {0, 1});
  EXPECT_TRUE(advance(1, {0}, {}).empty());
  EXPECT_EQ(engine_.machines().free(0)[0], 4) << "its resources are free at once";
  EXPECT_EQ(engine_.next_wakeup(), 5);
  EXPECT_EQ(advance(5, {}, {}), (std::vector<Row>{{1, 0, 5}}));
}

TEST_F(EngineTest, PoliciesThatBreakTheirContractAreCaught) {
  advance(0, {}, {0, 1, 2, 3});
  std::vector<Placement> starts;
  const auto answer = [&](std::vector<Placement> start, std::vector<Placement> plan) {
    Engine copy(engine_);
    script_.start_now = std::move(start);
    script_.plan = std::move(plan);
    copy.advance(1, {}, {}, starts);
  };
  EXPECT_THROW(answer({{0, 0, 1}, {1, 0, 1}}, {}), PolicyError) << "does not fit";
  EXPECT_THROW(answer({{0, 0, 1}, {0, 1, 1}}, {}), PolicyError) << "started twice";
  EXPECT_THROW(answer({}, {{0, 0, 2}, {0, 1, 2}}), PolicyError) << "planned twice";
  EXPECT_THROW(answer({}, {{0, 0, 0.5}}), PolicyError) << "planned for the past";
}

TEST_F(EngineTest, AJobIsStartedWhereItMayRunAndEndsWhenItDoesThere) {
  EligibilitySets sets;
  const std::int64_t seven = 7;
  JobPlacements second;
  second.eligibility = sets.intern({1}, 2);
  second.time = &seven;
  const JobSlot job = engine_.jobs().add({0, 5, 1, 0, 4}, std::vector<Amount>{1}, &second);
  const auto start_on = [&](std::uint32_t machine) {
    script_.start_now = {{job, machine, 0}};
    Engine copy(engine_);
    std::vector<Placement> starts;
    copy.advance(0, {}, std::vector<JobSlot>{job}, starts);
  };
  EXPECT_THROW(start_on(0), PolicyError);
  start_on(1);
  EXPECT_EQ(script_.running, (decltype(script_.running){{job, 1, 0, 7}}));
}

TEST_F(EngineTest, ASimulationWhosePolicyStartsNothingSaysSo) {
  const std::vector<Time> release(1, 0.0);
  const std::vector<Time> processing(1, 1.0);
  const std::vector<double> weight(1, 1.0);
  const std::vector<Amount> demand(1, 1);
  std::vector<Time> start(1);
  std::vector<std::int64_t> machine(1);
  const MachinesView machines{capacity_, 2, 1};
  Engine engine(machines, std::make_unique<ScriptedPolicy>(script_));
  EXPECT_THROW(simulate({release, processing, weight, demand, 1}, {}, {}, {}, engine, machines, nullptr, start, machine),
               PolicyError);
}

std::vector<std::uint8_t> random_bytes(std::mt19937_64& random, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

class EveryPolicy : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryPolicy, GoesOnIdenticallyFromSnapshotsAndCopies) {
  const auto& maker = testing::policy_makers()[GetParam()].second;
  std::mt19937_64 random(GetParam());
  for (std::size_t size : std::initializer_list<std::size_t>{20, 60, 200, 400}) {
    for (std::size_t n_machines : std::initializer_list<std::size_t>{1, 3}) {
      const std::vector<std::uint8_t> bytes = random_bytes(random, size);
      testing::SchedulerCaller interrupted(n_machines, maker);
      testing::SchedulerCaller straight(n_machines, maker);
      EXPECT_EQ(interrupted.play(bytes, true), straight.play(bytes, false));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engine, EveryPolicy, ::testing::Range(std::size_t{0}, testing::policy_makers().size()),
                         [](const auto& named) { return testing::policy_makers()[named.param].first; });

}  // namespace
}  // namespace schedcore
