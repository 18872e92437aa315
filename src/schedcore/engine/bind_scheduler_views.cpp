// What an embedded engine knows of its jobs and machines: methods of schedcore._core.engine.OnlineScheduler.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/arrays.hpp"
#include "base/choice.hpp"
#include "engine/shared_scheduler.hpp"
#include "schedcore/engine/scheduler_views.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

// The numbers of an enumeration's values.
template <class State>
Int64Array numbers_of(const std::vector<State>& states) {
  Int64Array numbers(static_cast<py::ssize_t>(states.size()));
  std::ranges::transform(states, numbers.mutable_data(), [](State state) { return static_cast<std::int64_t>(state); });
  return numbers;
}

Int64Array rows_of(const std::vector<Amount>& values, std::size_t n_rows, std::size_t n_columns) {
  Int64Array rows({static_cast<py::ssize_t>(n_rows), static_cast<py::ssize_t>(n_columns)});
  std::ranges::copy(values, rows.mutable_data());
  return rows;
}

// Columns of the jobs that are "waiting", "held" or "running", or of all.
py::dict job_columns(SharedScheduler& shared, const std::optional<std::string>& state) {
  std::optional<JobState> only;
  if (state) {
    only = choice<JobState>(
        *state, {{"waiting", JobState::submitted}, {"held", JobState::held}, {"running", JobState::running}});
  }
  const JobRows rows = shared.locked([&](const OnlineScheduler& scheduler) { return job_rows(scheduler.state(), scheduler.machine_table(), only); });
  py::dict columns;
  columns["id"] = array_of(rows.id);
  columns["state"] = numbers_of(rows.state);
  columns["release_time"] = array_of(rows.release_time);
  columns["processing_time"] = array_of(rows.processing_time);
  columns["reservation"] = array_of(rows.reservation);
  columns["weight"] = array_of(rows.weight);
  columns["n_tasks"] = array_of(rows.n_tasks);
  columns["demand"] = rows_of(rows.demand, rows.id.size(), shared.n_resources());
  columns["machine"] = array_of(rows.machine);
  columns["start_time"] = array_of(rows.start_time);
  columns["estimated_end"] = array_of(rows.estimated_end);
  columns["tasks"] = py::make_tuple(column(rows.tasks, &IdTasks::id), column(rows.tasks, &IdTasks::machine),
                                    column(rows.tasks, &IdTasks::n_tasks));
  return columns;
}

// Of which ids it is true.
template <bool (OnlineScheduler::*is)(std::int64_t) const>
py::array_t<bool> which(SharedScheduler& shared, const Int64Array& ids) {
  const auto asked = span_of(ids);
  std::vector<bool> found;
  shared.locked([&](const OnlineScheduler& scheduler) {
    for (const std::int64_t id : asked) found.push_back((scheduler.*is)(id));
  });
  py::array_t<bool> answer(ids.size());
  std::ranges::copy(found, answer.mutable_data());
  return answer;
}

py::dict machine_columns(SharedScheduler& shared) {
  const MachineRows rows =
      shared.locked([&](const OnlineScheduler& scheduler) { return machine_rows(scheduler.state(), scheduler.machine_table()); });
  py::dict columns;
  columns["machine"] = array_of(rows.machine);
  columns["state"] = numbers_of(rows.state);
  columns["capacity"] = rows_of(rows.capacity, rows.machine.size(), shared.n_resources());
  columns["used"] = rows_of(rows.used, rows.machine.size(), shared.n_resources());
  columns["reserved"] = rows_of(rows.reserved, rows.machine.size(), shared.n_resources());
  columns["free"] = rows_of(rows.free, rows.machine.size(), shared.n_resources());
  columns["n_jobs"] = array_of(rows.n_jobs);
  return columns;
}

// A row for every share, by reservation, then machine.
py::dict reservation_columns(SharedScheduler& shared) {
  const ReservationRows rows = shared.locked(
      [&](const OnlineScheduler& scheduler) { return reservation_rows(scheduler.state(), scheduler.machine_table()); });
  py::dict columns;
  columns["reservation"] = array_of(rows.reservation);
  columns["start"] = array_of(rows.start);
  columns["end"] = array_of(rows.end);
  columns["machine"] = array_of(rows.machine);
  columns["amounts"] = rows_of(rows.amounts, rows.machine.size(), shared.n_resources());
  columns["free"] = rows_of(rows.free, rows.machine.size(), shared.n_resources());
  return columns;
}

}  // namespace

void bind_scheduler_views(py::class_<SharedScheduler>& scheduler) {
  // Those of jobs that wait, run, or are recorded to arrive.
  scheduler.def("are_alive", &which<&OnlineScheduler::knows>, py::arg("ids"));
  scheduler.def("are_running", &which<&OnlineScheduler::is_running>, py::arg("ids"));
  scheduler.def("jobs", &job_columns, py::arg("state") = py::none()).def("machine_state", &machine_columns);
  scheduler.def("reservations", &reservation_columns);
}

}  // namespace schedcore::python
