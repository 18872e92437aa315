#include "schedcore/parallel_tasks/slow_motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "parallel_tasks/interval_fraction_maker.hpp"
#include "parallel_tasks/parallel_task_maker.hpp"
#include "schedcore/parallel_tasks/best_lambda.hpp"

namespace schedcore::slow_motion_test {
namespace {

using Fractions = std::vector<IntervalFraction>;
using Pieces = std::vector<TaskPiece>;

constexpr std::int64_t kUnit = kWholeTask;

struct Slowed {
  ParallelTaskMaker made;
  ParallelTasksView tasks;
  FractionSchedule s1;
  TaskProgress progress;

  Slowed(ParallelTaskMaker maker, const Fractions& fractions, std::size_t n_intervals)
      : made(std::move(maker)),
        tasks(made.view()),
        s1(fraction_schedule(tasks, fractions, n_intervals)),
        progress(tasks, fractions, s1.pieces) {}
};

std::vector<Time> completions(const ParallelTasksView& tasks, const Pieces& pieces) {
  std::vector<Time> end(tasks.n_jobs());
  for (const TaskPiece& piece : pieces) {
    Time& own = end[tasks.job_of(piece.task)];
    own = std::max(own, piece.end);
  }
  return end;
}

double weighted_completion(const ParallelTasksView& tasks, const Pieces& pieces) {
  double sum = 0;
  const std::vector<Time> end = completions(tasks, pieces);
  for (std::size_t j = 0; j < end.size(); ++j) sum += tasks.weight[j] * end[j];
  return sum;
}

// The share of the task that is done in S1 by this fine time.
double share_at(const TaskProgress& progress, std::size_t task, FineTime time) {
  double share = 0;
  for (const ProgressStep& step : progress.of(task)) {
    const FineTime processed = std::max<FineTime>(0, std::min(step.end, time) - step.start);
    share += static_cast<double>(processed) / (kFineTimesPerTime * static_cast<double>(step.processing_time));
  }
  return share;
}

Pieces slowed_pieces(const Slowed& slowed, const Speed& lambda, FractionCap cap) {
  return drawn(slow_motion(slowed.tasks, slowed.progress, lambda, cap));
}

Slowed example_d() {
  ParallelTaskMaker made(1, {10, 10});
  made.job(1);
  made.task({6}, {{0, 2}, {1, 4}});
  made.job(2);
  made.task({6}, {{0, 2}});
  made.job(1);
  made.task({8}, {{0, 4}});
  made.job(1);
  made.task({4}, {{0, 4}});
  const Fractions fractions{{0, 0, 1, kUnit / 2}, {0, 1, 2, kUnit / 2}, {1, 0, 1, kUnit},
                            {2, 0, 2, kUnit / 4}, {2, 0, 3, 3 * kUnit / 4}, {3, 0, 3, kUnit}};
  return {std::move(made), fractions, 5};
}

TEST(SlowMotion, WorkedExampleD) {
  const Slowed d = example_d();
  const LambdaChoice best = best_lambda(d.tasks, d.progress, d.s1.tau);
  EXPECT_EQ(best.lambda, 0.75);
  EXPECT_DOUBLE_EQ(best.value, 64.0 / 3);
  const Pieces chosen = slowed_pieces(d, best.share, FractionCap::task);
  EXPECT_DOUBLE_EQ(weighted_completion(d.tasks, chosen), 64.0 / 3);
  EXPECT_EQ(completions(d.tasks, chosen), (std::vector<Time>{2 / 0.75, 2.5 / 0.75, 8, 4}));
  EXPECT_EQ(weighted_completion(d.tasks, slowed_pieces(d, 1, FractionCap::task)), 24);
  EXPECT_EQ(weighted_completion(d.tasks, slowed_pieces(d, 0.25, FractionCap::task)), 34);
  EXPECT_EQ(slowed_pieces(d, 0.5, FractionCap::task),
            (Pieces{{0, 0, 0, 2}, {1, 0, 2, 4}, {2, 0, 6, 8}, {2, 0, 8, 10}, {3, 0, 0, 4}}));
}

TEST(SlowMotion, WorkedExampleBTheCapOnTheMachineGoesOnAfterTheTaskIsWhole) {
  ParallelTaskMaker made(1, {10, 10});
  made.job(1);
  made.task({5}, {{0, 5}, {1, 10}});
  const Slowed b(std::move(made), {{0, 0, 1, 6 * kUnit / 10}, {0, 1, 3, 4 * kUnit / 10}}, 4);
  EXPECT_EQ(slowed_pieces(b, 0.5, FractionCap::task), (Pieces{{0, 0, 0, 5}}));
  const Pieces literal = slowed_pieces(b, 0.5, FractionCap::machine);
  EXPECT_EQ(literal, (Pieces{{0, 0, 0, 3}, {0, 1, 6, 10}}));
}

TEST(SlowMotion, TasksAreWholeNothingOverlapsAndJobsCompleteWhenTheyHadTheShareLambda) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t n_intervals = 1 + random() % 5;
    ParallelTaskMaker maker = random_parallel_tasks(random, 1 + random() % 6, 1 + random() % 3, 1 + random() % 2);
    const Fractions fractions = random_fractions(random, maker.view(), n_intervals, 1 + random() % 5);
    const Slowed slowed(std::move(maker), fractions, n_intervals);
    const double lambda = static_cast<double>(1 + random() % 16) / 16 * (random() % 2 == 0 ? 1 : 0.7);
    for (const FractionCap cap : {FractionCap::task, FractionCap::machine}) {
      const Pieces pieces = slowed_pieces(slowed, lambda, cap);
      ASSERT_TRUE(is_feasible(slowed.tasks, pieces));
      std::vector<double> share(slowed.tasks.n_tasks());
      for (const TaskPiece& piece : pieces) {
        const std::size_t placement = slowed.tasks.placement_on(piece.task, piece.machine);
        share[piece.task] += (piece.end - piece.start) / static_cast<double>(slowed.tasks.placement_time[placement]);
      }
      for (const double one : share) ASSERT_NEAR(one, 1, 1e-12);
    }
    const auto end = completions(slowed.tasks, slowed_pieces(slowed, lambda, FractionCap::task));
    for (std::size_t task = 0; task < slowed.tasks.n_tasks(); ++task) {
      const auto reached = static_cast<FineTime>(end[slowed.tasks.job_of(task)] * lambda * kFineTimesPerTime);
      EXPECT_GE(share_at(slowed.progress, task, reached + 10), lambda - 1e-12);
    }
  }
}

