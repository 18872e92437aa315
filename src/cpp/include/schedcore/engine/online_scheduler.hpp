// The engine embedded in another program: the caller records what happened and asks what to start.
//
// `submit` and `complete` only record, in order of time: a record before the latest recorded or decided instant is refused.
// `advance(now)` applies every recorded instant up to now, each as one event (in the order of `Happenings`, whatever the
// order of the records) with one decision, and at last decides at now itself.  It returns all starts together, each with the instant of
// its decision, and the plan and the next wake-up as of now.  Records at later instants stay pending.
//
// A wake-up that the caller was told of and let pass is served late: at the first recorded instant, or at now.  Behind the
// first recorded instant nobody could tell the caller of wake-ups, so each is applied at its own time.  The outcome is
// that of calling `advance` at every recorded instant, at every wake-up that those calls name, and at now.  Cost: that of
// these decisions, and O(1) amortised a record.
//
// Jobs run until their completion is recorded, whatever their processing time (an estimate, for policies that decide with
// estimates) said.  Ids are unique among live and pending jobs and break every tie; a job can be completed once a
// decision that the caller has seen has started it.
//
// A call that throws changes nothing, whatever throws: a check, an error inside a decision (a knapsack above its memory
// limit, say), or the monitor that ends it (decision_journal.hpp).  The records stay pending, and the same call decides
// what it would have decided.  Copying copies everything.  One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "schedcore/engine/decision_journal.hpp"
#include "schedcore/engine/empty_cluster.hpp"
#include "schedcore/engine/machine_table.hpp"
#include "schedcore/engine/told_promises.hpp"

namespace schedcore {

struct Decision {
  IdPlacements starts;  // in the order in which they were decided
  IdPlacements plan;    // in plan order; overdue jobs have start_time = now
  Time next_wakeup = kNever;
  std::vector<std::int64_t> killed;  // event by event, in increasing id
  std::vector<std::int64_t> preempted;  // for other jobs; event by event, in increasing id
  std::vector<std::int64_t> left;    // jobs that wait for what cannot be any more; event by event, in increasing id
  std::vector<BrokenPromise> broken;  // in the order in which they were told
  // What was decided in a cheaper way, or put off, because the budget of a decision did not suffice; event by event.
  std::vector<std::string> shortened;
};

class OnlineScheduler {
 public:
  OnlineScheduler(const MachineDescriptions& machines, SchedulerParts parts);
  OnlineScheduler(const MachinesView& machines, SchedulerParts parts)
      : OnlineScheduler(MachineDescriptions{machines}, std::move(parts)) {}
  OnlineScheduler(const MachinesView& machines, std::unique_ptr<Policy> policy)
      : OnlineScheduler(machines, SchedulerParts{std::move(policy)}) {}

