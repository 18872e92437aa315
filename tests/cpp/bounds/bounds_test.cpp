#include "schedcore/bounds/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "schedcore/base/rank_set.hpp"
#include "schedcore/bounds/preemptive_wspt.hpp"
#include "schedcore/exact/double_double.hpp"

namespace schedcore {
namespace {

struct Case {
  std::vector<Time> release_time, processing_time;
  std::vector<double> weight;
  std::vector<Amount> demand, capacity;
  std::size_t n_machines = 1, n_resources = 1;

  [[nodiscard]] JobsView jobs() const { return {release_time, processing_time, weight, demand, n_resources}; }
  [[nodiscard]] MachinesView machines() const { return {capacity, n_machines, n_resources}; }
};

Case random_case(std::uint64_t seed, std::size_t n_jobs, std::size_t n_resources) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  Case c;
  c.n_machines = 1 + below(3);
  c.n_resources = n_resources;
  for (std::size_t k = 0; k < c.n_machines * n_resources; ++k) c.capacity.push_back(static_cast<Amount>(5 + below(9)));
  for (std::size_t j = 0; j < n_jobs; ++j) {
    c.release_time.push_back(static_cast<Time>(below(4 * n_jobs)));
    c.processing_time.push_back(static_cast<Time>(1 + below(20)));
    c.weight.push_back(static_cast<double>(below(6)));
    for (std::size_t l = 0; l < n_resources; ++l) c.demand.push_back(static_cast<Amount>(below(6)));
  }
  return c;
}

// The mean busy times by definition, in quadratic time and plain doubles.
std::vector<double> literal_mean_busy_times(const Case& c, const std::vector<double>& load) {
  std::vector<double> remaining = load;
  std::vector<double> busy(load.size());
  double now = 0;
  while (std::any_of(remaining.begin(), remaining.end(), [](double r) { return r > 0; })) {
    std::size_t best = load.size();
    double next_release = kNever;
    for (std::size_t j = 0; j < load.size(); ++j) {
      if (!(remaining[j] > 0)) continue;
      if (c.release_time[j] > now) {
        next_release = std::min(next_release, c.release_time[j]);
      } else if (best == load.size() || c.weight[j] * load[best] > c.weight[best] * load[j]) {
        best = j;
      }
    }
    if (best == load.size()) {
      now = next_release;
      continue;
    }
    const double end = std::min(now + remaining[best], next_release);
    busy[best] += (end - now) * (end + now) / 2;
    remaining[best] = end < next_release ? 0 : remaining[best] - (end - now);
    now = end;
  }
  for (std::size_t j = 0; j < load.size(); ++j) busy[j] = load[j] > 0 ? busy[j] / load[j] : c.release_time[j];
  return busy;
}

TEST(Bounds, FourJobsOfTheSpecification) {
  const Case c{{0, 1, 1, 2}, {4, 1, 2, 1}, {1, 3, 2, 1}, {10, 2, 5, 5, 4, 6, 6, 1}, {10, 10}, 1, 2};
  const CompletionTimeBounds bounds = completion_time_bounds(c.jobs(), c.machines());
  EXPECT_EQ(bounds.trivial, 19);
  EXPECT_NEAR(bounds.mean_busy[0], 783 / 40.0, 1e-12);
  EXPECT_NEAR(bounds.mean_busy[1], 991 / 60.0, 1e-12);
  EXPECT_NEAR(bounds.mean_busy[2], 4453 / 240.0, 1e-12);
  EXPECT_GE(bounds.fractional_split, bounds.mean_busy[0]);
  EXPECT_LE(bounds.best, 25);
  EXPECT_NEAR(makespan_bound(c.jobs(), c.machines()), 5.9, 1e-12);
}

TEST(Bounds, MeanBusyTimesEqualTheQuadraticReference) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Case c = random_case(seed, 1 + seed % 40, 1);
    std::vector<double> load;
    for (const Amount d : c.demand) load.push_back(static_cast<double>(d));  // integers: the reference makes no error
    const MeanBusyTimeBound bound = mean_busy_time_bound(c.jobs(), load);
    const std::vector<double> expected = literal_mean_busy_times(c, load);
    double value = 0;
    for (std::size_t j = 0; j < load.size(); ++j) {
      ASSERT_NEAR(bound.mean_busy_time[j], expected[j], 1e-12 * (1 + expected[j])) << "seed " << seed << " job " << j;
      value += c.weight[j] * (expected[j] + c.processing_time[j] / 2);
    }
    ASSERT_NEAR(bound.value, value, 1e-12 * value) << "seed " << seed;
  }
}

