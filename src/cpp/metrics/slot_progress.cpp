#include "schedcore/metrics/slot_progress.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace schedcore {
namespace {

// The cores that a job holds since an instant, and what it has left.
struct RowProgress {
  Amount left = 0;
  Amount held = 0;
  Slot since = 0;
  Slot done = kNotDone;
};

}  // namespace

std::vector<Slot> follow_estimated_progress(const SlotTasksView& tasks, const SlotPiecesView& pieces,
                                            const std::function<void(const SlotProgress&)>& take) {
  std::vector<RowProgress> states(tasks.n_rows());
  for (std::size_t row = 0; row < states.size(); ++row) states[row].left = tasks.work_of(row);

  const auto advance = [&](std::size_t job, Slot now) {
    RowProgress& state = states[job];
    const Slot from = std::exchange(state.since, now);
    if (state.held == 0 || state.left == 0 || now == from) return;
    const Amount cores = std::min(state.held, tasks.cores_of(job));
    const Slot n_full = std::min(now - from, state.left / cores);
    if (n_full > 0) take({job, job, cores, from, from + n_full});
    state.left -= cores * n_full;
    if (from + n_full < now && state.left > 0) {
      take({job, job, state.left, from + n_full, from + n_full + 1});
      state.left = 0;
      state.done = from + n_full + 1;
    } else if (state.left == 0) {
      state.done = from + n_full;
    }
  };
  using End = std::pair<Slot, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  const auto end_pieces = [&](Slot now) {
    while (!ends.empty() && ends.top().first <= now) {
      const auto [end, piece] = ends.top();
      ends.pop();
      const auto job = static_cast<std::size_t>(pieces.job[piece]);
      advance(job, end);
      states[job].held -= pieces.cores[piece];
    }
  };
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    const Slot start = pieces.start_of(piece);
    end_pieces(start);
    const auto job = static_cast<std::size_t>(pieces.job[piece]);
    advance(job, start);
    states[job].held += pieces.cores[piece];
    ends.push({pieces.end_of(piece), piece});
  }
  end_pieces(kNotDone);

  std::vector<Slot> done(states.size());
  for (std::size_t row = 0; row < done.size(); ++row) done[row] = states[row].done;
  return done;
}

std::vector<Slot> job_completions(const SlotTasksView& tasks, const std::vector<Slot>& done) {
  std::vector<Slot> completion(tasks.n_jobs());
  for (std::size_t job = 0; job < completion.size(); ++job) {
    completion[job] = tasks.release_time[job];
    for (std::size_t row = tasks.first_row(job); row < tasks.end_row(job); ++row) {
      completion[job] = std::max(completion[job], done[row]);
    }
  }
  return completion;
}

}  // namespace schedcore
