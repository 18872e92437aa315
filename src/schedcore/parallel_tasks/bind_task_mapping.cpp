// From the fractions of an interval-indexed program to pieces without preemption: columns of fractions in, places of
// tasks and pieces out.  schedcore.algorithms.parallel_tasks composes the steps.
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/choice.hpp"
#include "bindings.hpp"
#include "model/parallel_task_arrays.hpp"
#include "schedcore/parallel_tasks/batch_packing.hpp"
#include "schedcore/parallel_tasks/capped_fractions.hpp"
#include "schedcore/parallel_tasks/interval_progress.hpp"
#include "schedcore/parallel_tasks/mapping_graph.hpp"
#include "schedcore/parallel_tasks/task_placement.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

constexpr std::int64_t kMostDoublingIntervals = 90;
constexpr std::size_t kMostMachines = std::size_t{1} << 31;

// Like check_shape, for conditions on every row: makes no string unless it throws.
void check_row(bool holds, const char* what) {
  if (!holds) throw py::value_error(what);
}

// Columns that are filled row by row.
template <std::size_t n_columns>
class Columns {
 public:
  explicit Columns(std::size_t n_rows) {
    for (Int64Array& column : column_) column = Int64Array(static_cast<py::ssize_t>(n_rows));
  }
  template <class... Values>
  void set(std::size_t row, Values... values) {
    static_assert(sizeof...(Values) == n_columns);
    std::size_t next = 0;
    ((column_[next++].mutable_data()[row] = static_cast<std::int64_t>(values)), ...);
  }
  [[nodiscard]] const Int64Array& column(std::size_t i) const { return column_[i]; }

 private:
  std::array<Int64Array, n_columns> column_;
};

std::size_t checked_index(std::int64_t value, std::size_t bound, const char* what) {
  check_row(value >= 0 && static_cast<std::size_t>(value) < bound, what);
  return static_cast<std::size_t>(value);
}

// Fractions of ascending tasks from 0 on, those of each adding up to `whole`.
std::vector<IntervalFraction> task_fractions(const Int64Array& task, const Int64Array& machine,
                                             const Int64Array& interval, const Int64Array& units, std::int64_t whole) {
  const auto n = static_cast<std::size_t>(task.size());
  check_row(machine.size() == task.size() && interval.size() == task.size() && units.size() == task.size(),
            "task, machine, interval and units must be equally long");
  check_row(task.ndim() == 1, "task must have one dimension");
  check_row(whole >= 1, "whole must be at least 1");
  std::vector<IntervalFraction> fractions(n);
  std::int64_t left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t own = task.data()[i];
    const bool is_next = i == 0 || own != task.data()[i - 1];
    if (is_next) {
      check_row(left == 0 && own == (i == 0 ? 0 : task.data()[i - 1] + 1),
                "every task needs fractions that add up to one task, tasks in ascending order");
      left = whole;
    }
    check_row(units.data()[i] > 0 && units.data()[i] <= left, "units must be positive and add up to one task");
    left -= units.data()[i];
    fractions[i] = {
        static_cast<std::size_t>(own), checked_index(machine.data()[i], kMostMachines, "machine is out of range"),
        checked_index(interval.data()[i], kMostDoublingIntervals, "interval is out of range"), units.data()[i]};
    const auto place = [](const IntervalFraction& fraction) { return std::pair(fraction.interval, fraction.machine); };
    check_row(is_next || place(fractions[i - 1]) < place(fractions[i]),
              "the fractions of a task must ascend by interval, then machine");
  }
  check_row(left == 0, "units must add up to one task");
  return fractions;
}

void check_placed(const ParallelTasksView& view, std::size_t task, std::size_t machine) {
  check_row(view.placement_on(task, machine) != kNoPlacement, "a task must be on a machine of its placement set");
}

