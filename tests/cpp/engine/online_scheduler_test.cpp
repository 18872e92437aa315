#include "schedcore/engine/online_scheduler.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schedcore/base/errors.hpp"
#include "schedcore/engine/event_log.hpp"
#include "schedcore/engine/job_placements.hpp"
#include "schedcore/online/priority_queue.hpp"

namespace {

std::atomic<std::uint64_t> allocated_bytes{0};
std::atomic<std::uint64_t> held_bytes{0};  // of them, not given back
std::atomic<std::uint64_t> allocations_until_failure{0};  // 0: they do not fail
constexpr std::size_t kHeader = alignof(std::max_align_t);    // before every allocation: its size

}  // namespace

// Every allocation of this program is counted: what a call costs shows without a clock.  One of them can be made to fail.
// Not inlined, or compilers take `free` for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocated_bytes += size;
  if (allocations_until_failure > 0 && --allocations_until_failure == 0) throw std::bad_alloc();
  void* memory = std::malloc(size + kHeader);
  if (memory == nullptr) throw std::bad_alloc();
  held_bytes += size;
  std::memcpy(memory, &size, sizeof size);
  return static_cast<char*>(memory) + kHeader;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  void* begin = static_cast<char*>(memory) - kHeader;
  std::size_t size = 0;
  std::memcpy(&size, begin, sizeof size);
  held_bytes -= size;
  std::free(begin);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept { operator delete(memory); }

namespace schedcore {
namespace {

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

// Lets the first allocation of `call` fail, then the second, and so on until there is none left to fail.  Returns how many
// failed; `state()` is what it was before each time.
template <class State, class Call>
int fail_every_allocation(State state, Call call) {
  const auto before = state();
  for (int n_failed = 0;; ++n_failed) {
    allocations_until_failure = static_cast<std::uint64_t>(n_failed) + 1;
    try {
      call();
      allocations_until_failure = 0;
      return n_failed;
    } catch (const std::bad_alloc&) {
      EXPECT_EQ(state(), before) << "after allocation " << n_failed;
    } catch (...) {
      allocations_until_failure = 0;
      throw;
    }
  }
}

template <class Call>
int fail_every_allocation(const OnlineScheduler& scheduler, Call call) {
  return fail_every_allocation([&] { return scheduler.snapshot(); }, call);
}

// Jobs that may run on all machines but the last, for another time on each: one arrives, or many together.
class PlacedJobs : public ::testing::Test {
 protected:
  static constexpr std::int64_t kMachines = 200;
  static constexpr std::size_t kRowBytes = (kMachines - 1) * (sizeof(std::int64_t) + 1);  // what a job brings

  class Columns {
   public:
    explicit Columns(std::size_t n_jobs)
        : group_(n_jobs, 0), processing_time_(n_jobs, 1), weight_(n_jobs, 1), demand_(n_jobs, 1) {
      for (std::size_t job = 0; job < n_jobs; ++job) {
        for (std::int64_t each = 0; each + 1 < kMachines; ++each) {
          machine_.push_back(each);
          time_.push_back(1 + each);
        }
        start_.push_back(static_cast<std::int64_t>(machine_.size()));
      }
      local_ = std::make_unique<bool[]>(machine_.size());
    }
    [[nodiscard]] JobsView jobs() const { return {{}, processing_time_, weight_, demand_, 1}; }
    [[nodiscard]] PlacementsView placements() const {
      return {start_, machine_, time_, {local_.get(), machine_.size()}, group_};
    }

   private:
    std::vector<std::int64_t> start_{0}, machine_, time_, group_;
    std::unique_ptr<bool[]> local_;
    std::vector<Time> processing_time_;
    std::vector<double> weight_;
    std::vector<Amount> demand_;
  };

  // They start at once.
  std::vector<std::int64_t> submit(std::size_t n_jobs) {
    const Columns columns(n_jobs);
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
  EXPECT_LT(held_bytes - before, 12 * kRounds * (kRowBytes + 1000) + (std::size_t{2} << 20));
}

TEST_F(PlacedJobs, AreForgottenByTheJournalAsWell) {
  const std::size_t before = held_bytes;
  for (int round = 0; round < 4000; ++round) complete(submit(1));
  EXPECT_EQ(scheduler_.n_running(), 0u);
  EXPECT_LT(held_bytes - before, std::size_t{2} << 20);
}

TEST_F(PlacedJobs, LeaveTheSchedulerAsItWasWhereverMemoryRunsOut) {
  const auto ids = submit(3);
  const Columns columns(9);  // more than the log has room for since the first three, also the second time
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

class LogOfPlacedJobs : public PlacedJobs {
 protected:
  // An event of four jobs, which say where they may run.
  void append_placed(EventLog& log, Time now) const { log.append({now, jobs_, demand_, placements_, {}}); }
  void append_plain(EventLog& log, Time now) const { log.append({now, jobs_, demand_, {}, {}}); }

  const Columns columns_{4};
  EligibilitySets sets_;
  const std::vector<JobPlacements> placements_ = copied_placements(columns_.placements(), kMachines, sets_);
  const std::vector<JobColumns> jobs_{4};
  const std::vector<Amount> demand_{1, 1, 1, 1};
};

TEST_F(LogOfPlacedJobs, CountsWhatTheyOwn) {
  EventLog log(1);
  append_placed(log, 1);
  const std::size_t of_one_event = log.n_bytes();
  EXPECT_GT(of_one_event, 4 * kRowBytes);
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
    const auto add_to_a_copy = [&](const auto& add) {
      return fail_every_allocation([&] { return left; }, [&] {
        EventLog log = before;
        try {
          add(log);
        } catch (...) {
          log.cut_back(before.mark());
          left = log.n_bytes();
          throw;
        }
      });
    };
    // What the rows of placements grow by, at least.
    EXPECT_GT(add_to_a_copy([&](EventLog& log) { append_placed(log, 2); }), 3);
    EXPECT_GT(add_to_a_copy([&](EventLog& log) {
                for (std::size_t k = 0; k < 4; ++k) log.add_arrival(2, jobs_[k], {&demand_[k], 1}, &placements_[k]);
              }), 3);
  }
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

}  // namespace
}  // namespace schedcore
