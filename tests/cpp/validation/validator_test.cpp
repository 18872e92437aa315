#include "schedcore/validation/validator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

namespace schedcore::validator_test {
namespace {

struct Case {
  std::vector<Time> release_time, processing_time;
  std::vector<Amount> demand, capacity;
  std::size_t n_machines = 1, n_resources = 1;
  std::vector<Time> start_time;
  std::vector<std::int64_t> machine;

  [[nodiscard]] JobsView jobs() const {
    return {release_time, processing_time, processing_time, demand, n_resources};
  }
  [[nodiscard]] MachinesView machines() const { return {capacity, n_machines, n_resources}; }
  [[nodiscard]] std::optional<Violation> check() const {
    return find_first_violation(jobs(), machines(), start_time, machine);
  }
};

// The definition of the header, word for word, in quadratic time.
std::optional<Violation> literal_check(const Case& c) {
  const std::size_t n = c.start_time.size();
  for (std::size_t j = 0; j < n; ++j) {
    if (!std::isfinite(c.start_time[j])) {
      return Violation{ViolationKind::start_not_finite, j, c.machine[j], c.start_time[j], 0, 0};
    }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(c.start_time[a], c.machine[a], a) < std::tuple(c.start_time[b], c.machine[b], b);
  });
  for (const std::size_t j : order) {
    const Time start = c.start_time[j];
    const std::int64_t i = c.machine[j];
    if (i < 0 || i >= static_cast<std::int64_t>(c.n_machines)) {
      return Violation{ViolationKind::unknown_machine, j, i, start, 0, 0};
    }
    if (start < c.release_time[j]) return Violation{ViolationKind::start_before_release, j, i, start, 0, 0};
    if (start + c.processing_time[j] == start) return Violation{ViolationKind::no_progress, j, i, start, 0, 0};
    for (std::size_t l = 0; l < c.n_resources; ++l) {
      Amount usage = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const bool started = c.start_time[k] < start || (c.start_time[k] == start && k <= j);
        const bool holds = started && c.start_time[k] + c.processing_time[k] > start;
        if (c.machine[k] == i && holds) usage += c.demand[k * c.n_resources + l];
      }
      const Amount capacity = c.capacity[static_cast<std::size_t>(i) * c.n_resources + l];
      if (usage > capacity) return Violation{ViolationKind::capacity_exceeded, j, i, start, l, usage - capacity};
    }
  }
  return std::nullopt;
}

void expect_equal(const std::optional<Violation>& found, const std::optional<Violation>& expected) {
  ASSERT_EQ(found.has_value(), expected.has_value());
  if (!found) return;
  EXPECT_EQ(found->kind, expected->kind);
  EXPECT_EQ(found->job, expected->job);
  EXPECT_EQ(found->machine, expected->machine);
  EXPECT_EQ(found->instant, expected->instant);
  EXPECT_EQ(found->resource, expected->resource);
  EXPECT_EQ(found->excess, expected->excess);
}

// Two jobs of length 2 that fill the machine, one after the other.
Case two_in_a_row() {
  return {{0, 0}, {2, 2}, {10, 10}, {10}, 1, 1, {0, 2}, {0, 0}};
}

TEST(Validator, AcceptsAnEmptySchedule) {
  EXPECT_FALSE((Case{{}, {}, {}, {5}, 1, 1, {}, {}}).check());
}

TEST(Validator, CompletionsFreeTheirAmountsBeforeStartsOfTheSameInstant) { EXPECT_FALSE(two_in_a_row().check()); }

TEST(Validator, NamesTheJobThatNoLongerFitsAndByHowMuch) {
  Case c = two_in_a_row();
  c.start_time = {1, 0};
  const auto found = c.check();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, ViolationKind::capacity_exceeded);
  EXPECT_EQ(found->job, 0U);
  EXPECT_EQ(found->instant, 1.0);
  EXPECT_EQ(found->excess, 10);
}

TEST(Validator, SeesAnOverlapOfOneUnitInTheLastPlace) {
  Case c = two_in_a_row();
  c.start_time[1] = std::nextafter(2.0, 0.0);
  ASSERT_TRUE(c.check());
  EXPECT_EQ(c.check()->job, 1U);
}