TEST(BestLambda, EqualsTryingEveryCandidate) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 1500; ++round) {
    const std::size_t n_intervals = 1 + random() % 5;
    ParallelTaskMaker maker = random_parallel_tasks(random, 1 + random() % 6, 1 + random() % 3, 1);
    const Fractions fractions = random_fractions(random, maker.view(), n_intervals, 1 + random() % 5);
    const Slowed slowed(std::move(maker), fractions, n_intervals);
    std::map<double, double> value{{1, 0}};
    for (const FineTime time : slowed.s1.tau) {
      std::vector<double> alpha(slowed.tasks.n_jobs(), 1);
      for (std::size_t task = 0; task < slowed.tasks.n_tasks(); ++task) {
        double& own = alpha[slowed.tasks.job_of(task)];
        own = std::min(own, share_at(slowed.progress, task, time));
      }
      for (const double one : alpha) {
        if (one > 0) value[one] = 0;
      }
    }
    double least = kNever;
    for (auto& [lambda, sum] : value) {
      sum = weighted_completion(slowed.tasks, slowed_pieces(slowed, lambda, FractionCap::task));
      least = std::min(least, sum);
    }
    double chosen = 0;
    for (const auto& [lambda, sum] : value) {
      if (sum <= least * (1 + 1e-12)) chosen = lambda;
    }
    const LambdaChoice best = best_lambda(slowed.tasks, slowed.progress, slowed.s1.tau);
    ASSERT_NEAR(best.lambda, chosen, 1e-12) << "round " << round;
    ASSERT_NEAR(best.value, least, 1e-11 * least) << "round " << round;
  }
}

