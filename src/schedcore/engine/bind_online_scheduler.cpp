// The engine as the decision maker of another program: schedcore._core.engine.OnlineScheduler.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "base/choice.hpp"
#include "bindings.hpp"
#include "engine/cluster_jobs.hpp"
#include "engine/machine_arrays.hpp"
#include "engine/shared_scheduler.hpp"
#include "model/parallel_task_arrays.hpp"
#include "schedcore/backfilling/backfill_limits.hpp"
#include "site/site_arguments.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

SchedulerParts parts_of(const Policy& policy, const Policy* for_clusters, const std::string& killed,
                        const std::string& infeasible, const GivenSite* site) {
  check_shape(for_clusters == nullptr || for_clusters->heeds_clusters(), "for_clusters does not heed clusters");
  check_shape(for_clusters == nullptr || !policy.heeds_clusters(), "policy heeds clusters itself, so nobody takes its place");
  return {policy.clone(), for_clusters == nullptr ? nullptr : for_clusters->clone(), kill_rule_argument(killed),
          choice<bool>(infeasible, {{"refuse", false}, {"wait", true}}),
          site == nullptr ? std::nullopt : std::optional(site->rules),
          site == nullptr ? KillRule::requeue : site->preempt_rule};
}

std::unique_ptr<SharedScheduler> make_scheduler(const Policy& policy, const MachineArrays& arrays,
                                                const Policy* for_clusters, const std::string& killed,
                                                const std::string& infeasible, const GivenSite* site) {
  const MachineDescriptions machines = arrays.descriptions();
  return std::make_unique<SharedScheduler>(OnlineScheduler(machines, parts_of(policy, for_clusters, killed, infeasible, site)),
                                           machines.machines.n_resources);
}

// Jobs or tasks that are to be submitted: checked arrays of a caller, which outlive it.
using Submission = std::function<std::vector<std::int64_t>(OnlineScheduler&, Time)>;

std::span<const std::int64_t> given_ids(const std::optional<Int64Array>& ids, std::size_t n_jobs, const char* shape) {
  if (!ids) return {};
  check_shape(static_cast<std::size_t>(ids->size()) == n_jobs, shape);
  return span_of(*ids);
}

Submission submission_of_jobs(const SharedScheduler& shared, const Float64Array& processing_time, const Float64Array& weight,
                              const Int64Array& demand, const std::optional<Float64Array>& custom_key,
                              const std::optional<Int64Array>& ids, const ClusterJobs* cluster_jobs,
                              std::int64_t reservation = JobPlacements::kNoReservation) {
  const JobsView jobs = jobs_view(processing_time, processing_time, weight, demand);
  check_shape(jobs.n_resources == shared.n_resources(), "demand and the machines differ in n_resources");
  const auto given = given_ids(ids, jobs.n_jobs(), "ids must have shape (n_jobs,)");
  const auto key = column_span(custom_key, jobs.n_jobs(), "custom_key");
  ClusterJobs::check_embeddable(cluster_jobs, jobs.n_jobs());
  return [=](OnlineScheduler& scheduler, Time now) {
    if (cluster_jobs == nullptr && reservation == JobPlacements::kNoReservation) return scheduler.submit(jobs, key, given, now);
    std::vector<Constraint> constraints;
    auto columns = ClusterJobs::columns_on(scheduler.machine_table(), cluster_jobs, jobs.n_jobs(), constraints);
    columns.reservation = reservation;
    return scheduler.submit(jobs, key, given, now, columns);
  };
}

// Tasks of parallel jobs, each with the machines that it may use.
Submission submission_of_tasks(const SharedScheduler& shared, const ParallelTaskColumns& columns,
                               const std::optional<Int64Array>& ids) {
  const ParallelTasksView& tasks = columns.schedulable();
  const std::size_t n_tasks = tasks.n_tasks();
  check_shape(tasks.n_resources() == shared.n_resources(), "the tasks and the machines differ in n_resources");
  const auto given = given_ids(ids, n_tasks, "ids must have shape (n_tasks,)");
  return [=, &tasks](OnlineScheduler& scheduler, Time now) {
    std::vector<Time> processing_time(n_tasks);
    std::vector<double> weight(n_tasks);
    for (std::size_t task = 0; task < n_tasks; ++task) {
      processing_time[task] = tasks.shortest_time(task);
      weight[task] = tasks.weight[tasks.job_of(task)];
    }
    const JobsView jobs{processing_time, processing_time, weight, tasks.demand, tasks.n_resources()};
    const PlacementsView placements{tasks.placement_start, tasks.placement_machine, tasks.placement_time,
                                    tasks.placement_local, tasks.task_job};
    return scheduler.submit(jobs, {}, given, now, placements);
  };
}

