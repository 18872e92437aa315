#include "schedcore/gangs/empty_cluster.hpp"

#include <algorithm>

#include "schedcore/gangs/gang_classes.hpp"
#include "schedcore/gangs/room_counts.hpp"

namespace schedcore {

std::vector<Amount> tasks_on_empty_cluster(const JobsView& jobs, const ClusterColumns& columns,
                                           const MachinesView& machines) {
  GangClasses classes(machines);
  RoomCounts counts(machines);
  std::vector<Amount> room(jobs.n_jobs());
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    const JobShape shape = columns.shape(job);
    const auto of = classes.add(jobs.demand_of(job), columns.eligibility_of(job), shape);
    room[job] = std::min(shape.n_tasks, counts.count(of, classes));
  }
  return room;
}

}  // namespace schedcore
