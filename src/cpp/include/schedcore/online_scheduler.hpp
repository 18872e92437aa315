// The engine embedded in another program: the caller records what happened and asks what to start.
//
// `submit` and `complete` only record; all records since the last `advance` carry one instant.  `advance(now)` applies
// them as one event (completions, then arrivals in increasing id), lets the policy decide once, and returns the starts,
// the plan for later and the next instant at which the policy wants to be called.  Jobs run until their completion is
// recorded, whatever their processing time (an estimate, for policies that decide with estimates) said.  Ids are unique
// among live jobs and break every tie.
//
// Every check stands before any change, so a call that throws changes nothing; only an error inside a decision (a
// knapsack above its memory limit, say) leaves the scheduler unusable, and it says so.  Copying copies everything.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "schedcore/engine.hpp"

namespace schedcore {

struct IdPlacement {
  std::int64_t id = 0;
  std::int64_t machine = 0;
  Time start_time = 0;
};

struct Decision {
  std::vector<IdPlacement> starts;  // in the order in which they were decided
  std::vector<IdPlacement> plan;    // in plan order; overdue jobs have start_time = now
  Time next_wakeup = kNever;
};

class OnlineScheduler {
 public:
  OnlineScheduler(const MachinesView& machines, std::unique_ptr<Policy> policy);

  // `ids` is empty for a running number; returns the ids.  The release time of every job is `now`.
  std::vector<std::int64_t> submit(const JobsView& jobs, std::span<const double> custom_key,
                                   std::span<const std::int64_t> ids, Time now);
  // The first of `count` running numbers that are the caller's from now on, for whoever must know the ids of jobs before
  // they are submitted (a key computed from them), also while other threads submit.  Submit the jobs under these ids, or
  // give them back; given back after others were numbered, they are left out.
  [[nodiscard]] std::int64_t reserve_ids(std::size_t count);
  void release_ids(std::int64_t first, std::size_t count);
  void complete(std::span<const std::int64_t> ids, Time now);
  [[nodiscard]] Decision advance(Time now, Monitor* monitor);

  [[nodiscard]] const Policy& policy() const { return engine_.policy(); }
  [[nodiscard]] Time now() const { return now_; }
  // The first of the running numbers that jobs without ids get: one above the largest id so far.
  [[nodiscard]] std::int64_t next_id() const { return next_id_; }
  [[nodiscard]] std::size_t n_running() const { return n_running_; }
  // Jobs that have arrived and neither run nor completed, planned ones included.
  [[nodiscard]] std::size_t n_waiting() const { return slot_of_.size() - n_running_ - arrivals_.size(); }

  [[nodiscard]] std::string snapshot() const;
  // Into a scheduler made with the same machines and policy.
  void restore(std::string_view bytes);

 private:
  void check_instant(Time now) const;
  void check_ids_left(std::size_t count) const;
  template <class Archive>
  void serialize(Archive& archive);

  std::vector<Amount> capacities_;  // the different ones, row-major
  Engine engine_;
  std::unordered_map<std::int64_t, JobSlot> slot_of_;
  Time now_ = 0;
  std::optional<Time> recorded_instant_;
  std::vector<JobSlot> arrivals_;
  std::vector<JobSlot> completions_;
  std::unordered_set<std::int64_t> completing_;  // the ids of `completions_`: no call looks at those of the others
  std::int64_t next_id_ = 0;
  std::size_t n_running_ = 0;
  bool is_broken_ = false;
};

}  // namespace schedcore
