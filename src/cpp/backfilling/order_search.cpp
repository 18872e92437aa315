#include "schedcore/backfilling/order_search.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <numeric>
#include <tuple>
#include <utility>

#include "schedcore/exact/rounded_logarithm.hpp"

namespace schedcore {
namespace {

using Order = OrderPlan::Order;

// A sum that has overflowed is NaN, and better than nothing.
bool is_better(const DoubleDouble& a, const DoubleDouble& b) { return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo); }

Order by_number(std::size_t n_jobs) {
  Order order(n_jobs);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

Order sorted_by(const std::vector<Priority>& keys, bool descends) {
  Order order = by_number(keys.size());
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    const auto words = [&](std::uint32_t job) { return std::tie(keys[job].high, keys[job].middle, keys[job].low); };
    return descends ? words(b) < words(a) : words(a) < words(b);
  };
  std::ranges::stable_sort(order, is_before);
  return order;
}

class OrderSearch {
 public:
  OrderSearch(OrderPlan& plan, const OrderSearchOptions& options) : plan_(plan), options_(options) {
    outcome_.order = by_number(plan.n_jobs());
    score_ = plan.plan_first(outcome_.order);
    outcome_.placements = plan.n_jobs();
    take_best(score_);
  }

  // In lexicographic order.
  void try_all() {
    Order order = plan_.order();
    Order before = order;
    while (std::ranges::next_permutation(order).found) {
      const auto differs = std::ranges::mismatch(order, before).in1;
      if (!may_place(static_cast<std::size_t>(order.end() - differs))) return;
      const auto score = plan_.plan(order, best_);
      if (score && is_better(*score, best_)) take_best(*score);
      before = order;
    }
  }

  // Whether there is a temperature to begin with.
  [[nodiscard]] bool try_sorted(const OrderKeys& keys) {
    const DoubleDouble no_limit = std::numeric_limits<double>::infinity();
    DoubleDouble worst = best_;
    for (const std::vector<Priority>* each : {&keys.estimate, &keys.size, &keys.area}) {
      for (const bool descends : {false, true}) {
        if (!may_place(plan_.n_jobs())) return false;
        const auto score = plan_.plan(sorted_by(*each, descends), no_limit);
        if (!score) continue;
        if (is_better(*score, best_)) take_best(*score);
        if (is_better(worst, *score)) worst = *score;
      }
    }
    score_ = best_;
    temperature_ = (worst - best_).hi;
    return temperature_ > 0;
  }

  void anneal(RandomStream& random) {
    if (options_.swaps == 0) return;
    for (std::uint64_t step = 0; step < options_.steps; ++step) {
      for (std::uint64_t swap = 0; swap < options_.swaps; ++swap) {
        if (!swap_two(random)) return;
      }
      temperature_ *= options_.cooling;
    }
  }

  [[nodiscard]] OrderSearchOutcome outcome() { return std::move(outcome_); }

 private:
  [[nodiscard]] bool may_place(std::size_t n_jobs) {
    outcome_.is_cut = n_jobs > options_.work_limit || outcome_.placements > options_.work_limit - n_jobs;
    if (outcome_.is_cut) return false;
    outcome_.placements += n_jobs;
    return true;
  }

  // The plan made last is the best so far, and is kept.
  void take_best(const DoubleDouble& score) {
    plan_.keep();
    best_ = score;
    outcome_.order = plan_.order();
    outcome_.places = plan_.places();
  }

  [[nodiscard]] bool swap_two(RandomStream& random) {
    const std::size_t n_jobs = plan_.n_jobs();
    auto first = static_cast<std::size_t>(random.below(n_jobs));
    auto last = static_cast<std::size_t>(random.below(n_jobs - 1));
    if (last >= first) ++last;
    if (last < first) std::swap(first, last);
    const double u = 1 - random.uniform();
    if (!may_place(n_jobs - first)) return false;
    const double slack = temperature_ * (std::numbers::ln2 * -rounded_log2(u));
    const auto score = plan_.plan_swapped(first, last, score_ + slack);
    if (!score) return true;
    const double worse = (*score - score_).hi;
    if (worse > 0 && worse >= slack) return true;
    score_ = *score;
    if (is_better(score_, best_)) {
      take_best(score_);
    } else {
      plan_.keep();
    }
    return true;
  }

  OrderPlan& plan_;
  const OrderSearchOptions& options_;
  OrderSearchOutcome outcome_;
  DoubleDouble score_;  // of the kept order
  DoubleDouble best_;
  double temperature_ = 0;
};

}  // namespace

OrderSearchOutcome search_order(OrderPlan& plan, const std::function<OrderKeys()>& keys,
                                const OrderSearchOptions& options, RandomStream& random) {
  OrderSearch search(plan, options);
  if (plan.n_jobs() <= options.exhaustive) {
    search.try_all();
  } else if (search.try_sorted(keys())) {
    search.anneal(random);
  }
  return search.outcome();
}

OrderSearchOutcome queue_order(OrderPlan& plan) {
  const OrderSearchOptions options;
  OrderSearch search(plan, options);
  return search.outcome();
}

}  // namespace schedcore
