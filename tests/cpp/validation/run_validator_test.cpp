#include "schedcore/validation/run_validator.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace schedcore {
namespace {

struct Place {
  std::int64_t machine = 0;
  Amount n_tasks = 1;
};

struct Run {
  std::int64_t job = 0;
  std::int64_t attempt = 0;
  Time start = 0;
  Time end = 0;
  Outcome outcome = Outcome::completed;
  std::vector<Place> places = {{0, 1}};
};

struct Down {
  std::int64_t machine = 0;
  Time start = 0;
  Time end = 0;
};

struct DownColumns {
  explicit DownColumns(const std::vector<Down>& rows) {
    for (const Down& row : rows) {
      machine.push_back(row.machine);
      start.push_back(row.start);
      end.push_back(row.end);
    }
  }
  [[nodiscard]] DownView view() const { return {machine, start, end}; }
  std::vector<std::int64_t> machine;
  std::vector<Time> start, end;
};

// The columns of a cluster; those that are left empty are left out.
struct Case {
  std::vector<Time> release_time, processing_time;
  std::vector<Amount> demand, capacity;
  std::vector<Run> runs;
  std::size_t n_resources = 1;
  std::vector<Amount> n_tasks, max_tasks;
  std::vector<char> exclusive, allowed;
  std::vector<std::int64_t> machine_set;
  std::vector<Time> checkpoint_interval, restart_cost;
  std::vector<std::int64_t> first_awaited, awaited_job;
  std::vector<Awaited> awaited;
  std::vector<Down> outages, failures;
  std::vector<Time> cancellation;
  KilledJobs killed = KilledJobs::requeue;
  std::vector<Outcome> outcome;
  std::vector<char> forbidden, preemptible;
  std::vector<std::int64_t> level;
  std::vector<RunLimit> limits;
  std::optional<KilledJobs> preempt;

