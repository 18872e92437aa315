// Preemptive list scheduling of tasks that have one machine each: the last step of SynchPack-3 (Shafiee and Ghaderi,
// Operations Research 70(6), 2022).
//
// Every machine works by itself.  At the start and whenever a task of the machine ends, all of its tasks are stopped, its
// list is scanned from the top, and each task that fits beside those chosen before it runs until the next of these
// instants.  A task that is chosen again goes on in the same piece.  Times are integers, so nothing is rounded.
//
// The scan after the end of task q begins at q: what stands before it in the list is chosen again.  A scan costs
// O(k log n) for n listed and k running tasks on the machine (one resource; see fitting_list.hpp), each end O(k) more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/model/parallel_tasks.hpp"

namespace schedcore {

// Half-open, in the unit of the processing times.
struct WholePeriod {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

// Runs the tasks of `list`, in this order, within `period`, and appends their pieces.  `remaining` has an entry for each
// task of the instance: what is left to do, before and after.
//
// Requires: every listed task has one placement, is listed once and has remaining > 0; start plus the sum of what remains
// fits in 2^53, so that piece times are exact.
void preemptive_list_schedule(const ParallelTasksView& tasks, std::span<const std::size_t> list,
                              std::span<std::int64_t> remaining, WholePeriod period, std::vector<TaskPiece>& pieces,
                              Monitor* monitor);

}  // namespace schedcore
