// A whole instance of parallel tasks through an engine: every task is a job of the engine, its row the id.
//
// Tasks arrive with their jobs and run to their end, each as long as it takes on its machine.  Cost O(N log N + placements)
// plus the policy's decisions; memory about 250 bytes a task beyond the instance, whose placements are read where they are.
#pragma once

#include <memory>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/engine/policy.hpp"
#include "schedcore/model/parallel_tasks.hpp"

namespace schedcore {

// One piece a task, in the order of the starts.  UnsupportedError for a policy that does not heed placements.
[[nodiscard]] std::vector<TaskPiece> simulate_tasks(const ParallelTasksView& tasks, std::unique_ptr<Policy> policy,
                                                    Monitor* monitor);

}  // namespace schedcore