TEST(Bounds, OrderOfJobsChangesNothingButTheRounding) {
  const Case c = random_case(7, 200, 3);
  Case reversed = c;
  std::reverse(reversed.release_time.begin(), reversed.release_time.end());
  std::reverse(reversed.processing_time.begin(), reversed.processing_time.end());
  std::reverse(reversed.weight.begin(), reversed.weight.end());
  for (std::size_t j = 0; j < 200; ++j) {
    for (std::size_t l = 0; l < 3; ++l) reversed.demand[j * 3 + l] = c.demand[(199 - j) * 3 + l];
  }
  const CompletionTimeBounds a = completion_time_bounds(c.jobs(), c.machines());
  const CompletionTimeBounds b = completion_time_bounds(reversed.jobs(), reversed.machines());
  EXPECT_EQ(a.trivial, b.trivial);
  for (std::size_t l = 0; l <= 3; ++l) EXPECT_NEAR(a.mean_busy[l], b.mean_busy[l], 1e-12 * a.mean_busy[l]);
  EXPECT_NEAR(makespan_bound(c.jobs(), c.machines()), makespan_bound(reversed.jobs(), reversed.machines()), 1e-9);
}

TEST(Bounds, TimesWithoutACommonGridGiveUpAShareForEveryJob) {
  Case c;
  const std::size_t n = 1 << 12;
  c.capacity = {1};
  for (std::size_t j = 0; j < n; ++j) {
    c.release_time.push_back(0);
    c.processing_time.push_back(1);
    c.weight.push_back(1);
    c.demand.push_back(1);
  }
  const double exact = static_cast<double>(n) * static_cast<double>(n + 1) / 2;  // sum of 1..n, tight on one machine
  const double on_grid = completion_time_bounds(c.jobs(), c.machines()).best;
  EXPECT_NEAR(on_grid, exact, exact * 0x1p-45);
  c.processing_time[0] += 0x1p-45;  // needs more than 53 bits below the horizon of 2^12
  const double off_grid = completion_time_bounds(c.jobs(), c.machines()).best;
  EXPECT_LT(off_grid, exact * (1 - static_cast<double>(n) * 0x1p-53));
  EXPECT_NEAR(off_grid, exact, exact * 0x1p-40);
}

TEST(Bounds, AThrowingMonitorEndsTheComputation) {
  struct Impatient final : Monitor {
    void poll(std::uint64_t, std::uint64_t) override { throw std::runtime_error("enough"); }
  } monitor;
  const Case c = random_case(1, 50, 2);
  EXPECT_THROW((void)completion_time_bounds(c.jobs(), c.machines(), &monitor), std::runtime_error);
  EXPECT_THROW((void)makespan_bound(c.jobs(), c.machines(), &monitor), std::runtime_error);
}

TEST(PreemptiveWspt, TiesOfTheKeyGoToTheLowerIndexWhateverTheRoundingOfTheLoad) {
  // 3 * 0.1 and 1 * 0.3 are one load but two doubles
  const std::vector<Time> release{0, 0};
  const std::vector<double> load{3 * 0.1, 0.3}, weight{1, 1};
  ASSERT_NE(load[0], load[1]);
  for (const std::vector<std::uint32_t>& index : {std::vector<std::uint32_t>{0, 1}, {1, 0}}) {
    const auto order = wspt_order({release, load, weight, index}, {0, 1});
    EXPECT_EQ(order.front(), index[0] == 0 ? 0U : 1U);
  }
}

TEST(RankSet, EqualsAnOrderedSet) {
  std::mt19937_64 random(3);
  for (const std::size_t size : {std::size_t{1}, std::size_t{64}, std::size_t{65}, std::size_t{5000}}) {
    RankSet ranks(size);
    std::vector<bool> expected(size);
    EXPECT_TRUE(ranks.empty());
    for (int step = 0; step < 4000; ++step) {
      const std::size_t rank = random() % size;
      if (random() % 2 == 0) {
        ranks.insert(rank);
        expected[rank] = true;
      } else {
        ranks.erase(rank);
        expected[rank] = false;
      }
      const auto first = std::find(expected.begin(), expected.end(), true);
      ASSERT_EQ(ranks.empty(), first == expected.end());
      if (!ranks.empty()) {
        ASSERT_EQ(ranks.min(), static_cast<std::size_t>(first - expected.begin()));
      }
    }
  }
}

TEST(TrackedSum, KnowsWhetherItIsExact) {
  TrackedSum exact;
  for (const double term : {0x1p51, 1.0, 0.5}) exact.add(term);
  EXPECT_TRUE(exact.is_exact());
  EXPECT_EQ(exact.value(), 0x1p51 + 1.5);
  TrackedSum rounded;
  for (int i = 0; i < 10; ++i) rounded.add(0.1);
  EXPECT_FALSE(rounded.is_exact());
  EXPECT_EQ(rounded.value(), 1.0);
}

TEST(DoubleDouble, KeepsWhatADoubleLoses) {
  DoubleDouble clock = 1.0;
  for (int i = 0; i < 1000; ++i) clock = clock + DoubleDouble(0x1p-70);
  EXPECT_EQ((clock - DoubleDouble(1.0)).hi, 1000 * 0x1p-70);
  EXPECT_TRUE(DoubleDouble(1.0) <= clock);
  EXPECT_FALSE(clock <= DoubleDouble(1.0));
}

}  // namespace
}  // namespace schedcore
