// Conservative backfilling, and backfilling that protects the first few jobs, on clusters as they are: reservations of jobs
// of several tasks over several machines.
//
// Sources: Feitelson and Weil, IPPS 1998 (conservative); Mu'alem and Feitelson, TPDS 2001 (compression).  What a pass does is
// what ReservationPolicy does, with the places of a job in place of its machine.  Reservations with a task on a machine
// that fails, or overlapping an outage that is announced, are void and made anew.  `rebuilt` makes all of them anew in
// every pass (RebuildPolicy), if wanted as Slurm does: reservations keep others from all of their machines, and jobs go on
// neighbours.  Without these two wishes, on workloads of one-task jobs without outages and failures, the decisions are those
// of ReservationPolicy and RebuildPolicy, which are faster there.
//
// A reservation was the earliest place when it was made, so it can move only into room that was given back since.  Jobs of
// one task find their places by the gaps that releases leave (released_room.hpp).  Others keep how many of their tasks have
// room if they start earlier, at most (earlier_starts.hpp).  A look at one costs a few comparisons for each span of time that
// was given back (new_room.hpp), which tell how many tasks may have room now; only where these suffice, the gaps are read
// that are as long as the job (gap_table.hpp).  A move changes the plan once.  In a class of its own, what is free on all
// machines together has to allow it (gang_plan.hpp).  An arrival costs one search, from the instant on that the last one of
// its kind found.  Memory about 450 bytes a waiting job and 16 a place, and what the plan and the gaps take.
//
// With a site (site_state.hpp) the queue is in its order, and jobs that a limit holds are passed over: what they have reserved
// stays, until it is due.
//
// Selections other than first fit (Leinberger, Karypis and Kumar, SC'99) are for jobs of one task that share their machines.
// They choose among jobs without a reservation that fit beside the others, where the first few are protected, and otherwise
// among those that could start at once when room was given back; each such start scores every waiting job that fits on
// every machine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "schedcore/backfilling/backfill_limits.hpp"
#include "schedcore/backfilling/backfill_scan.hpp"
#include "schedcore/backfilling/counted_looks.hpp"
#include "schedcore/backfilling/released_room.hpp"
#include "schedcore/backfilling/reservation_record.hpp"
#include "schedcore/backfilling/reservations.hpp"
#include "schedcore/engine/policy.hpp"
#include "schedcore/engine/queue_keys.hpp"
#include "schedcore/exact/queue_order.hpp"
#include "schedcore/index/gang_classes.hpp"
#include "schedcore/gangs/earlier_starts.hpp"
#include "schedcore/gangs/gang_plan.hpp"
#include "schedcore/gangs/gang_queue.hpp"
#include "schedcore/gangs/given_back.hpp"
#include "schedcore/gangs/limited_queue.hpp"
#include "schedcore/gangs/new_room.hpp"
#include "schedcore/gangs/planned_ends.hpp"
#include "schedcore/index/room_counts.hpp"
#include "schedcore/site/site_state.hpp"

