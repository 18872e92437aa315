// The simulation of a workload on a cluster where machines fail and jobs span machines.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "engine/cluster_jobs.hpp"
#include "engine/machine_arrays.hpp"
#include "engine/policy_records.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/engine/cluster_simulation.hpp"
#include "site/site_arguments.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

using OutageColumns = std::tuple<Int64Array, Float64Array, Float64Array>;

template <class T>
std::span<const T> optional_span(const std::optional<py::array_t<T, py::array::c_style>>& column, std::size_t n_jobs,
                                 const char* name) {
  if (!column) return {};
  check_shape(column->ndim() == 1 && static_cast<std::size_t>(column->size()) == n_jobs,
              std::string(name) + " must have shape (n_jobs,)");
  return span_of(*column);
}

std::vector<AnnouncedOutage> outages_of(const OutageColumns& columns, std::size_t n_machines) {
  const auto machine = span_of(std::get<0>(columns));
  const auto begin = span_of(std::get<1>(columns));
  const auto end = span_of(std::get<2>(columns));
  check_shape(machine.size() == begin.size() && machine.size() == end.size(), "outages have columns of one length");
  std::vector<AnnouncedOutage> outages;
  outages.reserve(machine.size());
  for (std::size_t i = 0; i < machine.size(); ++i) {
    if (machine[i] < 0 || static_cast<std::uint64_t>(machine[i]) >= n_machines) {
      throw InvalidInstanceError("an outage is of machine " + std::to_string(machine[i]) + "; there are " +
                                 std::to_string(n_machines) + " machines");
    }
    if (!(begin[i] >= 0 && begin[i] < end[i])) throw InvalidInstanceError("an outage ends before it begins");
    outages.push_back({static_cast<std::uint32_t>(machine[i]), {begin[i], end[i]}});
  }
  return outages;
}

template <class T, class Value>
py::array_t<T, py::array::c_style> column_of(std::size_t n_rows, const Value& value) {
  py::array_t<T, py::array::c_style> column(static_cast<py::ssize_t>(n_rows));
  T* out = column.mutable_data();
  for (std::size_t i = 0; i < n_rows; ++i) out[i] = static_cast<T>(value(i));
  return column;
}

py::dict columns_of(const ClusterHistory& history) {
  const auto& runs = history.runs;
  py::dict columns;
  columns["job"] = column_of<std::int64_t>(runs.size(), [&](std::size_t i) { return runs[i].job; });
  columns["attempt"] = column_of<std::int64_t>(runs.size(), [&](std::size_t i) { return runs[i].attempt; });
  columns["start_time"] = column_of<double>(runs.size(), [&](std::size_t i) { return runs[i].start_time; });
  columns["end_time"] = column_of<double>(runs.size(), [&](std::size_t i) { return runs[i].end_time; });
  columns["outcome"] = column_of<std::int8_t>(runs.size(), [&](std::size_t i) { return runs[i].outcome; });
  columns["n_places"] = column_of<std::int64_t>(runs.size(), [&](std::size_t i) { return runs[i].n_places; });
  const auto& places = history.places;
  columns["place_machine"] = column_of<std::int64_t>(places.size(), [&](std::size_t i) { return places[i].machine; });
  columns["place_n_tasks"] = column_of<std::int64_t>(places.size(), [&](std::size_t i) { return places[i].n_tasks; });
  columns["job_outcome"] =
      column_of<std::int8_t>(history.outcome.size(), [&](std::size_t i) { return history.outcome[i]; });
  return columns;
}

