#include "schedcore/engine/empty_cluster.hpp"

#include <algorithm>
#include <string>

#include "schedcore/base/errors.hpp"
#include "schedcore/engine/machine_table.hpp"

namespace schedcore {

Amount EmptyCluster::tasks_with_room(std::span<const Amount> demand, const Eligibility& eligibility,
                                     const JobShape& shape) {
  const GangClasses::Class of = classes_.add(demand, eligibility, shape);
  const Amount n_tasks = std::min(shape.n_tasks, counts_.count(of, classes_));
  classes_.remove(of);
  return n_tasks;
}

void EmptyCluster::check(std::int64_t id, std::span<const Amount> demand, const JobPlacements& placements) {
  const Amount n_fit = tasks_with_room(demand, placements.eligibility, placements.shape);
  if (n_fit == placements.shape.n_tasks) return;
  std::string amounts;
  for (const Amount amount : demand) amounts += (amounts.empty() ? "" : ", ") + std::to_string(amount);
  throw InfeasibleError("job " + std::to_string(id) + " can never run: of its " + std::to_string(placements.shape.n_tasks) +
                        " task(s) of (" + amounts + "), " + std::to_string(n_fit) + " fit the empty cluster" +
                        (placements.constraint ? " (constraint '" + MachineTable::in_infix(*placements.constraint) + "')" : ""));
}

std::vector<Amount> tasks_on_empty_cluster(const JobsView& jobs, const ClusterColumns& columns,
                                           const MachinesView& machines) {
  EmptyCluster cluster(machines);
  std::vector<Amount> room(jobs.n_jobs());
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    room[job] = cluster.tasks_with_room(jobs.demand_of(job), columns.eligibility_of(job), columns.shape(job));
  }
  return room;
}

}  // namespace schedcore
