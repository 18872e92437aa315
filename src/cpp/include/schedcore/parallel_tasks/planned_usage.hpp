// What is planned on one machine from now on, as a step function of time: when is so much free for good?
//
// Unlike resource_timeline.hpp, which finds room for a duration, this answers with the first instant from which on an
// amount is never exceeded again, and lets a plan be interrupted: all that is planned after an instant moves to the
// right.  Steps stand in arrays with the largest use from each of them on, so a question costs O(n_resources log k) for
// k steps, and a change O(n_resources k).  Nothing before `now` is kept; now never goes back.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/exact/tick_scale.hpp"

namespace schedcore {

class PlannedUsage {
 public:
  explicit PlannedUsage(std::size_t n_resources) : n_resources_(n_resources) {}

  struct Running {
    Ticks end = 0;
    std::span<const Amount> demand;
  };
  // Forgets everything; what is planned is that these tasks run from now to their ends.  O(k log k).
  void begin(Ticks now, std::vector<Running> running);

  // The first instant u >= now such that the use never exceeds `limit` from u on.  Requires limit >= 0.
  [[nodiscard]] Ticks first_within(std::span<const Amount> limit) const;

  // Plans a task during [start, end), and makes start the new now.  Requires now <= start < end.
  void add(Ticks start, Ticks end, std::span<const Amount> demand);

  // Plans a task alone during [start, start + duration): all that is planned from `start` on comes `duration` later.
  // Makes start the new now.  Requires now <= start and 0 < duration.
  void interrupt(Ticks start, Ticks duration, std::span<const Amount> demand);

  void check_invariants() const;

 private:
  [[nodiscard]] std::size_t step_at(Ticks time) const;  // the last one that begins at `time` or before
  void drop_before(Ticks now);
  void insert_step(std::size_t position, Ticks time, std::size_t like);
  void renew_peaks(std::size_t from, std::size_t to);  // steps [from, to), from the last to the first

  std::size_t n_resources_;
  Ticks now_ = 0;
  // Step i is [time_[i], time_[i + 1]), times ascend, the first one contains now_; row i of `use_` is what is held
  // then, row i of `peak_` the componentwise maximum of the rows from i on.  The last step has no end and no use.
  std::vector<Ticks> time_;
  std::vector<Amount> use_, peak_;
};

}  // namespace schedcore