Int64Array submitted(SharedScheduler& shared, const Submission& submission, std::size_t n_jobs, Time now) {
  Int64Array assigned(static_cast<py::ssize_t>(n_jobs));  // before the record: afterwards nothing may fail
  const auto written = writable_span_of(assigned);
  shared.locked([&](OnlineScheduler& scheduler) { std::ranges::copy(submission(scheduler, now), written.begin()); });
  return assigned;
}

Int64Array submit(SharedScheduler& shared, const Float64Array& processing_time, const Float64Array& weight,
                  const Int64Array& demand, const std::optional<Float64Array>& custom_key,
                  const std::optional<Int64Array>& ids, Time now, const ClusterJobs* cluster_jobs,
                  std::optional<std::int64_t> reservation) {
  check_shape(!reservation || *reservation >= 0, "a number of a reservation is negative");
  const Submission submission = submission_of_jobs(shared, processing_time, weight, demand, custom_key, ids, cluster_jobs,
                                                   reservation.value_or(JobPlacements::kNoReservation));
  return submitted(shared, submission, static_cast<std::size_t>(processing_time.size()), now);
}

Int64Array submit_tasks(SharedScheduler& shared, const ParallelTaskColumns& tasks, const std::optional<Int64Array>& ids,
                        Time now) {
  return submitted(shared, submission_of_tasks(shared, tasks, ids), tasks.schedulable().n_tasks(), now);
}

// Jobs that run already; `places` are the columns of their places, and where those of each job begin, from 0 to their number.
Int64Array adopt(SharedScheduler& shared, const Float64Array& processing_time, const Float64Array& weight,
                 const Int64Array& demand, const std::optional<Float64Array>& custom_key,
                 const std::optional<Int64Array>& ids, Time now, const Float64Array& release_time,
                 const Float64Array& start_time, const std::tuple<Int64Array, Int64Array, Int64Array>& places,
                 const ClusterJobs* cluster_jobs) {
  const JobsView jobs = jobs_view(release_time, processing_time, weight, demand);
  check_shape(jobs.n_resources == shared.n_resources(), "demand and the machines differ in n_resources");
  const std::size_t n_jobs = jobs.n_jobs();
  check_shape(static_cast<std::size_t>(start_time.size()) == n_jobs, "start_time must have shape (n_jobs,)");
  const auto given = given_ids(ids, n_jobs, "ids must have shape (n_jobs,)");
  const auto key = column_span(custom_key, n_jobs, "custom_key");
  ClusterJobs::check_embeddable(cluster_jobs, n_jobs);
  const auto [machine, n_tasks, first] =
      std::tuple(span_of(std::get<0>(places)), span_of(std::get<1>(places)), span_of(std::get<2>(places)));
  check_shape(machine.size() == n_tasks.size() && first.size() == n_jobs + 1 && first.front() == 0 &&
                  std::ranges::is_sorted(first) && static_cast<std::size_t>(first.back()) == machine.size(),
              "places must be columns of one length, and where those of each job begin");
  check_range(n_tasks, std::int64_t{1}, std::int64_t{kMostTasks}, "n_tasks");
  const std::vector<std::size_t> first_place(first.begin(), first.end());
  std::vector<TaskPlace> task_places;
  for (std::size_t k = 0; k < machine.size(); ++k) {
    task_places.push_back({static_cast<std::uint32_t>(machine[k]), n_tasks[k]});
  }
  const OnlineScheduler::Adoptions adoptions{span_of(release_time), span_of(start_time), first_place, task_places};
  const Submission submission = [&](OnlineScheduler& scheduler, Time instant) {
    for (const std::int64_t number : machine) static_cast<void>(scheduler.checked_machine(number));
    std::vector<Constraint> constraints;
    const auto columns = ClusterJobs::columns_on(scheduler.machine_table(), cluster_jobs, n_jobs, constraints);
    return scheduler.adopt(jobs, key, given, instant, columns, adoptions);
  };
  return submitted(shared, submission, n_jobs, now);
}