py::tuple simulate_on_cluster(const Policy& policy, const Float64Array& release_time, const Float64Array& processing_time,
                              const Float64Array& weight, const Int64Array& demand, const Int64Array& capacity,
                              const ClusterJobs& cluster_jobs, const OutageColumns& outages, const OutageColumns& failures,
                              const std::optional<Float64Array>& cancellation, const std::string& killed,
                              const std::optional<BoolArray>& arrives, const std::optional<Float64Array>& custom_key,
                              py::object progress, const std::optional<Float64Array>& estimated_processing_time,
                              const std::optional<Int64Array>& machine_number,
                              const std::optional<Int64Array>& machine_weight, const GivenSite* site,
                              const std::optional<Int64Array>& predicted_by) {
  const JobsView jobs = jobs_view(release_time, processing_time, weight, demand);
  const MachinesView machines = machines_view(capacity);
  check_shape(jobs.n_resources == machines.n_resources, "demand and capacity differ in n_resources");
  const auto names = machine_names(machine_number, machine_weight, machines.n_machines);
  if (!policy.heeds_clusters()) throw UnsupportedError("this policy does not heed what happens to a cluster");
  const ClusterColumns columns = cluster_jobs.columns(jobs.n_jobs(), machines.n_machines);
  const auto key = column_span(custom_key, jobs.n_jobs(), "custom_key");
  const auto estimate = column_span(estimated_processing_time, jobs.n_jobs(), "estimated_processing_time");
  const auto arriving = optional_span(arrives, jobs.n_jobs(), "arrives");
  const std::vector<AnnouncedOutage> announced = outages_of(outages, machines.n_machines);
  const std::vector<AnnouncedOutage> failing = outages_of(failures, machines.n_machines);
  const ClusterIncidents incidents{announced, failing, optional_span(cancellation, jobs.n_jobs(), "cancellation")};
  const KillRule rule = kill_rule_argument(killed);
  const auto user = optional_span(predicted_by, jobs.n_jobs(), "predicted_by");
  check_range(user, std::int64_t{-1}, static_cast<std::int64_t>(jobs.n_jobs()), "predicted_by");
  check_shape(user.empty() || (failing.empty() && announced.empty()), "runs that may be killed have no predictions");
  PythonMonitor monitor(std::move(progress));
  ClusterHistory history;
  std::unique_ptr<Engine> engine;
  {
    const py::gil_scoped_release release;
    engine = std::make_unique<Engine>(machines, policy.clone());
    engine->name_machines(names);
    engine->set_kill_rule(rule);
    if (site != nullptr) obey(*site, machines, *engine);
    assign_cluster_jobs(jobs, estimate, key, columns, *engine);
    RunPredictions predictions;
    if (!user.empty()) predictions = RunPredictions(user, estimate.empty() ? jobs.processing_time : estimate);
    history = simulate_cluster(jobs, arriving, incidents, *engine, &monitor, std::move(predictions));
  }
  py::dict stats;
  add_mris_records(engine->policy(), stats);
  add_backfill_records(engine->policy(), stats);
  {
    const py::gil_scoped_release release;
    engine.reset();
  }
  stats["events"] = history.counts.n_events;
  stats["wakeups"] = history.counts.n_wakeups;
  return py::make_tuple(columns_of(history), std::move(stats));
}

}  // namespace

ClusterJobs::ClusterJobs(std::size_t n_jobs, std::size_t n_machines, std::optional<Int64Array> n_tasks,
                         std::optional<Int64Array> max_tasks, std::optional<BoolArray> exclusive,
                         std::optional<Int64Array> eligibility, const std::optional<BoolArray>& allowed,
                         std::optional<Float64Array> checkpoint_interval, std::optional<Float64Array> restart_cost,
                         std::vector<std::string> constraints, const GivenParties* parties)
    : n_jobs_(n_jobs),
      n_machines_(n_machines),
      n_tasks_(std::move(n_tasks)),
      max_tasks_(std::move(max_tasks)),
      exclusive_(std::move(exclusive)),
      eligibility_(std::move(eligibility)),
      checkpoint_interval_(std::move(checkpoint_interval)),
      restart_cost_(std::move(restart_cost)),
      constraints_(std::move(constraints)) {
  check_range(optional_span(n_tasks_, n_jobs, "n_tasks"), Amount{1}, kMostTasks, "n_tasks");
  check_range(optional_span(max_tasks_, n_jobs, "max_tasks"), Amount{0}, kLargestExact, "max_tasks");
  check_range(optional_span(checkpoint_interval_, n_jobs, "checkpoint_interval"), 0.0, kLargestNumber,
              "checkpoint_interval");
  check_range(optional_span(restart_cost_, n_jobs, "restart_cost"), 0.0, kLargestNumber, "restart_cost");
  static_cast<void>(optional_span(exclusive_, n_jobs, "exclusive"));
  if (allowed) {
    check_shape(allowed->ndim() == 2 && static_cast<std::size_t>(allowed->shape(1)) == n_machines,
                "allowed must have shape (n_sets, n_machines)");
    EligibilitySets sets;
    for (py::ssize_t set = 0; set < allowed->shape(0); ++set) {
      const bool* row = allowed->data(set, 0);
      std::vector<std::uint32_t> chosen;
      for (std::uint32_t machine = 0; machine < n_machines; ++machine) {
        if (row[machine]) chosen.push_back(machine);
      }
      sets_.push_back(sets.intern(std::move(chosen), n_machines));
    }
  }
  for (const std::int64_t set : optional_span(eligibility_, n_jobs, "eligibility")) {
    const std::size_t n_sets = constraints_.empty() ? sets_.size() : constraints_.size();
    check_shape(set >= -1 && set < static_cast<std::int64_t>(n_sets), "eligibility names a set that is not there");
  }
  check_shape(constraints_.empty() || sets_.empty(), "jobs have either sets of machines or constraints");
  check_shape(std::ranges::all_of(constraints_, [](const std::string& text) { return MachineTable::is_wellformed(text); }),
              "a constraint is malformed");
  if (parties == nullptr) return;
  check_shape(parties->n_jobs() == n_jobs, "the parties are those of other jobs");
  parties_ = *parties;
}

