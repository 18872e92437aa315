#include "schedcore/engine/online_scheduler.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/counted_allocations.hpp"
#include "engine/placed_job_columns.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/online/mris.hpp"
#include "schedcore/online/priority_queue.hpp"

namespace schedcore {
namespace {

using testing::allocated_bytes;
using testing::held_bytes;
using testing::PlacedJobColumns;

// `n_jobs` jobs of one unit that run side by side from 0 on.
OnlineScheduler with_running_jobs(std::int64_t n_jobs) {
  const std::vector<Amount> capacity{n_jobs};
  OnlineScheduler scheduler({capacity, 1, 1}, std::make_unique<PriorityQueuePolicy>(PriorityRule::by_id));
  const auto n = static_cast<std::size_t>(n_jobs);
  const std::vector<Time> processing_time(n, 10);
  const std::vector<double> weight(n, 1);
  const std::vector<Amount> demand(n, 1);
  static_cast<void>(scheduler.submit({{}, processing_time, weight, demand, 1}, {}, {}, 0));
  static_cast<void>(scheduler.advance(0, nullptr));
  return scheduler;
}

TEST(OnlineScheduler, ACompletionCostsTheSameHoweverManyAreRecordedAtItsInstant) {
  constexpr std::int64_t kJobs = 16000;
  OnlineScheduler scheduler = with_running_jobs(kJobs);
  const std::uint64_t before = allocated_bytes;
  for (std::int64_t id = 0; id < kJobs; ++id) scheduler.complete({&id, 1}, 5);
  // A hundred bytes a call; a set of what is recorded, made by each call, would take 5 GB.
  EXPECT_LT(allocated_bytes - before, 1000 * kJobs);
  static_cast<void>(scheduler.advance(5, nullptr));
  EXPECT_EQ(scheduler.n_running(), 0U);
}

// Knapsacks are exact or, with a step as the budget, those of cadp, which choose other batches.
TEST(OnlineScheduler, GoingBackRepeatsDecisionsWithTheBudgetsTheyHad) {
  std::mt19937_64 random(3);
  const auto below = [&](std::uint64_t n) { return static_cast<double>(random() % n); };
  const std::vector<Amount> capacity{64, 64};
  MrisOptions options;
  options.knapsack = KnapsackMethod::exact;
  OnlineScheduler scheduler({capacity, 2, 1}, std::make_unique<MrisPolicy>(options));
  OnlineScheduler never_undone = scheduler;
  const auto stop = [](const Decision& /*decision*/) { throw std::runtime_error("stopped"); };
  std::size_t n_shortened = 0;
  for (Time now = 0; now < 140; ++now) {
    std::vector<Time> processing_time;
    std::vector<double> weight;
    std::vector<Amount> demand;
    for (int job = 0; job < 3; ++job) {
      processing_time.push_back(1 + below(40));
      demand.push_back(1 + static_cast<Amount>(below(60)));
      weight.push_back(processing_time.back() * static_cast<double>(demand.back()) + below(100));
    }
    for (OnlineScheduler* each : {&scheduler, &never_undone}) {
      static_cast<void>(each->submit({{}, processing_time, weight, demand, 1}, {}, {}, now));
    }
    const std::string before = scheduler.snapshot();
    const auto budget = [&] { return random() % 2 == 0 ? WorkBudget(1) : WorkBudget(); };
    EXPECT_THROW(static_cast<void>(scheduler.advance(now, nullptr, stop, budget())), std::runtime_error);
    ASSERT_EQ(scheduler.snapshot(), before);
    const WorkBudget kept = budget();
    const Decision decision = scheduler.advance(now, nullptr, nullptr, kept);
    EXPECT_EQ(decision.shortened, never_undone.advance(now, nullptr, nullptr, kept).shortened);
    n_shortened += decision.shortened.size();
    ASSERT_EQ(scheduler.snapshot(), never_undone.snapshot());
    OnlineScheduler copy = scheduler;
    EXPECT_THROW(static_cast<void>(copy.advance(now + 0.5, nullptr, stop, budget())), std::runtime_error);
    ASSERT_EQ(copy.snapshot(), scheduler.snapshot());
  }
  EXPECT_GT(n_shortened, 1U);
}

template <class Call>
int fail_every_allocation(const OnlineScheduler& scheduler, Call call) {
  return testing::fail_every_allocation([&] { return scheduler.snapshot(); }, call);
}

// One of them arrives, or many together.
class PlacedJobs : public ::testing::Test {
 protected:
  static constexpr std::int64_t kMachines = PlacedJobColumns::kMachines;