// All that happened at one instant, and the decision there: what `advance` answers, with the ids of the jobs.
py::tuple event(SharedScheduler& shared, const Int64Array& completed, const Int64Array& failed, const Int64Array& repaired,
                const Int64Array& cancelled, Time now, const std::optional<py::tuple>& jobs,
                const ParallelTaskColumns* tasks, const std::optional<Int64Array>& ids,
                std::uint64_t work_limit) {
  // The columns of `submit`, in its order.
  std::tuple<Float64Array, Float64Array, Int64Array, std::optional<Float64Array>> columns;
  Submission submission;
  if (jobs) {
    check_shape(jobs->size() == 5, "jobs must be the columns of submit");
    columns = {(*jobs)[0].cast<Float64Array>(), (*jobs)[1].cast<Float64Array>(), (*jobs)[2].cast<Int64Array>(),
               (*jobs)[3].cast<std::optional<Float64Array>>()};
    const auto& [processing_time, weight, demand, custom_key] = columns;
    submission = submission_of_jobs(shared, processing_time, weight, demand, custom_key, ids,
                                    (*jobs)[4].cast<const ClusterJobs*>());
  } else if (tasks != nullptr) {
    submission = submission_of_tasks(shared, *tasks, ids);
  }
  std::vector<std::int64_t> assigned;
  const auto [c, f, r, x] = std::tuple(span_of(completed), span_of(failed), span_of(repaired), span_of(cancelled));
  const auto record = [&, c = c, f = f, r = r, x = x](OnlineScheduler& scheduler) {
    if (!r.empty()) scheduler.repair_machines(r, now);
    scheduler.complete(c, now);
    if (!f.empty()) scheduler.fail_machines(f, now);
    if (!x.empty()) scheduler.cancel(x, now);
    if (submission) assigned = submission(scheduler, now);
  };
  return shared.advance_after(record, now, assigned, work_limit);
}

// One job without arrays, which cost more than the submission itself.
std::int64_t submit_one(SharedScheduler& shared, Time processing_time, double weight,
                        const std::vector<std::int64_t>& demand, std::optional<double> custom_key,
                        std::optional<std::int64_t> id, Time now) {
  check_shape(demand.size() == shared.n_resources(), "demand and the machines differ in n_resources");
  check_number(processing_time, 0.0, kLargestNumber, "processing_time");
  check_number(weight, 0.0, kLargestNumber, "weight");
  check_range(std::span<const std::int64_t>(demand), std::int64_t{0}, kLargestExact, "demand");
  check_number(custom_key.value_or(0), -kInfinity, kInfinity, "custom_key");
  const JobsView jobs{{&processing_time, 1}, {&processing_time, 1}, {&weight, 1}, demand, demand.size()};
  const auto key = custom_key ? std::span<const double>(&*custom_key, 1) : std::span<const double>{};
  const auto given = id ? std::span<const std::int64_t>(&*id, 1) : std::span<const std::int64_t>{};
  return shared.locked([&](OnlineScheduler& scheduler) { return scheduler.submit(jobs, key, given, now); }).front();
}

std::int64_t reserve_ids(SharedScheduler& shared, std::size_t count) {
  return shared.locked([&](OnlineScheduler& scheduler) { return scheduler.reserve_ids(count); });
}

void release_ids(SharedScheduler& shared, std::int64_t first, std::size_t count) {
  shared.locked([&](OnlineScheduler& scheduler) { scheduler.release_ids(first, count); });
}

void complete(SharedScheduler& shared, const Int64Array& ids, Time now) {
  const auto completed = span_of(ids);
  shared.locked([&](OnlineScheduler& scheduler) { scheduler.complete(completed, now); });
}

// A record of several jobs that has no answer.
template <auto kRecord>
void record(SharedScheduler& shared, const Int64Array& ids, Time now) {
  const auto given = span_of(ids);
  shared.locked([&](OnlineScheduler& scheduler) { (scheduler.*kRecord)(given, now); });
}