  [[nodiscard]] std::optional<RunViolation> check() const {
    const auto flags = [](const std::vector<char>& chars) {  // std::vector<bool> is no array
      auto made = std::make_unique<bool[]>(chars.size() + 1);
      for (std::size_t i = 0; i < chars.size(); ++i) made[i] = chars[i] != 0;
      return made;
    };
    const auto exclusive_flags = flags(exclusive);
    const auto allowed_flags = flags(allowed);
    ClusterJobsView jobs;
    jobs.jobs = {release_time, processing_time, processing_time, demand, n_resources};
    jobs.n_tasks = n_tasks;
    jobs.max_tasks = max_tasks;
    jobs.exclusive = std::span<const bool>(exclusive_flags.get(), exclusive.size());
    jobs.machine_set = machine_set;
    jobs.allowed = std::span<const bool>(allowed_flags.get(), allowed.size());
    jobs.checkpoint_interval = checkpoint_interval;
    jobs.restart_cost = restart_cost;
    jobs.first_awaited = first_awaited;
    jobs.awaited_job = awaited_job;
    jobs.awaited = awaited;
    std::vector<std::int64_t> job, attempt, first_place{0}, machine;
    std::vector<Time> start, end;
    std::vector<Outcome> ended;
    std::vector<Amount> tasks;
    for (const Run& run : runs) {
      job.push_back(run.job);
      attempt.push_back(run.attempt);
      start.push_back(run.start);
      end.push_back(run.end);
      ended.push_back(run.outcome);
      for (const Place& place : run.places) {
        machine.push_back(place.machine);
        tasks.push_back(place.n_tasks);
      }
      first_place.push_back(static_cast<std::int64_t>(machine.size()));
    }
    const DownColumns out(outages);
    const DownColumns fail(failures);
    const MachinesView machines{capacity, capacity.size() / n_resources, n_resources};
    const auto forbidden_flags = flags(forbidden);
    const auto preemptible_flags = flags(preemptible);
    const RunRules rules{{forbidden_flags.get(), forbidden.size()},
                         level,
                         {preemptible_flags.get(), preemptible.size()},
                         limits,
                         preempt};
    return find_first_run_violation(jobs, machines, {job, attempt, start, end, ended, first_place, machine, tasks},
                                    {out.view(), fail.view(), cancellation, killed}, outcome, rules);
  }
};

using Kind = RunViolationKind;

void expect_first(const Case& c, Kind kind, std::int64_t run, std::int64_t machine) {
  const auto found = c.check();
  ASSERT_TRUE(found);
  EXPECT_EQ(static_cast<int>(found->kind), static_cast<int>(kind));
  EXPECT_EQ(found->run, run);
  EXPECT_EQ(found->machine, machine);
}

// Two machines with 2 and 3 units.  Job 0: two tasks of 1, one a machine, release 1, takes 4, is cancelled at 17.
// Job 1: alone, on machine 1.  Job 2: takes 9 units of time on machine 0, saves its work after every 2 and restarts for
// 1: it is killed at 8, when 4 of 5 are saved, and then takes 9 - 4 + 1.
Case small_cluster() {
  Case c;
  c.release_time = {1, 0, 0};
  c.processing_time = {4, 5, 9};
  c.demand = {1, 1, 2};
  c.capacity = {2, 3};
  c.n_tasks = {2, 1, 1};
  c.max_tasks = {1, 0, 0};
  c.exclusive = {0, 1, 0};
  c.machine_set = {-1, 0, 1};
  c.allowed = {0, 1, 1, 0};
  c.checkpoint_interval = {0, 0, 2};
  c.restart_cost = {0, 0, 1};
  c.outages = {{1, 20, 22}};
  c.failures = {{0, 9, 10}, {0, 8, 9}};  // one failure, in two rows
  c.cancellation = {17, kNever, kNever};
  c.killed = KilledJobs::checkpoint;
  c.runs = {{1, 0, 0, 5, Outcome::completed, {{1, 1}}},
            {2, 0, 3, 8, Outcome::killed, {{0, 1}}},
            {2, 1, 10, 16, Outcome::completed, {{0, 1}}},
            {0, 0, 16, 17, Outcome::cancelled, {{1, 1}, {0, 1}}}};
  return c;
}

TEST(RunValidator, AcceptsNoRunsAndFeasibleRuns) {
  Case c = small_cluster();
  EXPECT_FALSE(c.check());
  c.outcome = {Outcome::cancelled, Outcome::completed, Outcome::completed};
  EXPECT_FALSE(c.check());
  c.outcome.clear();
  c.runs.clear();
  EXPECT_FALSE(c.check());
}

TEST(RunValidator, AcceptsRunsInAnyOrder) {
  Case c = small_cluster();
  std::swap(c.runs[0], c.runs[3]);
  EXPECT_FALSE(c.check());
  c.runs[3].end = 6;  // the first run in time
  expect_first(c, Kind::wrong_length, 3, 1);
}

struct Edit {
  const char* what;
  Kind kind;
  std::int64_t run, machine;
  std::function<void(Case&)> edit;
};

class EveryViolation : public testing::TestWithParam<Edit> {};

TEST_P(EveryViolation, IsFound) {
  Case c = small_cluster();
  GetParam().edit(c);
  expect_first(c, GetParam().kind, GetParam().run, GetParam().machine);
}

constexpr Time kNan = std::numeric_limits<Time>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    RunValidator, EveryViolation,
    testing::Values(
        Edit{"an endless run", Kind::time_not_finite, 3, -1, [](Case& c) { c.runs[3].end = kNever; }},
        Edit{"no start", Kind::time_not_finite, 2, -1, [](Case& c) { c.runs[2].start = kNan; }},
        Edit{"job 3", Kind::unknown_job, 1, 0, [](Case& c) { c.runs[1].job = 3; }},
        Edit{"job -1", Kind::unknown_job, 1, 0, [](Case& c) { c.runs[1].job = -1; }},
        Edit{"machine 2", Kind::unknown_machine, 0, 2, [](Case& c) { c.runs[0].places[0].machine = 2; }},
        Edit{"machine -1", Kind::unknown_machine, 0, -1, [](Case& c) { c.runs[0].places[0].machine = -1; }},
        Edit{"early", Kind::start_before_release, 3, 0, [](Case& c) { c.runs[3].start = 0.5; }},
        Edit{"ends as it starts", Kind::no_progress, 0, 1, [](Case& c) { c.runs[0].end = 0; }},
        Edit{"attempt 2", Kind::attempt_out_of_order, 2, 0, [](Case& c) { c.runs[2].attempt = 2; }},
        Edit{"two at once", Kind::job_runs_twice, 2, 0, [](Case& c) { c.runs[2].start = 7; }},
        Edit{"after the end", Kind::job_has_ended, 2, 0,
             [](Case& c) {
               c.processing_time[2] = 5;
               c.runs[1].outcome = Outcome::completed;
             }},
        Edit{"after it was dropped", Kind::job_has_ended, 2, 0, [](Case& c) { c.killed = KilledJobs::drop; }},
        Edit{"longer than until the cancellation", Kind::past_cancellation, 3, 0, [](Case& c) { c.runs[3].end = 18; }},
        Edit{"after the cancellation", Kind::past_cancellation, 3, 0, [](Case& c) { c.cancellation[0] = 16; }},
        Edit{"too few tasks", Kind::wrong_n_tasks, 3, 0, [](Case& c) { c.runs[3].places = {{0, 1}}; }},
        Edit{"no tasks at all", Kind::wrong_n_tasks, 3, -1, [](Case& c) { c.runs[3].places.clear(); }},
        Edit{"too long", Kind::wrong_length, 2, 0, [](Case& c) { c.runs[2].end = 17; }},
        Edit{"requeued work is not saved", Kind::wrong_length, 2, 0, [](Case& c) { c.killed = KilledJobs::requeue; }},
        Edit{"killed as it would complete", Kind::not_cut_short, 1, 0, [](Case& c) { c.processing_time[2] = 5; }},
        Edit{"killed by nothing", Kind::killed_by_nothing, 1, 0, [](Case& c) { c.runs[1].end = 7; }},
        Edit{"killed within a failure", Kind::killed_by_nothing, 1, 0,
             [](Case& c) {
               c.runs[1].start = 1;
               c.runs[1].end = 9;
               c.failures[0].start = 8;
               c.processing_time[2] = 20;
             }},
        Edit{"cancelled by nobody", Kind::cancelled_by_nobody, 3, 0, [](Case& c) { c.runs[3].end = 16.5; }},
        Edit{"never cancelled", Kind::cancelled_by_nobody, 3, 0, [](Case& c) { c.cancellation[0] = kNever; }},
        Edit{"one machine twice", Kind::machine_twice, 3, 1, [](Case& c) { c.runs[3].places = {{1, 1}, {1, 1}}; }},
        Edit{"no tasks on a machine", Kind::no_tasks, 3, 0, [](Case& c) { c.runs[3].places = {{1, 2}, {0, 0}}; }},
        Edit{"not its machine", Kind::machine_not_allowed, 0, 0, [](Case& c) { c.runs[0].places = {{0, 1}}; }},
        Edit{"two tasks on one machine", Kind::too_many_tasks, 3, 1, [](Case& c) { c.runs[3].places = {{1, 2}}; }},
        Edit{"in an outage", Kind::during_outage, 3, 1, [](Case& c) { c.outages = {{1, 16.5, 17}}; }},
        Edit{"over a failure", Kind::during_failure, 2, 0, [](Case& c) { c.failures.push_back({0, 12, 13}); }},
        Edit{"into a failure", Kind::during_failure, 2, 0, [](Case& c) { c.failures.push_back({0, 10, 11}); }},
        Edit{"beside an exclusive job", Kind::not_alone, 3, 1,
             [](Case& c) {
               c.runs[3] = {0, 0, 4, 8, Outcome::completed, {{0, 1}, {1, 1}}};
               c.demand[2] = 0;
             }},
        Edit{"an exclusive job beside another", Kind::not_alone, 3, 0,
             [](Case& c) {
               c.exclusive[0] = 1;
               c.runs[3].start = 15;
               c.demand[2] = 0;
             }},
        Edit{"too much", Kind::capacity_exceeded, 3, 0, [](Case& c) { c.runs[3].start = 15; }},
        Edit{"another outcome", Kind::wrong_outcome, -1, -1,
             [](Case& c) { c.outcome = {Outcome::cancelled, Outcome::waiting, Outcome::completed}; }}),
    [](const testing::TestParamInfo<Edit>& each) {
      std::string name;
      for (const char* letter = each.param.what; *letter != 0; ++letter) {
        name += std::isalnum(static_cast<unsigned char>(*letter)) != 0 ? *letter : '_';
      }
      return name;
    });

