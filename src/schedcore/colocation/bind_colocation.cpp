// The colocation heuristics: columns of an instance in, machines of the tasks out.  schedcore.algorithms.colocation
// checks what each of them needs.
#include <pybind11/stl.h>

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "colocation/colocation_arrays.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/colocation/dedicated_machines.hpp"
#include "schedcore/colocation/threshold_fill.hpp"
#include "schedcore/colocation/type_clusters.hpp"
#include "schedcore/colocation/type_list_scheduling.hpp"
#include "schedcore/packing/list_scheduling.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

SpreadRule spread_rule(const std::string& name) {
  if (name == "lpt") return SpreadRule::longest_first;
  if (name == "multifit") return SpreadRule::multifit;
  throw InvalidInstanceError("unknown base '" + name + "'");
}

TypeMixing type_mixing(const std::string& name) {
  if (name == "sched_mixed") return TypeMixing::mixed;
  if (name == "sched_juxtapose") return TypeMixing::juxtaposed;
  if (name == "best_schedule") return TypeMixing::best;
  throw InvalidInstanceError("unknown inner algorithm '" + name + "'");
}

RebalanceRule rebalance_rule(const std::string& name) {
  if (name == "best") return RebalanceRule::cheapest;
  if (name == "first") return RebalanceRule::first;
  throw InvalidInstanceError("unknown rule '" + name + "'");
}

void check_machine_for_each(const ClusterTasks& clusters, const ColocationView& view) {
  check_shape(clusters.n_clusters() <= view.n_machines, "every cluster needs a machine of its own");
}

py::int_ python_int(UInt128 value) {
  const py::int_ high(static_cast<std::uint64_t>(value >> 64));
  const py::int_ low(static_cast<std::uint64_t>(value));
  return (high << py::int_(64)) | low;
}

py::tuple cost_of(const Int64Array& size, const Int64Array& type, const Int64Array& alpha, const Int64Array& machine,
                  std::size_t n_machines) {
  const ColocationView view = colocation_view(size, type, alpha, 1, n_machines);
  check_shape(machine.ndim() == 1 && machine.shape(0) == size.shape(0), "machine must have shape (n_tasks,)");
  ColocationCost cost;
  {
    const py::gil_scoped_release unlocked;
    for (const std::int64_t own : span_of(machine)) {
      check_shape(own >= 0 && static_cast<std::size_t>(own) < n_machines, "machine must be below n_machines");
    }
    cost = colocation_cost(view, span_of(machine));
  }
  return py::make_tuple(cost.largest, python_int(cost.sum));
}

Int64Array list_scheduling(const Int64Array& size, const Int64Array& type, const Int64Array& alpha,
                           std::size_t n_machines, const std::string& mixing, const std::string& base) {
  const ColocationView view = colocation_view(size, type, alpha, 1, n_machines);
  const TypeMixing how = type_mixing(mixing);
  const SpreadRule rule = spread_rule(base);
  std::vector<std::int64_t> machine(view.n_tasks());
  {
    const py::gil_scoped_release unlocked;
    TypeListScheduling scheduling(view, decreasing_order(view.size));
    scheduling.run(how, rule, n_machines);
    scheduling.write(0, machine);
  }
  return array_of(machine);
}

py::tuple fill(const Int64Array& size, const Int64Array& type, const Int64Array& alpha, std::size_t n_machines,
               const Int64Array& label_of_type, bool sorts, bool searches) {
  const ColocationView view = colocation_view(size, type, alpha, 1, n_machines);
  FillGreedyOutcome outcome;
  {
    const py::gil_scoped_release unlocked;
    const TaskOrder order = sorts ? TaskOrder::decreasing : TaskOrder::as_given;
    const ClusterTasks clusters = cluster_tasks(view, checked_labels(label_of_type, view), order);
    check_machine_for_each(clusters, view);
    check_shape(searches || view.n_machines > view.n_types, "without a search more machines than types are needed");
    outcome = fill_greedy(view, clusters, searches);
  }
  return py::make_tuple(array_of(outcome.filled.machine), python_int(outcome.filled.threshold), outcome.machines_of_cluster);
}

py::tuple fill_two_types(const Int64Array& size, const Int64Array& type, const Int64Array& alpha,
                         CostNumerator alpha_denominator, std::size_t n_machines, const Int64Array& label_of_type,
                         bool sorts, bool searches) {
  const ColocationView view = colocation_view(size, type, alpha, alpha_denominator, n_machines);
  FilledMachines filled;
  {
    const py::gil_scoped_release unlocked;
    const TaskOrder order = sorts ? TaskOrder::decreasing : TaskOrder::as_given;
    const ClusterTasks clusters = cluster_tasks(view, checked_labels(label_of_type, view), order);
    check_shape(clusters.n_clusters() <= 2, "there must be at most two clusters");
    filled = greedy_for_two_types(view, clusters, searches);
  }
  return py::make_tuple(array_of(filled.machine), python_int(filled.threshold));
}

