// The policies that heed clusters, in the forms that the tests and the fuzzer of the embedded engine go through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backfilling/backfill_makers.hpp"
#include "engine/scheduler_caller.hpp"
#include "schedcore/engine/compiled_policy.hpp"
#include "schedcore/gangs/gang_queue_policy.hpp"
#include "schedcore/gangs/gang_reservation_policy.hpp"

namespace schedcore::testing {

// First fit behind the table of functions for C, with a count of decisions as what it remembers.
inline const schedcore_policy* first_fit_table() {
  static const schedcore_policy table = {
      .version = SCHEDCORE_POLICY_VERSION,
      .flags = 0,
      .name = "first fit",
      .decide =
          [](void* state, schedcore_turn* turn) {
            ++*static_cast<std::int64_t*>(state);
            const std::int64_t* waiting = schedcore_ids(turn, SCHEDCORE_WAITING);
            const std::int64_t n_waiting = schedcore_n_ids(turn, SCHEDCORE_WAITING);
            static_cast<void>(schedcore_free(turn));
            for (std::int64_t k = 0; k < n_waiting; ++k) {
              const std::int64_t machine = schedcore_first_fit(turn, waiting[k]);
              if (machine >= 0 && schedcore_start(turn, waiting[k], machine) != 0) return -1;
            }
            return 0;
          },
      .context = nullptr,
      .create = [](void* /*context*/) -> void* { return new std::int64_t(0); },
      .copy = [](const void* state) -> void* { return new std::int64_t(*static_cast<const std::int64_t*>(state)); },
      .destroy = [](void* state) { delete static_cast<std::int64_t*>(state); },
      .save =
          [](const void* state, void* bytes, std::size_t size) {
            if (size >= sizeof(std::int64_t)) std::memcpy(bytes, state, sizeof(std::int64_t));
            return sizeof(std::int64_t);
          },
      .load =
          [](void* /*context*/, const void* bytes, std::size_t size) -> void* {
        if (size != sizeof(std::int64_t)) return nullptr;
        auto* count = new std::int64_t(0);
        std::memcpy(count, bytes, size);
        return count;
      },
  };
  return &table;
}

struct ClusterMaker {
  std::string name;
  PolicyMaker for_clusters;
  PolicyMaker plain;  // goes first, if given
  bool takes_gangs = true;
};

inline PolicyMaker gang_queue_maker(Overtaking overtaking, PriorityRule order = PriorityRule::by_id,
                                    Selection selection = kFirstFit, const BackfillLimits& limits = {},
                                    std::optional<Time> collect_until = {}) {
  return [=] { return std::make_unique<GangQueuePolicy>(overtaking, OrderRule{.key = order}, selection, limits, true, collect_until); };
}

inline PolicyMaker gang_reservation_maker(const ReservationOptions& options, const std::optional<RebuiltPlan>& rebuilt = {},
                                          Selection selection = kFirstFit, const BackfillLimits& limits = {},
                                          const OrderRule& order = {}) {
  return [=] { return std::make_unique<GangReservationPolicy>(order, selection, limits, options, rebuilt, true); };
}

inline PolicyMaker easy_by_formula_maker(QueueFormula formula) {
  return [=] {
    return std::make_unique<GangQueuePolicy>(Overtaking::protected_head, by_formula(formula), kFirstFit, BackfillLimits{}, true,
                                             std::nullopt);
  };
}

inline PolicyMaker tetris_maker(bool on_clusters) {
  return [=] { return std::make_unique<TetrisPolicy>(TetrisMode::inverse, on_clusters); };
}

inline const std::vector<ClusterMaker>& cluster_makers() {
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  const auto some = limits(4, 9, 2, 1.5);
  static const std::vector<ClusterMaker> makers{
      {"fcfs", gang_queue_maker(Overtaking::never), backfill_maker(Overtaking::never, kFirstFit)},
      {"first_fit", gang_queue_maker(Overtaking::always), backfill_maker(Overtaking::always, kFirstFit)},
      {"easy", gang_queue_maker(Overtaking::protected_head), backfill_maker(Overtaking::protected_head, kFirstFit)},
      {"easy_with_limits", gang_queue_maker(Overtaking::protected_head, PriorityRule::by_id, kFirstFit, some),
       backfill_maker(Overtaking::protected_head, kFirstFit, some)},
      {"easy_by_f1", easy_by_formula_maker(QueueFormula::f1),
       backfill_maker(Overtaking::protected_head, kFirstFit, {}, by_formula(QueueFormula::f1))},
      {"easy_by_expansion", easy_by_formula_maker(QueueFormula::lxf), nullptr},
      {"conservative_by_slowdown",
       gang_reservation_maker({}, {}, kFirstFit, {}, by_formula(QueueFormula::wfp3)), nullptr},
      {"pq", gang_queue_maker(Overtaking::always, PriorityRule::wsvf),
       [] { return std::make_unique<PriorityQueuePolicy>(PriorityRule::wsvf); }},
      {"conservative", gang_reservation_maker({}), reservation_maker(kAll, kFirstFit)},
      {"conservative_fixpoint", gang_reservation_maker({kAll, Compression::fixpoint}), nullptr},
      {"conservative_uncompressed", gang_reservation_maker({kAll, Compression::none}), nullptr},
      {"conservative_with_limits", gang_reservation_maker({}, {}, kFirstFit, some), nullptr},
      {"two_protected", gang_reservation_maker({2, Compression::pass}), reservation_maker(2, kFirstFit)},
      {"rebuild", gang_reservation_maker({}, RebuiltPlan{}), rebuild_maker()},
      {"rebuild_like_slurm", gang_reservation_maker({}, RebuiltPlan{.holds_machines = true, .prefers_runs = true}), nullptr},
      {"easy_bb", gang_queue_maker(Overtaking::protected_head, PriorityRule::by_id, kBalanced),
       backfill_maker(Overtaking::protected_head, kBalanced), false},
      {"conservative_short", gang_reservation_maker({}, {}, kShortBalanced), reservation_maker(kAll, kShortBalanced),
       false},
      {"tetris", tetris_maker(true), tetris_maker(false), false},
      {"bf_exec", [] { return std::make_unique<BestFitExecutionPolicy>(true); },
       [] { return std::make_unique<BestFitExecutionPolicy>(false); }, false},
      {"mris", mris_maker<ClusterMrisPolicy>(mris_options(true, true)), mris_maker<MrisPolicy>(mris_options(true, true)),
       false},
      {"mris_busy", mris_maker<ClusterMrisPolicy>(with_busy_periods(mris_options(true, false))),
       mris_maker<MrisPolicy>(with_busy_periods(mris_options(true, false))), false},
      {"mris_dynamic", mris_maker<ClusterMrisDynamicPolicy>(mris_options(true, false)),
       mris_maker<MrisDynamicPolicy>(mris_options(true, false)), false},
      {"compiled", [] { return std::make_unique<CompiledPolicy>(first_fit_table(), nullptr); }, nullptr, false},
  };
  return makers;
}

}  // namespace schedcore::testing
