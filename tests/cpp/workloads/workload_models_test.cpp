#include "schedcore/workloads/workload_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "schedcore/base/random_stream.hpp"

namespace schedcore {
namespace {

using Jobs = std::vector<std::pair<std::int64_t, std::int64_t>>;  // size, runtime

const RuntimeStages kStages{1, 7, 0.95, 0.20};

std::vector<double> feitelson_weight() {
  std::vector<double> weight;
  for (int n = 1; n <= 128; ++n) {
    const bool is_power_of_two = (n & (n - 1)) == 0;
    const int root = static_cast<int>(std::sqrt(n));
    weight.push_back(is_power_of_two ? std::pow(n, -0.75) : (root * root == n ? 3 : 1) * std::pow(n, -1.5));
  }
  return weight;
}

Jobs feitelson(std::uint64_t seed, std::size_t n_jobs, const std::vector<double>& repetition_weight = {}) {
  std::vector<std::int64_t> size(n_jobs);
  std::vector<std::int64_t> processing_time(n_jobs);
  draw_feitelson(seed, feitelson_weight(), kStages, repetition_weight, nullptr, size, processing_time);
  Jobs jobs;
  for (std::size_t j = 0; j < n_jobs; ++j) jobs.emplace_back(size[j], processing_time[j]);
  return jobs;
}

Jobs lublin(std::uint64_t seed, std::size_t n_jobs) {
  std::vector<std::int64_t> size(n_jobs);
  std::vector<std::int64_t> processing_time(n_jobs);
  draw_lublin(seed, nullptr, size, processing_time);
  Jobs jobs;
  for (std::size_t j = 0; j < n_jobs; ++j) jobs.emplace_back(size[j], processing_time[j]);
  return jobs;
}

TEST(RandomStream, GivesTheNumbersOfTheSpecification) {
  RandomStream random(1);
  EXPECT_EQ(random.next(), 0x910a2dec89025cc1U);
  EXPECT_EQ(random.next(), 0xbeeb8da1658eec67U);
  EXPECT_EQ(random.next(), 0xf893a2eefb32555eU);
}

TEST(RandomStream, UniformDrawsStayBelowOneAndExponentialsFinite) {
  RandomStream random(2);
  for (int draw = 0; draw < 100'000; ++draw) {
    const double u = random.uniform();
    ASSERT_TRUE(u >= 0 && u < 1);
    const double e = random.exponential();
    ASSERT_TRUE(e >= 0 && e <= 37);
  }
}

TEST(RandomStream, DistributionsHaveTheirMeansAndVariances) {
  RandomStream random(3);
  constexpr int kDraws = 200'000;
  double normal_sum = 0;
  double normal_squares = 0;
  double gamma_sum = 0;
  double gamma_squares = 0;
  const GammaDistribution gamma(4.2);
  for (int draw = 0; draw < kDraws; ++draw) {
    const double x = random.normal();
    normal_sum += x;
    normal_squares += x * x;
    const double y = gamma.draw(random);
    gamma_sum += y;
    gamma_squares += (y - 4.2) * (y - 4.2);
  }
  EXPECT_NEAR(normal_sum / kDraws, 0, 0.01);
  EXPECT_NEAR(normal_squares / kDraws, 1, 0.02);
  EXPECT_NEAR(gamma_sum / kDraws, 4.2, 0.03);
  EXPECT_NEAR(gamma_squares / kDraws, 4.2, 0.08);
}

TEST(WeightTable, NeverPicksAnIndexOfWeightZero) {
  const std::vector<double> weight = {0, 1, 0, 3, 0};
  const WeightTable table(weight);
  RandomStream random(4);
  int threes = 0;
  for (int draw = 0; draw < 10'000; ++draw) {
    const std::size_t index = table.draw(random);
    ASSERT_TRUE(index == 1 || index == 3);
    threes += index == 3 ? 1 : 0;
  }
  EXPECT_NEAR(threes, 7500, 200);
}

TEST(Feitelson, FirstJobsOfSeedOneAreThoseOfTheSpecification) {
  EXPECT_EQ(feitelson(1, 10), (Jobs{{4, 2125}, {2, 864}, {22, 202}, {11, 558}, {2, 344}, {1, 1014}, {7, 41}, {1, 79},
                                    {1, 435}, {8, 3658}}));
}

TEST(Feitelson, RepetitionsEnterEqualJobsInARowAndAreCutAtTheEnd) {
  const std::vector<double> thrice = {0, 0, 1};
  const Jobs jobs = feitelson(1, 8, thrice);
  ASSERT_EQ(jobs.size(), 8U);
  EXPECT_EQ(jobs[0], (Jobs::value_type{4, 2125}));
  for (const std::size_t first : {0U, 3U}) {
    EXPECT_EQ(jobs[first], jobs[first + 1]);
    EXPECT_EQ(jobs[first], jobs[first + 2]);
  }
  EXPECT_EQ(jobs[6], jobs[7]);
}

TEST(Lublin, FirstJobsOfSeedOneAreThoseOfTheSpecification) {
  EXPECT_EQ(lublin(1, 10), (Jobs{{16, 44}, {16, 5}, {8, 21199}, {1, 30}, {2, 6320}, {8, 157}, {3, 403}, {1, 7947},
                                 {32, 188}, {2, 25}}));
}

TEST(Lublin, JobsStayWithinTheirBounds) {
  for (const auto& [size, processing_time] : lublin(5, 50'000)) {
    ASSERT_TRUE(size >= 1 && size <= 128);
    ASSERT_TRUE(processing_time >= 1 && processing_time <= 162'754) << "e^12";
  }
}

TEST(Demands, LieInTheMachineAndKeepTheMean) {
  const std::vector<std::int64_t> size(20'000, 64);
  for (const double variance : {0.01, 0.1, 1.0}) {
    std::vector<Amount> demand(size.size() * 3);
    draw_demands(1, size, 3, variance, 1, 128, nullptr, demand);
    EXPECT_GE(*std::ranges::min_element(demand), 1);
    EXPECT_LE(*std::ranges::max_element(demand), 500'000);
    const double sum = std::accumulate(demand.begin(), demand.end(), 0.0);
    EXPECT_NEAR(sum / static_cast<double>(demand.size()), 250'000, 2'500) << variance;
  }
}

TEST(Arrivals, StartAtZeroAndHaveMeanDistanceOne) {
  std::vector<Time> arrival(100'000);
  draw_unit_arrivals(1, nullptr, arrival);
  EXPECT_EQ(arrival.front(), 0);
  EXPECT_TRUE(std::ranges::is_sorted(arrival));
  EXPECT_NEAR(arrival.back() / 100'000, 1, 0.02);
}

TEST(Estimates, AreNeverBelowTheProcessingTimeAndExactForFactorOne) {
  std::vector<Time> processing_time(1'000);
  std::iota(processing_time.begin(), processing_time.end(), 1.0);
  std::vector<Time> estimate(processing_time.size());
  draw_estimates(1, processing_time, 1, nullptr, estimate);
  EXPECT_EQ(estimate, processing_time);
  draw_estimates(1, processing_time, 3, nullptr, estimate);
  for (std::size_t j = 0; j < estimate.size(); ++j) {
    EXPECT_TRUE(estimate[j] >= processing_time[j] && estimate[j] <= std::ceil(3 * processing_time[j]));
  }
}

TEST(Monitor, EndsEveryModel) {
  struct Impatient final : Monitor {
    void poll(std::uint64_t, std::uint64_t) override { throw std::runtime_error("enough"); }
  } impatient;
  std::vector<std::int64_t> size(100'000, 1);
  std::vector<std::int64_t> processing_time(size.size());
  std::vector<Time> time(size.size(), 1);
  std::vector<Time> estimate(size.size());
  const std::vector<double> weight = feitelson_weight();
  EXPECT_THROW(draw_feitelson(1, weight, kStages, {}, &impatient, size, processing_time), std::runtime_error);
  EXPECT_THROW(draw_lublin(1, &impatient, size, processing_time), std::runtime_error);
  EXPECT_THROW(draw_demands(1, size, 1, 1, 1, 128, &impatient, processing_time), std::runtime_error);
  EXPECT_THROW(draw_unit_arrivals(1, &impatient, time), std::runtime_error);
  EXPECT_THROW(draw_estimates(1, time, 2, &impatient, estimate), std::runtime_error);
}

}  // namespace
}  // namespace schedcore
