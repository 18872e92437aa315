// SynchPack-1 after its linear program: task fractions in, pieces of tasks out; and the shift to the left that it
// shares with SynchPack-2.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "base/python_monitor.hpp"
#include "bindings.hpp"
#include "model/parallel_task_arrays.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/parallel_tasks/best_lambda.hpp"
#include "schedcore/parallel_tasks/fraction_schedule.hpp"
#include "schedcore/parallel_tasks/shift_left.hpp"
#include "schedcore/parallel_tasks/slow_motion.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

constexpr std::size_t kMostListedIntervals = std::size_t{1} << 20;

FractionCap fraction_cap(const std::string& name) {
  if (name == "task") return FractionCap::task;
  if (name == "machine") return FractionCap::machine;
  throw InvalidInstanceError("unknown cap '" + name + "'");
}

std::vector<IntervalFraction> interval_fractions(const ParallelTasksView& tasks, const Int64Array& task,
                                                 const Int64Array& machine, const Int64Array& interval,
                                                 const Int64Array& units, std::size_t n_intervals) {
  const py::ssize_t n = task.size();
  check_shape(machine.size() == n && interval.size() == n && units.size() == n,
              "task, machine, interval and units must be equally long");
  check_shape(n_intervals <= kMostListedIntervals, "n_intervals must be at most 2**20");
  std::vector<IntervalFraction> fractions(static_cast<std::size_t>(n));
  std::vector<std::int64_t> total(tasks.n_tasks());
  for (std::size_t f = 0; f < fractions.size(); ++f) {
    IntervalFraction& fraction = fractions[f];
    fraction = {static_cast<std::size_t>(task.data()[f]), static_cast<std::size_t>(machine.data()[f]),
                static_cast<std::size_t>(interval.data()[f]), units.data()[f]};
    check_shape(fraction.task < tasks.n_tasks(), "task must be below n_tasks");
    check_shape(fraction.interval < n_intervals, "interval must be below n_intervals");
    check_shape(tasks.placement_on(fraction.task, fraction.machine) != kNoPlacement,
                "machine must be one of the task's");
    check_shape(fraction.units > 0 && fraction.units <= kWholeTask - total[fraction.task],
                "units must be positive and add up to 10**9 for each task");
    total[fraction.task] += fraction.units;
  }
  for (const std::int64_t sum : total) check_shape(sum == kWholeTask, "units must add up to 10**9 for each task");
  return fractions;
}

// The preemptive schedule of task fractions, and what slow motion makes of it.
class FractionScheduleOfTasks {
 public:
  FractionScheduleOfTasks(const ParallelTaskColumns& tasks, const Int64Array& task, const Int64Array& machine,
                          const Int64Array& interval, const Int64Array& units, std::size_t n_intervals,
                          py::object progress)
      : tasks_(tasks),
        fractions_(interval_fractions(tasks_.schedulable(), task, machine, interval, units, n_intervals)) {
    PythonMonitor monitor(std::move(progress));
    const py::gil_scoped_release unlocked;
    schedule_ = fraction_schedule(tasks_.view(), fractions_, n_intervals, &monitor);
    progress_ = TaskProgress(tasks_.view(), fractions_, schedule_.pieces);
  }