py::tuple cap_fractions(const Int64Array& task, const Int64Array& machine, const Int64Array& interval,
                        const Int64Array& units, std::int64_t lambda_units, const std::string& cap) {
  check_row(lambda_units >= 1 && lambda_units <= kWholeTask, "lambda_units must be at least 1 and at most 10**9");
  const FractionCap by =
      choice<FractionCap>(cap, {{"task", FractionCap::task}, {"machine", FractionCap::machine}});
  const std::vector<IntervalFraction> fractions = task_fractions(task, machine, interval, units, kWholeTask);
  CappedFractions capped;
  {
    const py::gil_scoped_release unlocked;
    capped = capped_fractions(fractions, lambda_units, by);
  }
  Columns<4> columns(capped.fractions.size());
  for (std::size_t i = 0; i < capped.fractions.size(); ++i) {
    const IntervalFraction& fraction = capped.fractions[i];
    columns.set(i, fraction.task, fraction.machine, fraction.interval, fraction.units);
  }
  return py::make_tuple(columns.column(0), columns.column(1), columns.column(2), columns.column(3), capped.whole);
}

CappedFractions mappable(const ParallelTasksView& view, const Int64Array& task, const Int64Array& machine,
                         const Int64Array& interval, const Int64Array& units, std::int64_t whole) {
  CappedFractions capped{task_fractions(task, machine, interval, units, whole), whole};
  const std::size_t last = capped.fractions.empty() ? 0 : capped.fractions.back().task + 1;
  check_row(last == view.n_tasks(), "every task of the instance needs fractions");
  for (const IntervalFraction& fraction : capped.fractions) check_placed(view, fraction.task, fraction.machine);
  return capped;
}

py::tuple mapping_edges(const ParallelTaskColumns& tasks, const Int64Array& task, const Int64Array& machine,
                        const Int64Array& interval, const Int64Array& units, std::int64_t whole) {
  const CappedFractions capped = mappable(tasks.schedulable(), task, machine, interval, units, whole);
  const MappingGraph mapping = mapping_graph(tasks.view(), capped);
  std::vector<std::size_t> number(mapping.place.size(), 0);  // of each copy, among those of its place
  for (std::size_t copy = 1; copy < number.size(); ++copy) {
    if (mapping.place[copy] == mapping.place[copy - 1]) number[copy] = number[copy - 1] + 1;
  }
  Columns<5> columns(mapping.weight.size());
  for (std::size_t own = 0; own < mapping.graph.n_left(); ++own) {
    for (std::size_t edge = mapping.graph.first_edge[own]; edge < mapping.graph.first_edge[own + 1]; ++edge) {
      const std::uint32_t copy = mapping.graph.neighbour[edge];
      columns.set(edge, own, mapping.place[copy].interval, mapping.place[copy].machine, number[copy],
                  mapping.weight[edge]);
    }
  }
  return py::make_tuple(columns.column(0), columns.column(1), columns.column(2), columns.column(3), columns.column(4));
}

// Seconds where augmenting paths are long, so other Python threads go on meanwhile.
py::tuple mapped(const ParallelTaskColumns& tasks, const Int64Array& task, const Int64Array& machine,
                 const Int64Array& interval, const Int64Array& units, std::int64_t whole) {
  const CappedFractions capped = mappable(tasks.schedulable(), task, machine, interval, units, whole);
  std::vector<MachineInterval> place;
  {
    const py::gil_scoped_release unlocked;
    place = map_tasks(mapping_graph(tasks.view(), capped));
  }
  Columns<2> columns(place.size());
  for (std::size_t own = 0; own < place.size(); ++own) columns.set(own, place[own].machine, place[own].interval);
  return py::make_tuple(columns.column(0), columns.column(1));
}

IntervalProgressView progress_view(const Int64Array& progress) {
  check_row(progress.ndim() == 2 && progress.shape(1) >= 2 && progress.shape(1) <= kMostDoublingIntervals,
            "progress must have shape (n_jobs, n_intervals) with 2 to 90 intervals");
  const IntervalProgressView view{span_of(progress), static_cast<std::size_t>(progress.shape(1))};
  for (std::size_t job = 0; job < view.n_jobs(); ++job) {
    const auto done = view.of(job);
    check_row(done.front() == 0 && done.back() == kWholeTask && std::is_sorted(done.begin(), done.end()),
              "the progress of a job must rise from 0 to 10**9");
  }
  return view;
}

std::int64_t smallest_proxy(const Int64Array& progress, const Float64Array& weight) {
  const IntervalProgressView view = progress_view(progress);
  check_row(weight.ndim() == 1 && static_cast<std::size_t>(weight.shape(0)) == view.n_jobs(),
            "weight must have shape (n_jobs,)");
  for (const double value : span_of(weight)) {
    check_row(value >= 0 && std::isfinite(value), "weights must be finite and not negative");
  }
  const py::gil_scoped_release unlocked;
  return lambda_of_smallest_proxy(view, span_of(weight));
}

