#include "schedcore/slow_motion.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace schedcore {
namespace {

// Where a piece reaches the share `limit` of what `before` and `after` measure, as a fine time; its end at the latest,
// its start if it begins beyond.
double cut_at(const ProgressStep& step, double before, double after, double limit) {
  const auto start = static_cast<double>(step.start);
  const auto end = static_cast<double>(step.end);
  if (limit >= after * (1 - kSameShare)) return end;
  if (before >= limit * (1 - kSameShare)) return start;
  const double whole_task = static_cast<double>(step.processing_time) * static_cast<double>(kWholeTask);
  const double cut = start + (limit - before) * whole_task;
  const double whole = std::round(cut);
  return std::clamp(std::abs(cut - whole) <= 0x1p-40 * whole ? whole : cut, start, end);
}

// What the program gave the machine of this piece: what is done there after the last piece of the task.
double share_of_machine(std::span<const ProgressStep> steps, std::size_t machine) {
  const auto is_there = [machine](const ProgressStep& step) { return step.machine == machine; };
  return std::find_if(steps.rbegin(), steps.rend(), is_there)->there_after;
}

}  // namespace

std::vector<TaskPiece> slow_motion(const ParallelTasksView& tasks, const TaskProgress& progress, double lambda,
                                   FractionCap cap) {
  assert(lambda > 0 && lambda <= 1);
  std::vector<TaskPiece> pieces;
  pieces.reserve(progress.n_steps());
  const auto image = [lambda](double fine_time) { return fine_time / kFineTimesPerTime / lambda; };
  for (std::size_t task = 0; task < tasks.n_tasks(); ++task) {
    const auto steps = progress.of(task);
    for (const ProgressStep& step : steps) {
      const double cut = cap == FractionCap::task
                             ? cut_at(step, step.before, step.after, lambda)
                             : cut_at(step, step.there_before, step.there_after,
                                      lambda * share_of_machine(steps, step.machine));
      const TaskPiece piece{task, step.machine, image(static_cast<double>(step.start)), image(cut)};
      if (piece.start < piece.end) pieces.push_back(piece);
    }
  }
  return pieces;
}

}  // namespace schedcore
