#include "schedcore/engine/cluster_columns.hpp"

namespace schedcore {

JobShape ClusterColumns::shape(std::size_t job) const {
  JobShape shape;
  if (!n_tasks.empty()) shape.n_tasks = n_tasks[job];
  if (!max_tasks.empty() && max_tasks[job] > 0) shape.spread = max_tasks[job];
  if (!exclusive.empty()) shape.is_exclusive = exclusive[job];
  return shape;
}

Eligibility ClusterColumns::eligibility_of(std::size_t job) const {
  if (eligibility.empty() || eligibility[job] < 0) return {};
  const auto number = static_cast<std::size_t>(eligibility[job]);
  return constraints.empty() ? sets[number] : constraints[number].eligibility;
}

std::shared_ptr<const std::string> ClusterColumns::constraint_of(std::size_t job) const {
  if (constraints.empty() || eligibility.empty() || eligibility[job] < 0) return nullptr;
  return constraints[static_cast<std::size_t>(eligibility[job])].text;
}

JobPlacements ClusterColumns::placements_of(std::size_t job) const {
  JobPlacements placements;
  placements.eligibility = eligibility_of(job);
  placements.constraint = constraint_of(job);
  placements.shape = shape(job);
  if (!checkpoint_interval.empty()) placements.checkpoint_interval = checkpoint_interval[job];
  if (!restart_cost.empty()) placements.restart_cost = restart_cost[job];
  placements.reservation = reservation;
  return placements;
}

}  // namespace schedcore
