// Greedy packing of mapped tasks: on every machine one batch an interval, one batch after the other.
//
// A batch starts when the last task of the batch before it has ended; empty batches take no time.  Inside a batch, at
// its start and whenever a task ends, the tasks not yet started are scanned in list order and each one that fits is
// started.  With one resource, a batch of volume V on m units whose tasks take up to p each takes at most
// 2 max(p, V / m).  A batch of b tasks costs O(b log b) with one resource; with several, see fitting_list.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/model/parallel_tasks.hpp"
#include "schedcore/parallel_tasks/mapping_graph.hpp"

namespace schedcore {

// A piece for every task, by machine and interval, in the order in which a batch starts them.  The list ascends by
// (rank of the job, task).  Requires a place in its placement set for every task and a rank for every job.
[[nodiscard]] std::vector<TaskPiece> pack_batches(const ParallelTasksView& tasks,
                                                  std::span<const MachineInterval> place,
                                                  std::span<const std::int64_t> job_rank);

}  // namespace schedcore
