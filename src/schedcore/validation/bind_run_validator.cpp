// The exact validator of runs on clusters: arrays in, the first violation out.
#include <pybind11/stl.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/arrays.hpp"
#include "base/choice.hpp"
#include "bindings.hpp"
#include "schedcore/validation/run_validator.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

using RunFlagArray = py::array_t<bool, py::array::c_style>;
using DownTimeColumns = std::tuple<Int64Array, Float64Array, Float64Array>;

// To whom jobs belong, the one party that is limited (-1: each), what is added up, the resource, and the most of it.
using RunLimitRow = std::tuple<Int64Array, std::int64_t, std::string, std::int64_t, Amount>;

// In the order of RunViolationKind.
constexpr std::array kRunViolationNames{
    "time_not_finite",     "unknown_job",          "unknown_machine", "job_forbidden", "start_before_release",
    "no_progress",         "attempt_out_of_order", "job_runs_twice",  "job_has_ended", "past_cancellation",
    "dependency_unmet",    "wrong_n_tasks",        "wrong_length",    "not_cut_short", "killed_by_nothing",
    "cancelled_by_nobody", "limit_exceeded",       "machine_twice",   "no_tasks",      "machine_not_allowed",
    "too_many_tasks",      "during_outage",        "during_failure",  "not_alone",     "capacity_exceeded",
    "wrong_outcome",
};
static_assert(kRunViolationNames.size() == static_cast<std::size_t>(RunViolationKind::wrong_outcome) + 1);

template <class T>
std::span<const T> optional_column(const std::optional<py::array_t<T, py::array::c_style>>& column, std::size_t n_rows,
                                   const char* name) {
  if (!column) return {};
  check_shape(column->ndim() == 1 && static_cast<std::size_t>(column->size()) == n_rows,
              std::string(name) + " must have an entry for each job");
  return span_of(*column);
}

// Rows of the list of each of n_owners owners.
void check_offsets(std::span<const std::int64_t> offsets, std::size_t n_owners, std::size_t n_rows, const char* name) {
  bool ascends = offsets.size() == n_owners + 1 && offsets.front() == 0 &&
                 offsets.back() == static_cast<std::int64_t>(n_rows);
  for (std::size_t i = 0; ascends && i < n_owners; ++i) ascends = offsets[i] <= offsets[i + 1];
  check_shape(ascends, std::string(name) + " must go from 0 to the number of rows without descending");
}

// Codes of an enumeration, of which the first `n_known` may occur.
template <class Enum>
std::vector<Enum> choices_of(const std::optional<Int64Array>& codes, std::size_t n_rows, std::int64_t n_known,
                             const char* name) {
  std::vector<Enum> choices;
  if (!codes) return choices;
  check_shape(codes->ndim() == 1 && static_cast<std::size_t>(codes->size()) == n_rows,
              std::string(name) + " has another length than its neighbours");
  check_range(span_of(*codes), std::int64_t{0}, n_known - 1, name);
  choices.reserve(n_rows);
  for (const std::int64_t code : span_of(*codes)) choices.push_back(static_cast<Enum>(code));
  return choices;
}

DownView down_view(const std::optional<DownTimeColumns>& columns, std::size_t n_machines, const char* name) {
  if (!columns) return {};
  const auto& [machine, start, end] = *columns;
  check_shape(machine.size() == start.size() && machine.size() == end.size(),
              std::string(name) + " must have columns of one length");
  const DownView view{span_of(machine), span_of(start), span_of(end)};
  check_range(view.machine, std::int64_t{0}, static_cast<std::int64_t>(n_machines) - 1, name);
  check_range(view.start, -kLargestNumber, kLargestNumber, name);
  for (std::size_t row = 0; row < view.start.size(); ++row) {
    check_shape(view.start[row] < view.end[row], std::string(name) + " must end after they start");
  }
  return view;
}

KilledJobs killed_jobs(const std::string& rule) {
  return choice<KilledJobs>(
      rule, {{"requeue", KilledJobs::requeue}, {"drop", KilledJobs::drop}, {"checkpoint", KilledJobs::checkpoint}});
}

