// The event-driven core of every online non-preemptive policy: one event at a time, in simulation and embedded.
//
// `advance(now, ...)` applies all completions of the instant, then all arrivals, starts the planned jobs that are due
// and fit (in plan order), lets the policy decide once, and starts what the policy planned for this very instant.
// It reports the starts in the order in which they were made.  `next_wakeup()` is the next instant at which something
// may start without an arrival or completion.
//
// A planned start that does not fit when it is due (a job outlived its processing time) waits, in plan order, for
// the first instant at which it fits.  A job that ends early frees its resources at once, and the plan stays.
// A machine that fails, is closed, or is in an announced outage, is blocked: what is free on it is less by all that it has,
// so nothing fits there.  Jobs on a machine that fails are killed, on one that is closed if the caller says so; an outage
// kills nobody.
// The event itself costs O(R log M) a job and, for planning policies, O(R log k) for the timeline; the policy's own cost
// comes on top.  Copyable; a snapshot holds everything that cannot be derived, the policy's state included.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "schedcore/engine/job_set.hpp"
#include "schedcore/engine/limited_runs.hpp"
#include "schedcore/engine/machine_names.hpp"
#include "schedcore/engine/policy.hpp"
#include "schedcore/engine/run_ends.hpp"
#include "schedcore/site/awaited_jobs.hpp"

namespace schedcore {

// What becomes of the work of a job that is killed.
enum class KillRule : std::uint8_t { requeue, drop, checkpoint };

// A job that was killed; what is dropped is gone, everything else waits again.
struct KilledJob {
  JobSlot job = 0;
  bool is_dropped = false;
};

// A job that runs already when it becomes known.
struct AdoptedJob {
  JobSlot job = 0;
  Time start_time = 0;
  std::span<const TaskPlace> places;
};

// What is said of a job from now on, in place of what was said before.
struct JobUpdate {
  JobSlot job = 0;
  std::optional<Time> remaining_time;  // of the run under way, or the next one
  std::optional<Time> run_estimate;    // of the run under way, all of it: in place of what remains, which would be rounded
  std::optional<double> weight;
  std::optional<double> priority;
  bool says_where = false;  // whether it may use other machines
  Eligibility eligibility = {};
  std::shared_ptr<const std::string> constraint = nullptr;
};

// What a machine has from now on; `joins` says that it was not there before, or has been removed.
struct ResizedMachine {
  std::uint32_t machine = 0;
  bool joins = false;
  std::shared_ptr<const std::vector<Amount>> capacity;
};

// What happened at one instant, as the caller tells it; the engine takes it in the order given here.  Jobs are in order of
// increasing id.  Nobody is in two lists, but a job that completed may be on a machine that fails or is closed.
struct Happenings {
  Time now = 0;
  // In increasing order of machines, none twice.  What machines lose they lose after the failures; those that are removed at
  // this instant lose all of it.
  std::span<const ResizedMachine> resized = {};
  std::span<const std::uint32_t> repaired = {};
  std::span<const std::uint32_t> opened = {};
  std::span<const JobSlot> completed = {};
  std::span<const std::uint32_t> failed = {};
  std::span<const ClosedMachine> closed = {};  // first the jobs are killed that wait again, then those that are dropped
  std::span<const AnnouncedOutage> announced = {};
  std::span<const std::int64_t> unreserved = {};           // reservations that end before their time
  std::span<const AdvanceReservation> reserved = {};
  std::span<const JobSlot> requeued = {};   // running jobs that are killed
  std::span<const JobSlot> cancelled = {};  // that wait, are held, or run
  std::span<const AdoptedJob> adopted = {};
  std::span<const JobSlot> arrived = {};
  std::span<const JobSlot> named = {};      // that arrive, and name reservations
  std::span<const JobUpdate> updated = {};  // that wait, are held, or run, and did not arrive now
  std::span<const JobSlot> held = {};       // that wait
  std::span<const JobSlot> released = {};   // that are held
};

class Engine {
 public:
  Engine(const MachinesView& machines, std::unique_ptr<Policy> policy);
  Engine(const Engine& other);
  Engine& operator=(const Engine&) = delete;
  Engine(Engine&&) noexcept = default;
  ~Engine() = default;

