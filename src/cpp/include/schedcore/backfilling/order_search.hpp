// The order of the waiting jobs whose plan has the least sum of starts: all orders of a few jobs, simulated annealing of more.
//
// Sources: Zheng et al., IEEE Cluster 2016; Kopanski and Rzadca, Euro-Par 2021.  Of up to `exhaustive` jobs all orders are
// planned, in lexicographic order of the queue.  Of more, the queue and six orders sorted from it: by estimate, size and area,
// each ascending and then descending, ties in the order of the queue; the best is where annealing begins, at the temperature
// worst - best.  If that is 0 nothing is annealed.  At each of `steps` temperatures, each `cooling` times the one before,
// `swaps` times two jobs change places.  The first order with the least score wins.
//
// Draws, of every swap alike: a position below n, another one below n - 1 (from the first one on, one more), and a
// uniform v of [0, 1), with u = 1 - v.  The new order is taken if it is not worse, or worse by less than T (ln 2 (-log2 u)),
// in doubles with the logarithm rounded to the nearest: the same everywhere.  Nothing else draws.
//
// Work is counted in placements: as many as jobs that stand behind the first one in another place than in the order that a
// plan came from, whether or not they were placed in truth.  That is all jobs for the queue and the sorted orders, those from
// the first difference to the order before for all orders, those from the first of two jobs that change places.  The first
// plan is always made.  The search ends before the plan that would exceed `work_limit`, after its draws.
// Cost: that of the plans (order_plan.hpp); O(n log n) for each sorted order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedcore/backfilling/order_plan.hpp"
#include "schedcore/base/random_stream.hpp"
#include "schedcore/exact/priority.hpp"

namespace schedcore {

struct OrderSearchOptions {
  std::uint64_t work_limit = 100000;  // placements for one search
  double cooling = 0.9;         // in (0, 1]
  std::uint64_t steps = 30;
  std::uint64_t swaps = 6;
  std::uint64_t exhaustive = 5;
};

struct OrderSearchOutcome {
  OrderPlan::Order order;
  std::vector<OrderPlan::Place> places;  // by position
  std::uint64_t placements = 0;
  bool is_cut = false;
};

// The keys by which jobs are sorted, by number of the job; ids are not looked at.
struct OrderKeys {
  std::vector<Priority> estimate;
  std::vector<Priority> size;
  std::vector<Priority> area;
};

// Of at least one job.  `keys` is asked at most once.  An order in which some planned end cannot be represented is passed
// over, unless it is that of the queue.
[[nodiscard]] OrderSearchOutcome search_order(OrderPlan& plan, const std::function<OrderKeys()>& keys,
                                              const OrderSearchOptions& options, RandomStream& random);

// The plan in the order of the queue.
[[nodiscard]] OrderSearchOutcome queue_order(OrderPlan& plan);

}  // namespace schedcore
