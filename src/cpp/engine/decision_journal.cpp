#include "schedcore/engine/decision_journal.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/number_text.hpp"

namespace schedcore {
namespace {

class Hash {
 public:
  void add(std::uint64_t number) {
    value_ = (value_ ^ number) * 0xBF58476D1CE4E5B9ULL;
    value_ ^= value_ >> 29;
  }
  void add(std::int64_t number) { add(static_cast<std::uint64_t>(number)); }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x9E3779B97F4A7C15ULL;
};

// What came of the last event: the starts and kills beyond so many.
std::uint64_t hash_of(const DecidedState& state, const EventOutcome& outcome, std::size_t n_starts, std::size_t n_killed) {
  Hash hash;
  for (const IdPlacement& start : std::span(outcome.starts.jobs).subspan(n_starts)) {
    hash.add(start.id);
    state.jobs().for_each_place(state.slot_of(start.id), [&](std::uint32_t machine, Amount n_tasks) {
      hash.add(std::uint64_t{machine});
      hash.add(n_tasks);
    });
  }
  for (const std::int64_t id : std::span(outcome.killed).subspan(n_killed)) hash.add(id);
  hash.add(state.next_wakeup());
  return hash.value();
}

}  // namespace

DecisionJournal::DecisionJournal(DecidedState state)
    : state_(std::make_unique<DecidedState>(std::move(state))), since_(state_->jobs().n_resources()) {
  take_checkpoint();
}

DecisionJournal::DecisionJournal(const DecisionJournal& other)
    : state_(std::make_unique<DecidedState>(other.state())),
      checkpoint_(other.checkpoint_),
      checkpoint_cost_(other.checkpoint_cost_),
      names_(other.names_),
      since_(other.since_),
      decided_(other.decided_),
      n_kept_(other.n_kept_),
      has_copied_a_decision_(other.has_copied_a_decision_),
      spent_(other.spent_) {}

const DecidedState& DecisionJournal::state() const {
  if (!state_) state_ = replayed();
  return *state_;
}

void DecisionJournal::apply(const RecordedEvent& event, Monitor* monitor, EventOutcome& outcome, WorkBudget budget) {
  if (!is_on_trial_) {
    static_cast<void>(state());
    if (is_checkpoint_due() || (!has_copied_a_decision_ && !since_.empty())) {
      take_checkpoint();
      has_copied_a_decision_ = true;
    }
    trial_began_ = Clock::now();
    is_on_trial_ = true;
  }
  since_.append(event);
  const std::size_t n_starts = outcome.starts.size();
  const std::size_t n_killed = outcome.killed.size();
  state_->apply(event, monitor, outcome, budget);
  decided_.push_back({budget, hash_of(*state_, outcome, n_starts, n_killed)});
}

void DecisionJournal::keep() noexcept {
  if (!is_on_trial_) return;
  spent_ += Clock::now() - trial_began_;
  n_kept_ = since_.size();
  is_on_trial_ = false;
}

void DecisionJournal::undo() {
  if (!is_on_trial_) return;
  since_.keep_first(n_kept_);
  decided_.resize(n_kept_);
  is_on_trial_ = false;
  state_.reset();
  state_ = replayed();
}

void DecisionJournal::name_machines(std::shared_ptr<const MachineNames> names) {
  names_ = std::move(names);
  if (state_) state_->name_machines(names_);
}

void DecisionJournal::read(SnapshotReader& archive) {
  state_->read(archive);
  take_checkpoint();
}

bool DecisionJournal::is_checkpoint_due() const {
  // A state that has grown since costs more to copy than the last one did.
  const auto n_slots = static_cast<Clock::rep>(state_->jobs().n_slots());
  const auto n_slots_before = static_cast<Clock::rep>(checkpoint_->jobs().n_slots());
  const Clock::duration cost =
      std::max(checkpoint_cost_, n_slots > 2 * n_slots_before ? n_slots * kCostPerJob : Clock::duration{});
  return spent_ > kPeriod * cost || since_.n_bytes() > most_bytes();
}

std::size_t DecisionJournal::most_bytes() const {
  const JobTable& jobs = state_->jobs();
  const std::size_t bytes_per_job = sizeof(JobColumns) + jobs.n_resources() * sizeof(Amount);
  return kRecordBytes + kRecordsPerState * (jobs.n_slots() * bytes_per_job + jobs.n_owned_bytes());
}

void DecisionJournal::take_checkpoint() {
  const Clock::time_point begin = Clock::now();
  checkpoint_ = std::make_shared<const DecidedState>(*state_);
  // Only a long trial takes so much; less is soon taken again.
  if (since_.n_allocated_bytes() > 4 * most_bytes()) {
    since_.release_memory();
    decided_ = std::vector<Decided>();
  } else {
    since_.keep_first(0);
    decided_.clear();
  }
  n_kept_ = 0;
  spent_ = {};
  checkpoint_cost_ = Clock::now() - begin;
}

std::unique_ptr<DecidedState> DecisionJournal::replayed() const {
  auto state = std::make_unique<DecidedState>(*checkpoint_);
  state->name_machines(names_);
  EventOutcome outcome;
  for (std::size_t event = 0; event < since_.size(); ++event) {
    outcome = {};
    state->apply(since_[event], nullptr, outcome, decided_[event].budget);
    if (hash_of(*state, outcome, 0, 0) == decided_[event].hash) continue;
    throw PolicyError("asked again about " + number_text(since_[event].now) +
                      ", the policy decides otherwise than it did; so the decisions that stand cannot be gone back to");
  }
  return state;
}

}  // namespace schedcore
