// What has become of all events applied so far: the engine, and the slot of every live id.
//
// The state is a value and a function of the events, in order: equal events give equal states, down to the bytes of a
// snapshot, whoever watched.  An event that throws (a knapsack above its memory limit, a watcher that ends the decision)
// leaves the state half changed; DecisionJournal goes back to the one before.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedcore/engine/engine.hpp"
#include "schedcore/engine/event_log.hpp"

namespace schedcore {

struct IdPlacement {
  std::int64_t id = 0;
  std::int64_t machine = 0;
  Time start_time = 0;
};

class DecidedState {
 public:
  DecidedState(const MachinesView& machines, std::unique_ptr<Policy> policy) : engine_(machines, std::move(policy)) {}

  [[nodiscard]] const Policy& policy() const { return engine_.policy(); }
  [[nodiscard]] const JobTable& jobs() const { return engine_.jobs(); }
  // Of the last event; 0 before the first.
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] Time next_wakeup() const { return engine_.next_wakeup(); }
  [[nodiscard]] std::size_t n_running() const { return n_running_; }
  [[nodiscard]] std::size_t n_waiting() const { return slot_of_.size() - n_running_; }
  // Jobs that have arrived and not completed.
  [[nodiscard]] bool knows(std::int64_t id) const { return slot_of_.contains(id); }
  [[nodiscard]] bool runs(std::int64_t id) const;
  // In plan order; overdue jobs have start_time = now.
  [[nodiscard]] std::vector<IdPlacement> plan() const;

  // One event: completions, then arrivals, both in increasing id, then one decision; what starts is added to `starts`.
  void apply(const RecordedEvent& event, Monitor* monitor, std::vector<IdPlacement>& starts);

  template <class Visit>
  void for_each_id(const Visit& visit) const {
    for (const auto& [id, slot] : slot_of_) visit(id);
  }

  // As of `Engine`: what is read keeps every invariant, or is refused with an InvalidInstanceError.  `read` is for a state
  // without events.
  void write(SnapshotWriter& archive) const;
  void read(SnapshotReader& archive);
  // Throws std::logic_error unless indexes and timelines are those of `other`, which was read from a snapshot of this.
  void check_against(const DecidedState& other) const { engine_.check_against(other.engine_); }

 private:
  Engine engine_;
  std::unordered_map<std::int64_t, JobSlot> slot_of_;
  Time now_ = 0;
  std::uint64_t n_running_ = 0;

  // Of the event under way.
  std::vector<JobSlot> arrived_;
  std::vector<JobSlot> completed_;
  std::vector<Placement> started_;
};

}  // namespace schedcore