  // `ids` is empty for a running number; returns the ids.  The release time of every job is `now`.  `placements`, if
  // there are any, say where each job may run; their groups count from 0 in every call, and are other groups than before.
  std::vector<std::int64_t> submit(const JobsView& jobs, std::span<const double> custom_key,
                                   std::span<const std::int64_t> ids, Time now, const PlacementsView& placements = {});
  // The same for jobs that say more of themselves.
  std::vector<std::int64_t> submit(const JobsView& jobs, std::span<const double> custom_key,
                                   std::span<const std::int64_t> ids, Time now, const ClusterColumns& columns);
  // Jobs that run already: each on its places since its start, which is not after now, nor before its release time.  They take
  // what their demands say, be there room for that or not; but what is known to run on a machine, and that, has to fit it.
  // Their processing times count from their starts.
  struct Adoptions {
    std::span<const Time> release_time;
    std::span<const Time> start_time;
    std::span<const std::size_t> first_place;  // with one entry more than jobs: the places of job j begin there
    std::span<const TaskPlace> places;
  };
  std::vector<std::int64_t> adopt(const JobsView& jobs, std::span<const double> custom_key, std::span<const std::int64_t> ids,
                                  Time now, const ClusterColumns& columns, const Adoptions& adoptions);
  // The first of `count` running numbers that are the caller's from now on, for whoever must know the ids of jobs before
  // they are submitted (a key computed from them), also while other threads submit.  Submit the jobs under these ids, or
  // give them back.  Given back after others were numbered, they are left out; those that a record has stay taken.
  [[nodiscard]] std::int64_t reserve_ids(std::size_t count);
  void release_ids(std::int64_t first, std::size_t count);
  // O(1) an id.
  void complete(std::span<const std::int64_t> ids, Time now);
  // What happens to the cluster beside that.  How a job stands is told as of the last decision and of what is recorded; a hold
  // of a job that decisions at earlier recorded instants start does nothing.  Jobs that wait or run are cancelled; those that wait are held, and released
  // again; those that run are requeued, which is a kill.  Every other id is an InvalidInstanceError, and nothing is recorded.
  void cancel(std::span<const std::int64_t> ids, Time now);
  void hold(std::span<const std::int64_t> ids, Time now);
  void release(std::span<const std::int64_t> ids, Time now);
  void requeue(std::span<const std::int64_t> ids, Time now);
  // What is said from now on of jobs that wait, are held or run; columns that are not given stay as they are.  What remains of a
  // job counts from now on, of one that does not run from its start on.  It is positive, and more than what resuming its work
  // costs; a weight is positive.  The processing time of a waiting job then is one that could be submitted.  An
  // InfeasibleError where the machines do not suffice; an UnsupportedError for a task that says more than where it may run.
  struct Updates {
    std::span<const std::int64_t> ids;
    std::span<const Time> remaining_time = {};  // one for each id, or none; so are the others
    std::span<const double> weight = {};
    const ClusterColumns* machines = nullptr;   // of which only the eligibilities are read
    std::span<const double> priority = {};      // any number; counts where a site orders by it
  };
  void update(const Updates& updates, Time now);
  // The names of the partitions that the jobs name; empty for none, and for unknown jobs.
  [[nodiscard]] std::vector<std::string> partitions_of(std::span<const std::int64_t> ids) const;
  // Whether the job has started, and no record ends it.
  [[nodiscard]] bool is_running(std::int64_t id) const { return standing(id) == Standing::running; }
  // Returns the jobs that are killed, in increasing id: those that run there as far as is known, unless they are recorded
  // to end before, or at this instant.  Jobs that decisions at earlier recorded instants start there are killed as well.
  // No effect for machines that are down already.
  std::vector<std::int64_t> fail_machines(std::span<const std::int64_t> machines, Time now);
  void repair_machines(std::span<const std::int64_t> machines, Time now);
  // Nothing starts on closed machines until they are opened, nor on removed ones ever; of those nothing else is recorded.
  // Unless the running jobs are to finish, all that was said of `fail_machines` holds.  A machine that is closed can be closed
  // again, with another fate for what still runs there; opening one that is open has no effect.
  std::vector<std::int64_t> close_machines(std::span<const std::int64_t> machines, RunsOnClosed runs, Time now);
  std::vector<std::int64_t> remove_machines(std::span<const std::int64_t> machines, RunsOnClosed runs, Time now);
  // Returns the numbers of the machines that join, which count on from the largest there ever was.  O(a snapshot of the
  // state) where they find no free seats (machine_table.hpp), and for the decision that sees them, as for `set_capacity`.  An
  // UnsupportedError while there are jobs that say more of machines than where they may run.
  std::vector<std::int64_t> add_machines(const MachineDescriptions& machines, Time now);
  // Where that is less than jobs hold, what they hold stays theirs.
  void set_capacity(std::int64_t machine, std::span<const Amount> capacity, Time now);
  void open_machines(std::span<const std::int64_t> machines, Time now);
  // On [span.begin, span.end), of which some is to come; the end may be kNever.
  void announce_outage(std::int64_t machine, const Outage& span, Time now);
  // Sets amounts aside on [begin, end), from now on or later, for the jobs that name the reservation; returns its number.
  // `demand` has rows of amounts: row i lies on machine i of `machines`, beside what runs there, or, if these are none, on the
  // first machine in order of preference that has room for it by what is known of running jobs, outages and other reservations.
  // O(M R) a row at worst.  InfeasibleError where capacities beside other reservations do not suffice.
  std::int64_t reserve(std::span<const Amount> demand, std::span<const std::int64_t> machines, Time begin, Time end, Time now);
  // Its jobs that still run or wait become jobs like all others.
  void cancel_reservation(std::int64_t number, Time now);
  // `confirm`, if any, sees the decision before it stands: if it throws, nothing has happened.  The decision of every event
  // may spend the budget.
  [[nodiscard]] Decision advance(Time now, Monitor* monitor,
                                 const std::function<void(const Decision&)>& confirm = nullptr, WorkBudget budget = {});