void update(SharedScheduler& shared, const Int64Array& ids, Time now, const std::optional<Float64Array>& remaining_time,
            const std::optional<Float64Array>& weight, const ClusterJobs* machines, const std::optional<Float64Array>& priority) {
  const auto n_jobs = static_cast<std::size_t>(ids.size());
  ClusterJobs::check_embeddable(machines, n_jobs);
  OnlineScheduler::Updates updates{span_of(ids), column_span(remaining_time, n_jobs, "remaining_time"),
                                   column_span(weight, n_jobs, "weight"), nullptr,
                                   column_span(priority, n_jobs, "priority")};
  check_range(updates.priority, -kLargestNumber, kLargestNumber, "priority");
  shared.locked([&](OnlineScheduler& scheduler) {
    std::vector<Constraint> constraints;
    const auto columns = ClusterJobs::columns_on(scheduler.machine_table(), machines, n_jobs, constraints);
    if (machines != nullptr) updates.machines = &columns;
    scheduler.update(updates, now);
  });
}

std::vector<std::string> partitions_of(SharedScheduler& shared, const Int64Array& ids) {
  const auto asked = span_of(ids);
  return shared.locked([&](const OnlineScheduler& scheduler) { return scheduler.partitions_of(asked); });
}

Int64Array fail_machines(SharedScheduler& shared, const Int64Array& machines, Time now) {
  const auto failed = span_of(machines);
  return array_of(shared.locked([&](OnlineScheduler& scheduler) { return scheduler.fail_machines(failed, now); }));
}

// Of machines that nothing starts on from now on; what becomes of the jobs that run there.
template <auto kRecord>
Int64Array stop_machines(SharedScheduler& shared, const Int64Array& machines, const std::string& running, Time now) {
  const auto runs = choice<RunsOnClosed>(
      running, {{"finish", RunsOnClosed::finish}, {"requeue", RunsOnClosed::requeue}, {"drop", RunsOnClosed::drop}});
  const auto given = span_of(machines);
  return array_of(
      shared.locked([&](OnlineScheduler& scheduler) { return (scheduler.*kRecord)(given, runs, now); }));
}

void announce_outage(SharedScheduler& shared, std::int64_t machine, Time start, Time end, Time now) {
  shared.locked([&](OnlineScheduler& scheduler) { scheduler.announce_outage(machine, {start, end}, now); });
}

Int64Array add_machines(SharedScheduler& shared, const MachineArrays& arrays, Time now) {
  const MachineDescriptions machines = arrays.descriptions();
  return array_of(shared.locked([&](OnlineScheduler& scheduler) { return scheduler.add_machines(machines, now); }));
}

std::int64_t reserve(SharedScheduler& shared, const Int64Array& demand, const std::optional<Int64Array>& machines, Time start,
                     Time end, Time now) {
  check_shape(demand.ndim() == 2 && static_cast<std::size_t>(demand.shape(1)) == shared.n_resources(),
              "demand must have shape (n_tasks, n_resources)");
  const auto rows = span_of(demand);
  const auto named = machines ? span_of(*machines) : std::span<const std::int64_t>();
  check_shape(!machines || (machines->size() > 0 && machines->size() == demand.shape(0)), "machines must have shape (n_tasks,)");
  return shared.locked([&](OnlineScheduler& scheduler) { return scheduler.reserve(rows, named, start, end, now); });
}

void cancel_reservation(SharedScheduler& shared, std::int64_t reservation, Time now) {
  shared.locked([&](OnlineScheduler& scheduler) { scheduler.cancel_reservation(reservation, now); });
}

void set_capacity(SharedScheduler& shared, std::int64_t machine, const Int64Array& capacity, Time now) {
  const auto amounts = span_of(capacity);
  shared.locked([&](OnlineScheduler& scheduler) { scheduler.set_capacity(machine, amounts, now); });
}