TEST(BestLambda, AJobThatAdvancesEvenlyIsAsGoodAtEverySpeedAndTakesTheLargest) {
  ParallelTaskMaker made(1, {10});
  made.job(3);
  made.task({5}, {{0, 7}});
  const Slowed even(std::move(made), {{0, 0, 1, kUnit / 3}, {0, 0, 2, kUnit - kUnit / 3}}, 3);
  const LambdaChoice best = best_lambda(even.tasks, even.progress, even.s1.tau);
  EXPECT_EQ(best.lambda, 1);
  EXPECT_DOUBLE_EQ(best.value, 21);
}

// Job 0 runs evenly; the second task of job 1 pauses for job 2 when `pause` units are done.
Slowed pausing(double weight, std::int64_t pause) {
  ParallelTaskMaker made(1, {10, 10});
  made.job(1);
  made.task({5}, {{0, 10}});
  made.job(weight);
  made.task({5}, {{0, 1}});
  made.task({10}, {{1, 1}});
  made.job(1);
  made.task({10}, {{1, 8}});
  const Fractions fractions{{0, 0, 3, kUnit}, {1, 0, 0, kUnit}, {2, 1, 0, pause}, {2, 1, 2, kUnit - pause},
                            {3, 1, 1, kUnit}};
  return {std::move(made), fractions, 4};
}

TEST(BestLambda, ATaskThatPausesAtACandidateHasReachedIt) {
  for (const std::int64_t pause : {kUnit / 2, kUnit / 3, 7 * kUnit / 11, kUnit - 1}) {
    const Slowed slowed = pausing(1000, pause);
    const LambdaChoice best = best_lambda(slowed.tasks, slowed.progress, slowed.s1.tau);
    EXPECT_EQ(best.share, TaskShare(0, 1, pause));
    EXPECT_DOUBLE_EQ(completions(slowed.tasks, slowed_pieces(slowed, best.share, FractionCap::task))[1], 1);
  }
}

TEST(BestLambda, TheLightestJobBreaksTiesThatAreNone) {
  // Job 0 is as good at every speed and outweighs the others 2^70 times.
  Slowed slowed = pausing(0x1p10, kUnit / 2);
  std::vector<double> weight{0x1p80, 0x1p10, 1};
  slowed.tasks.weight = weight;
  EXPECT_EQ(best_lambda(slowed.tasks, slowed.progress, slowed.s1.tau).lambda, 0.5);
  weight[1] = 0x1p-20;
  EXPECT_EQ(best_lambda(slowed.tasks, slowed.progress, slowed.s1.tau).lambda, 1);
}

TEST(SlowMotion, LengthsOfATaskAddUpHoweverLateAndShortItsPiecesAre) {
  ParallelTaskMaker made(1, {1, 1});
  made.job(1);
  made.task({1}, {{0, 1}, {1, std::int64_t{1} << 31}});
  made.job(1);
  made.task({1}, {{0, std::int64_t{1} << 32}});
  const Slowed late(std::move(made), {{0, 0, 0, kUnit - 1}, {1, 0, 1, kUnit}, {0, 0, 2, 1}}, 3);
  for (const double lambda : {1.0, 0.3, 1e-7}) {
    double length = 0;
    for (const MeasuredPiece& piece : slow_motion(late.tasks, late.progress, lambda, FractionCap::task)) {
      if (piece.task == 0) length += piece.length;
    }
    EXPECT_NEAR(length, 1, 1e-15);
  }
}

}  // namespace
}  // namespace schedcore::slow_motion_test
