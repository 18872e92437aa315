// What several backfilling policies are told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "base/checked_columns.hpp"
#include "base/choice.hpp"
#include "schedcore/backfilling/backfill_limits.hpp"
#include "schedcore/backfilling/reservations.hpp"
#include "schedcore/backfilling/selection.hpp"
#include "schedcore/backfilling/shadow_record.hpp"

namespace schedcore::python {

inline Overtaking overtaking_argument(const std::string& name) {
  return choice<Overtaking>(name, {{"never", Overtaking::never},
                                   {"always", Overtaking::always},
                                   {"protected_head", Overtaking::protected_head}});
}

// A rule with its powers of balance, fullness and estimate; of "bl" its window, and whether fullness counts.
using SelectionArgument = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t>;
inline const SelectionArgument kFirstFit{"ff", 0, 0, 0};

inline Selection selection_argument(const SelectionArgument& selection) {
  const auto& [name, balance, fullness, estimate] = selection;
  const auto rule = choice<SelectionRule>(
      name, {{"ff", SelectionRule::first_fit}, {"product", SelectionRule::product}, {"bl", SelectionRule::lowest}});
  const bool is_product = rule == SelectionRule::product;
  if (is_product) check_number<std::int64_t>(balance, 0, Selection::kLargestBalance, "the power of balance");
  check_number<std::int64_t>(fullness, 0, is_product ? Selection::kLargestFullness : 1, "the power of fullness");
  check_number<std::int64_t>(estimate, 0, is_product ? Selection::kLargestEstimate : 0, "the power of the estimate");
  return {rule, balance, fullness, estimate};
}

// None stands for no limit.
inline BackfillLimits limits_argument(const std::optional<std::uint64_t>& queue_depth,
                                      const std::optional<Time>& window,
                                      const std::optional<Time>& resolution, const std::optional<Time>& interval) {
  check_number(window.value_or(0), 0.0, kInfinity, "window");
  check_number(resolution.value_or(0), 0.0, kLargestNumber, "resolution");
  check_number(interval.value_or(0), 0.0, kLargestNumber, "interval");
  const BackfillLimits none;
  return {queue_depth.value_or(none.queue_depth), window.value_or(none.window), resolution.value_or(none.resolution),
          interval.value_or(none.interval)};
}

// None protects all.
inline ReservationOptions reservation_options(const std::optional<std::uint64_t>& protected_jobs,
                                              const std::string& compression) {
  return {protected_jobs.value_or(ReservationOptions{}.protected_jobs),
          choice<Compression>(compression, {{"none", Compression::none},
                                            {"pass", Compression::pass},
                                            {"fixpoint", Compression::fixpoint}})};
}

}  // namespace schedcore::python
