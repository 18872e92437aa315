#include "schedcore/validation/task_validator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include "parallel_tasks/parallel_task_maker.hpp"

namespace schedcore::task_validator_test {
namespace {

constexpr auto kMigrate = TaskScheduleKind::migrate;
constexpr auto kPreempt = TaskScheduleKind::preempt;
constexpr auto kNonpreempt = TaskScheduleKind::nonpreempt;

struct Piece {
  std::int64_t job, task, machine;
  Time start, end;
};

struct Case {
  ParallelTaskMaker tasks;
  std::vector<Piece> pieces;

  [[nodiscard]] std::optional<TaskViolation> check(TaskScheduleKind kind) const {
    std::vector<std::int64_t> job, task, machine;
    std::vector<Time> start, end;
    for (const Piece& piece : pieces) {
      job.push_back(piece.job);
      task.push_back(piece.task);
      machine.push_back(piece.machine);
      start.push_back(piece.start);
      end.push_back(piece.end);
    }
    return find_first_task_violation(tasks.view(), {job, task, machine, start, end}, kind);
  }
  [[nodiscard]] std::optional<TaskViolationKind> kind_found(TaskScheduleKind kind) const {
    const auto violation = check(kind);
    if (!violation) return std::nullopt;
    return violation->kind;
  }
};

// Two machines of capacity 10.  Job 0: task 0 (demand 6; 2 on machine 0, 3 on machine 1), task 1 (5; 4 on machine 1).
// Job 1, released at 1: task 0 (4; 3 on machine 0).
Case three_tasks(std::vector<Piece> pieces, Amount demand_of_last = 4) {
  ParallelTaskMaker tasks(1, {10, 10});
  tasks.job(1);
  tasks.task({6}, {{0, 2}, {1, 3}});
  tasks.task({5}, {{1, 4}});
  tasks.job(1, 1);
  tasks.task({demand_of_last}, {{0, 3}});
  return {std::move(tasks), std::move(pieces)};
}

// Two machines of capacity 10; one task of demand 6, with a time on each of them.
Case one_task(std::int64_t first_time, std::int64_t second_time, std::vector<Piece> pieces) {
  ParallelTaskMaker tasks(1, {10, 10});
  tasks.job(1);
  tasks.task({6}, {{0, first_time}, {1, second_time}});
  return {std::move(tasks), std::move(pieces)};
}

// A machine of capacity 10; two tasks of one job, of demand 6 each, the second 1 long.
Case two_tasks(std::vector<Piece> pieces, std::int64_t first_time = 1, Time release_time = 0) {
  ParallelTaskMaker tasks(1, {10});
  tasks.job(1, release_time);
  tasks.task({6}, {{0, first_time}});
  tasks.task({6}, {{0, 1}});
  return {std::move(tasks), std::move(pieces)};
}

Case feasible(Amount demand_of_last = 4) {
  return three_tasks({{0, 0, 0, 0, 2}, {0, 1, 1, 0, 4}, {1, 0, 0, 1, 4}}, demand_of_last);
}

TEST(TaskValidator, AcceptsAScheduleInEachClass) {
  for (const auto kind : {kMigrate, kPreempt, kNonpreempt}) EXPECT_FALSE(feasible().check(kind));
  EXPECT_FALSE((Case{ParallelTaskMaker(1, {10}), {}}.check(kNonpreempt)));
}

TEST(TaskValidator, NamesTheRuleThatAPieceBreaks) {
  const auto broken = [](std::size_t row, const Piece& piece) {
    Case c = feasible();
    c.pieces[row] = piece;
    return c.kind_found(kMigrate);
  };
  const Time nan = std::numeric_limits<Time>::quiet_NaN();
  EXPECT_EQ(broken(1, {0, 1, 1, 0, kNever}), TaskViolationKind::time_not_finite);
  EXPECT_EQ(broken(1, {0, 1, 1, nan, 4}), TaskViolationKind::time_not_finite);
  EXPECT_EQ(broken(0, {-1, 0, 0, 0, 2}), TaskViolationKind::unknown_job);
  EXPECT_EQ(broken(0, {2, 0, 0, 0, 2}), TaskViolationKind::unknown_job);
  EXPECT_EQ(broken(0, {0, 2, 0, 0, 2}), TaskViolationKind::unknown_task);
  EXPECT_EQ(broken(2, {1, -1, 0, 1, 4}), TaskViolationKind::unknown_task);
  EXPECT_EQ(broken(0, {0, 0, 2, 0, 2}), TaskViolationKind::unknown_machine);
  EXPECT_EQ(broken(0, {0, 0, -1, 0, 2}), TaskViolationKind::unknown_machine);
  EXPECT_EQ(broken(1, {0, 1, 0, 0, 4}), TaskViolationKind::machine_not_allowed);
  EXPECT_EQ(broken(1, {0, 1, 1, 4, 4}), TaskViolationKind::no_progress);
  EXPECT_EQ(broken(2, {1, 0, 0, 0, 3}), TaskViolationKind::start_before_release);
  EXPECT_EQ(broken(0, {0, 0, 0, 0, 3}), TaskViolationKind::wrong_processing);
}

TEST(TaskValidator, AddsUpSharesOfDifferentMachinesExactly) {
  // Half of task 0 on machine 0 (1 of 2), half on machine 1 (1.5 of 3); times doubled to stay integers.
  const Case c = one_task(4, 6, {{0, 0, 0, 0, 2}, {0, 0, 1, 2, 5}});
  EXPECT_FALSE(c.check(kMigrate));
  EXPECT_EQ(c.kind_found(kPreempt), TaskViolationKind::task_migrated);
  // 1/p + (q-1)/q is 1 only for p == q, even where a double cannot tell.
  const std::int64_t p = (std::int64_t{1} << 52) - 1;
  const auto q = static_cast<Time>(p);
  const std::vector<Piece> pieces{{0, 0, 0, 0, q - 1}, {0, 0, 1, q - 1, q}};
  EXPECT_EQ(one_task(p, p + 1, pieces).kind_found(kMigrate), TaskViolationKind::wrong_processing);
  EXPECT_FALSE(one_task(p, p, pieces).check(kMigrate));
}

TEST(TaskValidator, KnowsTheThreeClasses) {
  const Case interrupted = three_tasks({{0, 0, 0, 0, 1}, {0, 0, 0, 2, 3}, {0, 1, 1, 0, 4}, {1, 0, 0, 1, 4}});
  EXPECT_FALSE(interrupted.check(kMigrate));
  EXPECT_FALSE(interrupted.check(kPreempt));
  EXPECT_EQ(interrupted.kind_found(kNonpreempt), TaskViolationKind::task_interrupted);
}

TEST(TaskValidator, SeesATaskThatRunsTwiceAtATimeOnAnyMachines) {
  Case c = three_tasks({{0, 0, 0, 0, 1}, {0, 0, 1, 0, 2}, {0, 1, 1, 2, 6}, {1, 0, 0, 1, 4}});
  const auto violation = c.check(kMigrate);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->kind, TaskViolationKind::task_overlaps_itself);
  EXPECT_EQ(std::tuple(violation->job, violation->task, violation->machine), std::tuple(0, 0, 1));
  EXPECT_EQ(violation->measure, 1);
}

TEST(TaskValidator, NamesTheFirstPieceThatNoLongerFitsAndByHowMuch) {
  const auto violation = feasible(5).check(kMigrate);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->kind, TaskViolationKind::capacity_exceeded);
  EXPECT_EQ(std::tuple(violation->job, violation->task, violation->machine), std::tuple(1, 0, 0));
  EXPECT_EQ(std::tuple(violation->instant, violation->resource, violation->units), std::tuple(1.0, 0u, 1));
}

