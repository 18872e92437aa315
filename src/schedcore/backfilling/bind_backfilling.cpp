// The backfilling policies, and what they have recorded.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "backfilling/backfill_arguments.hpp"
#include "base/choice.hpp"
#include "bindings.hpp"
#include "engine/policy_records.hpp"
#include "site/site_arguments.hpp"
#include "schedcore/backfilling/backfill.hpp"
#include "schedcore/backfilling/plan_annealing.hpp"
#include "schedcore/backfilling/reservation_rebuild.hpp"
#include "schedcore/backfilling/reservations.hpp"
#include "schedcore/backfilling/window_backfill.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

py::list rows(const std::vector<ShadowRecord>& shadows) {
  py::list rows;
  for (const ShadowRecord& shadow : shadows) {
    rows.append(py::make_tuple(shadow.time, shadow.job, shadow.shadow_time, shadow.machine));
  }
  return rows;
}

py::dict by_job(const std::vector<ReservationRecord>& records) {
  py::dict by_job;
  for (const ReservationRecord& record : records) {
    const py::int_ job(record.job);
    if (!by_job.contains(job)) by_job[job] = py::list();
    by_job[job].cast<py::list>().append(py::make_tuple(record.time, record.start_time, record.machine));
  }
  return by_job;
}

}  // namespace

void add_backfill_records(const Policy& policy, py::dict& stats) {
  const auto* backfill = dynamic_cast<const BackfillRecords*>(&policy);
  if (backfill == nullptr) return;
  if (const auto* kept = dynamic_cast<const ShadowRecords*>(&policy); kept != nullptr && kept->keeps_shadows()) {
    stats["shadow"] = rows(kept->shadows());
  }
  if (const auto* kept = dynamic_cast<const ReservationRecords*>(&policy); kept != nullptr && kept->keeps_records()) {
    stats["reservations"] = by_job(kept->records());
  }
  if (const auto* conservative = dynamic_cast<const ReservationPolicy*>(&policy)) {
    stats["compression_looks"] = conservative->counts().looks;
    stats["compression_moves"] = conservative->counts().moves;
  }
  if (const auto* annealing = dynamic_cast<const PlanAnnealingPolicy*>(&policy)) {
    stats["searches"] = annealing->counts().searches;
    stats["placements"] = annealing->counts().placements;
    stats["searches_cut"] = annealing->counts().cut;
  }
  if (const auto* window = dynamic_cast<const WindowBackfillPolicy*>(&policy)) {
    stats["window_choices"] = window->counts().n_choices;
    stats["window_searches_cut"] = window->counts().n_cut;
    stats["window_forced_starts"] = window->counts().n_forced;
  }
}