  [[nodiscard]] JobTable& jobs() { return jobs_; }
  [[nodiscard]] const JobTable& jobs() const { return jobs_; }
  [[nodiscard]] const MachineIndex& machines() const { return machines_; }
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] const Policy& policy() const { return *policy_; }
  [[nodiscard]] Policy& policy() { return *policy_; }

  // `completed` and `arrived` list slots in order of increasing id; `starts` receives what starts now.
  void advance(Time now, std::span<const JobSlot> completed, std::span<const JobSlot> arrived,
               std::vector<Placement>& starts);
  // The same with everything that can happen to a cluster; the policy must heed it.  `killed` receives the jobs that were
  // killed, by machines that failed or are closed, or by the caller; those that are dropped are gone, like those that were
  // cancelled.
  void advance(const Happenings& happenings, std::vector<Placement>& starts, std::vector<KilledJob>& killed);
  // Which jobs wait for others.  Whoever arrives says before that for whom it waits; jobs that end outside are told here.
  [[nodiscard]] AwaitedJobs& awaited() { return awaited_; }
  [[nodiscard]] const AwaitedJobs& awaited() const { return awaited_; }
  // A job arrives and is held at the same instant, so that no policy knows of it.
  void arrive_held(JobSlot job) {
    jobs_.set_held(job);
    arrived_held_.push_back(job);
  }
  // Whether the job has ended, and that is remembered.
  [[nodiscard]] bool has_ended(std::int64_t id) const {
    return awaited_.has_ended(id) || std::ranges::find(ended_outside_, id) != ended_outside_.end();
  }
  // The id is that of another job from now on.
  void use_again(std::int64_t id);
  // A job that never arrives has ended; what that settles is taken up with the next event.
  void end_outside(std::int64_t id) { ended_outside_.push_back(id); }
  // Under a policy that heeds no clusters, where nobody waits for others: jobs have completed.
  void note_completed(std::span<const JobSlot> completed) {
    if (awaited_.is_idle()) return;
    for (const JobSlot job : completed) awaited_.ended(jobs_.id(job), true, settled_);
  }
  // Jobs that wait for what cannot be any more, in the last `advance`, in order of id; they are the caller's to remove.
  [[nodiscard]] std::span<const JobSlot> left() const { return left_; }
  // Jobs that the last decision ended for others.
  [[nodiscard]] std::span<const KilledJob> preempted() const { return preempted_; }
  // Before the first job: the rules of a site, and what becomes of jobs that are ended for others.
  void obey(const SiteRules& rules, KillRule preempt_rule) {
    jobs_.set_site(SiteState(rules, machines_view().total()));
    preempt_rule_ = preempt_rule;
  }
  // Jobs that ran inside a reservation until it ended, in the last `advance`, and run on.
  [[nodiscard]] std::span<const JobSlot> left_reservation() const { return left_reservation_; }
  // Jobs that were waiting and have other slots since the last `advance`, from the old slot to the new one; the old slots are
  // the caller's to remove.  A job that is held now may be among them.
  [[nodiscard]] std::span<const Reweighed> moved() const { return moved_; }
  // Of a job that no policy knows of, as it arrives now.
  void update_unknown(JobSlot job, const JobUpdate& update);
  // When running jobs are expected to end, for limits of machines; before every `advance` of a state with reservations.
  void set_run_ends(const RunEnds* ends) { run_ends_ = ends; }
  // Whether `planned` will be asked for after decisions, so that policies find out what they would not need to know.
  void set_tells_plan(bool tells) { tells_plan_ = tells; }
  // Of jobs that are killed from now on.
  void set_kill_rule(KillRule rule) { kill_rule_ = rule; }
  [[nodiscard]] KillRule kill_rule() const { return kill_rule_; }
  [[nodiscard]] const Availability& availability() const { return availability_; }
  [[nodiscard]] std::span<const Amount> capacity_of(std::size_t machine) const {
    return {capacity_.data() + machine * n_resources_, n_resources_};
  }
  // What errors and policies of others call the machines; null where that is how they are numbered here.
  void name_machines(std::shared_ptr<const MachineNames> names) { names_ = std::move(names); }
  [[nodiscard]] const MachineNames* names() const { return names_.get(); }
  [[nodiscard]] std::int64_t number_of(std::size_t machine) const {
    return names_ ? names_->number_of(machine) : static_cast<std::int64_t>(machine);
  }
  [[nodiscard]] MachinesView machines_view() const { return {capacity_, machines_.n_machines(), n_resources_}; }
  // Between events: a policy that heeds clusters, and keeps its plans itself, takes the place of one that does not, and goes
  // on as it would have.
  void hand_over_to(std::unique_ptr<Policy> policy);
  // Jobs may wait that none of the machines can take.
  void expect_other_machines() { availability_.expect_others(machines_.n_machines()); }
  // Before the first event: outages that are known from the beginning.
  void announce(std::span<const AnnouncedOutage> outages);
  [[nodiscard]] Time next_wakeup() const;
  // Planned jobs that have not started, in plan order (planned start, then order of planning).
  [[nodiscard]] std::vector<Placement> planned() const;
  // Where the tasks of a planned job are to go; empty for one task on its machine.
  [[nodiscard]] std::span<const TaskPlace> planned_places(JobSlot job) const { return policy_->reserved_places(job); }