  // They start at once.
  std::vector<std::int64_t> submit(std::size_t n_jobs) {
    const PlacedJobColumns columns(n_jobs);
    const auto ids = scheduler_.submit(columns.jobs(), {}, {}, now_, columns.placements());
    EXPECT_EQ(scheduler_.advance(now_, nullptr).starts.size(), n_jobs);
    return ids;
  }
  void complete(std::span<const std::int64_t> ids) {
    now_ += 1;
    scheduler_.complete(ids, now_);
    static_cast<void>(scheduler_.advance(now_, nullptr));
  }

  Time now_ = 0;
  const std::vector<Amount> capacity_ = std::vector<Amount>(kMachines, 1000);
  OnlineScheduler scheduler_{{capacity_, kMachines, 1}, std::make_unique<PriorityQueuePolicy>(PriorityRule::by_id)};
};

TEST_F(PlacedJobs, KeepNoMemoryOfThoseThatArrivedWithThem) {
  constexpr std::size_t kRounds = 300, kTogether = 50;
  const std::size_t before = held_bytes;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const auto ids = submit(kTogether);
    complete(std::span(ids).subspan(1));
  }
  EXPECT_EQ(scheduler_.n_running(), kRounds);
  // The state, and events since the checkpoint of up to eight times its size.
  EXPECT_LT(held_bytes - before, 12 * kRounds * (PlacedJobColumns::kRowBytes + 1000) + (std::size_t{2} << 20));
}

TEST_F(PlacedJobs, AreForgottenByTheJournalAsWell) {
  const std::size_t before = held_bytes;
  for (int round = 0; round < 4000; ++round) complete(submit(1));
  EXPECT_EQ(scheduler_.n_running(), 0u);
  EXPECT_LT(held_bytes - before, std::size_t{2} << 20);
}

TEST_F(PlacedJobs, LeaveTheSchedulerAsItWasWhereverMemoryRunsOut) {
  const auto ids = submit(3);
  const PlacedJobColumns columns(9);  // more than the log has room for since the first three, also the second time
  const auto submit_more = [&] {
    static_cast<void>(scheduler_.submit(columns.jobs(), {}, {}, 5, columns.placements()));
  };
  // Rows of machines, times and locality for each job, and what holds them; the second call joins the first's records.
  EXPECT_GT(fail_every_allocation(scheduler_, submit_more), 9 * 2);
  EXPECT_GT(fail_every_allocation(scheduler_, submit_more), 9 * 2);
  EXPECT_GT(fail_every_allocation(scheduler_, [&] { scheduler_.complete(ids, 5); }), 3);
  EXPECT_GT(fail_every_allocation(scheduler_, [&] { static_cast<void>(scheduler_.advance(7, nullptr)); }), 3);
  EXPECT_EQ(scheduler_.n_running(), 18U);
  EXPECT_EQ(scheduler_.next_id(), 21);
}

TEST(OnlineScheduler, IsAsBeforeWhereverMemoryRunsOut) {
  OnlineScheduler scheduler = with_running_jobs(3);
  const std::vector<Time> processing_time(40, 10);
  const std::vector<double> weight(40, 1);
  const std::vector<Amount> demand(40, 1);
  const JobsView jobs{{}, processing_time, weight, demand, 1};
  // The second call of the instant joins records that are there already.
  EXPECT_GT(fail_every_allocation(scheduler, [&] { static_cast<void>(scheduler.submit(jobs, {}, {}, 5)); }), 40);
  EXPECT_GT(fail_every_allocation(scheduler, [&] { static_cast<void>(scheduler.submit(jobs, {}, {}, 5)); }), 40);
  const std::vector<std::int64_t> ids{0, 1, 2};
  EXPECT_GT(fail_every_allocation(scheduler, [&] { scheduler.complete(ids, 5); }), 3);
  EXPECT_GT(fail_every_allocation(scheduler, [&] { static_cast<void>(scheduler.advance(7, nullptr)); }), 3);
  EXPECT_EQ(scheduler.n_running(), 3U);
  EXPECT_EQ(scheduler.n_waiting(), 77U);
  EXPECT_EQ(scheduler.next_id(), 83);
}

// Starts what it can, then fails as often as the test says.
class FailingPolicy final : public Policy {
 public:
  explicit FailingPolicy(std::shared_ptr<int> n_failures) : n_failures_(std::move(n_failures)) {}
  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<FailingPolicy>(*this); }
  void write(SnapshotWriter& archive) const override { rule_.write(archive); }
  void read(SnapshotReader& archive) override { rule_.read(archive); }
  void attach(const MachinesView& machines) override { rule_.attach(machines); }
  void decide(const Event& event, Turn& turn) override {
    rule_.decide(event, turn);
    if (*n_failures_ > 0 && --*n_failures_ == 0) throw PolicyError("enough");
  }

 private:
  PriorityQueuePolicy rule_{PriorityRule::by_id};
  std::shared_ptr<int> n_failures_;  // the decision at which it fails; 0 for none
};