void bind_backfilling(py::module_& module) {
  py::class_<BackfillPolicy, Policy>(module, "BackfillPolicy")
      .def(py::init([](const std::string& overtaking, const SelectionArgument& selection,
                       const std::optional<std::uint64_t>& queue_depth, const std::optional<Time>& window,
                       const std::optional<Time>& resolution, const std::optional<Time>& interval, bool record,
                       const std::string& order_name) {
             const OrderRule order = order_argument(order_name, false);
             if (!BackfillPolicy::takes(order) || (queue_depth && !order.is_by_arrival())) {
               throw py::value_error("the order '" + order_name + "', or one with a queue_depth, is for GangQueuePolicy");
             }
             return std::make_unique<BackfillPolicy>(overtaking_argument(overtaking), selection_argument(selection),
                                                     limits_argument(queue_depth, window, resolution, interval), record, order);
           }),
           py::arg("overtaking"), py::kw_only(), py::arg("selection") = kFirstFit,
           py::arg("queue_depth") = py::none(), py::arg("window") = py::none(), py::arg("resolution") = py::none(),
           py::arg("interval") = py::none(), py::arg("record") = false, py::arg("order") = "erf");
  py::class_<WindowBackfillPolicy, Policy>(module, "WindowBackfillPolicy")
      .def(py::init([](std::uint32_t window_size, std::uint64_t max_passes, std::uint32_t primary, std::uint64_t trade_numerator,
                       std::uint64_t trade_denominator, std::uint64_t work_limit, bool record) {
             if (window_size < 1 || window_size > WindowSearch::kMaxWindow) {
               throw py::value_error("window_size = " + std::to_string(window_size) + " must be from 1 to " +
                                     std::to_string(WindowSearch::kMaxWindow));
             }
             if (trade_numerator == 0 && trade_denominator == 0) throw py::value_error("the trade factor is 0 / 0");
             if (work_limit < 1) throw py::value_error("work_limit = 0 must be at least 1");
             return std::make_unique<WindowBackfillPolicy>(
                 WindowOptions{window_size, max_passes, primary, {trade_numerator, trade_denominator}, work_limit}, record);
           }),
           py::kw_only(), py::arg("window_size") = 20, py::arg("max_passes") = 50, py::arg("primary") = 0,
           py::arg("trade_numerator") = 2, py::arg("trade_denominator") = 1, py::arg("work_limit") = 100'000,
           py::arg("record") = false);
  py::class_<ReservationPolicy, Policy>(module, "ReservationPolicy")
      .def(py::init([](const std::optional<std::uint64_t>& protected_jobs, const std::string& compression,
                       const SelectionArgument& selection,
                       const std::optional<std::uint64_t>& queue_depth, const std::optional<Time>& window,
                       const std::optional<Time>& resolution, const std::optional<Time>& interval, bool record) {
             return std::make_unique<ReservationPolicy>(selection_argument(selection),
                                                        limits_argument(queue_depth, window, resolution, interval),
                                                        reservation_options(protected_jobs, compression), record);
           }),
           py::kw_only(), py::arg("protected_jobs") = py::none(), py::arg("compression") = "pass",
           py::arg("selection") = kFirstFit, py::arg("queue_depth") = py::none(), py::arg("window") = py::none(),
           py::arg("resolution") = py::none(), py::arg("interval") = py::none(), py::arg("record") = false);
  py::class_<RebuildPolicy, Policy>(module, "RebuildPolicy")
      .def(py::init([](const std::optional<std::uint64_t>& queue_depth, const std::optional<Time>& window,
                       const std::optional<Time>& resolution, bool record) {
             return std::make_unique<RebuildPolicy>(limits_argument(queue_depth, window, resolution, std::nullopt), record);
           }),
           py::kw_only(), py::arg("queue_depth") = py::none(), py::arg("window") = py::none(),
           py::arg("resolution") = py::none(), py::arg("record") = false);
  py::class_<PlanAnnealingPolicy, Policy>(module, "PlanAnnealingPolicy")
      .def(py::init([](std::int64_t work_limit, std::uint64_t seed, double cooling, std::int64_t steps, std::int64_t swaps,
                       std::int64_t exhaustive) {
             constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
             check_number(work_limit, std::int64_t{1}, kMost, "work_limit");
             check_number(cooling, std::numeric_limits<double>::denorm_min(), 1.0, "cooling");
             check_number(steps, std::int64_t{0}, kMost, "steps");
             check_number(swaps, std::int64_t{0}, kMost, "swaps");
             check_number(exhaustive, std::int64_t{0}, kMost, "exhaustive");
             const auto count = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
             return std::make_unique<PlanAnnealingPolicy>(
                 OrderSearchOptions{count(work_limit), cooling, count(steps), count(swaps), count(exhaustive)}, seed);
           }),
           py::kw_only(), py::arg("work_limit") = 100'000, py::arg("seed") = 0, py::arg("cooling") = 0.9, py::arg("steps") = 30,
           py::arg("swaps") = 6, py::arg("exhaustive") = 5);
}

}  // namespace schedcore::python