TEST(TaskValidator, MissesNoTask) {
  Case c = feasible();
  c.pieces.erase(c.pieces.begin() + 1);
  const auto violation = c.check(kMigrate);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->kind, TaskViolationKind::task_missing);
  EXPECT_EQ(std::tuple(violation->job, violation->task, violation->machine), std::tuple(0, 1, -1));
}

TEST(TaskValidator, ForgivesRoundingInRealTimesAndNothingInIntegers) {
  Case c = two_tasks({{0, 0, 0, 0.5, 1.5}, {0, 1, 0, 1.5, 2.5}});
  EXPECT_FALSE(c.check(kNonpreempt));
  c.pieces[1] = {0, 1, 0, 1.5 - 2e-9, 2.5};
  EXPECT_FALSE(c.check(kNonpreempt));
  c.pieces[1] = {0, 1, 0, 1.5 - 3e-9, 2.5};
  EXPECT_EQ(c.kind_found(kNonpreempt), TaskViolationKind::capacity_exceeded);
  c.pieces[1] = {0, 1, 0, 1.5, 2.5 + 3e-9};
  EXPECT_FALSE(c.check(kNonpreempt));
  c.pieces[1] = {0, 1, 0, 1.5, 2.5 + 4e-9};
  EXPECT_EQ(c.kind_found(kNonpreempt), TaskViolationKind::wrong_processing);
  // 1 of 2^40 is below a tolerance of 1e-9 (1 + t), and still an overlap of integers.
  const Time far = 0x1p40;
  constexpr std::int64_t long_time = std::int64_t{1} << 40;
  EXPECT_EQ(two_tasks({{0, 0, 0, 0, far}, {0, 1, 0, far - 1, far}}, long_time).kind_found(kNonpreempt),
            TaskViolationKind::capacity_exceeded);
  EXPECT_FALSE(two_tasks({{0, 0, 0, 1, far + 1}, {0, 1, 0, far, far + 1}}, long_time, 0.25).check(kNonpreempt));
}

