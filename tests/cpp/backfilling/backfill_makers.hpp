// The backfilling policies in the forms that the tests and the fuzzer of the embedded engine go through.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/scheduler_caller.hpp"
#include "schedcore/backfilling/backfill.hpp"
#include "schedcore/backfilling/plan_annealing.hpp"
#include "schedcore/backfilling/reservation_rebuild.hpp"
#include "schedcore/backfilling/reservations.hpp"
#include "schedcore/backfilling/window_backfill.hpp"

namespace schedcore::testing {

inline constexpr Selection kFirstFit{};
inline constexpr Selection kBalanced = Selection::product(1, 1, 0);
inline constexpr Selection kBalanceAlone = Selection::product(1, 0, 0);
inline constexpr Selection kLowest = Selection::lowest(1, true);
inline constexpr Selection kShortBalanced = Selection::product(2, 0, 1);

inline BackfillLimits limits(std::uint64_t queue_depth, Time window = kNever, Time resolution = 0, Time interval = 0) {
  return {queue_depth, window, resolution, interval};
}

inline PolicyMaker backfill_maker(Overtaking overtaking, Selection selection, const BackfillLimits& limits = {},
                                  const OrderRule& order = {}) {
  return [=] { return std::make_unique<BackfillPolicy>(overtaking, selection, limits, true, order); };
}

inline OrderRule by_formula(QueueFormula formula) {
  return {PriorityRule::erf, OrderRule::Source::formula, false, formula};
}

inline PolicyMaker reservation_maker(std::uint64_t protected_jobs, Selection selection,
                                     Compression compression = Compression::pass, const BackfillLimits& limits = {}) {
  return [=] {
    return std::make_unique<ReservationPolicy>(selection, limits, ReservationOptions{protected_jobs, compression},
                                               true);
  };
}

inline PolicyMaker rebuild_maker(const BackfillLimits& limits = {}) {
  return [=] { return std::make_unique<RebuildPolicy>(limits, true); };
}

inline PolicyMaker annealing_maker(const OrderSearchOptions& options, std::uint64_t seed) {
  return [=] { return std::make_unique<PlanAnnealingPolicy>(options, seed); };
}

inline PolicyMaker window_maker(const WindowOptions& options) {
  return [=] { return std::make_unique<WindowBackfillPolicy>(options, false); };
}

inline const std::vector<std::pair<std::string, PolicyMaker>>& backfill_makers() {
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  static const std::vector<std::pair<std::string, PolicyMaker>> makers{
      {"fcfs", backfill_maker(Overtaking::never, kFirstFit)},
      {"first_fit", backfill_maker(Overtaking::always, kFirstFit)},
      {"first_fit_bb", backfill_maker(Overtaking::always, kBalanced)},
      {"first_fit_rarely", backfill_maker(Overtaking::always, kLowest, limits(3, kNever, 0, 2.5))},
      {"easy", backfill_maker(Overtaking::protected_head, kFirstFit)},
      {"easy_bb", backfill_maker(Overtaking::protected_head, kBalanced)},
      {"easy_bb!", backfill_maker(Overtaking::protected_head, kBalanceAlone)},
      {"easy_bl", backfill_maker(Overtaking::protected_head, kLowest)},
      {"easy_short", backfill_maker(Overtaking::protected_head, kShortBalanced)},
      {"easy_with_limits", backfill_maker(Overtaking::protected_head, kFirstFit, limits(4, 6, 2, 1.5))},
      {"easy_bl_rounded", backfill_maker(Overtaking::protected_head, kLowest, limits(kAll, kNever, 3))},
      {"fcfs_by_area", backfill_maker(Overtaking::never, kFirstFit, {}, by_formula(QueueFormula::saf))},
      {"first_fit_by_f2", backfill_maker(Overtaking::always, kFirstFit, {}, by_formula(QueueFormula::f2))},
      {"easy_by_area", backfill_maker(Overtaking::protected_head, kFirstFit, {}, by_formula(QueueFormula::saf))},
      {"easy_by_f1_rarely", backfill_maker(Overtaking::protected_head, kShortBalanced, limits(kAll, 6, 2, 1.5),
                                           by_formula(QueueFormula::f1))},
      {"easy_by_volume_bb", backfill_maker(Overtaking::protected_head, kBalanced, {}, {.key = PriorityRule::svf})},
      {"conservative", reservation_maker(kAll, kFirstFit)},
      {"conservative_fixpoint", reservation_maker(kAll, kFirstFit, Compression::fixpoint)},
      {"conservative_uncompressed", reservation_maker(kAll, kFirstFit, Compression::none)},
      {"conservative_bb", reservation_maker(kAll, kBalanced)},
      {"conservative_short", reservation_maker(kAll, kShortBalanced)},
      {"conservative_with_limits", reservation_maker(kAll, kFirstFit, Compression::pass, limits(5, 9, 2, 1.5))},
      {"conservative_rarely", reservation_maker(kAll, kLowest, Compression::fixpoint, limits(kAll, kNever, 0, 3))},
      {"two_protected", reservation_maker(2, kFirstFit)},
      {"two_protected_bb", reservation_maker(2, kBalanced, Compression::fixpoint)},
      {"two_protected_short", reservation_maker(2, kShortBalanced)},
      {"one_protected_with_limits", reservation_maker(1, kLowest, Compression::pass, limits(4, 8, 2, 1.5))},
      {"rebuild", rebuild_maker()},
      {"rebuild_with_limits", rebuild_maker(limits(3, 7, 2))},
      {"window", window_maker({.size = 4, .max_passes = 1, .trade = {}})},
      {"window_with_little_work", window_maker({.trade = {}, .work = 3})},
      {"plan_annealing", annealing_maker({.steps = 4, .swaps = 3, .exhaustive = 2}, 1)},
      {"plan_annealing_with_little_work", annealing_maker({.work_limit = 20, .steps = 4, .swaps = 3, .exhaustive = 2}, 2)},
  };
  return makers;
}

}  // namespace schedcore::testing