namespace schedcore {

// How a plan that is made anew differs.
struct RebuiltPlan {
  bool holds_machines = false;  // a reservation keeps its machines from all that start beside it, whatever it takes of them
  bool prefers_runs = false;    // jobs go on neighbours (machine_runs.hpp)
};

class GangReservationPolicy final : public Policy, public BackfillRecords, public ReservationRecords {
 public:
  // `selection` is first fit where the plan is rebuilt.
  GangReservationPolicy(const OrderRule& order, Selection selection, const BackfillLimits& limits, const ReservationOptions& options,
                        const std::optional<RebuiltPlan>& rebuilt, bool record)
      : ReservationRecords(record),
        keys_(order),
        selection_(selection),
        limits_(limits),
        options_(options),
        rebuilds_(rebuilt.has_value()),
        rebuilt_(rebuilt.value_or(RebuiltPlan{})) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<GangReservationPolicy>(*this); }
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void check_invariants() const override;
  void attach(const MachinesView& machines) override;
  [[nodiscard]] bool heeds_placements() const override { return true; }
  [[nodiscard]] bool heeds_clusters() const override { return true; }
  // Only where the queue is in an order of keys that may count them.
  [[nodiscard]] bool heeds_weights() const override { return !keys_.rule().is_by_arrival(); }
  [[nodiscard]] bool takes_gangs() const override { return !selects(); }
  void take_over(const Commitments& commitments, const Cluster& cluster) override;
  void decide(const Event& event, Turn& turn) override;
  [[nodiscard]] Time next_wakeup() const override { return wakeup_; }
  // Where jobs run late, a reservation that cannot be kept shows the earliest start on its places beside the running jobs,
  // by their estimates, and the reservations before it; what it holds, and when it is tried, does not change.
  [[nodiscard]] std::vector<Placement> reserved(const JobTable& jobs, Time now) const override;
  [[nodiscard]] std::span<const TaskPlace> reserved_places(JobSlot job) const override { return waiting_[job].places; }

  [[nodiscard]] std::uint64_t n_overruns() const override { return ends_.n_overruns(); }
  [[nodiscard]] std::vector<JobSlot> waiting_in_order(const JobTable& jobs) const override;
  [[nodiscard]] std::vector<Promise> promises(const JobTable& jobs, Time now) const override;
  [[nodiscard]] Time planned_end(JobSlot job) const override { return ends_.end_of(job); }
  [[nodiscard]] Time resolution() const override { return limits_.resolution; }
  [[nodiscard]] const CompressionCounts& counts() const { return counts_; }
  [[nodiscard]] bool prefers_runs() const { return rebuilt_.prefers_runs; }

 private:
  using Class = GangClasses::Class;

  // A job that waits, by its slot; what was recorded outlives its runs.
  struct Waiting {
    GangEntry entry;
    Time start = kNever;  // kNever: holds no reservation
    Time end = kNever;    // of what it occupies in the plan
    std::vector<TaskPlace> places;  // in the order of their machines
    GivenBack::Mark seen;  // what was given back by then could not move it
    EarlierStarts earlier;  // by then
    DemandClusters::Cluster cluster = ReleasedRoom::kNoCluster;
    Amount n_before = kMostTasks;  // by then at most so many had room just before its start on its own machines
    bool waits = false;
    bool was_recorded = false;
    std::pair<Time, std::uint32_t> recorded;  // start and machine of the last record
    [[nodiscard]] bool is_reserved() const { return start != kNever; }
    // Of a reservation: all that is known is that it cannot start earlier.
    void forget_room(Time now) {
      earlier.reset(now, start, entry.n_tasks - 1);
      n_before = kMostTasks;
    }
  };
  // Jobs of one class with as many tasks and the same estimate: before `bound` none fits, but for what was given back.
  struct Kind {
    Time bound = 0;
    GivenBack::Mark seen;
  };
  struct Due {
    Time start = 0;
    QueueOrder order;
    JobSlot job = 0;
    friend bool operator<(const Due& a, const Due& b) {
      return std::tie(a.start, a.order) < std::tie(b.start, b.order);
    }
  };
  using KindKey = std::pair<std::pair<Class, std::uint64_t>, std::pair<Amount, Time>>;

  // What happened (gang_reservation_events.cpp).
  void take_up(const Event& event, Turn& turn);
  void end_run(JobSlot job, bool is_cut, const JobTable& jobs);
  void adopt(JobSlot job, const JobTable& jobs);
  void reschedule(JobSlot job, const JobTable& jobs);
  void take_up_machine(std::uint32_t machine, const Availability& availability);
  void take_up_all(const Cluster& cluster);
  // Of a job that waits, in a policy that has seen no event.
  void take_reservation(JobSlot job, Time start, Time end, std::span<const TaskPlace> places);
  void read_places(SnapshotReader& archive, JobSlot job, std::vector<TaskPlace>& places) const;
  void void_reservations(const Event& event, const Turn& turn);
  void void_overfull(std::span<const std::uint32_t> lowered, const Availability& availability);
  void extend_overruns(const JobTable& jobs, std::span<const Rescheduled> not_yet = {});
  void enqueue(JobSlot job, const JobTable& jobs);
  // A waiting job has another weight, in another slot; what it holds stays.
  void reweigh(JobSlot before, JobSlot after, const JobTable& jobs);
  void dequeue(Waiting& waiting);

