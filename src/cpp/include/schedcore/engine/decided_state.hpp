// What has become of all events applied so far: the engine, and the slot of every live id.
//
// The state is a value and a function of the events and of the budgets of work, in order: equal events give equal states, down to the bytes of a
// snapshot, whoever watched.  An event that throws (a knapsack above its memory limit, a watcher that ends the decision)
// leaves the state half changed; DecisionJournal goes back to the one before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedcore/engine/engine.hpp"
#include "schedcore/engine/event_log.hpp"
#include "schedcore/engine/run_ends.hpp"

namespace schedcore {

struct IdPlacement {
  std::int64_t id = 0;
  std::int64_t machine = 0;  // of a job of several tasks the first in the order of placement
  Time start_time = 0;
};

// Tasks of a job on one machine.
struct IdTasks {
  std::int64_t id = 0;
  std::int64_t machine = 0;
  std::int64_t n_tasks = 0;
};

// Jobs with their starts; where some of them are more than one task, also where the tasks of all go.
struct IdPlacements {
  std::vector<IdPlacement> jobs;
  std::vector<IdTasks> tasks;  // empty if each is one task on its machine

  [[nodiscard]] auto begin() const { return jobs.begin(); }
  [[nodiscard]] auto end() const { return jobs.end(); }
  [[nodiscard]] bool empty() const { return jobs.empty(); }
  [[nodiscard]] std::size_t size() const { return jobs.size(); }
  [[nodiscard]] const IdPlacement& operator[](std::size_t i) const { return jobs[i]; }
};

// What came of events.
struct EventOutcome {
  IdPlacements starts;               // in the order in which they were decided
  std::vector<std::int64_t> killed;  // event by event, in increasing id; they wait again, or are dropped
  std::vector<std::int64_t> preempted;  // likewise
  std::vector<std::int64_t> left;       // event by event, in increasing id: they wait for what cannot be any more
  std::vector<std::string> shortened;  // what decisions did in a cheaper way, or put off, as their budgets were spent
};

// How a scheduler is made: the policy, another one that goes on in its place once anything happens that it does not heed
// (jobs of several tasks, failures, outages, cancellations), and what becomes of jobs that are killed.
struct SchedulerParts {
  std::unique_ptr<Policy> policy;
  std::unique_ptr<Policy> for_clusters = nullptr;  // null if the policy heeds all of that itself, or nobody does
  KillRule kill_rule = KillRule::requeue;
  bool takes_infeasible = false;  // jobs wait for machines that can take them
  std::optional<SiteRules> site = std::nullopt;
  KillRule preempt_rule = KillRule::requeue;

