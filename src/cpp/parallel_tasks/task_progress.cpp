#include "schedcore/parallel_tasks/task_progress.hpp"

#include <numeric>

namespace schedcore {

TaskProgress::TaskProgress(const ParallelTasksView& tasks, std::span<const IntervalFraction> fractions,
                           std::span<const FractionPiece> pieces)
    : first_(tasks.n_tasks() + 1), step_(pieces.size()) {
  for (const FractionPiece& piece : pieces) ++first_[fractions[piece.fraction].task + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const FractionPiece& piece : pieces) {
    const IntervalFraction& fraction = fractions[piece.fraction];
    const std::size_t placement = tasks.placement_on(fraction.task, fraction.machine);
    step_[next[fraction.task]++] = {piece.start, piece.end, fraction.machine, tasks.placement_time[placement]};
  }
}

}  // namespace schedcore