  [[nodiscard]] Waiting& of(JobSlot job) { return waiting_[job]; }
  [[nodiscard]] Time end_of(const GangEntry& entry, Time start) const { return plan_.planned_end(entry.estimate, start); }
  [[nodiscard]] static GangPlan::Booking booking_of(const Waiting& waiting) {
    return {waiting.places, waiting.start, waiting.end};
  }
  void lay(const Waiting& waiting) { change_plan({}, booking_of(waiting), waiting.entry, true); }
  void lift(const Waiting& waiting) { change_plan(booking_of(waiting), {}, waiting.entry, true); }
  void change_plan(const GangPlan::Booking& before, const GangPlan::Booking& after, const GangEntry& entry, bool is_reserved) {
    plan_.change(before, after, classes_.demand(entry.job_class), takes_all(entry, is_reserved));
  }
  // Of its machines, as long as its places are reserved, or once it runs.
  [[nodiscard]] bool takes_all(const GangEntry& entry, bool is_reserved) const {
    return (is_reserved && rebuilt_.holds_machines) || classes_.is_exclusive(entry.job_class);
  }
  void choose_places(const GangEntry& entry, Time start, const Turn& turn);
  void give_up(Waiting& waiting);
  // The same, and nobody may move because of it.
  void give_up_quietly(Waiting& waiting);
  // What the plan has lost is noted for whoever may move there.
  void note_given_back(Time from, Time to, std::span<const TaskPlace> places);
  void note_all_given_back();
  // The job holds this place from now on, or starts there; `in_plan` is what the plan shows of it before.
  void put(Waiting& waiting, Time start, std::span<const TaskPlace> places, const GangPlan::Booking& in_plan, Turn& turn);
  void start(Waiting& waiting, Turn& turn);
  void record(Waiting& waiting, Time start, std::uint32_t machine, const JobTable& jobs);

  // Under the rules of a site (gang_reservation_rules.cpp).
  void put_in_order(const JobTable& jobs);
  [[nodiscard]] bool has_limits() const { return site_ != nullptr && site_->any_limits(); }
  // Null without limits.
  [[nodiscard]] const LimitUse* limit_use() const { return has_limits() ? &site_->limits() : nullptr; }
  [[nodiscard]] bool is_limited(const GangEntry& entry) const {
    return has_limits() && site_->limits().most_tasks(entry.profile, classes_.demand(entry.job_class)) < entry.n_tasks;
  }

  // The first job that no limit holds.  Requires that some wait.
  [[nodiscard]] std::optional<GangEntry> first_candidate();

  [[nodiscard]] std::vector<JobSlot> holders() const;
  [[nodiscard]] bool is_shown(const GangEntry& entry) const { return !last_shown_ || !(*last_shown_ < entry.order); }
  void start_due(bool overdue_alone, Turn& turn);
  void start_if_it_fits(Waiting& waiting, Turn& turn);
  [[nodiscard]] bool fits_beside_running(const Waiting& waiting, Time end, const Turn& turn) const;
  void start_heads(Turn& turn);
  void forget_plan();
  // Returns whether the budget sufficed for all.
  [[nodiscard]] bool reserve_for_others(Turn& turn);
  void overtake(Turn& turn);
  bool put_at_first_start(Waiting& waiting, Time until, Turn& turn);
  // Under a selection that scores (gang_reservation_selection.cpp).
  [[nodiscard]] bool selects() const { return selection_.rule != SelectionRule::first_fit; }
  [[nodiscard]] bool protects_all() const { return options_.protected_jobs == ReservationOptions{}.protected_jobs; }
  void overtake_selected(Turn& turn);
  void start_selected(Turn& turn);
  [[nodiscard]] bool may_start_now(Waiting& waiting, std::uint32_t machine);
  [[nodiscard]] bool could_ever_fit(const GangEntry& entry, const Turn& turn);
  // Of a job without a reservation.
  [[nodiscard]] Time first_start(const GangEntry& entry, Time until);
  void find_wakeup(const JobTable& jobs);