// How many tasks of each job would have room if nothing ran and all machines were up, at most its own.
Int64Array tasks_with_room(SharedScheduler& shared, const Int64Array& demand, const ClusterJobs* cluster_jobs) {
  check_shape(demand.ndim() == 2 && static_cast<std::size_t>(demand.shape(1)) == shared.n_resources(),
              "demand must have shape (n_jobs, n_resources)");
  check_range(span_of(demand), std::int64_t{0}, kLargestExact, "demand");
  const auto n_jobs = static_cast<std::size_t>(demand.shape(0));
  ClusterJobs::check_embeddable(cluster_jobs, n_jobs);
  std::vector<std::int64_t> room(n_jobs);
  shared.locked([&](OnlineScheduler& scheduler) {
    std::vector<Constraint> constraints;
    const auto columns = ClusterJobs::columns_on(scheduler.machine_table(), cluster_jobs, n_jobs, constraints);
    for (std::size_t job = 0; job < n_jobs; ++job) {
      const auto of_job = span_of(demand).subspan(job * shared.n_resources(), shared.n_resources());
      room[job] = scheduler.tasks_with_room(of_job, columns.placements_of(job));
    }
  });
  return array_of(room);
}

py::bytes snapshot(SharedScheduler& shared) {
  return py::bytes(shared.locked([](const OnlineScheduler& scheduler) { return scheduler.snapshot(); }));
}

std::unique_ptr<SharedScheduler> load(const Policy& policy, const MachineArrays& arrays, const py::bytes& snapshot,
                                      const Policy* for_clusters, const std::string& killed, const std::string& infeasible,
                                      const GivenSite* site) {
  const MachineDescriptions machines = arrays.descriptions();
  const std::string_view bytes(snapshot);
  SchedulerParts parts = parts_of(policy, for_clusters, killed, infeasible, site);
  std::optional<py::gil_scoped_release> release(std::in_place);
  OnlineScheduler scheduler(machines, std::move(parts), bytes);
  release.reset();
  return std::make_unique<SharedScheduler>(std::move(scheduler), machines.machines.n_resources);
}

void check_invariants(SharedScheduler& shared, const Policy& policy, const MachineArrays& arrays,
                      const Policy* for_clusters, const std::string& killed, const std::string& infeasible,
                                      const GivenSite* site) {
  const MachineDescriptions machines = arrays.descriptions();
  shared.locked([&](const OnlineScheduler& scheduler) {
    scheduler.check_invariants(machines, parts_of(policy, for_clusters, killed, infeasible, site));
  });
}

template <class Read>
auto reading(const Read& read) {
  return [read](SharedScheduler& shared) {
    return shared.locked([&](const OnlineScheduler& scheduler) { return read(scheduler); });
  };
}

}  // namespace

