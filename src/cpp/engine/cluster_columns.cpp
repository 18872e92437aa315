#include "schedcore/engine/cluster_columns.hpp"

#include <utility>

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

std::shared_ptr<const JobBelongings> ClusterColumns::belongings_of(std::size_t job) const {
  JobBelongings belongings;
  for (std::size_t p = 0; p < kNamedParties; ++p) belongings.name[p] = parties.name_of(static_cast<Party>(p), job);
  if (!parties.array.empty()) belongings.array = parties.array[job];
  if (!parties.priority.empty()) belongings.priority = parties.priority[job];
  static_cast<void>(parties.awaited_by(job, belongings.awaited));
  return belongings.says_nothing() ? nullptr : std::make_shared<const JobBelongings>(std::move(belongings));
}

}  // namespace schedcore
