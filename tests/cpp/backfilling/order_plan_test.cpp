#include "schedcore/backfilling/order_plan.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "schedcore/base/random_stream.hpp"
#include "schedcore/index/eligibility.hpp"

namespace schedcore {
namespace {

// Jobs of few classes on machines that differ, some of which are in use for a while.  Half of them may use one machine alone.
struct PlannedQueue {
  explicit PlannedQueue(std::uint64_t seed) : random(seed) {
    const std::size_t n_machines = 1 + random.below(3);
    bounds = FitBounds(n_machines, 1, 0);
    for (std::size_t machine = 0; machine < n_machines; ++machine) {
      running.emplace_back(std::vector<Amount>{4 + static_cast<Amount>(random.below(3))});
      const std::vector<Amount> used{1 + static_cast<Amount>(random.below(4))};
      running.back().reserve(0, 8 + static_cast<Time>(random.below(5)), used);
    }
    const std::size_t n_jobs = 2 + random.below(12);
    for (std::size_t job = 0; job < n_jobs; ++job) {
      const std::vector<Amount> demand{1 + static_cast<Amount>(random.below(4))};
      const auto estimate = static_cast<Time>(1 + random.below(4));
      // Every machine has room for all.
      const auto its_machine = static_cast<std::uint32_t>(random.below(n_machines));
      const Eligibility eligibility =
          random.below(2) == 0 ? Eligibility() : sets.intern({its_machine}, n_machines);
      jobs.push_back({bounds.add(demand, estimate, eligibility), estimate, static_cast<std::int64_t>(job)});
    }
  }

  [[nodiscard]] DoubleDouble score_of(const OrderPlan::Order& order) {
    FitBounds own = bounds;
    OrderPlan plan(own, running, jobs, 0, kNow, [] {});
    return plan.plan_first(order);
  }

  static constexpr Time kNow = 7;
  RandomStream random;
  EligibilitySets sets;
  FitBounds bounds;
  std::vector<ResourceTimeline> running;
  std::vector<OrderPlan::Job> jobs;
};

TEST(OrderPlan, AChangedOrderHasTheScoreOfAPlanFromTheBeginning) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    PlannedQueue queue(seed);
    OrderPlan plan(queue.bounds, queue.running, queue.jobs, 0, PlannedQueue::kNow, [] {});
    OrderPlan::Order order(queue.jobs.size());
    std::iota(order.begin(), order.end(), 0U);
    DoubleDouble kept = plan.plan_first(order);
    plan.keep();
    for (int change = 0; change < 40; ++change) {
      std::size_t first = queue.random.below(order.size());
      std::size_t last = queue.random.below(order.size() - 1);
      if (last >= first) ++last;
      if (last < first) std::swap(first, last);
      OrderPlan::Order changed = order;
      std::swap(changed[first], changed[last]);
      const DoubleDouble expected = queue.score_of(changed);
      const DoubleDouble limit = kept + static_cast<double>(queue.random.below(4));
      const std::optional<DoubleDouble> score = plan.plan_swapped(first, last, limit);
      if (!score) {
        ASSERT_FALSE(expected <= limit);
        continue;
      }
      ASSERT_EQ(score->hi, expected.hi);
      if (queue.random.below(2) == 0) continue;
      plan.keep();
      order = changed;
      kept = *score;
      ASSERT_EQ(plan.order(), order);
      DoubleDouble sum;
      for (const OrderPlan::Place& place : plan.places()) {
        sum = sum + place.at.time;
        ASSERT_EQ(place.sum.hi, sum.hi);
      }
    }
  }
}

}  // namespace
}  // namespace schedcore