TEST(RunValidator, SaysByHowMuch) {
  Case c = small_cluster();
  c.runs[3].start = 15;
  auto found = c.check();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->job, 0);
  EXPECT_EQ(found->instant, 15);
  EXPECT_EQ(found->resource, 0U);
  EXPECT_TRUE(found->excess == 1);
  c.runs[3].start = 0.5;
  EXPECT_EQ(c.check()->bound, 1);
  c.runs[3].start = 16;
  c.runs[3].places = {{0, 5}};
  EXPECT_TRUE(c.check()->excess == 3);
  c.runs[3].places.clear();
  EXPECT_TRUE(c.check()->excess == -2);
  c.runs[2].end = 17;
  EXPECT_EQ(c.check()->bound, 16);
}

TEST(RunValidator, NamesTheLowestMachineOfOneInstant) {
  Case c;
  c.release_time = {0, 0, 0};
  c.processing_time = {1, 1, 1};
  c.demand = {2, 1, 2};
  c.capacity = {1, 1, 1};
  c.runs = {{0, 0, 0, 1, Outcome::completed, {{2, 1}}},
            {1, 0, 0, 1, Outcome::completed, {{0, 1}}},
            {2, 0, 0, 1, Outcome::completed, {{1, 1}}}};
  expect_first(c, Kind::capacity_exceeded, 2, 1);
  c.demand[2] = 1;
  expect_first(c, Kind::capacity_exceeded, 0, 2);
}