class UndoneDecisions : public ::testing::Test {
 protected:
  void submit(Time now) {
    const Time processing_time = 1;
    const double weight = 1;
    const Amount demand = 1;
    static_cast<void>(scheduler_.submit({{}, {&processing_time, 1}, {&weight, 1}, {&demand, 1}, 1}, {}, {}, now));
  }
  [[nodiscard]] std::vector<std::pair<std::int64_t, Time>> advance(Time now, Monitor* monitor = nullptr) {
    std::vector<std::pair<std::int64_t, Time>> starts;
    for (const IdPlacement& start : scheduler_.advance(now, monitor).starts) starts.emplace_back(start.id, start.start_time);
    return starts;
  }

  const std::vector<Amount> capacity_{2};
  std::shared_ptr<int> fails_at_ = std::make_shared<int>(0);
  OnlineScheduler scheduler_{{capacity_, 1, 1}, std::make_unique<FailingPolicy>(fails_at_)};
};

TEST_F(UndoneDecisions, AFailureAtALaterInstantUndoesTheEarlierOnes) {
  submit(0);
  static_cast<void>(advance(0));
  for (const Time now : {1.0, 2.0, 3.0}) submit(now);
  const std::string before = scheduler_.snapshot();
  for (const int decision : {1, 2, 3, 4}) {  // at 1, 2, 3 and 9
    *fails_at_ = decision;
    EXPECT_THROW(static_cast<void>(advance(9)), PolicyError);
    EXPECT_EQ(scheduler_.snapshot(), before);
    EXPECT_EQ(scheduler_.now(), 0);
    EXPECT_EQ(scheduler_.recorded_instant(), 1);
    EXPECT_EQ(scheduler_.n_running(), 1U);
  }
  EXPECT_EQ(advance(9), (std::vector<std::pair<std::int64_t, Time>>{{1, 1}}));
  EXPECT_EQ(scheduler_.n_waiting(), 2U);
}

TEST_F(UndoneDecisions, AWatcherEndsTheCallBetweenTwoInstants) {
  struct Enough {};
  class Impatient final : public Monitor {
    void poll(std::uint64_t /*done*/, std::uint64_t /*total*/) override { throw Enough(); }
  };
  Impatient monitor;
  for (const Time now : {1.0, 2.0}) submit(now);
  const std::string before = scheduler_.snapshot();
  EXPECT_THROW(static_cast<void>(advance(2, &monitor)), Enough);
  EXPECT_EQ(scheduler_.snapshot(), before);
  EXPECT_EQ(advance(2), (std::vector<std::pair<std::int64_t, Time>>{{0, 1}, {1, 2}}));
}

TEST_F(UndoneDecisions, ReturnToAStateThatIsManyDecisionsOld) {
  for (int step = 0; step < 3000; ++step) {
    submit(step);
    for (const auto& [id, start] : advance(step)) scheduler_.complete({&id, 1}, step);
    if (step % 100 != 7) continue;
    const std::string before = scheduler_.snapshot();
    *fails_at_ = 1;
    EXPECT_THROW(static_cast<void>(advance(step)), PolicyError);
    ASSERT_EQ(scheduler_.snapshot(), before);
  }
}

// Wants to be woken at every unit of time.
class TickingPolicy final : public Policy {
 public:
  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<TickingPolicy>(*this); }
  void write(SnapshotWriter& archive) const override { rule_.write(archive); }
  void read(SnapshotReader& archive) override { rule_.read(archive); }
  void attach(const MachinesView& machines) override { rule_.attach(machines); }
  void decide(const Event& event, Turn& turn) override {
    rule_.decide(event, turn);
    wakeup_ = event.now + 1;
  }
  [[nodiscard]] Time next_wakeup() const override { return wakeup_; }

 private:
  PriorityQueuePolicy rule_{PriorityRule::by_id};
  Time wakeup_ = kNever;
};

TEST(DecisionJournal, GivesBackWhatALongTrialTook) {
  constexpr Time kTicks = 1'000'000;
  const std::vector<Amount> capacity{1};
  OnlineScheduler scheduler({capacity, 1, 1}, std::make_unique<TickingPolicy>());
  const Time processing_time = 1;
  const double weight = 1;
  const Amount demand = 1;
  static_cast<void>(scheduler.submit({{}, {&processing_time, 1}, {&weight, 1}, {&demand, 1}, 1}, {}, {}, 0));
  const std::uint64_t before = held_bytes;
  static_cast<void>(scheduler.advance(kTicks, nullptr));
  EXPECT_GT(held_bytes - before, 20U << 20U) << "the events of one call are not many";
  static_cast<void>(scheduler.advance(kTicks + 1, nullptr));
  EXPECT_LT(held_bytes - before, 1U << 20U);
}

}  // namespace
}  // namespace schedcore