// The definition of the header for times that are compared as they are, in quadratic time.
std::optional<TaskViolation> literal_check(const Case& c, TaskScheduleKind kind) {
  const auto found = [&](TaskViolationKind rule, const Piece& p) {
    return TaskViolation{rule, p.job, p.task, p.machine, p.start, 0, 0, 0};
  };
  const ParallelTasksView tasks = c.tasks.view();
  std::vector<Piece> pieces = c.pieces;
  std::ranges::stable_sort(pieces, {}, [](const Piece& p) { return std::tuple(p.start, p.job, p.task, p.machine); });
  const auto n_tasks_of = [&](std::int64_t job) { return std::ranges::count(tasks.task_job, job); };
  const auto row_of = [&](const Piece& p) {
    return static_cast<std::size_t>(std::ranges::find(tasks.task_job, p.job) - tasks.task_job.begin() + p.task);
  };
  const auto time_on = [&](std::size_t task, std::int64_t machine) {
    for (std::size_t i = tasks.first_placement(task); i < tasks.first_placement(task + 1); ++i) {
      if (tasks.placement_machine[i] == machine) return tasks.placement_time[i];
    }
    return std::int64_t{0};
  };
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    const Piece& p = pieces[n];
    if (p.job < 0 || p.job >= std::ssize(tasks.release_time)) return found(TaskViolationKind::unknown_job, p);
    if (p.task < 0 || p.task >= n_tasks_of(p.job)) return found(TaskViolationKind::unknown_task, p);
    if (p.machine < 0 || p.machine >= static_cast<std::int64_t>(tasks.n_machines())) {
      return found(TaskViolationKind::unknown_machine, p);
    }
    if (time_on(row_of(p), p.machine) == 0) return found(TaskViolationKind::machine_not_allowed, p);
    if (p.end <= p.start) return found(TaskViolationKind::no_progress, p);
    if (p.start < tasks.release_time[static_cast<std::size_t>(p.job)]) {
      return found(TaskViolationKind::start_before_release, p);
    }
    const auto before = std::span(pieces).first(n);
    const auto same = [&](const Piece& q) { return q.job == p.job && q.task == p.task; };
    if (std::ranges::any_of(before, [&](const Piece& q) { return same(q) && q.end > p.start; })) {
      return found(TaskViolationKind::task_overlaps_itself, p);
    }
    const auto own = std::ranges::find_if(before, same);
    if (own != before.end() && kind != kMigrate && own->machine != p.machine) {
      return found(TaskViolationKind::task_migrated, p);
    }
    if (own != before.end() && kind == kNonpreempt) return found(TaskViolationKind::task_interrupted, p);
    for (std::size_t resource = 0; resource < tasks.n_resources(); ++resource) {
      Amount usage = 0;
      for (const Piece& q : std::span(pieces).first(n + 1)) {
        if (q.machine == p.machine && q.end > p.start) usage += tasks.demand_of(row_of(q))[resource];
      }
      const Amount capacity = tasks.machines.capacity_of(static_cast<std::size_t>(p.machine))[resource];
      if (usage <= capacity) continue;
      TaskViolation violation = found(TaskViolationKind::capacity_exceeded, p);
      violation.resource = resource;
      violation.units = usage - capacity;
      return violation;
    }
  }
  for (std::size_t task = 0; task < tasks.n_tasks(); ++task) {
    double share = 0;  // the cases below have processing times that divide 12
    bool exists = false;
    for (const Piece& p : pieces) {
      if (row_of(p) != task) continue;
      exists = true;
      share += 12 * (p.end - p.start) / static_cast<double>(time_on(task, p.machine));
    }
    if (!exists) return TaskViolation{TaskViolationKind::task_missing};
    if (share != 12) return TaskViolation{TaskViolationKind::wrong_processing};
  }
  return std::nullopt;
}