TEST(RunValidator, HugeAmountsDoNotOverflow) {
  const Amount bound = Amount{1} << 53;
  Case c;
  c.release_time = {0};
  c.processing_time = {1};
  c.demand = {bound};
  c.capacity = {bound, bound};
  c.n_tasks = {bound};
  c.runs = {{0, 0, 0, 1, Outcome::completed, {{0, bound}}}};
  auto found = c.check();
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->excess == (Int128(bound) << 53) - bound);
  const Amount most = std::numeric_limits<Amount>::max();
  c.runs[0].places = {{0, most}, {1, most}};
  found = c.check();
  ASSERT_TRUE(found);
  EXPECT_EQ(static_cast<int>(found->kind), static_cast<int>(Kind::wrong_n_tasks));
  EXPECT_TRUE(found->excess == Int128(most) + most - bound);
  c.runs[0].places = {{0, std::numeric_limits<Amount>::min()}, {1, most}};
  EXPECT_TRUE(c.check());
}

TEST(RunValidator, SeesOneUnitInTheLastPlace) {
  Case c = small_cluster();
  c.runs[3].start = std::nextafter(16.0, 0.0);
  expect_first(c, Kind::capacity_exceeded, 3, 0);
  c = small_cluster();
  c.runs[2].end = std::nextafter(16.0, 17.0);
  expect_first(c, Kind::wrong_length, 2, 0);
}