TEST(Validator, StartsOfOneInstantTakeTheirAmountsByIndex) {
  // 4 + 4 fit, the third job of 4 exceeds 10 by 2 in resource 1 only.
  const Case c{{0, 0, 0}, {1, 1, 1}, {1, 4, 1, 4, 1, 4}, {10, 10}, 1, 2, {0, 0, 0}, {0, 0, 0}};
  const auto found = c.check();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->job, 2U);
  EXPECT_EQ(found->resource, 1U);
  EXPECT_EQ(found->excess, 2);
}

TEST(Validator, RefusesStartsThatAreNoNumberBeforeEverythingElse) {
  Case c = two_in_a_row();
  c.machine = {7, 0};
  for (const Time start : {std::numeric_limits<Time>::quiet_NaN(), kNever, -kNever}) {
    c.start_time[1] = start;
    const auto found = c.check();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, ViolationKind::start_not_finite);
    EXPECT_EQ(found->job, 1U);
  }
}

TEST(Validator, RefusesAnUnknownMachineAndAnEarlyStart) {
  Case c = two_in_a_row();
  c.machine = {0, 1};
  ASSERT_TRUE(c.check());
  EXPECT_EQ(c.check()->kind, ViolationKind::unknown_machine);
  c.machine = {0, -1};
  ASSERT_TRUE(c.check());
  EXPECT_EQ(c.check()->machine, -1);
  c.machine = {0, 0};
  c.release_time[1] = 2.5;
  ASSERT_TRUE(c.check());
  EXPECT_EQ(c.check()->kind, ViolationKind::start_before_release);
}

TEST(Validator, RefusesAJobThatEndsWhenItStarts) {
  Case c = two_in_a_row();
  c.start_time[1] = 1e17;
  const auto found = c.check();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, ViolationKind::no_progress);
  EXPECT_EQ(found->job, 1U);
}

TEST(Validator, OneUnitAboveACapacityOfTwoToThe53IsSeen) {
  const Amount bound = Amount{1} << 53;
  Case c{{0, 0}, {1, 1}, {bound, 1}, {bound}, 1, 1, {0, 0}, {0, 0}};
  auto found = c.check();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->excess, 1);
  c.demand = {bound - 1, 1};
  EXPECT_FALSE(c.check());
  c.demand = {bound, bound};
  found = c.check();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->excess, bound);
}

TEST(Validator, ManyJobsOfTheGreatestAmountDoNotOverflow) {
  const Amount bound = Amount{1} << 53;
  const std::size_t n = 5000;  // 5000 * 2^53 would exceed int64
  const Case c{std::vector<Time>(n, 0),          std::vector<Time>(n, 1), std::vector<Amount>(n, bound), {bound}, 1, 1,
               std::vector<Time>(n, 0), std::vector<std::int64_t>(n, 0)};
  const auto found = c.check();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->job, 1U);
  EXPECT_EQ(found->excess, bound);
}

TEST(Validator, EqualsTheLiteralDefinitionOnRandomSchedules) {
  std::mt19937_64 random(20240917);
  std::size_t n_feasible = 0;
  for (std::size_t size = 1; size <= 8; ++size) {  // small first, so that the smallest failure shows first
    for (int round = 0; round < 400; ++round) {
      const auto below = [&random](std::uint64_t bound) { return random() % bound; };
      Case c;
      c.n_machines = 1 + below(3);
      c.n_resources = 1 + below(3);
      for (std::size_t k = 0; k < c.n_machines * c.n_resources; ++k) {
        c.capacity.push_back(static_cast<Amount>(4 + below(8)));
      }
      for (std::size_t j = 0; j < size; ++j) {
        c.release_time.push_back(static_cast<Time>(below(3)));
        c.processing_time.push_back(below(20) == 0 ? 1e-17 : static_cast<Time>(1 + below(4)));
        c.start_time.push_back(static_cast<Time>(below(12)));
        if (below(8) > 0) c.start_time[j] = std::max(c.start_time[j], c.release_time[j]);
        c.machine.push_back(static_cast<std::int64_t>(below(c.n_machines + (below(10) == 0 ? 1 : 0))));
        for (std::size_t l = 0; l < c.n_resources; ++l) c.demand.push_back(static_cast<Amount>(below(5)));
      }
      const auto found = c.check();
      n_feasible += found ? 0 : 1;
      expect_equal(found, literal_check(c));
    }
  }
  EXPECT_GT(n_feasible, 500U);
  EXPECT_LT(n_feasible, 2700U);
}

}  // namespace
}  // namespace schedcore::validator_test
