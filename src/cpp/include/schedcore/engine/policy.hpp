// What a scheduling policy is: an object that is asked at every event instant, in simulation and embedded alike.
//
// The engine applies all completions and arrivals of an instant, starts what the plan has due, and then calls
// `decide` once with the batch of the instant.  The policy answers through `Turn`: it starts jobs now, reserves starts
// for later, and names the next instant at which it wants to be woken.  A wake-up that is not needed must change no
// decision, though it may be the first event to show that a job outlives its estimate (planned_load.hpp).  A policy keeps
// what it needs to know of waiting jobs itself (a WaitingIndex, say); it may read every job that has arrived, the free
// amounts of every machine and, if it plans, the timelines of the machines.
//
// A job's `processing_time` in the job table is what the policy is told: the estimate, where the caller gave estimates
// of their own, and the shortest one, where a job takes another time on every machine (`processing_time_on`).  What it
// takes in truth shows when its completion is reported.
//
// Contract: no job is started or reserved before it has arrived, twice, or where it does not fit or may not run; the engine checks each
// start and throws PolicyError.  A policy is a value: `clone` copies its whole state; `write` puts into a snapshot what cannot
// be derived from its options, the machines and the jobs, and `read`, on a policy that was attached and has seen no
// event, takes it back, refuses what it could not have written, and builds the rest again (archive.hpp, cluster.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/base/work_budget.hpp"
#include "schedcore/engine/availability.hpp"
#include "schedcore/engine/cluster.hpp"
#include "schedcore/engine/job_table.hpp"
#include "schedcore/index/machine_index.hpp"
#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {

class Engine;
class MachineNames;

// A job that has left a machine, whose amounts are free again.
struct Completion {
  JobSlot job = 0;
  std::uint32_t machine = 0;
};

// A waiting job with another weight than before, in another slot; the old one is its own until the event is over.
struct Reweighed {
  JobSlot before = 0;
  JobSlot after = 0;
};

// A running job that says another end than before.
struct Rescheduled {
  JobSlot job = 0;
  Time processing_time_before = 0;
};

// Everything that happened at one instant.  Jobs are in order of increasing id, machines of their index.  As long as no
// machine fails and nobody cancels, the lists behind the arrivals are empty.
struct Event {
  Time now = 0;
  std::span<const Completion> completed;
  std::span<const JobSlot> arrived;
  std::span<const Completion> killed = {};     // they wait again, among those that arrived before
  std::span<const Completion> cancelled = {};  // ended while they ran; their slots are theirs until the event is over
  std::span<const JobSlot> called_off = {};    // of those: by the caller, in order of slot
  std::span<const JobSlot> withdrawn = {};     // wait no longer: cancelled, or held
  // Were held, and wait again, among those that arrived before.  A waiting job whose length or machines have changed is
  // withdrawn, and released in another slot.
  std::span<const JobSlot> released = {};
  std::span<const Reweighed> reweighed = {};   // waiting jobs whose weight has changed; what was promised to them stands
  std::span<const JobSlot> adopted = {};       // run from an earlier start on; perhaps where there is no room for them
  std::span<const Rescheduled> rescheduled = {};  // last of all: after machines got less and were reserved
  // Blocked or not any more, or with other outages, reservations or limits than before.
  std::span<const std::uint32_t> changed_machines = {};
  // Of those that changed: they have more, or less, of some resource than before.  The policy is one that was made for what
  // they have now, and took over from itself.
  std::span<const std::uint32_t> raised = {};
  std::span<const std::uint32_t> lowered = {};
  std::span<const AnnouncedOutage> announced = {};
  std::span<const std::uint32_t> unreserved = {};  // of those that changed: a reservation ended before its time
  std::span<const std::uint32_t> reserved = {};  // of those that changed: an advance reservation takes some of it from now or later on

  // Whether a running job that was cancelled was so by the caller; otherwise what happened to its machines ended it, before
  // machines got less or were reserved.
  [[nodiscard]] bool is_called_off(JobSlot job) const { return std::ranges::binary_search(called_off, job); }
  // Whether nothing happened but the time.
  [[nodiscard]] bool is_empty() const { return completed.empty() && arrived.empty() && !is_disturbed(); }
  // Whether it is more than arrivals and completions.
  [[nodiscard]] bool is_disturbed() const {
    return !killed.empty() || !cancelled.empty() || !withdrawn.empty() || !released.empty() ||
           !changed_machines.empty() || !reweighed.empty() || !adopted.empty() || !rescheduled.empty();
  }
};

// A running job, and when it ends if it takes as long as it says; that may be over by now.
struct RunningJob {
  JobSlot job = 0;
  std::uint32_t machine = 0;
  Time start_time = 0;
  Time expected_end = 0;
};