// Job 1 waits for job 0, which takes [0, 2) and then ends in some way.
Case two_jobs(Awaited awaited, Outcome ended, Time start) {
  Case c;
  c.release_time = {0, 0};
  c.processing_time = {ended == Outcome::completed ? 2.0 : 5.0, 1};
  c.demand = {1, 1};
  c.capacity = {2, 2};
  c.first_awaited = {0, 0, 1};
  c.awaited_job = {0};
  c.awaited = {awaited};
  c.cancellation = {ended == Outcome::cancelled ? 2 : kNever, kNever};
  if (ended == Outcome::killed) c.failures = {{1, 2, 3}};
  c.runs = {{0, 0, 0, 2, ended, {{1, 1}}}, {1, 0, start, start + 1, Outcome::completed, {{0, 1}}}};
  return c;
}

TEST(RunValidator, JobsWaitForOthers) {
  EXPECT_FALSE(two_jobs(Awaited::completion, Outcome::completed, 2).check());
  EXPECT_FALSE(two_jobs(Awaited::end, Outcome::completed, 2).check());
  expect_first(two_jobs(Awaited::failure, Outcome::completed, 2), Kind::dependency_unmet, 1, 0);
  EXPECT_EQ(two_jobs(Awaited::failure, Outcome::completed, 2).check()->other, 0);
  expect_first(two_jobs(Awaited::completion, Outcome::completed, 1), Kind::dependency_unmet, 1, 0);
  expect_first(two_jobs(Awaited::end, Outcome::completed, 1), Kind::dependency_unmet, 1, 0);
  expect_first(two_jobs(Awaited::completion, Outcome::cancelled, 2), Kind::dependency_unmet, 1, 0);
  EXPECT_FALSE(two_jobs(Awaited::end, Outcome::cancelled, 2).check());
  EXPECT_FALSE(two_jobs(Awaited::failure, Outcome::cancelled, 2).check());
}

TEST(RunValidator, ARequeuedJobHasNotEndedAndADroppedOneHas) {
  Case c = two_jobs(Awaited::end, Outcome::killed, 2);
  expect_first(c, Kind::dependency_unmet, 1, 0);
  c.killed = KilledJobs::drop;
  EXPECT_FALSE(c.check());
  c = two_jobs(Awaited::failure, Outcome::killed, 4);
  c.cancellation[0] = 4;  // while it waits again
  EXPECT_FALSE(c.check());
  c.cancellation[0] = 5;
  expect_first(c, Kind::dependency_unmet, 1, 0);
}

TEST(RunValidator, WhoNeverRanHasEndedIfItNeverCould) {
  Case c = two_jobs(Awaited::failure, Outcome::completed, 0);
  c.runs.erase(c.runs.begin());
  expect_first(c, Kind::dependency_unmet, 0, 0);
  c.cancellation[0] = 0;  // no later than its release: it never arrives
  EXPECT_FALSE(c.check());
  c.cancellation[0] = kNever;
  c.demand[0] = 3;
  EXPECT_FALSE(c.check());
  c.demand[0] = 1;
  c.n_tasks = {5, 1};
  EXPECT_FALSE(c.check());
  c.n_tasks = {4, 1};
  expect_first(c, Kind::dependency_unmet, 0, 0);
  c.max_tasks = {1, 0};
  EXPECT_FALSE(c.check());
  c.n_tasks = c.max_tasks = {};
  c.machine_set = {0, -1};
  c.allowed = {0, 0};
  EXPECT_FALSE(c.check());
  c.machine_set.clear();
  c.forbidden = {1, 0};
  EXPECT_FALSE(c.check());
  c.awaited[0] = Awaited::completion;
  expect_first(c, Kind::dependency_unmet, 0, 0);
  EXPECT_EQ(c.check()->bound, -kNever);
}

