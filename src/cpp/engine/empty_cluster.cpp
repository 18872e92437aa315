#include "schedcore/engine/empty_cluster.hpp"

#include <algorithm>
#include <array>
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
  const auto asks_the_same = [&](std::size_t job, std::size_t other) {
    const bool goes_alike = columns.eligibility.empty() || columns.eligibility[job] == columns.eligibility[other];
    return goes_alike && std::ranges::equal(jobs.demand_of(job), jobs.demand_of(other)) &&
           columns.shape(job) == columns.shape(other);
  };
  // The last job with each of these hashes: as a rule many ask the same.
  std::array<std::size_t, 256> last_with{};
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    std::uint64_t hash = 0;
    for (const Amount amount : jobs.demand_of(job)) hash = (hash ^ static_cast<std::uint64_t>(amount)) * 0x9E3779B97F4A7C15ULL;
    std::size_t& last = last_with[hash >> 56];
    const bool is_known = last < job && asks_the_same(job, last);
    room[job] = is_known ? room[last]
                         : cluster.tasks_with_room(jobs.demand_of(job), columns.eligibility_of(job), columns.shape(job));
    last = job;
  }
  return room;
}

}  // namespace schedcore
