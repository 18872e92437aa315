// The intervals of MRIS on a cluster, where jobs come back that were killed, held or had no place: whoever waits without a
// plan and is short enough is a candidate at the end of every interval, so that nothing has to be known of jobs here.
//
// A busy period begins where something arrives, or is released, and nobody else waits, is planned or runs; a job that is
// held does not wait.
#pragma once

#include "schedcore/online/mris_intervals.hpp"

namespace schedcore {

class ClusterMrisIntervals : public MrisIntervals {
 public:
  ClusterMrisIntervals() = default;
  ClusterMrisIntervals(const MrisOptions& options, const MachinesView& machines) : MrisIntervals(options, machines) {}

  struct News {
    bool is_new_period = false;       // nothing of before counts
    bool is_first_early_end = false;  // since the origin
  };
  // To be told of every event once: whether a run of it ended before it said, by itself or cut, and whether nobody waits or
  // runs but those that arrive with it, or are released.
  News begin(const Event& event, bool any_ended_early, bool is_empty) {
    News news;
    news.is_first_early_end = any_ended_early && !ended_early_;
    ended_early_ |= any_ended_early;
    if (!options_.origin_is_busy || !is_empty || (event.arrived.empty() && event.released.empty())) return news;
    origin_ = event.now;
    ended_early_ = false;
    next_k_ = 0;
    return {true, false};
  }
  // Calls pass(k, is_now) for every interval that has ended since the last event: now, or before, when nobody could be taken.
  template <class Pass>
  bool run_due(Time now, const Pass& pass) {
    const int before = next_k_;
    while (gamma(next_k_) <= now) {
      const int k = next_k_++;
      pass(k, gamma(k) == now);
    }
    return next_k_ > before;
  }
  [[nodiscard]] Time next_gamma() const { return gamma(next_k_); }
  // The batch of iteration k among its candidates, which are put in order of id.
  [[nodiscard]] std::vector<JobSlot> take(int k, std::vector<JobSlot>& candidates, Turn& turn);

  void take_over(const Commitments& commitments) {
    origin_ = commitments.batches.origin;
    next_k_ = commitments.batches.next_interval;
    ended_early_ = commitments.batches.has_ended_early;
  }
  void write(SnapshotWriter& archive) const { archive(origin_, ended_early_, next_k_, iterations_); }
  void read(SnapshotReader& archive);
};

}  // namespace schedcore