RunLimit run_limit(const RunLimitRow& row, std::size_t n_jobs, std::size_t n_resources) {
  const auto& [party, only, amount, resource, most] = row;
  RunLimit limit;
  check_shape(party.ndim() == 1 && static_cast<std::size_t>(party.size()) == n_jobs,
              "the party of a limit must have an entry for each job");
  limit.party = span_of(party);
  check_range(limit.party, std::int64_t{-1}, static_cast<std::int64_t>(n_jobs) - 1, "the party of a limit");
  limit.only = only;
  limit.amount = choice<LimitedAmount>(
      amount, {{"jobs", LimitedAmount::jobs}, {"tasks", LimitedAmount::tasks}, {"resource", LimitedAmount::resource}});
  check_shape(resource >= 0 && static_cast<std::size_t>(resource) < n_resources,
              "a limit names a resource there is not");
  limit.resource = static_cast<std::size_t>(resource);
  limit.most = most;
  check_shape(most >= 0, "the most of a limit must not be negative");
  return limit;
}

py::int_ python_integer(Int128 value) {
  const py::int_ high(static_cast<std::int64_t>(value >> 64));
  const py::int_ low(static_cast<std::uint64_t>(value));
  return (high << py::int_(64)) | low;
}

py::object find_run_violation(
    const Float64Array& release_time, const Float64Array& processing_time, const Int64Array& demand,
    const Int64Array& capacity, const Int64Array& job, const Int64Array& attempt, const Float64Array& start_time,
    const Float64Array& end_time, const Int64Array& outcome, const Int64Array& first_place, const Int64Array& machine,
    const Int64Array& place_n_tasks, const std::optional<Int64Array>& n_tasks,
    const std::optional<Int64Array>& max_tasks, const std::optional<RunFlagArray>& exclusive,
    const std::optional<Int64Array>& machine_set, const std::optional<RunFlagArray>& allowed,
    const std::optional<Float64Array>& checkpoint_interval, const std::optional<Float64Array>& restart_cost,
    const std::optional<Int64Array>& first_awaited, const std::optional<Int64Array>& awaited_job,
    const std::optional<Int64Array>& awaited, const std::optional<DownTimeColumns>& outages,
    const std::optional<DownTimeColumns>& failures, const std::optional<Float64Array>& cancellation,
    const std::string& killed, const std::optional<Int64Array>& job_outcome,
    const std::optional<RunFlagArray>& forbidden, const std::optional<Int64Array>& level,
    const std::optional<RunFlagArray>& preemptible, const std::vector<RunLimitRow>& limits,
    const std::optional<std::string>& preempt) {
  ClusterJobsView jobs;
  // The validator reads no weights; any column of the right length completes the view.
  jobs.jobs = jobs_view(release_time, processing_time, processing_time, demand);
  const MachinesView machines = machines_view(capacity);
  check_shape(machines.n_resources == jobs.jobs.n_resources, "demand and capacity differ in their number of columns");
  const std::size_t n_jobs = jobs.jobs.n_jobs();

  jobs.n_tasks = optional_column(n_tasks, n_jobs, "n_tasks");
  check_range(jobs.n_tasks, Amount{1}, kLargestExact, "n_tasks");
  jobs.max_tasks = optional_column(max_tasks, n_jobs, "max_tasks");
  check_range(jobs.max_tasks, Amount{0}, kLargestExact, "max_tasks");
  jobs.exclusive = optional_column(exclusive, n_jobs, "exclusive");
  std::int64_t n_sets = 0;
  if (allowed) {
    check_shape(allowed->ndim() == 2 && static_cast<std::size_t>(allowed->shape(1)) == machines.n_machines,
                "allowed must have shape (n_sets, n_machines)");
    n_sets = allowed->shape(0);
    jobs.allowed = span_of(*allowed);
  }
  jobs.machine_set = optional_column(machine_set, n_jobs, "machine_set");
  check_range(jobs.machine_set, std::int64_t{-1}, n_sets - 1, "machine_set");
  jobs.checkpoint_interval = optional_column(checkpoint_interval, n_jobs, "checkpoint_interval");
  check_range(jobs.checkpoint_interval, 0.0, kLargestNumber, "checkpoint_interval");
  jobs.restart_cost = optional_column(restart_cost, n_jobs, "restart_cost");
  check_range(jobs.restart_cost, 0.0, kLargestNumber, "restart_cost");

  check_shape(first_awaited.has_value() == awaited_job.has_value() && awaited_job.has_value() == awaited.has_value(),
              "first_awaited, awaited_job and awaited are given together");
  const std::size_t n_awaited = awaited_job ? static_cast<std::size_t>(awaited_job->size()) : 0;
  const auto awaited_how = choices_of<Awaited>(awaited, n_awaited, 3, "awaited");
  if (first_awaited) {
    jobs.first_awaited = span_of(*first_awaited);
    jobs.awaited_job = span_of(*awaited_job);
    jobs.awaited = awaited_how;
    check_offsets(jobs.first_awaited, n_jobs, n_awaited, "first_awaited");
    check_range(jobs.awaited_job, std::int64_t{0}, static_cast<std::int64_t>(n_jobs) - 1, "awaited_job");
  }

  const auto n_runs = static_cast<std::size_t>(job.size());
  const auto n_places = static_cast<std::size_t>(machine.size());
  check_shape(job.ndim() == 1 && static_cast<std::size_t>(attempt.size()) == n_runs &&
                  static_cast<std::size_t>(start_time.size()) == n_runs &&
                  static_cast<std::size_t>(end_time.size()) == n_runs,
              "job, attempt, start_time and end_time must be equally long");
  check_shape(static_cast<std::size_t>(place_n_tasks.size()) == n_places, "machine and place_n_tasks differ in length");
  check_offsets(span_of(first_place), n_runs, n_places, "first_place");
  const auto ended = choices_of<Outcome>(outcome, n_runs, 3, "outcome");
  const RunsView runs{span_of(job), span_of(attempt),     span_of(start_time), span_of(end_time),
                      ended,        span_of(first_place), span_of(machine),    span_of(place_n_tasks)};

  ClusterEventsView events;
  events.outages = down_view(outages, machines.n_machines, "outages");
  events.failures = down_view(failures, machines.n_machines, "failures");
  events.cancellation = optional_column(cancellation, n_jobs, "cancellation");
  check_range(events.cancellation, -kInfinity, kInfinity, "cancellation");
  events.killed = killed_jobs(killed);
  const auto expected = choices_of<Outcome>(job_outcome, n_jobs, 5, "job_outcome");

  RunRules rules;
  rules.forbidden = optional_column(forbidden, n_jobs, "forbidden");
  rules.level = optional_column(level, n_jobs, "level");
  check_range(rules.level, -kLargestExact, kLargestExact, "level");
  rules.preemptible = optional_column(preemptible, n_jobs, "preemptible");
  std::vector<RunLimit> limit_views;
  for (const RunLimitRow& row : limits) limit_views.push_back(run_limit(row, n_jobs, machines.n_resources));
  rules.limits = limit_views;
  if (preempt) rules.preempt = killed_jobs(*preempt);

  std::optional<RunViolation> found;
  {
    const py::gil_scoped_release unlocked;  // the sweep sorts and reads plain arrays
    found = find_first_run_violation(jobs, machines, runs, events, expected, rules);
  }
  if (!found) return py::none();
  return py::make_tuple(kRunViolationNames[static_cast<std::size_t>(found->kind)], found->job, found->run,
                        found->machine, found->instant, found->resource, python_integer(found->excess), found->bound,
                        found->other);
}

}  // namespace

