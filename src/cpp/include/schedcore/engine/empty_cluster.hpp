// Which jobs can run at all: those whose tasks have room on the empty cluster, all machines up and no outage announced.
#pragma once

#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/engine/cluster_columns.hpp"
#include "schedcore/engine/job_placements.hpp"
#include "schedcore/index/gang_classes.hpp"
#include "schedcore/index/room_counts.hpp"

namespace schedcore {

// Counts once for all jobs that ask the same of every machine: O(R) a job and, for each class of jobs, a machine.  It keeps
// what it has counted, for the classes that were asked about last.
class EmptyCluster {
 public:
  explicit EmptyCluster(const MachinesView& machines) : classes_(machines), counts_(machines) {}

  // How many tasks have room, at most as many as the job has.
  [[nodiscard]] Amount tasks_with_room(std::span<const Amount> demand, const Eligibility& eligibility,
                                       const JobShape& shape);
  // Throws InfeasibleError for a job whose tasks have not all room; `id` is the number that messages use.
  void check(std::int64_t id, std::span<const Amount> demand, const JobPlacements& placements);

 private:
  GangClasses classes_;
  RoomCounts counts_;
};

// Of every job the number of tasks that have room, at most its own.
[[nodiscard]] std::vector<Amount> tasks_on_empty_cluster(const JobsView& jobs, const ClusterColumns& columns,
                                                         const MachinesView& machines);

}  // namespace schedcore