// Job 2 waits for the end of job 1, which waits for the completion of job 0, which is cancelled at 2.
TEST(RunValidator, JobsThatCannotBeMetLeaveInTurn) {
  Case c = two_jobs(Awaited::completion, Outcome::cancelled, 2);
  c.release_time = {0, 0, 0};
  c.processing_time = {5, 1, 1};
  c.demand = {1, 1, 1};
  c.cancellation = {2, kNever, kNever};
  c.first_awaited = {0, 0, 1, 2};
  c.awaited_job = {0, 1};
  c.awaited = {Awaited::completion, Awaited::end};
  c.runs[1] = {2, 0, 2, 3, Outcome::completed, {{0, 1}}};
  c.outcome = {Outcome::cancelled, Outcome::never, Outcome::completed};
  EXPECT_FALSE(c.check());
  c.outcome[1] = Outcome::waiting;
  expect_first(c, Kind::wrong_outcome, -1, -1);
  c.outcome.clear();
  c.release_time[1] = 3;  // it cannot leave before it arrives
  expect_first(c, Kind::dependency_unmet, 1, 0);
  c.runs[1].start = 3;
  c.runs[1].end = 4;
  EXPECT_FALSE(c.check());
  c.awaited_job = {2, 1};  // a circle: nobody has ended
  expect_first(c, Kind::dependency_unmet, 1, 0);
}

// Job 0 may be preempted and takes 6 units of time, of which [0, 3) are done when job 1 takes its machine.
Case preempted() {
  Case c;
  c.release_time = {0, 0};
  c.processing_time = {6, 2};
  c.demand = {2, 2};
  c.capacity = {2, 2};
  c.machine_set = {-1, -1};
  c.allowed = {0, 1};
  c.checkpoint_interval = {2, 0};
  c.level = {0, 1};
  c.preemptible = {1, 0};
  c.preempt = KilledJobs::checkpoint;
  c.runs = {{0, 0, 0, 3, Outcome::killed, {{0, 1}}},
            {1, 0, 3, 5, Outcome::completed, {{0, 1}}},
            {0, 1, 5, 9, Outcome::completed, {{0, 1}}}};
  return c;
}

TEST(RunValidator, JobsOfHigherLevelsEndThoseOfPreemptibleClasses) {
  EXPECT_FALSE(preempted().check());
  Case c = preempted();
  c.preempt.reset();
  expect_first(c, Kind::killed_by_nothing, 0, 0);
  c = preempted();
  c.level[1] = 0;
  expect_first(c, Kind::killed_by_nothing, 0, 0);
  c = preempted();
  c.preemptible[0] = 0;
  expect_first(c, Kind::killed_by_nothing, 0, 0);
  c = preempted();
  c.runs[1].start = 3.5;
  expect_first(c, Kind::killed_by_nothing, 0, 0);
  c = preempted();
  c.machine_set[1] = 0;  // the other machine only
  c.runs[1].places = {{1, 1}};
  expect_first(c, Kind::killed_by_nothing, 0, 0);
  c.runs[0].places = {{1, 1}};
  EXPECT_FALSE(c.check());
}

TEST(RunValidator, WhatBecomesOfKilledJobsDependsOnWhoKilledThem) {
  Case c = preempted();
  c.preempt = KilledJobs::requeue;
  expect_first(c, Kind::wrong_length, 2, 0);
  c.preempt = KilledJobs::drop;
  expect_first(c, Kind::job_has_ended, 2, 0);
  c.killed = KilledJobs::checkpoint;
  c.failures = {{0, 3, 3.5}};  // before anybody can be preempted
  c.runs[1].places = {{1, 1}};
  EXPECT_FALSE(c.check());
}