  [[nodiscard]] Int64Array tau() const { return array_of(schedule_.tau); }
  // Columns fraction, start, end.
  [[nodiscard]] py::tuple pieces() const {
    const auto n = static_cast<py::ssize_t>(schedule_.pieces.size());
    Int64Array fraction(n), start(n), end(n);
    for (std::size_t i = 0; i < schedule_.pieces.size(); ++i) {
      fraction.mutable_data()[i] = static_cast<std::int64_t>(schedule_.pieces[i].fraction);
      start.mutable_data()[i] = schedule_.pieces[i].start;
      end.mutable_data()[i] = schedule_.pieces[i].end;
    }
    return py::make_tuple(fraction, start, end);
  }
  [[nodiscard]] py::tuple chosen_lambda() {
    const LambdaChoice& choice = best();
    return py::make_tuple(choice.lambda, choice.value);
  }
  // Without `lam` that of best_lambda, exactly.
  [[nodiscard]] py::tuple slowed(std::optional<double> lam, const std::string& cap, bool shift) {
    check_shape(!lam || (*lam > 0 && *lam <= 1), "lam must lie in (0, 1]");
    const FractionCap rule = fraction_cap(cap);
    const Speed speed = lam ? Speed(*lam) : Speed(best().share);
    PythonMonitor monitor(py::none{});
    std::vector<TaskPiece> pieces;
    {
      const py::gil_scoped_release unlocked;
      std::vector<MeasuredPiece> stretched = slow_motion(tasks_.view(), progress_, speed, rule);
      if (std::ranges::any_of(stretched, [](const MeasuredPiece& piece) { return !(piece.end < kNever); })) {
        throw InvalidInstanceError("lam is so small that tasks would end after the largest double");
      }
      if (shift) {
        pieces = shift_left(tasks_.view(), std::move(stretched), &monitor);
      } else {
        merge_touching(stretched);
        pieces = drawn(stretched);
      }
    }
    return pieces_tuple(pieces);
  }

 private:
  const LambdaChoice& best() {
    if (!best_) {
      std::optional<LambdaChoice> choice;
      {
        const py::gil_scoped_release unlocked;
        choice = best_lambda(tasks_.view(), progress_, schedule_.tau);
      }
      if (!best_) best_ = std::move(choice);
    }
    return *best_;
  }

  ParallelTaskColumns tasks_;  // shares the arrays
  std::vector<IntervalFraction> fractions_;
  FractionSchedule schedule_;
  TaskProgress progress_;
  std::optional<LambdaChoice> best_;  // once it was asked for
};

py::tuple shift_left_pieces(const ParallelTaskColumns& tasks, const Int64Array& task, const Int64Array& machine,
                            const Float64Array& start, const Float64Array& end) {
  std::vector<TaskPiece> pieces = pieces_of(tasks.schedulable(), task, machine, start, end);
  PythonMonitor monitor(py::none{});
  {
    const py::gil_scoped_release unlocked;
    for (const TaskPiece& piece : pieces) {
      check_shape(piece.start >= 0 && piece.start < piece.end && std::isfinite(piece.end),
                  "pieces need 0 <= start < end, both finite");
    }
    pieces = shift_left(tasks.view(), measured(pieces), &monitor);
  }
  return pieces_tuple(pieces);
}

}  // namespace

void bind_task_fractions(py::module_& module) {
  py::class_<FractionScheduleOfTasks>(module, "FractionSchedule",
                                      "Preemptive list scheduling of task fractions, in billionths of the time unit.")
      .def(py::init<const ParallelTaskColumns&, const Int64Array&, const Int64Array&, const Int64Array&,
                    const Int64Array&, std::size_t, py::object>(),
           py::arg("tasks"), py::arg("task"), py::arg("machine"), py::arg("interval"), py::arg("units"),
           py::arg("n_intervals"), py::arg("progress").none(true))
      .def("tau", &FractionScheduleOfTasks::tau, "When the fractions up to each interval are complete.")
      .def("pieces", &FractionScheduleOfTasks::pieces, "Columns fraction, start, end; by start and task.")
      .def("best_lambda", &FractionScheduleOfTasks::chosen_lambda,
           "The lambda of the least weighted completion time, and that value.")
      .def("slow_motion", &FractionScheduleOfTasks::slowed,
           "The pieces of slow motion, shifted to the left or not: task, machine, start, end. None is the best lambda.",
           py::arg("lam").none(true), py::arg("cap"), py::arg("shift"));
  module.def("shift_left", &shift_left_pieces, "The pieces, each moved to the earliest start at which it fits.",
             py::arg("tasks"), py::arg("task"), py::arg("machine"), py::arg("start"), py::arg("end"));
}

}  // namespace schedcore::python
