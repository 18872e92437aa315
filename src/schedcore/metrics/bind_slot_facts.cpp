// The measures of slotted schedules: arrays in, facts by job or curves out.
#include <cstddef>
#include <span>

#include "bindings.hpp"
#include "model/slot_task_arrays.hpp"
#include "schedcore/metrics/power_sums.hpp"
#include "schedcore/metrics/slot_facts.hpp"
#include "schedcore/metrics/work_curves.hpp"

namespace py = pybind11;

namespace schedcore::python {
namespace {

void check_power(int k) {
  check_shape(k >= 1 && k <= PowerSums::kMaxExponent, "k must be from 1 to 64");
}

py::tuple facts(const SlotTasks& tasks, const Int64Array& job, const Int64Array& task, const Int64Array& machine,
                const Float64Array& start, const Float64Array& end, const Int64Array& cores, int k, Slot end_of_run) {
  const SlotPiecesView pieces = slot_pieces_view(job, task, machine, start, end, cores);
  check_power(k);
  SlotFacts found;
  {
    const py::gil_scoped_release unlocked;  // two passes over plain arrays
    require_measurable(tasks.view(), tasks.machines().n_machines, pieces);
    found = slot_facts(tasks.view(), pieces, k, end_of_run);
  }
  return py::make_tuple(array_of(found.completion_time), array_of(found.fractional), array_of(found.preemptions),
                        array_of(found.migrations), array_of(found.live_migrations), array_of(found.max_gap));
}

py::tuple curves(const SlotTasks& tasks, const Int64Array& job, const Int64Array& task, const Int64Array& machine,
                 const Float64Array& start, const Float64Array& end, const Int64Array& cores, int k,
                 const Int64Array& times) {
  const SlotPiecesView pieces = slot_pieces_view(job, task, machine, start, end, cores);
  check_power(k);
  const std::span<const Slot> grid = span_of(times);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    check_shape(grid[i] >= 0 && (i == 0 || grid[i] > grid[i - 1]), "times must ascend strictly, from 0 on");
  }
  WorkCurves found;
  {
    const py::gil_scoped_release unlocked;  // passes over plain arrays
    require_measurable(tasks.view(), tasks.machines().n_machines, pieces);
    found = work_curves(tasks.view(), pieces, k, grid);
  }
  return py::make_tuple(array_of(found.offered_volume), array_of(found.unfinished_volume),
                        array_of(found.unfinished_time), array_of(found.flow_power), array_of(found.fractional));
}

}  // namespace

void bind_slot_facts(py::module_& module) {
  module.def("slot_facts", &facts,
             "Per job: completion time, fractional flow time, preemptions, migrations, live migrations, longest gap.",
             py::arg("tasks"), py::arg("job"), py::arg("task"), py::arg("machine"), py::arg("start"), py::arg("end"),
             py::arg("cores"), py::arg("k"), py::arg("end_of_run"));
  module.def("work_curves", &curves,
             "Per time: offered volume, unfinished volume, unfinished time, sum of f^k, fractional cost.",
             py::arg("tasks"), py::arg("job"), py::arg("task"), py::arg("machine"), py::arg("start"), py::arg("end"),
             py::arg("cores"), py::arg("k"), py::arg("times"));
}

}  // namespace schedcore::python