  // Runs `record`, which makes records, and advances to `now` as one call: if either throws, no record of it stays.
  [[nodiscard]] Decision record_and_advance(Time now, const std::function<void()>& record, Monitor* monitor,
                                            const std::function<void(const Decision&)>& confirm = nullptr,
                                            WorkBudget budget = {});

  [[nodiscard]] const Policy& policy() const { return journal_.state().policy(); }
  // For views of it (scheduler_views.hpp), in which machines have the numbers of the table.
  [[nodiscard]] const DecidedState& state() const { return journal_.state(); }
  [[nodiscard]] const MachineTable& machine_table() const { return table_; }
  // The machine that callers call so, as the state numbers it; an InvalidInstanceError if it is not there, or was removed.
  [[nodiscard]] std::uint32_t checked_machine(std::int64_t number) const;
  // How many tasks of a job would have room if nothing ran and all machines were up, at most its own.
  [[nodiscard]] Amount tasks_with_room(std::span<const Amount> demand, const JobPlacements& placements);
  // The instant of the last `advance`.
  [[nodiscard]] Time now() const { return journal_.state().now(); }
  // The earliest instant with records that no decision has seen.
  [[nodiscard]] std::optional<Time> recorded_instant() const;
  // The ends of holds that no `advance` has applied, in order of time.
  [[nodiscard]] std::vector<ReleaseToCome> recorded_releases() const { return pending_.releases(); }
  // The first of the running numbers that jobs without ids get: one above the largest id so far.
  [[nodiscard]] std::int64_t next_id() const { return next_id_; }
  // Whether it waits or runs as of the last decision, or is recorded to arrive.
  [[nodiscard]] bool knows(std::int64_t id) const { return journal_.state().knows(id) || arriving_.contains(id); }
  // As of the last decision: started, and no completion applied; arrived and not started, planned ones included.
  [[nodiscard]] std::size_t n_running() const { return journal_.state().n_running(); }
  [[nodiscard]] std::size_t n_waiting() const { return journal_.state().n_waiting(); }

  // What a scheduler on the same machines with a policy of the same options needs to go on identically; the first
  // constructor's arguments are not in it.  In proportion to the jobs that wait or run, and the same bytes for the same
  // state.  Any bytes may be given: those that no scheduler can have written are an InvalidInstanceError.
  [[nodiscard]] std::string snapshot() const;
  OnlineScheduler(const MachineDescriptions& machines, SchedulerParts parts, std::string_view snapshot);
  OnlineScheduler(const MachinesView& machines, SchedulerParts parts, std::string_view snapshot)
      : OnlineScheduler(MachineDescriptions{machines}, std::move(parts), snapshot) {}
  OnlineScheduler(const MachinesView& machines, std::unique_ptr<Policy> policy, std::string_view snapshot)
      : OnlineScheduler(MachineDescriptions{machines}, SchedulerParts{std::move(policy)}, snapshot) {}

  // For tests, with the arguments of the constructor.  Throws std::logic_error where indexes or timelines are not what
  // the jobs make them.
  void check_invariants(const MachineDescriptions& machines, SchedulerParts parts) const;
  void check_invariants(const MachinesView& machines, std::unique_ptr<Policy> policy) const {
    check_invariants(MachineDescriptions{machines}, SchedulerParts{std::move(policy)});
  }