  // Watches the computation from now on; `total` is the number of jobs to start.
  void watch(Monitor* monitor, std::uint64_t total) {
    monitor_ = monitor;
    total_ = total;
  }
  // Of the next decision, and without a limit otherwise.
  void limit_work(WorkBudget budget) { budget_ = budget; }
  // What decisions have told they shortened since this was asked last.
  [[nodiscard]] std::vector<std::string> take_shortened() { return std::exchange(shortened_, {}); }
  void forget_shortened() { shortened_.clear(); }
  void poll() {
    if (monitor_ != nullptr) monitor_->poll(n_started_, total_);
  }

  // A snapshot between events (engine_snapshot.cpp): the jobs, who runs where and the plan, then what the policy remembers.
  // Reading is for an engine that has seen no event; free amounts, timelines and indexes are built again.  Whatever the
  // bytes, they are read as a state that keeps every invariant, or are an InvalidInstanceError.
  void write(SnapshotWriter& archive) const;
  void read(SnapshotReader& archive);

  // Throws std::logic_error unless free amounts, timelines and the policy's indexes are those of `other`, which was read
  // from a snapshot of this engine, and every structure keeps its own invariants.
  void check_against(const Engine& other) const;

 private:
  friend class Turn;
  struct PlanEntry {
    Time start_time = 0;
    std::uint64_t order = 0;
    JobSlot job = 0;
    friend bool operator<(const PlanEntry& a, const PlanEntry& b) {
      return std::tie(a.start_time, a.order) < std::tie(b.start_time, b.order);
    }
  };