struct Placement {
  JobSlot job = 0;
  std::uint32_t machine = 0;
  Time start_time = 0;
};

// A start that a job has been promised; `start` is not before the instant of the question.
struct Promise {
  JobSlot job = 0;
  Time start = 0;
  Time end = 0;  // by what it says
  std::vector<TaskPlace> places;
  bool holds_machines = false;  // all of them until then, whatever it takes of them
};

// What a policy has promised and remembers, for another that takes its place between two events.
struct Commitments {
  struct Reservation {
    JobSlot job = 0;
    Time start = 0;
    Time end = 0;  // of what it occupies
    std::uint32_t machine = 0;
  };
  // Of a policy that takes jobs in batches, at the ends of intervals that grow from an origin.
  struct Batches {
    Time origin = 0;
    int next_interval = 0;
    bool has_ended_early = false;                       // some job, since the origin
    std::vector<std::pair<JobSlot, int>> interval_of;   // of jobs that have been taken and have not started
    std::optional<Priority> densest_left;               // least volume per weight of what was left behind last
  };
  std::vector<std::pair<JobSlot, Time>> planned_ends;  // of running jobs
  std::vector<Reservation> reservations;
  std::uint64_t n_overruns = 0;
  Time last_run = -kNever;     // of what runs at intervals
  Time first_release = kNever;  // of the jobs that came to wait, where the order of the queue counts from it
  bool has_given_back = false;  // room that no reservation has looked at
  Batches batches;
};

// A policy's hands during one decision.
class Turn {
 public:
  inline explicit Turn(Engine& engine);  // in engine.hpp

  [[nodiscard]] const JobTable& jobs() const { return jobs_; }
  [[nodiscard]] const MachineIndex& machines() const { return machines_; }
  void start(JobSlot job, std::size_t machine);
  // The same for a job of several tasks, or one that is alone on its machines: places with tasks, none twice.
  void start(JobSlot job, std::span<const TaskPlace> places);
  // Ends a running job for another; it waits again, which no event tells, or is gone.  Not one that started at this instant.
  void preempt(JobSlot job);
  // Which machines are blocked, or will be.
  [[nodiscard]] const Availability& availability() const { return availability_; }
  // The running jobs, those that this decision has started among them, in order of expected end, then id.  For n of them
  // O(n log n + s / 64), where s is the highest slot that ever ran, so not for every decision of a policy that can remember
  // what it needs.
  [[nodiscard]] std::vector<RunningJob> running() const;
  // All machines, the preferred ones first.
  [[nodiscard]] std::span<const std::uint32_t> preference() const;
  // What callers call a machine, and which one they call so.
  [[nodiscard]] std::int64_t number_of(std::size_t machine) const;
  // The same of all machines, and their weights; null where they are numbered so and nobody has a weight.
  [[nodiscard]] const MachineNames* names() const;
  [[nodiscard]] std::optional<std::uint32_t> machine_of(std::int64_t number) const;
  // How many jobs have started so far, those of this event among them.
  [[nodiscard]] std::uint64_t n_started() const;

  // Whether somebody is told what is planned after this decision.
  [[nodiscard]] bool tells_plan() const;

  // What the decision may spend in its expensive part.  Where it does not suffice the policy decides in a cheaper way, or as
  // much as it can, and says so; what it puts off it does at a later event, so that its state is one that it can be in
  // without a limit.
  [[nodiscard]] WorkBudget& budget();
  // Tells the caller what was done in a cheaper way, or put off, in a few words.
  void tell_shortened(std::string what);

  // Lets a long decision be interrupted; call it every few hundred steps.
  void poll();
  [[nodiscard]] Monitor* monitor() const;

  // For policies that plan.  Every timeline shows the running jobs until their expected end and the planned ones.
  [[nodiscard]] std::vector<ResourceTimeline>& timelines();
  // Adds a planned start whose occupation of the timeline the caller has reserved already.
  void plan(const Placement& placement);
  // Whether a planned job has missed its start because others run late.  Its occupation of the timeline then runs out by
  // itself, so that room appears beside the plan without an event on its machine.
  [[nodiscard]] bool has_overdue() const;
  // Planned jobs that have not started, in plan order.
  [[nodiscard]] std::vector<Placement> planned() const;
  // Takes a planned job out of the plan; its occupation of the timeline is the caller's to release.
  void unplan(JobSlot job);

 private:
  Engine& engine_;
  const JobTable& jobs_;  // of the engine, at hand because every step of a policy asks for them
  const MachineIndex& machines_;
  const Availability& availability_;
};

class Policy {
 public:
  Policy() = default;
  virtual ~Policy() = default;
  Policy& operator=(const Policy&) = delete;
  Policy& operator=(Policy&&) = delete;

