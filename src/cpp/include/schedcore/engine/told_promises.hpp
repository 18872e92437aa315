// What a caller was told last of starts to come, and what of it has moved later since, for reasons that the caller did not give.
//
// Cost: O(places of the plan) a decision.  Memory 16 bytes a slot, and 64 a promise and 8 a place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedcore/engine/decided_state.hpp"

namespace schedcore {

// Why a promise could not be kept: a machine of its place has failed, is closed, has less than before, or will be out of service;
// a reservation was made there; jobs take longer than they said; jobs run that nobody knew of; or others come first now.
enum class BrokenBy : std::uint8_t { failure, closed, capacity, outage, reservation, late, adopted, order };

struct BrokenPromise {
  std::int64_t id = 0;
  Time promised = 0;
  Time expected = kNever;  // as told now, or its start; kNever if nothing is told of it
  BrokenBy cause = BrokenBy::order;
};

// What happened to machines and jobs since something was told.
struct PromiseBreakers {
  std::vector<std::uint32_t> failed;
  std::vector<std::uint32_t> closed;  // or removed
  std::vector<std::uint32_t> lowered;  // have less of something
  std::vector<std::uint32_t> out;     // outages were announced
  std::vector<std::uint32_t> reserved;
  // Ids of jobs of which the caller said something else: they arrived, were held, or have another length or other machines.
  std::vector<std::int64_t> other_jobs;
  bool any_late = false;
  bool any_adopted = false;

  // Of one event that was recorded.
  void note(const RecordedEvent& event, const DecidedState& before, const EventOutcome& outcome_before);
};

class ToldPromises {
 public:
  // The plan as it is told now, and where its jobs are.
  void note(const DecidedState& state, const IdPlacements& plan, std::span<const JobSlot> slots);
  // Of those that were noted before, in their order, against `now`, which was noted after, and what came of the events in
  // between.  Jobs that have ended, are held, or are other jobs than they were, because the caller said so, are left out.
  [[nodiscard]] std::vector<BrokenPromise> broken(const ToldPromises& now, const EventOutcome& outcome,
                                                  const DecidedState& state, const PromiseBreakers& breakers) const;

 private:
  struct Told {
    std::int64_t id = 0;
    JobSlot job = 0;
    std::uint32_t generation = 0;
    Time start = 0;
    std::size_t first_machine = 0;  // in machines_, sorted up to that of the next
    friend bool operator==(const Told&, const Told&) = default;
  };

  // Where a job is that was told before; nothing if it has ended.
  [[nodiscard]] static std::optional<JobSlot> slot_of(const Told& told, const DecidedState& state);
  // kNever if nothing was told of it.
  [[nodiscard]] Time planned_start(JobSlot job) const { return job < planned_start_.size() ? planned_start_[job] : kNever; }
  [[nodiscard]] static BrokenBy cause_of(std::span<const std::uint32_t> machines, const PromiseBreakers& breakers);

  std::vector<Told> told_;
  std::vector<std::uint32_t> machines_;
  std::vector<Time> planned_start_;  // by slot
};

}  // namespace schedcore