TEST(TaskValidator, EqualsTheLiteralDefinitionOnRandomSchedules) {
  std::mt19937 random(5);
  const auto below = [&](std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random); };
  std::array<int, 13> seen{};
  int n_feasible = 0;
  for (int round = 0; round < 30000; ++round) {
    const auto n_resources = 1 + static_cast<std::size_t>(below(2));
    const auto second_release = static_cast<Time>(below(2));
    std::vector<Amount> demand(n_resources), capacity(2 * n_resources);
    for (Amount& amount : capacity) amount = 4 + below(8);
    Case c{ParallelTaskMaker(n_resources, capacity), {}};
    for (int task = 0; task < 3; ++task) {
      if (task != 1) c.tasks.job(1, task == 0 ? 0 : second_release);
      for (Amount& amount : demand) amount = 1 + below(4);
      std::vector<std::pair<std::int64_t, std::int64_t>> placements{{0, 1 + below(4)}};
      if (below(2) == 1) placements.emplace_back(1, 1 + below(4));
      c.tasks.task(demand, placements);
    }
    const ParallelTasksView tasks = c.tasks.view();
    for (std::int64_t task = 0; task < 3; ++task) {
      const auto row = static_cast<std::size_t>(task);
      const auto n_placements = tasks.placement_start[row + 1] - tasks.placement_start[row];
      const auto placement = static_cast<std::size_t>(tasks.placement_start[row] + below(n_placements));
      const auto length = static_cast<Time>(tasks.placement_time[placement]);
      const auto start = static_cast<Time>(below(5));
      const std::int64_t job = task / 2, number = task % 2;
      const std::int64_t machine = tasks.placement_machine[placement];
      const auto cut = static_cast<Time>(below(static_cast<std::int64_t>(length)));
      const auto gap = static_cast<Time>(below(3));
      if (cut > 0) c.pieces.push_back({job, number, machine, start, start + cut});
      c.pieces.push_back({job, number, machine, start + cut + gap, start + length + gap});
    }
    if (below(3) == 0) {
      Piece& victim = c.pieces[static_cast<std::size_t>(below(std::ssize(c.pieces)))];
      switch (below(6)) {
        case 0: victim.job += below(3) - 1; break;
        case 1: victim.task += below(3) - 1; break;
        case 2: victim.machine += below(3) - 1; break;
        case 3: victim.end += static_cast<Time>(below(3) - 1); break;
        case 4: victim.start += static_cast<Time>(below(3) - 1); break;
        default: c.pieces.erase(c.pieces.begin() + below(std::ssize(c.pieces)));
      }
    }
    std::ranges::shuffle(c.pieces, random);
    for (const auto kind : {kMigrate, kPreempt, kNonpreempt}) {
      const auto actual = c.check(kind);
      const auto expected = literal_check(c, kind);
      ASSERT_EQ(actual.has_value(), expected.has_value());
      if (!actual) {
        ++n_feasible;
        continue;
      }
      ASSERT_EQ(actual->kind, expected->kind);
      ++seen[static_cast<std::size_t>(actual->kind)];
      if (actual->kind >= TaskViolationKind::task_missing) continue;
      ASSERT_EQ(std::tuple(actual->job, actual->task, actual->machine, actual->instant),
                std::tuple(expected->job, expected->task, expected->machine, expected->instant));
      ASSERT_EQ(std::tuple(actual->resource, actual->units), std::tuple(expected->resource, expected->units));
    }
  }
  EXPECT_GT(n_feasible, 10000);
  for (std::size_t kind = 1; kind < seen.size(); ++kind) EXPECT_GT(seen[kind], 20) << kind;
}

}  // namespace
}  // namespace schedcore::task_validator_test
