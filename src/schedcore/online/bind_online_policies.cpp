// The policies of the online family, and what they have recorded.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/checked_columns.hpp"
#include "base/choice.hpp"
#include "bindings.hpp"
#include "engine/policy_records.hpp"
#include "online/priority_rule_argument.hpp"
#include "packing/epsilon_argument.hpp"
#include "schedcore/online/best_fit_execution.hpp"
#include "schedcore/online/cluster_mris.hpp"
#include "schedcore/online/cluster_mris_dynamic.hpp"
#include "schedcore/online/mris.hpp"
#include "schedcore/online/mris_dynamic.hpp"
#include "schedcore/online/priority_queue.hpp"
#include "schedcore/online/tetris.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

// All forms of MRIS take the same options; those that plan nothing read neither placement nor replan.
template <class MrisForm>
void bind_mris(py::module_& module, const char* name) {
  py::class_<MrisForm, Policy>(module, name)
      .def(py::init([](const std::string& rule, const std::string& knapsack, const Epsilon& epsilon,
                       std::uint64_t memory_limit, const std::string& placement, Time gamma0,
                       std::optional<Time> origin, bool opportunistic, double patience, bool replan, bool record) {
             check_number(gamma0, kSmallestNumber, kLargestNumber, "gamma0");
             check_number(origin.value_or(0), 0.0, kLargestNumber, "origin");
             check_number(patience, 0.0, kInfinity, "patience");
             return std::make_unique<MrisForm>(MrisOptions{
                 .rule = priority_rule(rule),
                 .knapsack = choice<KnapsackMethod>(knapsack, {{"exact", KnapsackMethod::exact},
                                                               {"cadp", KnapsackMethod::cadp},
                                                               {"greedy", KnapsackMethod::greedy},
                                                               {"greedy_union", KnapsackMethod::greedy_union}}),
                 .epsilon = checked_epsilon(epsilon),
                 .memory_limit = memory_limit,
                 .placement = choice<MrisPlacement>(placement, {{"scan", MrisPlacement::scan},
                                                                {"list", MrisPlacement::list},
                                                                {"nobackfill", MrisPlacement::nobackfill}}),
                 .gamma0 = gamma0,
                 .origin = origin.value_or(0),
                 .origin_is_busy = !origin.has_value(),
                 .opportunistic = opportunistic,
                 .patience = patience,
                 .replan = replan,
                 .record = record});
           }),
           py::kw_only(), py::arg("rule"), py::arg("knapsack"), py::arg("epsilon"), py::arg("memory_limit"),
           py::arg("placement"), py::arg("gamma0"), py::arg("origin").none(true), py::arg("opportunistic"),
           py::arg("patience"), py::arg("replan"), py::arg("record"));
}

}  // namespace

void add_mris_records(const Policy& policy, py::dict& stats) {
  const auto* mris = dynamic_cast<const MrisRecords*>(&policy);
  if (mris == nullptr) return;
  py::list iterations;
  for (const MrisIteration& iteration : mris->iterations()) {
    py::dict record;
    record["k"] = iteration.k;
    record["gamma"] = iteration.gamma;
    record["origin"] = iteration.origin;
    record["n_candidates"] = iteration.n_candidates;
    record["chosen"] = iteration.chosen;
    record["makespan"] = iteration.makespan;
    iterations.append(std::move(record));
  }
  stats["iterations"] = std::move(iterations);
  stats["early_starts"] = mris->n_early_starts();
  stats["replans"] = mris->n_replans();
}

void bind_online_policies(py::module_& module) {
  py::class_<PriorityQueuePolicy, Policy>(module, "PriorityQueuePolicy")
      .def(py::init([](const std::string& rule, std::optional<Time> last_release_time) {
             check_number(last_release_time.value_or(0), 0.0, kInfinity, "last_release_time");
             return std::make_unique<PriorityQueuePolicy>(priority_rule(rule), last_release_time);
           }),
           py::arg("rule"), py::arg("last_release_time") = py::none());
  py::class_<TetrisPolicy, Policy>(module, "TetrisPolicy")
      .def(py::init([](const std::string& mode, bool on_clusters) {
             const auto chosen = choice<TetrisMode>(
                 mode, {{"inverse", TetrisMode::inverse}, {"minus", TetrisMode::minus}, {"plus", TetrisMode::plus}});
             return std::make_unique<TetrisPolicy>(chosen, on_clusters);
           }),
           py::arg("mode"), py::kw_only(), py::arg("on_clusters") = false);
  py::class_<BestFitExecutionPolicy, Policy>(module, "BestFitExecutionPolicy")
      .def(py::init<bool>(), py::kw_only(), py::arg("on_clusters") = false);
  bind_mris<MrisPolicy>(module, "MrisPolicy");
  bind_mris<MrisDynamicPolicy>(module, "MrisDynamicPolicy");
  bind_mris<ClusterMrisPolicy>(module, "ClusterMrisPolicy");
  bind_mris<ClusterMrisDynamicPolicy>(module, "ClusterMrisDynamicPolicy");
}

}  // namespace schedcore::python