void bind_run_validator(py::module_& module) {
  module.def(
      "find_first_run_violation", &find_run_violation,
      "The first violation of runs on a cluster as (kind, job, run, machine, instant, resource, excess, bound, "
      "other), or None. Outcomes are 0 completed, 1 killed, 2 cancelled, of jobs also 3 never, 4 waiting; a job "
      "waits for another until it has 0 completed, 1 ended, 2 ended without completing. A limit says to whom jobs "
      "belong, the one party that is limited or -1, what is added up (jobs, tasks or resource), the resource, "
      "and the most of it.",
      py::arg("release_time"), py::arg("processing_time"), py::arg("demand"), py::arg("capacity"), py::arg("job"),
      py::arg("attempt"), py::arg("start_time"), py::arg("end_time"), py::arg("outcome"), py::arg("first_place"),
      py::arg("machine"), py::arg("place_n_tasks"), py::kw_only(), py::arg("n_tasks") = py::none(),
      py::arg("max_tasks") = py::none(), py::arg("exclusive") = py::none(), py::arg("machine_set") = py::none(),
      py::arg("allowed") = py::none(), py::arg("checkpoint_interval") = py::none(),
      py::arg("restart_cost") = py::none(), py::arg("first_awaited") = py::none(), py::arg("awaited_job") = py::none(),
      py::arg("awaited") = py::none(), py::arg("outages") = py::none(), py::arg("failures") = py::none(),
      py::arg("cancellation") = py::none(), py::arg("killed") = "requeue", py::arg("job_outcome") = py::none(),
      py::arg("forbidden") = py::none(), py::arg("level") = py::none(), py::arg("preemptible") = py::none(),
      py::arg("limits") = std::vector<RunLimitRow>{}, py::arg("preempt") = py::none());
}

}  // namespace schedcore::python
