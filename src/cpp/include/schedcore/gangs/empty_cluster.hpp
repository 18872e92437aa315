// Which jobs can run at all: those whose tasks have room on the empty cluster, all machines up and no outage announced.
#pragma once

#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/engine/cluster_simulation.hpp"

namespace schedcore {

// Of every job the number of tasks that have room, at most its own.  O(R) a job and, for each class of jobs, a machine.
[[nodiscard]] std::vector<Amount> tasks_on_empty_cluster(const JobsView& jobs, const ClusterColumns& columns,
                                                         const MachinesView& machines);

}  // namespace schedcore