 private:
  void check_ids_left(std::size_t count) const;
  void check_decided(Time now) const;
  void check_record(Time now) const;
  std::size_t apply_records(Time now, Monitor* monitor, EventOutcome& outcome, PromiseBreakers& breakers, WorkBudget budget);
  void forget_records(std::size_t n_events);
  void note_ids();
  using KnownReservations = std::map<std::int64_t, std::shared_ptr<const AdvanceReservation>>;
  void write(SnapshotWriter& archive) const;
  void read(SnapshotReader& archive);
  void read_event(SnapshotReader& archive, const RecordedEvent& event, KnownReservations& reservations);
  [[nodiscard]] std::unordered_map<std::int64_t, std::pair<std::size_t, std::size_t>> read_adopted(SnapshotReader& archive,
                                                                                                   const RecordedEvent& event);
  void read_adoption(SnapshotReader& archive, const RecordedEvent& event, std::size_t arrival, const JobShape& shape,
                     std::span<const RecordedChange> changes);
  void read_changes(SnapshotReader& archive, const RecordedEvent& event, KnownReservations& reservations);
  // What is known of a job that waits, runs, or is recorded to do so.
  enum class Standing : std::uint8_t { unknown, arriving, adopting, waiting, held, running, killed, ended };

  // Jobs that are waited for are known, have ended, or come with the others, and nobody waits for himself.
  void check_awaited(std::span<const std::int64_t> ids, std::span<const JobPlacements> own) const;
  // Else InfeasibleError.
  void check_fits_empty_cluster(std::int64_t id, std::span<const Amount> demand, const JobPlacements* placements);
  void check_arrival(const JobColumns& job, std::span<const Amount> demand, const JobPlacements* placements);
  // What is known of a job that waits, runs or is to arrive.
  struct KnownJob {
    JobColumns columns;
    std::span<const Amount> demand;
    JobPlacements placements;
    Restart restart;
    std::optional<Time> elapsed;  // of a run under way
  };
  [[nodiscard]] KnownJob known_job(std::int64_t id, Time now, ArrivalsById& arrivals) const;
  void check_remaining(const KnownJob& job, Time remaining_time, Time now) const;
  [[nodiscard]] std::vector<JobPlacements> own_placements(const PlacementsView& placements);
  // `own` of all jobs, or of none; of a policy that takes them.
  [[nodiscard]] std::vector<JobPlacements> own_placements(std::size_t n_jobs, const ClusterColumns& columns) const;
  std::vector<std::int64_t> record_arrivals(const JobsView& jobs, std::span<const double> custom_key,
                                            std::span<const std::int64_t> ids, Time now, std::span<const JobPlacements> own,
                                            const Adoptions* adoptions = nullptr);
  void check_adoption(std::int64_t id, const JobShape& shape, const Adoptions& adoptions,
                      std::size_t job, Time now) const;
  void check_room_of_adopted(const JobsView& jobs, std::span<const std::int64_t> ids, std::span<const JobPlacements> own,
                             const Adoptions& adoptions) const;
  [[nodiscard]] Standing standing(std::int64_t id) const;
  // Of reservations (scheduler_reservations.cpp).
  // Those that are there, as of the last decision.
  [[nodiscard]] KnownReservations decided_reservations() const;
  void note_reservation(const RecordedChange& change);
  void note_reservations();
  void check_reservations(const SnapshotReader& archive) const;
  // Else InvalidInstanceError.
  [[nodiscard]] std::shared_ptr<const AdvanceReservation> known_reservation(std::int64_t number, Time now) const;
  [[nodiscard]] std::vector<Amount> most_reserved(std::uint32_t machine, Time begin, Time end) const;
  [[nodiscard]] std::vector<Amount> room_for_share(std::uint32_t machine, Time begin, Time end) const;
  [[nodiscard]] std::vector<bool> usable_for_share(Time begin, Time end) const;
  [[nodiscard]] std::vector<std::uint32_t> chosen_machines(std::span<const Amount> demand, std::size_t n_rows, Time begin,
                                                           Time end) const;
  void check_fits_reservation(const JobColumns& job, std::span<const Amount> demand, const JobPlacements& placements,
                              const AdvanceReservation& reservation) const;
  [[nodiscard]] std::string machine_name(std::uint32_t machine) const {
    return "machine " + std::to_string(table_.number_of(machine));
  }
  // What callers call it, in place of what the state does.
  void call_machines(IdPlacements& placements) const;
  [[nodiscard]] bool is_removed(std::uint32_t machine) const {
    return removing_.contains(machine) || (journal_.state().availability().is_removed(machine) && !joining_.contains(machine));
  }
  [[nodiscard]] bool will_have_failed(std::uint32_t machine) const;
  [[nodiscard]] std::span<const Amount> capacity_of(std::size_t machine) const {
    return {capacity_.data() + machine * pending_.n_resources(), pending_.n_resources()};
  }
  // Records the change for each of the ids, each of which must stand so that `may` holds, and stands `then` afterwards.
  template <class May>
  void record_changes(ChangeKind kind, std::span<const std::int64_t> ids, Time now, const May& may, const char* otherwise,
                      const std::function<Standing(Standing)>& then);
  // Of machines that callers call so and that are not removed, in increasing order.
  [[nodiscard]] std::vector<std::uint32_t> checked_machines(std::span<const std::int64_t> machines) const;
  std::vector<std::int64_t> record_of_machines(std::span<const std::int64_t> machines, const RecordedChange& change, Time now);
  // Jobs that are known to run on these machines, and not to end before; they are noted as killed.
  std::vector<std::int64_t> note_killed(std::span<const std::uint32_t> machines, Time now);
  void check_heeds_clusters() const;
  // Of changes to what machines there are (scheduler_machines.cpp).
  void change_largest(std::uint32_t machine, std::span<const Amount> capacity);
  [[nodiscard]] std::span<const Amount> distinct_largest();
  void check_jobs_may_be_renumbered() const;
  [[nodiscard]] std::vector<bool> gone_machines() const;
  void renumber(MachineTable::Grown grown);
  void write_machines(SnapshotWriter& archive) const;
  void read_machines(SnapshotReader& archive);
  // After pending records were applied, read or taken back.
  void note_standings();
  void note_standing(const RecordedEvent& event);