Int64Array ranks(const Int64Array& progress) {
  const std::vector<std::int64_t> rank = completion_ranks(progress_view(progress));
  return Int64Array(static_cast<py::ssize_t>(rank.size()), rank.data());
}

py::tuple packed(const ParallelTaskColumns& tasks, const Int64Array& machine, const Int64Array& interval,
                 const Int64Array& job_rank) {
  const ParallelTasksView& view = tasks.schedulable();
  check_row(static_cast<std::size_t>(machine.size()) == view.n_tasks() && interval.size() == machine.size(),
            "machine and interval must have shape (n_tasks,)");
  check_row(static_cast<std::size_t>(job_rank.size()) == view.n_jobs(), "job_rank must have shape (n_jobs,)");
  std::vector<MachineInterval> place(view.n_tasks());
  for (std::size_t task = 0; task < place.size(); ++task) {
    place[task] = {checked_index(machine.data()[task], view.n_machines(), "machine is out of range"),
                   checked_index(interval.data()[task], kMostDoublingIntervals, "interval is out of range")};
    check_placed(view, task, place[task].machine);
  }
  std::vector<TaskPiece> pieces;
  {
    const py::gil_scoped_release unlocked;
    pieces = pack_batches(view, place, span_of(job_rank));
  }
  return pieces_tuple(pieces);
}

using PieceColumns = std::tuple<Int64Array, Int64Array, Float64Array, Float64Array>;

std::vector<TaskPiece> placed_pieces(const ParallelTasksView& view, const PieceColumns& columns) {
  const auto& [task, machine, start, end] = columns;
  std::vector<TaskPiece> pieces = pieces_of(view, task, machine, start, end);
  for (const TaskPiece& piece : pieces) {
    check_placed(view, piece.task, piece.machine);
    check_row(piece.start >= 0 && piece.start < piece.end && std::isfinite(piece.end),
              "pieces need 0 <= start < end, both finite");
  }
  return pieces;
}

py::tuple place_plan_from(const ParallelTaskColumns& tasks, const PieceColumns& running, const PieceColumns& plan,
                          Time begin) {
  check_row(begin >= 0 && std::isfinite(begin), "begin must be finite and not negative");
  const std::vector<TaskPiece> beside = placed_pieces(tasks.schedulable(), running);
  std::vector<TaskPiece> pieces = placed_pieces(tasks.view(), plan);
  {
    const py::gil_scoped_release unlocked;
    pieces = place_plan(tasks.view(), beside, pieces, begin);
  }
  return pieces_tuple(pieces);
}

}  // namespace

void bind_task_mapping(py::module_& module) {
  module.def("cap_fractions", &cap_fractions,
             "Slow-Motion: task, machine, interval and units of what is left of the fractions, and the units of a "
             "task.",
             py::arg("task"), py::arg("machine"), py::arg("interval"), py::arg("units"), py::arg("lambda_units"),
             py::arg("cap"));
  module.def("mapping_edges", &mapping_edges,
             "Edges of the mapping graph: task, interval, machine, copy of that interval, and weight.",
             py::arg("tasks"), py::arg("task"), py::arg("machine"), py::arg("interval"), py::arg("units"),
             py::arg("whole"));
  module.def("map_tasks", &mapped, "Machine and interval of every task by the matching of the mapping graph.",
             py::arg("tasks"), py::arg("task"), py::arg("machine"), py::arg("interval"), py::arg("units"),
             py::arg("whole"));
  module.def("lambda_of_smallest_proxy", &smallest_proxy, "The best lambda in units of 1e-9; the largest of several.",
             py::arg("progress"), py::arg("weight"));
  module.def("completion_ranks", &ranks, "Rank of every job by its completion in the program; equal jobs share one.",
             py::arg("progress"));
  module.def("pack_batches", &packed, "Pieces of all tasks, one batch an interval on each machine.", py::arg("tasks"),
             py::arg("machine"), py::arg("interval"), py::arg("job_rank"));
  module.def("place_plan", &place_plan_from,
             "The planned pieces at the earliest times from `begin` on at which they fit beside the running ones.",
             py::arg("tasks"), py::arg("running"), py::arg("plan"), py::arg("begin"));
}

}  // namespace schedcore::python
