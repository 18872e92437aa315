// PSRS, preemptive scheduling by modified Smith ratios, of tasks that have one machine each (Schwiegelshohn, SIAM Journal
// on Computing 33(6), 2004), in the form in which Shafiee and Ghaderi compare with it.
//
// Every machine by itself plans its tasks in the order of weight / (demand x processing time), descending, ties by task:
// a task starts, not before the task planned last, at the first instant from which there is room for it for good.  A
// wide task (it needs more than half of some resource) waits no longer than p / v after the first instant h from which
// half of every resource is free for good; if it would, everything planned is interrupted at h + p / v while it runs.
// When a job is released, the plans of its machines are thrown away and made anew, with what remains of the tasks.
//
// Exact: times are ticks (tick_scale.hpp).  Without arrivals they are multiples of 1/q for v = q/d.  An arrival can divide
// what has been divided before; quotients nested deeper than the ticks reach are rounded up to one, and counted.  Release
// times whose binary digits need more than 126 bits are refused.
//
// Of a plan only the part before the next arrival is made, and each task in it begins there.  Cost for n tasks of a
// machine of which k run at a time: O(n (k + log n)) without arrivals; O(k log n) more for each arrival, and O(k) for each
// wide task that interrupts.  10,000 arrivals on one machine take 0.1 s where tens run at a time, seconds where thousands
// do.
#pragma once

#include <cstdint>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/exact/tick_scale.hpp"
#include "schedcore/model/parallel_tasks.hpp"

namespace schedcore {

struct PsrsOutcome {
  std::vector<TaskPiece> pieces;     // touching ones merged; machine by machine
  std::uint64_t n_rounded_waits = 0;  // 0: every time is exact
};

// Requires one placement for each task.  Throws UnsupportedError, see above.
[[nodiscard]] PsrsOutcome psrs(const ParallelTasksView& tasks, PositiveFraction v, Monitor* monitor);

}  // namespace schedcore