  [[nodiscard]] Cluster cluster() const;
  [[nodiscard]] std::vector<JobSlot> running_by_id() const;  // those inside reservations, too
  [[nodiscard]] std::vector<RunningJob> running() const;
  void read_jobs(SnapshotReader& archive);
  void read_running(SnapshotReader& archive, const Placement& placed);
  void read_blocked(SnapshotReader& archive);
  void read_awaiting(SnapshotReader& archive);
  [[nodiscard]] bool may_be_on(std::size_t machine, JobSlot job) const;
  void complete(JobSlot job);
  void start(JobSlot job, std::size_t machine);
  void start(JobSlot job, std::span<const TaskPlace> places);
  // Of changes to the cluster (cluster_changes.cpp).
  void take_up(const Happenings& happenings, std::vector<KilledJob>& killed);
  // Of what machines have (machine_changes.cpp).
  void take_up_capacities(const Happenings& happenings);
  void set_capacity(std::uint32_t machine, std::span<const Amount> capacity);
  void renew_policy(const Happenings& happenings);
  void take_up_failures(std::span<const std::uint32_t> failed, std::vector<KilledJob>& killed);
  void take_up_closings(std::span<const ClosedMachine> closed, std::vector<KilledJob>& killed);
  [[nodiscard]] std::vector<JobSlot> running_on(const std::vector<bool>& machines) const;
  // What a job holds on a machine where it has so many tasks; until the next call.
  [[nodiscard]] std::span<const Amount> held_on(std::size_t machine, JobSlot job, Amount n_tasks);
  void release_places(JobSlot job);
  void stop(JobSlot job);
  void kill(JobSlot job, KillRule rule, std::vector<KilledJob>& killed);
  void cancel(JobSlot job);
  void preempt(JobSlot job);
  // Of jobs that wait for others (awaited_in_engine.cpp).
  void settle_awaited(const Happenings& happenings, std::span<const KilledJob> killed);
  void take_up_arrivals(std::span<const JobSlot> arrived, std::vector<JobSlot>& served);
  void settle(const AwaitedJobs::Settled& each);
  void leave(JobSlot job);
  void wait_from_now(JobSlot job);
  // Whatever room there is for it.  Where a machine has failed at this instant, it is killed instead.
  void adopt(const AdoptedJob& adopted, std::vector<KilledJob>& killed);
  // Of updates (job_updates.cpp).
  void update(const JobUpdate& update, std::span<const JobSlot> held);
  void say_more(JobSlot job, const JobUpdate& update);
  void update_running(JobSlot job, const JobUpdate& update);
  void update_waiting(const JobUpdate& update, bool is_held_now);
  [[nodiscard]] bool waits_no_longer(JobSlot job);
  void settle_block(std::uint32_t machine, bool was_blocked);
  // Changes what is known of the machine's availability.
  template <class Change>
  void change_block(std::uint32_t machine, const Change& change) {
    const bool was_blocked = availability_.is_blocked(machine);
    change();
    settle_block(machine, was_blocked);
  }
  void pass_outages_to(Time now);
  // Of advance reservations and the jobs that name them (reserved_jobs.cpp).
  void pass_reservations_to(Time now, std::span<const std::int64_t> unreserved);
  void reserve(const AdvanceReservation& reservation);
  void change_shares(const AdvanceReservations::Entry& entry, bool takes);
  void wait_inside(JobSlot job);
  void wait_inside_no_longer(JobSlot job);
  void change_held_inside(AdvanceReservations::Entry& entry, JobSlot job, Amount times);
  void stop_inside(JobSlot job);
  void keep_inside(std::vector<Completion>& ended, bool wait_again);
  void settle_inside();
  void hand_out(std::int64_t number);
  void lose_shares(std::uint32_t machine);
  void serve_again(JobSlot job) { reservations_to_serve_.insert(jobs_.reservation(job)); }
  [[nodiscard]] Time next_inside() const;
  void serve_reservations();
  void serve(AdvanceReservations::Entry& entry);
  [[nodiscard]] bool place_inside(const AdvanceReservations::Entry& entry, JobSlot job, Time end);
  void start_inside(AdvanceReservations::Entry& entry, JobSlot job);
  [[nodiscard]] Time planned_end(JobSlot job, bool is_new) const;
  // Of what reservations leave (reserved_limits.cpp).
  void take_limits(JobSlot job);
  void give_back_limits(JobSlot job);
  void move_limits(JobSlot job, Time before, Time after, bool notes);
  void refresh_limits();
  void make_limits_anew();
  void read_reservations(SnapshotReader& archive);
  void start_due();
  void plan(const Placement& placement);
  void unplan(JobSlot job);
  [[nodiscard]] bool has_overdue() const { return !plan_.empty() && plan_.begin()->start_time < now_; }