  // Compression (gang_compression.cpp).
  // Both return whether the budget sufficed; otherwise the next call goes on.
  [[nodiscard]] bool compress(Turn& turn);
  [[nodiscard]] bool look_at_others(Turn& turn);
  void begin_pass(Turn& turn);
  [[nodiscard]] Time first_start_beyond(const GangEntry& entry, Time instant) const;
  // Where a reservation might move: to starts in [from, until), or to other places at its own start.
  struct Chance {
    Time from = kNever;
    Time until = 0;
    bool may_go_elsewhere = false;
  };
  [[nodiscard]] Chance chance_in_gaps(Waiting& waiting);
  [[nodiscard]] Amount newly_before(const Waiting& waiting) const;
  [[nodiscard]] Chance chance_in_sums(const Waiting& waiting) const;
  // The earliest instant up to its own start; the places there are left in the plan.
  struct Move {
    Time start = kNever;      // kNever: it keeps what it holds
    bool is_in_plan = false;  // what it has held so far
    bool is_on_one = false;   // of one task, which goes to chosen_
  };
  [[nodiscard]] bool compresses() const { return !rebuilds_ && options_.compression != Compression::none; }
  [[nodiscard]] ReleasedRoom::Holder holder_of(Waiting& waiting, std::uint64_t position) const {
    return {position, {waiting.start, waiting.places.back().machine}, waiting.end, waiting.entry.estimate,
            waiting.entry.job_class, &waiting.cluster};
  }
  [[nodiscard]] Move earlier_place(Waiting& waiting);
  void move_to(Waiting& waiting, const Move& move, Turn& turn);
  [[nodiscard]] Move place_under_strain(Waiting& waiting);

  QueueKeys keys_;
  Selection selection_;
  BackfillLimits limits_;
  ReservationOptions options_;
  bool rebuilds_;
  RebuiltPlan rebuilt_;

  GangClasses classes_;
  GangQueue queue_;                          // all that wait
  std::vector<Waiting> waiting_;             // by slot
  LimitedQueue unreserved_;                  // those of them without a reservation
  std::set<Due> due_;                        // the reservations
  GangPlan plan_;                            // running jobs, reservations, outages, failures
  PlannedEnds ends_;
  RoomCounts ever_free_;                     // if no job ran and every outage that ends were over
  std::vector<std::vector<Taken>> taken_;  // by machine: what the plan shows of outages, failures and reservations
  std::vector<bool> is_down_;
  GivenBack given_back_;
  NewRoom new_room_;
  ReleasedRoom released_room_;
  std::map<KindKey, Kind> kinds_;
  BackfillScan scan_;       // filled for one run
  SelectionScores scores_;

  CompressionPasses passes_;  // one may have been left off before the job that comes next
  QueueOrder next_look_ = QueueOrder::ahead_of_all();
  bool is_put_off_ = false;   // work was left off
  std::optional<QueueOrder> next_search_;  // where searches for places were left off, as long as nothing happens
  bool is_strained_ = false;  // jobs outlived their estimates: amounts may be negative beside running jobs, reservations overdue
  Time last_run_ = -kNever;
  Time wakeup_ = kNever;
  CompressionCounts counts_;

  // Of the event under way.
  const SiteState* site_ = nullptr;
  Time now_ = 0;
  std::optional<QueueOrder> last_shown_;
  CountedLooks looks_;
  std::vector<TaskPlace> chosen_;
};

}  // namespace schedcore