TEST(RunValidator, WhatIsDroppedForOthersCountsAfterThatInstant) {
  Case c = preempted();
  c.preempt = KilledJobs::drop;
  c.release_time.push_back(0);
  c.processing_time.push_back(1);
  c.demand.push_back(1);
  c.machine_set.push_back(-1);
  c.checkpoint_interval.push_back(0);
  c.level.push_back(0);
  c.preemptible.push_back(0);
  c.first_awaited = {0, 0, 0, 1};
  c.awaited_job = {0};
  c.awaited = {Awaited::failure};
  c.runs[2] = {2, 0, 3, 4, Outcome::completed, {{1, 1}}};
  expect_first(c, Kind::dependency_unmet, 2, 1);
  c.runs[2] = {2, 0, 4, 5, Outcome::completed, {{1, 1}}};
  EXPECT_FALSE(c.check());
  c.awaited[0] = Awaited::completion;
  c.runs.pop_back();
  c.cancellation = {kNever, kNever, 5};
  const auto told = [&c](Outcome outcome) {
    c.outcome = {Outcome::killed, Outcome::completed, outcome};
    return !c.check();
  };
  EXPECT_TRUE(told(Outcome::never));
  EXPECT_TRUE(told(Outcome::cancelled));  // if that is the next event
  EXPECT_FALSE(told(Outcome::waiting));
}

TEST(RunValidator, LimitsHoldAtEveryStart) {
  Case c;
  c.release_time = {0, 0, 0};
  c.processing_time = {4, 2, 4};
  c.demand = {2, 1, 1};
  c.n_tasks = {1, 2, 1};
  c.capacity = {9};
  c.runs = {{0, 0, 0, 4, Outcome::completed, {{0, 1}}},
            {1, 0, 1, 3, Outcome::completed, {{0, 2}}},
            {2, 0, 3, 7, Outcome::completed, {{0, 1}}}};
  const std::vector<std::int64_t> all{0, 0, 0};
  const std::vector<std::int64_t> two{0, 1, 0};
  c.limits = {{all, -1, LimitedAmount::jobs, 0, 2}, {two, 1, LimitedAmount::tasks, 0, 2}};
  EXPECT_FALSE(c.check());
  c.limits.push_back({all, -1, LimitedAmount::resource, 0, 3});
  expect_first(c, Kind::limit_exceeded, 1, 0);
  EXPECT_EQ(c.check()->other, 2);
  EXPECT_TRUE(c.check()->excess == 1);
  c.limits[2].most = 4;
  EXPECT_FALSE(c.check());
  c.runs[2].start = 2;  // beside both of the others
  c.runs[2].end = 6;
  expect_first(c, Kind::limit_exceeded, 2, 0);
  EXPECT_EQ(c.check()->other, 0);
  c.limits = {{two, -1, LimitedAmount::jobs, 0, 1}};
  expect_first(c, Kind::limit_exceeded, 2, 0);
  c.limits[0].only = 1;
  EXPECT_FALSE(c.check());
  c.limits[0].only = 5;  // nobody
  c.limits[0].most = 0;
  EXPECT_FALSE(c.check());
}

TEST(RunValidator, ForbiddenJobsNeverRun) {
  Case c = small_cluster();
  c.forbidden = {0, 0, 1};
  expect_first(c, Kind::job_forbidden, 1, 0);
}

TEST(RunValidator, OutcomesFollowFromRunsAndCancellations) {
  Case c = two_jobs(Awaited::end, Outcome::killed, 2);
  c.first_awaited.clear();
  const auto told = [&c](Outcome outcome) {
    c.outcome = {outcome, Outcome::completed};
    return !c.check();
  };
  EXPECT_TRUE(told(Outcome::waiting));
  EXPECT_FALSE(told(Outcome::killed));
  EXPECT_FALSE(told(Outcome::never));
  EXPECT_EQ(c.check()->other, static_cast<std::int64_t>(Outcome::waiting));
  c.cancellation[0] = 9;
  EXPECT_TRUE(told(Outcome::cancelled));
  EXPECT_FALSE(told(Outcome::waiting));
  c.killed = KilledJobs::drop;
  EXPECT_TRUE(told(Outcome::killed));
  c.runs.erase(c.runs.begin());
  EXPECT_TRUE(told(Outcome::cancelled));
  EXPECT_TRUE(told(Outcome::never));
  EXPECT_FALSE(told(Outcome::waiting));
  EXPECT_FALSE(told(Outcome::completed));
}

}  // namespace
}  // namespace schedcore