  // The machines as they are in the state, and as far as is recorded.
  MachineTable table_;
  std::vector<Amount> capacity_;  // row-major (n_machines, n_resources), as far as is recorded
  std::vector<Amount> largest_;   // that each has had, nothing of removed ones
  std::size_t n_machines_ = 0;
  bool machines_have_changed_ = false;  // ever
  std::vector<Amount> distinct_largest_;  // without repetition; empty until it is needed
  std::shared_ptr<const SchedulerParts> unused_parts_;  // of which states are made
  EligibilitySets sets_;
  std::int64_t next_group_ = 0;
  // What is recorded and not decided: reservations, by machine which, and which of all are cancelled.
  KnownReservations reserving_;
  std::map<std::uint32_t, std::vector<std::int64_t>> reserving_on_;
  std::set<std::int64_t> unreserving_;
  std::int64_t next_reservation_ = 0;
  DecisionJournal journal_;
  ToldPromises told_;
  // Of the decision under way.
  ToldPromises next_told_;
  std::vector<JobSlot> planned_;
  EventLog pending_;
  std::unordered_set<std::int64_t> arriving_;    // the ids of the pending arrivals
  std::unordered_set<std::int64_t> completing_;  // and of the pending completions
  std::unordered_map<std::int64_t, Standing> standing_;  // as pending changes leave it; of jobs that they name
  std::unordered_map<std::int64_t, Time> killed_at_;     // of those that pending failures and closings kill
  std::unordered_set<std::uint32_t> removing_;           // machines that pending records remove
  std::unordered_set<std::uint32_t> joining_;            // and those that they add
  std::unordered_map<std::uint32_t, Amount> adopted_on_;  // while a snapshot is read: at most, by its records
  bool reads_removals_ = false;                          // likewise: some of these remove machines, maybe all where a job fits
  std::optional<EmptyCluster> empty_cluster_;            // made when first needed
  std::int64_t next_id_ = 0;
  std::int64_t beyond_recorded_ = 0;  // the ids from here on were never in a record; at most next_id_
};

}  // namespace schedcore
