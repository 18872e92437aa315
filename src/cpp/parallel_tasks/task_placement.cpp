#include "schedcore/parallel_tasks/task_placement.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/number_text.hpp"
#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {

std::vector<TaskPiece> place_plan(const ParallelTasksView& tasks, std::span<const TaskPiece> running,
                                  std::span<const TaskPiece> plan, Time from) {
  std::vector<std::optional<ResourceTimeline>> timeline(tasks.n_machines());
  for (const TaskPiece& piece : plan) {
    if (!timeline[piece.machine]) timeline[piece.machine].emplace(tasks.machines.capacity_of(piece.machine), from);
  }
  for (const TaskPiece& piece : running) {
    if (!timeline[piece.machine] || piece.end <= from) continue;
    timeline[piece.machine]->reserve(std::max(piece.start, from), piece.end, tasks.demand_of(piece.task));
  }
  std::vector<TaskPiece> placed(plan.begin(), plan.end());
  std::sort(placed.begin(), placed.end(), [](const TaskPiece& a, const TaskPiece& b) {
    return std::tie(a.start, a.task) < std::tie(b.start, b.task);
  });
  for (TaskPiece& piece : placed) {
    const auto duration = static_cast<Time>(tasks.placement_time[tasks.placement_on(piece.task, piece.machine)]);
    ResourceTimeline& free = *timeline[piece.machine];
    piece.start = free.earliest_fit(from, duration, tasks.demand_of(piece.task));
    piece.end = piece.start + duration;
    if (!(piece.start < piece.end && piece.end < kNever)) {
      throw InvalidInstanceError("task " + std::to_string(piece.task) + " would start at " + number_text(piece.start) +
                                 ", from which double precision cannot tell its end");
    }
    free.reserve(piece.start, piece.end, tasks.demand_of(piece.task));
  }
  return placed;
}

}  // namespace schedcore