ClusterColumns ClusterJobs::columns(std::size_t n_jobs, std::size_t n_machines) const {
  check_shape(n_jobs == n_jobs_ && n_machines == n_machines_, "the cluster columns are of another instance");
  check_shape(constraints_.empty(), "constraints are for machines that may change");
  return columns();
}

ClusterColumns ClusterJobs::columns() const {
  ClusterColumns columns;
  columns.n_tasks = optional_span(n_tasks_, n_jobs_, "n_tasks");
  columns.max_tasks = optional_span(max_tasks_, n_jobs_, "max_tasks");
  columns.exclusive = optional_span(exclusive_, n_jobs_, "exclusive");
  columns.eligibility = optional_span(eligibility_, n_jobs_, "eligibility");
  columns.sets = sets_;
  columns.checkpoint_interval = optional_span(checkpoint_interval_, n_jobs_, "checkpoint_interval");
  columns.restart_cost = optional_span(restart_cost_, n_jobs_, "restart_cost");
  if (parties_) columns.parties = parties_->columns();
  return columns;
}

void ClusterJobs::check_embeddable(const ClusterJobs* jobs, std::size_t n_jobs) {
  if (jobs == nullptr) return;
  check_shape(n_jobs == jobs->n_jobs_, "the cluster columns are of other jobs");
  check_shape(jobs->sets_.empty(), "jobs of an embedded engine have constraints, and no sets of machines");
}

ClusterColumns ClusterJobs::columns_on(const MachineTable& table, const ClusterJobs* jobs, std::size_t n_jobs,
                                       std::vector<Constraint>& constraints) {
  check_embeddable(jobs, n_jobs);
  if (jobs == nullptr) return {};
  constraints.clear();
  for (const std::string& text : jobs->constraints_) constraints.push_back(table.where(text));
  ClusterColumns columns = jobs->columns();
  columns.constraints = constraints;
  return columns;
}

void bind_cluster_jobs(py::module_& module) {
  py::class_<ClusterJobs>(module, "ClusterJobs", "What jobs say beside their usual columns; None for nothing.")
      .def(py::init<std::size_t, std::size_t, std::optional<Int64Array>, std::optional<Int64Array>,
                    std::optional<BoolArray>, std::optional<Int64Array>, const std::optional<BoolArray>&,
                    std::optional<Float64Array>, std::optional<Float64Array>, std::vector<std::string>, const GivenParties*>(),
           py::arg("n_jobs"), py::arg("n_machines"), py::kw_only(), py::arg("n_tasks") = py::none(),
           py::arg("max_tasks") = py::none(), py::arg("exclusive") = py::none(), py::arg("eligibility") = py::none(),
           py::arg("allowed") = py::none(), py::arg("checkpoint_interval") = py::none(),
           py::arg("restart_cost") = py::none(), py::arg("constraints") = std::vector<std::string>(),
           py::arg("parties") = py::none());
}

void bind_cluster_simulation(py::module_& module) {
  module.def("simulate_cluster", &simulate_on_cluster, py::arg("policy"), py::arg("release_time"),
             py::arg("processing_time"), py::arg("weight"), py::arg("demand"), py::arg("capacity"), py::arg("cluster_jobs"),
             py::kw_only(), py::arg("outages"), py::arg("failures"), py::arg("cancellation") = py::none(),
             py::arg("killed") = "requeue", py::arg("arrives") = py::none(), py::arg("custom_key") = py::none(),
             py::arg("progress") = py::none(), py::arg("estimated_processing_time") = py::none(),
             py::arg("machine_number") = py::none(), py::arg("machine_weight") = py::none(), py::arg("site") = py::none(),
             py::arg("predicted_by") = py::none(),
             "Run a whole workload through a policy on a cluster; returns (columns of runs and outcomes, stats).");
}

}  // namespace schedcore::python