  std::size_t n_resources_ = 0;
  Time now_ = 0;
  std::uint64_t n_started_ = 0;
  JobTable jobs_;
  MachineIndex machines_;
  std::vector<std::uint32_t> preference_;  // all machines, the preferred ones first
  JobSet running_;
  std::vector<Amount> capacity_;  // row-major
  std::shared_ptr<const MachineNames> names_;
  Availability availability_;     // what is free on a blocked machine is less by all its capacity
  LimitedRuns limited_runs_;
  bool are_limits_void_ = true;   // to be made anew with the next event
  KillRule kill_rule_ = KillRule::requeue;
  KillRule preempt_rule_ = KillRule::requeue;
  AwaitedJobs awaited_;
  std::vector<std::int64_t> ended_outside_;  // no event has told of them
  bool tells_plan_ = false;
  std::vector<ResourceTimeline> timelines_;  // empty unless the policy plans
  std::set<PlanEntry> plan_;
  std::uint64_t plan_counter_ = 0;
  std::unique_ptr<Policy> policy_;
  std::shared_ptr<const Policy> unattached_;  // the same, as it was before it knew any machine

  // Invariant, which reading a snapshot builds on: from now_ on a timeline shows every running and every planned job on
  // [start, start + processing_time), and nothing else.

  // Of the event under way; between events they point to what may be gone.  The event is kept, because only three of its
  // fields differ from one to the next.
  Event event_;
  std::vector<Placement>* starts_ = nullptr;
  std::vector<Completion> completions_;
  std::vector<Completion> killed_;
  std::vector<Completion> cancelled_;
  std::vector<JobSlot> called_off_;
  std::vector<JobSlot> withdrawn_;
  std::vector<JobSlot> released_;
  std::vector<Reweighed> reweighed_;
  std::vector<Rescheduled> rescheduled_;
  std::vector<JobSlot> adopted_;
  std::vector<JobSlot> lost_;  // that were to be adopted, where a machine has failed
  std::vector<Reweighed> moved_;  // until the next event
  std::vector<JobSlot> left_;     // likewise, as the next
  std::vector<KilledJob> preempted_;
  std::vector<AwaitedJobs::Settled> settled_;
  std::vector<JobSlot> arrived_;
  std::vector<JobSlot> named_;
  std::vector<JobSlot> arrived_held_;
  std::vector<std::uint32_t> changed_machines_;
  std::map<std::uint32_t, std::vector<RoomLimit>> limits_before_;  // of machines whose limits have changed
  std::vector<std::uint32_t> raised_;
  std::vector<std::uint32_t> lowered_;
  std::vector<std::uint32_t> reserved_;
  std::vector<std::uint32_t> unreserved_;
  std::vector<std::int64_t> over_;             // reservations
  std::vector<JobSlot> left_reservation_;      // until the next event
  std::set<std::int64_t> reservations_to_serve_;
  std::vector<TaskPlace> places_inside_;       // scratch
  const RunEnds* run_ends_ = nullptr;
  std::vector<Amount> held_;  // scratch: what a job holds on a machine

  WorkBudget budget_;
  std::vector<std::string> shortened_;

  Monitor* monitor_ = nullptr;
  std::uint64_t total_ = 0;
};

inline Turn::Turn(Engine& engine)
    : engine_(engine), jobs_(engine.jobs_), machines_(engine.machines_), availability_(engine.availability_) {}

// Inlined, because every completion comes this way.
inline void Engine::complete(JobSlot job) {
  const std::uint32_t machine = jobs_.machine(job);
  running_.erase(job);
  jobs_.note_end(job, now_);
  machines_.release(machine, jobs_.demand(job));
  if (!timelines_.empty()) {
    ResourceTimeline& timeline = timelines_[machine];
    timeline.forget_before(now_);
    const Time expected_end = jobs_.expected_end(job);
    if (now_ < expected_end) timeline.release(now_, expected_end, jobs_.demand(job));
  }
}

}  // namespace schedcore