  [[nodiscard]] virtual std::unique_ptr<Policy> clone() const = 0;
  // One that heeds clusters also reads what it wrote for machines with other capacities; what no longer fits is kept, and the
  // next event tells of it.
  virtual void write(SnapshotWriter& archive) const = 0;
  virtual void read(SnapshotReader& archive) = 0;

  // For tests.  Throws std::logic_error where an index of the policy breaks its own invariants.
  virtual void check_invariants() const {}
  // For tests.  Those that the policy keeps itself.
  [[nodiscard]] virtual std::span<const ResourceTimeline> timelines() const { return {}; }

  // Called once, before the first event, with the empty cluster.
  virtual void attach(const MachinesView& machines) = 0;
  // Whether it goes on by itself where machines have other capacities than before, which the event then tells.  Otherwise
  // another one of its kind is attached to these, and reads what it has written.
  [[nodiscard]] virtual bool take_up_machines(const MachinesView& /*machines*/) { return false; }
  // Of one that has read what `before` wrote for machines under other numbers: it goes on as that would.
  virtual void continue_as(const Policy& /*before*/) {}
  // Throws InvalidInstanceError for a job that this policy cannot take; called before the job is recorded.
  virtual void check_job(const JobColumns& /*job*/, Time /*now*/) const {}
  // Whether it heeds that jobs may use some machines only; otherwise such jobs are refused.
  [[nodiscard]] virtual bool heeds_eligibility() const { return heeds_placements(); }
  // Whether it heeds, beside that, that jobs take another time on each machine, and belong together.
  [[nodiscard]] virtual bool heeds_placements() const { return false; }
  // Whether it heeds where the job may run, and what that means for it; its number of tasks apart.
  [[nodiscard]] bool heeds(const JobPlacements& placements) const {
    return placements.says_only_where() ? placements.eligibility.is_everywhere() || heeds_eligibility()
                                        : heeds_placements();
  }
  // Whether it heeds what happens to a cluster: failures and outages of machines, jobs that are killed, cancelled or held.
  // Otherwise nothing of it may happen.
  [[nodiscard]] virtual bool heeds_clusters() const { return false; }
  // Whether the weight of a waiting job matters to it; otherwise no `Event` tells that one has changed.
  [[nodiscard]] virtual bool heeds_weights() const { return false; }
  // Whether it takes jobs of several tasks and exclusive ones; requires that it heeds clusters.
  [[nodiscard]] virtual bool takes_gangs() const { return false; }
  // Whether it takes the job, as to its tasks and what may happen to it; where it may run apart.
  [[nodiscard]] bool takes(const JobPlacements& placements) const {
    return (placements.is_one_task() || heeds_clusters()) && (placements.shape.is_plain() || takes_gangs());
  }
  // Asked of a policy that does not heed clusters, and told to one that does, once attached: from then on the one decides
  // as the other would have.
  [[nodiscard]] virtual Commitments commitments(const Cluster& /*cluster*/) const { return {}; }
  virtual void take_over(const Commitments& /*commitments*/, const Cluster& /*cluster*/) {}
  virtual void decide(const Event& event, Turn& turn) = 0;
  // The next instant at which the policy wants to decide even if nothing happens; kNever if none.
  [[nodiscard]] virtual Time next_wakeup() const { return kNever; }
  // Whether the engine has to keep timelines and a plan.
  [[nodiscard]] virtual bool plans() const { return false; }
  // Reservations that the policy keeps itself because they move, in order of start; the engine reports them as planned.  A
  // start that it protects without reserving it may be among them, where `Turn::tells_plan`.
  // Those that cannot be kept are told as what is known at `now`, the last event, allows.
  [[nodiscard]] virtual std::vector<Placement> reserved(const JobTable& /*jobs*/, Time /*now*/) const { return {}; }
  // Where the tasks of a job are to go that `reserved` lists; empty for one task on the machine that is told there.
  [[nodiscard]] virtual std::span<const TaskPlace> reserved_places(JobSlot /*job*/) const { return {}; }
  // For explanations, of a policy that heeds clusters.  The jobs that wait, in the order in which it serves them.
  [[nodiscard]] virtual std::vector<JobSlot> waiting_in_order(const JobTable& /*jobs*/) const { return {}; }
  // What it has promised; what is overdue counts from `now` on.
  [[nodiscard]] virtual std::vector<Promise> promises(const JobTable& /*jobs*/, Time /*now*/) const { return {}; }
  // When it expects a running job to end; kNever where that is what the job says, or as much once more.
  [[nodiscard]] virtual Time planned_end(JobSlot /*job*/) const { return kNever; }
  // Ends of its plans are multiples of this; 0: as they are.
  [[nodiscard]] virtual Time resolution() const { return 0; }

 protected:
  Policy(const Policy&) = default;
  Policy(Policy&&) = default;
};

}  // namespace schedcore
