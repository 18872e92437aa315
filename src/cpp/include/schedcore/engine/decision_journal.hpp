// A state that can go back: events are applied on trial, and then kept or undone together.
//
// Going back takes a checkpoint, a copy of the state some events ago, and applies again what was kept since: the state is a
// function of its events, so it comes out the same, down to the bytes of a snapshot.  That needs nothing of a policy but
// what it promises anyway, and costs a decision two looks at the clock and the copy of its records.  A policy that decides
// otherwise than before, as one of somebody's own may do, is a PolicyError: then there is no state any more, and whoever
// asks for it has it made once more.
//
// A new checkpoint is taken once decisions have lasted kPeriod times as long as it takes, so all of them together cost at
// most 1 / kPeriod of the decisions, and `undo` costs at most kPeriod times a copy.  The clock says only when; nothing
// that is decided depends on it.  Memory: a second state, and events of up to kRecordsPerState times the job table; what a
// longer trial took is given back with the next checkpoint.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "schedcore/engine/decided_state.hpp"
#include "schedcore/engine/event_log.hpp"

namespace schedcore {

class DecisionJournal {
 public:
  explicit DecisionJournal(DecidedState state);
  // Nothing may be on trial.  The copy shares the checkpoint.
  DecisionJournal(const DecisionJournal& other);
  DecisionJournal& operator=(const DecisionJournal&) = delete;
  DecisionJournal(DecisionJournal&&) noexcept = default;
  DecisionJournal& operator=(DecisionJournal&&) noexcept = default;
  ~DecisionJournal() = default;

  [[nodiscard]] const DecidedState& state() const;

  // On trial until `keep` or `undo`.  After an exception only `undo` may be called.
  void apply(const RecordedEvent& event, Monitor* monitor, EventOutcome& outcome, WorkBudget budget = {});
  void keep() noexcept;
  // Nobody watches, and nothing ends it early.
  void undo();

  // What was applied hears of it as well, where it is applied again.
  void name_machines(std::shared_ptr<const MachineNames> names);

  // Into a journal without events.
  void read(SnapshotReader& archive);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kPeriod = 100;
  static constexpr std::size_t kRecordsPerState = 8;
  static constexpr std::size_t kRecordBytes = std::size_t{1} << 20;  // always allowed
  static constexpr Clock::duration kCostPerJob = std::chrono::nanoseconds(250);  // until more is known

  // More bytes of events than this call for a checkpoint.
  [[nodiscard]] std::size_t most_bytes() const;
  [[nodiscard]] bool is_checkpoint_due() const;
  void take_checkpoint();
  [[nodiscard]] std::unique_ptr<DecidedState> replayed() const;

  // Of an event since the checkpoint, in the state: what the decision could spend, and a hash of what it came to.
  struct Decided {
    WorkBudget budget;
    std::uint64_t hash = 0;
  };

  // Null only after an `undo` that found no memory: then whoever needs the state tries again.
  mutable std::unique_ptr<DecidedState> state_;
  std::shared_ptr<const DecidedState> checkpoint_;
  Clock::duration checkpoint_cost_{};
  std::shared_ptr<const MachineNames> names_;
  EventLog since_;  // applied since the checkpoint
  std::vector<Decided> decided_;  // of each of these events
  std::size_t n_kept_ = 0;
  bool has_copied_a_decision_ = false;  // so that a policy that cannot be copied is found out soon, whatever the clock says
  Clock::duration spent_{};  // on what was kept since the checkpoint

  bool is_on_trial_ = false;
  Clock::time_point trial_began_{};
};

}  // namespace schedcore
