// How an embedded engine would go on if nothing happened but what a `Future` says: runs end, and perhaps jobs arrive; and holds
// end at instants that are known.
//
// A value: a copy of the state, which is never changed; each question is answered on a copy of that, so several threads may ask
// at a time.  Cost of a question: the copy, and the decisions until all jobs that are asked about have started.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedcore/engine/decided_state.hpp"

namespace schedcore {

// What happens in a continuation.  It may draw, so that its answers depend on the order of the questions.
class Future {
 public:
  Future() = default;
  Future(const Future&) = delete;
  Future& operator=(const Future&) = delete;
  virtual ~Future() = default;

  // How long the run takes that begins now, of a job that says `estimate`; positive.
  [[nodiscard]] virtual Time length(std::int64_t id, Time estimate) = 0;
  // When a run ends that is under way since `start`, of a job that says `estimate` of all the run; after `now`.  By what was
  // said it ends at `expected_end`.
  [[nodiscard]] virtual Time end_of_running(std::int64_t id, Time start, Time estimate, Time expected_end, Time now) = 0;
  // The instant of the next arrivals, if there are any before the instant; else kNever.  They are what `arrivals` then returns.
  [[nodiscard]] virtual Time next_arrival(Time /*before*/) { return kNever; }
  [[nodiscard]] virtual RecordedEvent arrivals() { return {}; }
  // Whether jobs do not start that are left when nothing is to come but IdleWakeups in vain, which are a PolicyError otherwise.
  [[nodiscard]] virtual bool may_leave_jobs() const { return false; }
};

// Every run takes what it says, one that is late as much once more; nobody arrives.
class FutureByEstimates final : public Future {
 public:
  [[nodiscard]] Time length(std::int64_t /*id*/, Time estimate) override { return estimate; }
  [[nodiscard]] Time end_of_running(std::int64_t /*id*/, Time /*start*/, Time /*estimate*/, Time expected_end,
                                    Time /*now*/) override {
    return expected_end;
  }
  [[nodiscard]] bool may_leave_jobs() const override { return true; }
};

class Continuation {
 public:
  // The releases are in order of time, and none is before the state.
  explicit Continuation(const DecidedState& state, std::vector<ReleaseToCome> releases = {})
      : state_(state), releases_(std::move(releases)) {}

  [[nodiscard]] const DecidedState& state() const { return state_; }
  // Of each job, which waits, the first start; kNever for one that does not start, or only where the clock cannot tell its end
  // from its start.  Empty once `stop` is set.  `monitor`, if any, is asked at each event.
  [[nodiscard]] std::vector<Time> first_starts(std::span<const std::int64_t> ids, Future& future,
                                               const std::atomic<bool>& stop, Monitor* monitor = nullptr) const;

 private:
  DecidedState state_;
  std::vector<ReleaseToCome> releases_;
};

}  // namespace schedcore