void bind_online_scheduler(py::module_& module) {
  py::class_<MachineArrays>(module, "Machines", "What an embedded engine is told of machines; an array for capacities alone.")
      .def(py::init<Int64Array, std::optional<Int64Array>, std::optional<Int64Array>, std::vector<std::vector<std::string>>>(),
           py::arg("capacity"), py::arg("weight") = py::none(), py::arg("label_set") = py::none(),
           py::arg("label_sets") = std::vector<std::vector<std::string>>());
  py::implicitly_convertible<Int64Array, MachineArrays>();
  py::class_<SharedScheduler> scheduler(module, "OnlineScheduler", "The engine as the decision maker of another program.");
  scheduler
      .def(py::init(&make_scheduler), py::arg("policy"), py::arg("machines"), py::kw_only(),
           py::arg("for_clusters") = py::none(), py::arg("killed") = "requeue", py::arg("infeasible") = "refuse", py::arg("site") = py::none())
      .def("submit", &submit, py::arg("processing_time"), py::arg("weight"), py::arg("demand"), py::arg("custom_key"),
           py::arg("ids"), py::arg("now"), py::arg("cluster_jobs") = py::none(), py::arg("reservation") = py::none())
      .def("submit_tasks", &submit_tasks, py::arg("tasks"), py::arg("ids"), py::arg("now"))
      .def("adopt", &adopt, py::arg("processing_time"), py::arg("weight"), py::arg("demand"), py::arg("custom_key"),
           py::arg("ids"), py::arg("now"), py::arg("release_time"), py::arg("start_time"), py::arg("places"),
           py::arg("cluster_jobs") = py::none())
      .def("submit_one", &submit_one, py::arg("processing_time"), py::arg("weight"), py::arg("demand"),
           py::arg("custom_key"), py::arg("id"), py::arg("now"))
      .def("reserve_ids", &reserve_ids, py::arg("count"))
      .def("release_ids", &release_ids, py::arg("first"), py::arg("count"))
      .def("complete", &complete, py::arg("ids"), py::arg("now"))
      .def("cancel", &record<&OnlineScheduler::cancel>, py::arg("ids"), py::arg("now"))
      .def("hold", &record<&OnlineScheduler::hold>, py::arg("ids"), py::arg("now"))
      .def("release", &record<&OnlineScheduler::release>, py::arg("ids"), py::arg("now"))
      .def("requeue", &record<&OnlineScheduler::requeue>, py::arg("ids"), py::arg("now"))
      .def("update", &update, py::arg("ids"), py::arg("now"), py::arg("remaining_time") = py::none(),
           py::arg("weight") = py::none(), py::arg("machines") = py::none(), py::arg("priority") = py::none())
      .def("partitions_of", &partitions_of, py::arg("ids"))
      .def("fail_machines", &fail_machines, py::arg("machines"), py::arg("now"))
      .def("repair_machines", &record<&OnlineScheduler::repair_machines>, py::arg("machines"), py::arg("now"))
      .def("close_machines", &stop_machines<&OnlineScheduler::close_machines>, py::arg("machines"), py::arg("running"),
           py::arg("now"))
      .def("remove_machines", &stop_machines<&OnlineScheduler::remove_machines>, py::arg("machines"), py::arg("running"),
           py::arg("now"))
      .def("add_machines", &add_machines, py::arg("machines"), py::arg("now"))
      .def("set_capacity", &set_capacity, py::arg("machine"), py::arg("capacity"), py::arg("now"))
      .def("tasks_with_room", &tasks_with_room, py::arg("demand"), py::arg("cluster_jobs") = py::none())
      .def("open_machines", &record<&OnlineScheduler::open_machines>, py::arg("machines"), py::arg("now"))
      .def("announce_outage", &announce_outage, py::arg("machine"), py::arg("start"), py::arg("end"), py::arg("now"))
      .def("reserve", &reserve, py::arg("demand"), py::arg("machines"), py::arg("start"), py::arg("end"), py::arg("now"))
      .def("cancel_reservation", &cancel_reservation, py::arg("reservation"), py::arg("now"))
      .def("advance", &SharedScheduler::advance, py::arg("now"), py::arg("work_limit") = 0)
      .def("event", &event, py::arg("completed"), py::arg("failed"), py::arg("repaired"), py::arg("cancelled"),
           py::arg("now"), py::kw_only(), py::arg("jobs") = py::none(), py::arg("tasks") = py::none(),
           py::arg("ids") = py::none(), py::arg("work_limit") = 0)
      .def("copy", &SharedScheduler::copy)
      .def("snapshot", &snapshot)
      .def_static("load", &load, py::arg("policy"), py::arg("machines"), py::arg("snapshot"), py::kw_only(),
                  py::arg("for_clusters") = py::none(), py::arg("killed") = "requeue", py::arg("infeasible") = "refuse", py::arg("site") = py::none(),
                  "A scheduler as its `snapshot` says, which is checked.")
      .def("check_invariants", &check_invariants, py::arg("policy"), py::arg("machines"), py::kw_only(),
           py::arg("for_clusters") = py::none(), py::arg("killed") = "requeue", py::arg("infeasible") = "refuse", py::arg("site") = py::none(),
           "For tests: RuntimeError where the state contradicts itself.")
      .def_property_readonly("n_overruns", reading([](const OnlineScheduler& s) {
                               const auto* records = dynamic_cast<const BackfillRecords*>(&s.policy());
                               return records == nullptr ? std::uint64_t{0} : records->n_overruns();
                             }))
      .def_property_readonly("last_decision", &SharedScheduler::last_decision)
      .def_property_readonly("n_advances", &SharedScheduler::n_advances)
      .def_property_readonly("recorded_instant", reading([](const OnlineScheduler& s) { return s.recorded_instant(); }))
      .def_property_readonly("next_id", reading([](const OnlineScheduler& s) { return s.next_id(); }))
      .def_property_readonly("now", reading([](const OnlineScheduler& s) { return s.now(); }))
      .def_property_readonly("n_running", reading([](const OnlineScheduler& s) { return s.n_running(); }))
      .def_property_readonly("n_waiting", reading([](const OnlineScheduler& s) { return s.n_waiting(); }));
  bind_scheduler_views(scheduler);
}

}  // namespace schedcore::python
