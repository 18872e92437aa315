// What a slotted schedule really works off, and when each task is done.
//
// Without estimates every core of a piece works, so the progress of a piece is its cores in each of its slots.  A job
// that was thought to need more cores than it does may hold cores that do nothing: then a slot works off
// min(cores of all its pieces, d, what is left), and pieces of a job are taken together.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "schedcore/model/slot_pieces.hpp"

namespace schedcore {

// So many core-slots of a task row are worked off in each of the slots start + 1 to end.
struct SlotProgress {
  std::size_t job;
  std::size_t row;
  Amount cores;
  Slot start;
  Slot end;
};

inline constexpr Slot kNotDone = std::numeric_limits<Slot>::max();

// left - cores x length, but not below 0.  Requires cores and length of at least 1.
[[nodiscard]] inline Amount left_after(Amount left, Amount cores, Slot length) {
  return cores > left / length ? 0 : left - cores * length;
}

// What follow_progress does where there are estimates.  O(n log c) for n pieces, c of which run at a time.
[[nodiscard]] std::vector<Slot> follow_estimated_progress(const SlotTasksView& tasks, const SlotPiecesView& pieces,
                                                          const std::function<void(const SlotProgress&)>& take);

// Hands all progress to `take(const SlotProgress&)` and returns, per task row, the end of the slot in which its last work
// was done, kNotDone where some is left.  O(n) for n pieces without estimates.  Requires measurable pieces
// (slot_pieces.hpp).
template <class Take>
[[nodiscard]] std::vector<Slot> follow_progress(const SlotTasksView& tasks, const SlotPiecesView& pieces, Take&& take) {
  if (tasks.has_estimates()) return follow_estimated_progress(tasks, pieces, take);
  std::vector<Amount> left(tasks.n_rows());
  for (std::size_t row = 0; row < left.size(); ++row) left[row] = tasks.work_of(row);
  std::vector<Slot> last_end(tasks.n_rows(), 0);
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    const auto job = static_cast<std::size_t>(pieces.job[piece]);
    const std::size_t row = tasks.row_of(job, pieces.task[piece]);
    const SlotProgress progress{job, row, pieces.cores[piece], pieces.start_of(piece), pieces.end_of(piece)};
    take(progress);
    left[row] = left_after(left[row], progress.cores, progress.end - progress.start);
    if (progress.end > last_end[row]) last_end[row] = progress.end;
  }
  for (std::size_t row = 0; row < left.size(); ++row) {
    if (left[row] > 0) last_end[row] = kNotDone;
  }
  return last_end;
}

// The same per job: when its last task is done, kNotDone where one is not.
[[nodiscard]] std::vector<Slot> job_completions(const SlotTasksView& tasks, const std::vector<Slot>& done);

}  // namespace schedcore
