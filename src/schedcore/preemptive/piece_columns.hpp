// The pieces of a slotted schedule as NumPy columns, filled one after the other; each gives back the memory it came from.
#pragma once

#include <pybind11/pybind11.h>

#include "base/arrays.hpp"
#include "schedcore/preemptive/piece_recorder.hpp"

namespace schedcore::python {

// (job, task, machine, start, end, amount); call with the GIL held.
[[nodiscard]] inline pybind11::tuple piece_columns(PieceRecorder& pieces) {
  const auto n = static_cast<pybind11::ssize_t>(pieces.n_pieces());
  Int64Array job(n), task(n), machine(n), amount(n);
  Float64Array start(n), end(n);
  const auto jobs = writable_span_of(job), tasks = writable_span_of(task), machines = writable_span_of(machine),
             amounts = writable_span_of(amount);
  const auto starts = writable_span_of(start), ends = writable_span_of(end);
  {
    const pybind11::gil_scoped_release unlocked;  // tens of millions of rows
    pieces.take_job(jobs);
    pieces.take_task(tasks);
    pieces.take_machine(machines);
    pieces.take_amount(amounts);
    pieces.take_times(starts, ends);
  }
  return pybind11::make_tuple(job, task, machine, start, end, amount);
}

}  // namespace schedcore::python