py::tuple rebalance(const Int64Array& size, const Int64Array& type, const Int64Array& alpha,
                    CostNumerator alpha_denominator, std::size_t n_machines, const Int64Array& label_of_type,
                    const std::string& rule, py::object progress) {
  const ColocationView view = colocation_view(size, type, alpha, alpha_denominator, n_machines);
  const RebalanceRule how = rebalance_rule(rule);
  PythonMonitor monitor(std::move(progress));
  FilledMachines filled;
  {
    const py::gil_scoped_release unlocked;
    const ClusterTasks clusters = cluster_tasks(view, checked_labels(label_of_type, view), TaskOrder::decreasing);
    filled = fill_rebalance(view, clusters, how, &monitor);
  }
  return py::make_tuple(array_of(filled.machine), python_int(filled.threshold));
}

py::tuple dedicate(const Int64Array& size, const Int64Array& type, const Int64Array& alpha, std::size_t n_machines,
                   const Int64Array& label_of_type, const std::string& inner, const std::string& base,
                   py::object progress) {
  const ColocationView view = colocation_view(size, type, alpha, 1, n_machines);
  const TypeMixing how = type_mixing(inner);
  const SpreadRule rule = spread_rule(base);
  PythonMonitor monitor(std::move(progress));
  DedicatedOutcome outcome;
  {
    const py::gil_scoped_release unlocked;
    const ClusterTasks clusters = cluster_tasks(view, checked_labels(label_of_type, view), TaskOrder::decreasing);
    check_machine_for_each(clusters, view);
    outcome = greedy_dedicated(view, clusters, how, rule, &monitor);
  }
  return py::make_tuple(array_of(outcome.machine), outcome.machines_of_cluster);
}

py::tuple composition(const Int64Array& cost, std::size_t n_machines) {
  check_shape(cost.ndim() == 2 && cost.shape(0) >= 1 &&
                  static_cast<std::size_t>(cost.shape(0) + cost.shape(1)) == n_machines + 1,
              "cost must have shape (n_clusters, n_machines - n_clusters + 1)");
  PythonMonitor monitor(py::none{});
  Composition best;
  {
    const py::gil_scoped_release unlocked;
    best = best_composition(span_of(cost), static_cast<std::size_t>(cost.shape(0)), n_machines, &monitor);
  }
  return py::make_tuple(best.value, best.n_machines);
}

std::vector<std::int64_t> clusters_of(const Int64Array& alpha, CostNumerator alpha_denominator,
                                      const std::string& method) {
  check_shape(alpha.ndim() == 2 && alpha.shape(0) == alpha.shape(1), "alpha must have shape (n_types, n_types)");
  check_coefficients(span_of(alpha), static_cast<std::size_t>(alpha.shape(0)), alpha_denominator);
  const TypeCoefficients coefficients{span_of(alpha), alpha_denominator, static_cast<std::size_t>(alpha.shape(0))};
  if (method == "first_fit") return first_fit_clusters(coefficients);
  if (method != "exact") throw InvalidInstanceError("unknown method '" + method + "'");
  PythonMonitor monitor(py::none{});
  const py::gil_scoped_release unlocked;
  return fewest_clusters(coefficients, &monitor);
}

}  // namespace

void bind_colocation(py::module_& module) {
  module.def("colocation_cost", &cost_of, "The largest cost and the sum of all costs, times the denominator.",
             py::arg("size"), py::arg("type"), py::arg("alpha"), py::arg("machine"), py::arg("n_machines"));
  module.def("type_list_scheduling", &list_scheduling, "Machines of the tasks under SCHEDMIXED, SCHEDJUXTAPOSE or the better.",
             py::arg("size"), py::arg("type"), py::arg("alpha"), py::arg("n_machines"),
             py::kw_only(), py::arg("mixing"), py::arg("base"));
  module.def("fill_greedy", &fill, "Machines of the tasks, the threshold, and how many machines each cluster uses.",
             py::arg("size"), py::arg("type"), py::arg("alpha"), py::arg("n_machines"), py::arg("label_of_type"),
             py::kw_only(), py::arg("sort"), py::arg("search"));
  module.def("greedy_for_two_types", &fill_two_types, "Machines of the tasks, and the threshold.", py::arg("size"),
             py::arg("type"), py::arg("alpha"), py::arg("alpha_denominator"), py::arg("n_machines"),
             py::arg("label_of_type"), py::kw_only(), py::arg("sort"), py::arg("search"));
  module.def("fill_rebalance", &rebalance, "Machines of the tasks, and the threshold.", py::arg("size"),
             py::arg("type"), py::arg("alpha"), py::arg("alpha_denominator"), py::arg("n_machines"),
             py::arg("label_of_type"), py::kw_only(), py::arg("rule"), py::arg("progress").none(true));
  module.def("greedy_dedicated", &dedicate, "Machines of the tasks, and how many machines each cluster gets.",
             py::arg("size"), py::arg("type"), py::arg("alpha"), py::arg("n_machines"), py::arg("label_of_type"),
             py::kw_only(), py::arg("inner"), py::arg("base"), py::arg("progress").none(true));
  module.def("best_composition", &composition, "The least bottleneck value, and machines for each cluster.",
             py::arg("cost"), py::arg("n_machines"));
  module.def("type_clusters", &clusters_of, "A label for each type; types of one label are pairwise compatible.",
             py::arg("alpha"), py::arg("alpha_denominator"), py::arg("method"));
}

}  // namespace schedcore::python
