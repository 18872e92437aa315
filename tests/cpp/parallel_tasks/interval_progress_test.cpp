#include "schedcore/parallel_tasks/interval_progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "schedcore/parallel_tasks/capped_fractions.hpp"

namespace schedcore {
namespace {

constexpr std::int64_t kQuarter = kWholeTask / 4;
using Units = std::vector<std::int64_t>;

std::int64_t lambda_of(const Units& units, std::size_t n_intervals, const std::vector<double>& weight) {
  return lambda_of_smallest_proxy({units, n_intervals}, weight);
}

TEST(LambdaOfSmallestProxy, WeighsTheIntervalOfEveryJob) {
  // proxy(1) = 1 * 4 + 3 * 1 + 1 * 2 = 9, proxy(3/4) = (2 + 3 + 2) / (3/4) = 28/3.
  const Units units{0, 0,          3 * kQuarter, kWholeTask,  //
                    0, kWholeTask, kWholeTask,   kWholeTask,  //
                    0, 0,          kWholeTask,   kWholeTask};
  EXPECT_EQ(lambda_of(units, 4, {1, 3, 1}), kWholeTask);
  // A heavier first job: 4 * 4 + 5 = 21 against (4 * 2 + 5) / (3/4) = 52/3.
  EXPECT_EQ(lambda_of(units, 4, {4, 3, 1}), 3 * kQuarter);
}

TEST(LambdaOfSmallestProxy, IsTheLargestOfEqualOnes) {
  // Half done in interval 1, whole in interval 2: 1 / (1/2) = 2 / 1.
  EXPECT_EQ(lambda_of({0, 2 * kQuarter, kWholeTask}, 3, {1}), kWholeTask);
  EXPECT_EQ(lambda_of({0, 2 * kQuarter, kWholeTask}, 3, {1.0 / 3}), kWholeTask);
  EXPECT_EQ(lambda_of({0, 2 * kQuarter + 1, kWholeTask}, 3, {1}), 2 * kQuarter + 1);
}

TEST(LambdaOfSmallestProxy, SeesWeightsThatDoublesWouldRoundAway) {
  // With its first job alone, half and whole tie; the second, of next to no weight, is done in interval 1 or 3.
  const Units units{0, 2 * kQuarter, kWholeTask, kWholeTask, 0, 2 * kQuarter, 2 * kQuarter, kWholeTask};
  EXPECT_EQ(lambda_of(units, 4, {1, 0}), kWholeTask);
  EXPECT_EQ(lambda_of(units, 4, {1, std::ldexp(1.0, -1000)}), 2 * kQuarter);
  EXPECT_EQ(lambda_of(units, 4, {0x1p1000, std::ldexp(1.0, -1074)}), 2 * kQuarter);
}

TEST(LambdaOfSmallestProxy, DoesNotDependOnTheUnitOfWeights) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n_jobs = 1 + random() % 6;
    constexpr std::size_t n_intervals = 5;
    Units units;
    std::vector<double> weight, scaled;
    std::set<std::int64_t> candidates{kWholeTask};
    for (std::size_t job = 0; job < n_jobs; ++job) {
      Units row{0};
      for (std::size_t l = 1; l + 1 < n_intervals; ++l) {
        row.push_back(static_cast<std::int64_t>(random() % 9) * (kWholeTask / 8));
      }
      std::sort(row.begin(), row.end());
      row.push_back(kWholeTask);
      units.insert(units.end(), row.begin(), row.end());
      candidates.insert(row.begin(), row.end());
      weight.push_back(static_cast<double>(1 + random() % 5));
      scaled.push_back(std::ldexp(weight.back(), -900));
    }
    candidates.erase(0);
    // The definition, in integers: S(A) / A with S(A) = sum of weight times the start of the interval.
    std::int64_t best = 0, best_sum = 0;
    for (const std::int64_t candidate : candidates) {
      std::int64_t sum = 0;
      for (std::size_t job = 0; job < n_jobs; ++job) {
        std::size_t l = 0;
        while (units[job * n_intervals + l] < candidate) ++l;
        sum += static_cast<std::int64_t>(weight[job]) << (l - 1);
      }
      if (best == 0 || sum * best <= best_sum * candidate) {
        best = candidate;
        best_sum = sum;
      }
    }
    EXPECT_EQ(lambda_of(units, n_intervals, weight), best);
    EXPECT_EQ(lambda_of(units, n_intervals, scaled), best);
  }
}

TEST(CompletionRanks, OrderJobsByTheirCompletionInTheProgram) {
  // Completions 1/4 + 2 * 3/4 = 7/4, 1, 2 and 1.
  const Units units{0, kQuarter, kWholeTask, 0, kWholeTask, kWholeTask, 0, 0, kWholeTask, 0, kWholeTask, kWholeTask};
  EXPECT_EQ(completion_ranks({units, 3}), (Units{2, 0, 3, 0}));
}

TEST(CompletionRanks, DifferByOneUnitInLateIntervals) {
  constexpr std::size_t n_intervals = 80;
  Units units(2 * n_intervals, 0);
  units[n_intervals - 1] = units[2 * n_intervals - 1] = kWholeTask;
  units[n_intervals - 2] = 1;  // job 0 is a billionth earlier
  EXPECT_EQ(completion_ranks({units, n_intervals}), (Units{0, 1}));
}

}  // namespace
}  // namespace schedcore