  [[nodiscard]] SchedulerParts clone() const {
    return {policy->clone(), for_clusters ? for_clusters->clone() : nullptr, kill_rule, takes_infeasible, site, preempt_rule};
  }
};

class DecidedState {
 public:
  DecidedState(const MachinesView& machines, SchedulerParts parts);
  DecidedState(const DecidedState& other);
  DecidedState& operator=(const DecidedState&) = delete;
  DecidedState(DecidedState&&) noexcept = default;
  ~DecidedState() = default;

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
  // Throws InvalidInstanceError unless the job waits or is held.
  void check_waits(std::int64_t id) const;
  // Of a job that it knows, as the next.
  [[nodiscard]] JobSlot slot_of(std::int64_t id) const { return slot_of_.at(id); }
  [[nodiscard]] JobState job_state(std::int64_t id) const { return engine_.jobs().state(slot_of_.at(id)); }
  // The jobs that run with a task on one of these machines, in increasing id.  O(running jobs and their tasks).
  [[nodiscard]] std::vector<std::int64_t> running_on(std::span<const std::uint32_t> machines) const;
  // Whether whatever can happen to a cluster may happen to this one.
  [[nodiscard]] bool may_be_disturbed() const { return for_clusters_ != nullptr || policy().heeds_clusters(); }
  [[nodiscard]] bool may_take(const JobPlacements& placements) const {
    return (for_clusters_ ? *for_clusters_ : policy()).takes(placements);
  }
  [[nodiscard]] bool may_be_placed() const { return for_clusters_ != nullptr || policy().heeds_eligibility(); }
  [[nodiscard]] const Availability& availability() const { return engine_.availability(); }
  [[nodiscard]] const MachineIndex& machines() const { return engine_.machines(); }
  [[nodiscard]] std::span<const Amount> capacity_of(std::size_t machine) const { return engine_.capacity_of(machine); }
  [[nodiscard]] MachinesView machines_view() const { return engine_.machines_view(); }
  [[nodiscard]] const MachineNames* names() const { return engine_.names(); }
  [[nodiscard]] KillRule kill_rule() const { return engine_.kill_rule(); }
  // Who waits for whom, and how others have ended.
  [[nodiscard]] const AwaitedJobs& awaited() const { return engine_.awaited(); }
  [[nodiscard]] bool has_ended(std::int64_t id) const { return engine_.has_ended(id); }
  // Of a running job: when it ends by what it says; of a late one by as much once more.
  [[nodiscard]] Time expected_end(JobSlot job) const { return ends_.end_of(job); }
  // How often a job turned out to take longer than it said, since the state was made or read.
  [[nodiscard]] std::uint64_t n_late() const { return ends_.n_late(); }
  // Kept of running jobs and of some that have ended; for tests.
  [[nodiscard]] std::size_t n_expected_ends() const { return ends_.n_kept(); }
  // In plan order; overdue jobs have start_time = now.  `slots` receives those of its jobs.
  [[nodiscard]] IdPlacements plan(std::vector<JobSlot>& slots) const;

  // As of `Engine`.
  void name_machines(std::shared_ptr<const MachineNames> names) { engine_.name_machines(std::move(names)); }
  // Of one that was read from what `before` wrote for machines under other numbers.
  void continue_as(const DecidedState& before) { engine_.policy().continue_as(before.policy()); }

  // `plan` is not asked for from now on.
  void keep_plan_to_itself() { engine_.set_tells_plan(false); }
  // From now on the policy that heeds clusters decides, if there is one.
  bool heed_clusters() {
    if (for_clusters_) engine_.hand_over_to(std::move(for_clusters_));
    return policy().heeds_clusters();
  }
  // One event, in the order of `Happenings`, then one decision, which may spend the budget; what comes of it is added to
  // `outcome`.
  void apply(const RecordedEvent& event, Monitor* monitor, EventOutcome& outcome, WorkBudget budget = {});

  // The ids of the jobs that wait or are held, in increasing order.
  [[nodiscard]] std::vector<std::int64_t> waiting() const;
  // The slots of the running jobs, in order of id.  O(slots).
  [[nodiscard]] std::vector<JobSlot> running() const;
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
  void arrive(const RecordedEvent& event);
  void adopt(const RecordedEvent& event, std::span<const TaskPlace> places, std::vector<AdoptedJob>& adopted);
  void disturb(const RecordedEvent& event, EventOutcome& outcome);
  void take_up_ended(EventOutcome& outcome, std::vector<JobSlot>& gone);
  void remove(JobSlot slot);
  void add_tasks(JobSlot slot, std::int64_t machine, std::span<const TaskPlace> places, IdPlacements& to) const;

  std::unique_ptr<Policy> for_clusters_;  // null once it has taken over
  Engine engine_;
  std::unordered_map<std::int64_t, JobSlot> slot_of_;
  Time now_ = 0;
  std::uint64_t n_running_ = 0;
  RunEnds ends_;

  // Of the event under way.
  std::vector<JobSlot> arrived_;
  std::vector<JobSlot> completed_;
  std::vector<Placement> started_;
  std::vector<KilledJob> killed_;
  std::uint64_t n_stopped_ = 0;  // runs that were cut
  std::vector<TaskPlace> places_;
};

}  // namespace schedcore
