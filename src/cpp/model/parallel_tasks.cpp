#include "schedcore/model/parallel_tasks.hpp"

#include <algorithm>

namespace schedcore {

std::size_t ParallelTasksView::first_task(std::size_t job) const {
  const auto first = std::ranges::lower_bound(task_job, static_cast<std::int64_t>(job));
  return static_cast<std::size_t>(first - task_job.begin());
}

Time ParallelTasksView::shortest_time(std::size_t task) const {
  const std::size_t first = first_placement(task);
  return static_cast<Time>(std::ranges::min(placement_time.subspan(first, first_placement(task + 1) - first)));
}

std::size_t ParallelTasksView::placement_on(std::size_t task, std::size_t machine) const {
  const auto first = placement_machine.begin() + placement_start[task];
  const auto last = placement_machine.begin() + placement_start[task + 1];
  const auto found = std::lower_bound(first, last, static_cast<std::int64_t>(machine));
  if (found == last || *found != static_cast<std::int64_t>(machine)) return kNoPlacement;
  return static_cast<std::size_t>(found - placement_machine.begin());
}

}  // namespace schedcore
