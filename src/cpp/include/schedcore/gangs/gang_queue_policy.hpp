// FCFS, first fit, EASY and priority queues on clusters as they are: jobs of several tasks over several machines, machines
// that differ, fail or are taken out of service.
//
// Jobs are served in the order of a queue.  With `never` the first one that does not fit stops all others; with `always`
// whoever fits starts; with `protected_head` whoever fits beside the reservation of the first one that has an earliest
// instant.  A job fits where its tasks have room on machines that stay in service until it ends, taken in the order of the
// machines (room_counts.hpp).
//
// With a site (site_state.hpp) the queue is in its order, jobs that a limit holds are passed over, and a job that does not fit
// may end running jobs of lower levels.  Where an advance reservation begins before the job would end, the room beside it is
// counted as if none of the running jobs were to be ended.
//
// With a selection other than first fit, which is for jobs of one task that share their machines, the order of the queue
// decides who is the head, and the selection who overtakes it and where.
//
// Sources: Lifka, JSSPP 1995 (EASY); Fan and Liang, ICPP 2024 (priority queues); Leinberger, Karypis and Kumar, SC'99
// (selections).  On workloads of one-task jobs without
// outages and failures the decisions are those of BackfillPolicy and PriorityQueuePolicy, which are faster there.
//
// An event costs what its machines changed, for each class of waiting jobs that is asked about; a look at every class of
// waiting jobs if room appeared, a limit was freed or the head is another, else at what arrived; and a search for the head's
// instant (head_search.hpp) if something could overtake.  Jobs that a limit holds cost a look at those that it counts
// together when it is freed (limited_queue.hpp).  New priorities cost a pass over the waiting jobs; a job for which others
// are to end O(R) for each of their places, and what a change of a machine costs, but one search a class where all of them do
// not suffice.  With a selection, a scan (backfill_scan.hpp) of the machines on which room appeared; with one and a site, a
// scan of all machines, made of those that are looked at and have room, of jobs one by one and not by class.  Memory about
// 300 bytes a waiting job, 400 where there are limits, 40 a running one, 50 R a machine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedcore/backfilling/backfill_limits.hpp"
#include "schedcore/backfilling/backfill_scan.hpp"
#include "schedcore/backfilling/machine_set.hpp"
#include "schedcore/backfilling/shadow_record.hpp"
#include "schedcore/engine/policy.hpp"
#include "schedcore/engine/queue_keys.hpp"
#include "schedcore/index/gang_classes.hpp"
#include "schedcore/gangs/gang_queue.hpp"
#include "schedcore/gangs/head_protection.hpp"
#include "schedcore/gangs/head_search.hpp"
#include "schedcore/gangs/limited_queue.hpp"
#include "schedcore/gangs/planned_ends.hpp"
#include "schedcore/index/room_counts.hpp"
#include "schedcore/site/site_state.hpp"

namespace schedcore {

class GangQueuePolicy final : public Policy, public BackfillRecords, public ShadowRecords {
 public:
  // `order` is the rule of the queue, smaller keys first; `selection`, `limits` and `record` as of BackfillPolicy.  Other
  // selections than first fit need jobs of one task that are not exclusive, and no site that preempts jobs.
  // Nothing starts before `collect_until`, if that is given, and a job that arrives after it is refused.
  GangQueuePolicy(Overtaking overtaking, const OrderRule& order, Selection selection, const BackfillLimits& limits,
                  bool record, std::optional<Time> collect_until)
      : ShadowRecords(record && overtaking == Overtaking::protected_head),
        overtaking_(overtaking),
        keys_(order),
        selection_(selection),
        limits_(limits),
        collect_until_(collect_until) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<GangQueuePolicy>(*this); }
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void check_invariants() const override;
  void attach(const MachinesView& machines) override;
  void check_job(const JobColumns& job, Time now) const override;
  [[nodiscard]] bool heeds_placements() const override { return true; }
  [[nodiscard]] bool heeds_clusters() const override { return true; }
  [[nodiscard]] bool heeds_weights() const override { return true; }
  [[nodiscard]] bool takes_gangs() const override { return !selects(); }
  void take_over(const Commitments& commitments, const Cluster& cluster) override;
  void decide(const Event& event, Turn& turn) override;
  [[nodiscard]] Time next_wakeup() const override { return wakeup_; }

  // The protected head, with its earliest instant.
  [[nodiscard]] std::vector<Placement> reserved(const JobTable& jobs, Time now) const override;
  [[nodiscard]] std::span<const TaskPlace> reserved_places(JobSlot /*job*/) const override { return told_places_; }

  [[nodiscard]] std::uint64_t n_overruns() const override { return ends_.n_overruns(); }
  [[nodiscard]] std::vector<JobSlot> waiting_in_order(const JobTable& jobs) const override;
  [[nodiscard]] Time planned_end(JobSlot job) const override {
    return protects_head() ? ends_.end_of(job) : kNever;
  }
  [[nodiscard]] Time resolution() const override { return limits_.resolution; }
  [[nodiscard]] bool protects_head() const { return overtaking_ == Overtaking::protected_head; }
  [[nodiscard]] const BackfillLimits& limits() const { return limits_; }

 private:
  using Class = GangClasses::Class;
  static constexpr std::size_t kFew = 16;

  // A class with a job that may start.
  struct Candidate {
    QueueOrder order;
    Class job_class = 0;
    JobSlot job = 0;
    friend bool operator>(const Candidate& a, const Candidate& b) { return a.order > b.order; }
  };

  void read_told(SnapshotReader& archive);
  void decide_starts(const Event& event, Turn& turn);
  void await_next(const Turn& turn);
  void take_up(const Event& event, Turn& turn);
  void refresh(std::uint32_t machine, std::span<const Amount> free);
  void refresh(std::uint32_t machine, const Turn& turn) {
    if (turn.availability().any_limits()) limit(machine, turn.availability());
    refresh(machine, turn.machines().free(machine));
  }
  void limit(std::uint32_t machine, const Availability& availability);
  void take_up_machine(std::uint32_t machine, const Availability& availability);
  void take_up_all(const Cluster& cluster);
  void enqueue(JobSlot job, const JobTable& jobs);
  void dequeue(JobSlot job);
  // Queues of classes are for many jobs, of which those who overtake are asked for by class; few are looked at one by one.
  void keep_classes();
  void join_class(const GangEntry& entry);
  void leave_class(const GangEntry& entry);
  // Under a selection that scores (gang_queue_selection.cpp).
  [[nodiscard]] bool selects() const {
    return selection_.rule != SelectionRule::first_fit && overtaking_ != Overtaking::never;
  }
  // Then the scan is made for each run.
  [[nodiscard]] bool scans_anew(const JobTable& jobs) const { return jobs.has_site() || !keys_.rule().is_by_arrival(); }
  // Under the rules of a site (gang_queue_rules.cpp).
  // A running job that may be ended for others: the first of them first.
  struct Victim {
    std::int64_t level = 0;
    Time start = 0;
    std::int64_t id = 0;
    JobSlot job = 0;
    friend bool operator<(const Victim& a, const Victim& b) {
      return std::tie(a.level, b.start, b.id) < std::tie(b.level, a.start, a.id);
    }
  };
  [[nodiscard]] bool has_limits() const { return site_ != nullptr && site_->any_limits(); }
  [[nodiscard]] bool preempts() const { return site_ != nullptr && site_->preempts(); }
  // Null without limits.
  [[nodiscard]] const LimitUse* limit_use() const { return has_limits() ? &site_->limits() : nullptr; }
  [[nodiscard]] bool is_limited(const GangEntry& entry) const {
    return has_limits() && site_->limits().most_tasks(entry.profile, classes_.demand(entry.job_class)) < entry.n_tasks;
  }
  // It is no candidate, or a limit holds it.
  [[nodiscard]] bool is_passed_over(const GangEntry& entry) const {
    return is_limited(entry) || was_preempted(entry);
  }
  // At this instant, perhaps by an earlier decision.
  [[nodiscard]] bool was_preempted(const GangEntry& entry) const {
    return preempts() && site_->preempted_at(entry.job) == now_;
  }
  [[nodiscard]] bool any_candidates() const {
    if (!preempts()) return !queue_.empty();
    return queue_.find_first({}, [&](const GangEntry& entry) { return !was_preempted(entry); }).has_value();
  }
  // In this decision; since then others may have ended.
  [[nodiscard]] bool was_passed_over(const GangEntry& entry) const {
    if (!preempts()) return false;
    return (last_head_ && entry.order < *last_head_) || (has_run_ && !(last_shown_ && *last_shown_ < entry.order));
  }
  // Of a job that waits.
  [[nodiscard]] GangEntry& entry_of(JobSlot job) { return entries_[entry_at_[job]]; }
  void put_in_order(const JobTable& jobs);
  void note_victim(JobSlot job, const JobTable& jobs);
  void forget_victim(JobSlot job);
  // The first job behind that one, or of all, that is not passed over.
  [[nodiscard]] std::optional<GangEntry> next_candidate(const std::optional<QueueOrder>& after);
  // Of a class whose jobs could end others.
  [[nodiscard]] bool may_preempt(Class of) const {
    return preempts() && !victims_.empty() && victims_.begin()->level < classes_.level(of);
  }
  // All whom a job of the class with so many tasks may end would not make room for it.
  [[nodiscard]] bool is_hopeless(Class of, Amount n_tasks, Time estimate) const {
    const auto found = hopeless_.find(of);
    return found != hopeless_.end() && n_tasks >= found->second.first && estimate >= found->second.second;
  }
  void note_hopeless(const GangEntry& entry);
  // Of a job that may not start: ends others for it if that helps, and returns whether it may start now.
  [[nodiscard]] bool make_room_for(const GangEntry& entry, Turn& turn);
  [[nodiscard]] bool outlasts_reservation(JobSlot job) const;
  void lend(JobSlot job, Amount times, const Turn& turn);
  void end_for_another(const Victim& victim, Turn& turn);
  void take_back_preempted(Turn& turn);

  void note_room_on(std::uint32_t machine) {
    if (selects()) freed_.insert(machine);
  }
  [[nodiscard]] bool is_in_scan(const QueueOrder& order) const;
  void join_scan(const GangEntry& entry, const JobTable& jobs);
  void leave_scan(JobSlot job, const JobTable& jobs);
  void show_to_scan(const JobTable& jobs);
  void overtake_selected(Turn& turn);
  void overtake_selected_under_rules(Turn& turn);
  [[nodiscard]] Time latest_end(std::uint32_t machine, std::span<const Amount> demand);

  [[nodiscard]] Time end_from_now(Time estimate) const { return rounded_up(now_ + estimate, limits_.resolution); }
  // Of a job that no limit holds, as the next.
  [[nodiscard]] bool fits_now(const GangEntry& entry) {
    return now_free_.has_room(entry.job_class, entry.n_tasks, end_from_now(entry.estimate), classes_);
  }
  // What tasks of a job hold of their machine.
  [[nodiscard]] std::vector<Amount> held_on(const TaskPlace& place, JobSlot job, const JobTable& jobs) const;
  // A job that may start.
  void start(const GangEntry& entry, Turn& turn);
  // The same on places_, of a job that is not in the scan.
  void start_on_places(const GangEntry& entry, Turn& turn);
  void start_heads(Turn& turn);
  void start_head(const GangEntry& head, Turn& turn);

  // Of those that overtake (gang_queue_overtaking.cpp).
  void find_head(Turn& turn);
  // Of a job that does not fit now.
  [[nodiscard]] bool has_earliest_instant(const GangEntry& entry, Turn& turn);
  // It fits beside the reservation, if there is one.
  [[nodiscard]] bool may_start(const GangEntry& entry);
  // The first job of the class behind that one, or of all, that may start.
  [[nodiscard]] std::optional<GangEntry> next_in_class(Class of, const std::optional<QueueOrder>& after);
  void push_candidate(Class of, const std::optional<QueueOrder>& after);
  // The first job from there on that is shown and may start.
  [[nodiscard]] std::optional<GangQueue::Position> next_in_order(GangQueue::Position from);
  void overtake(Turn& turn);
  [[nodiscard]] std::optional<QueueOrder> last_of_shown() const;
  [[nodiscard]] bool runs_for_all(const Turn& turn) const;
  void begin_run(const Turn& turn);
  [[nodiscard]] std::optional<std::int64_t> head_id(const Turn& turn) const;
  void take_up_fresh(const Turn& turn);
  void leave_fresh(const Turn& turn);
  void protect_head(Turn& turn);
  void find_told_head(Turn& turn);
  void start_candidates(Turn& turn);
  void start_in_order(std::optional<GangQueue::Position> first, Turn& turn);
  void start_fresh(Turn& turn);

  Overtaking overtaking_;
  QueueKeys keys_;
  Selection selection_;
  BackfillLimits limits_;
  std::optional<Time> collect_until_;

  GangClasses classes_;
  GangQueue queue_;                        // all that wait
  LimitedQueue limited_;                   // the same, if it is kept
  bool keeps_lines_ = false;               // from when a limit holds the next job until nobody waits
  bool keeps_classes_ = false;             // from when more than kFew wait until fewer than kFew / 8 do
  std::vector<LimitedQueue> queue_of_class_;  // the same by class, if they are kept
  std::vector<Class> active_;              // classes with jobs in those queues, in no order
  std::vector<std::uint32_t> active_at_;   // by class: where in active_
  std::vector<GangEntry> entries_;         // of jobs that wait
  std::vector<std::uint32_t> entry_at_;    // by slot: where
  std::vector<std::uint32_t> unused_entries_;
  RoomCounts now_free_;
  RoomCounts ever_free_;                   // if no job ran and every outage that ends were over
  PlannedEnds ends_;
  HeadSearch search_;
  HeadProtection protection_;
  std::optional<GangEntry> head_;          // the first shown job with an earliest instant, which is later

  // Where a selection scores.
  BackfillScan scan_;
  std::size_t n_in_scan_ = 0;              // the first jobs of the queue are in it
  std::vector<JobSlot> new_in_scan_;       // since the last run
  MachineSet freed_;                       // room may have appeared there since the last run

  bool protection_is_current_ = false;
  std::int64_t protected_id_ = 0;          // of the job that it is for
  bool room_appeared_ = true;              // since the last run
  std::optional<std::int64_t> head_of_last_run_;
  std::vector<JobSlot> fresh_;             // came to wait since the last run
  Time last_run_ = -kNever;
  bool is_owed_ = false;                   // a run, since the last one
  Time wakeup_ = kNever;
  std::optional<Placement> told_;  // the head that is protected, where anybody is told
  std::vector<TaskPlace> told_places_;

  // Under the rules of a site.
  std::uint64_t n_freed_seen_ = 0;         // by the last run: how often limits had been freed
  std::set<Victim> victims_;
  std::unordered_map<JobSlot, Victim> victim_of_;
  std::vector<JobSlot> preempted_;         // by the decision under way; they wait again after it
  std::map<std::uint32_t, std::vector<Amount>> lent_;  // by machine: what would be free if others had ended
  // By class, since somebody was last ended: for that many tasks or more, and for that long or longer, nobody's end helps.
  std::unordered_map<Class, std::pair<Amount, Time>> hopeless_;

  // Of the event under way.
  const SiteState* site_ = nullptr;
  Time now_ = 0;
  bool has_run_ = false;
  bool head_is_protected_ = false;
  bool head_is_far_ = false;             // its instant is beyond the window
  std::optional<QueueOrder> last_head_;  // the last job that started as the first of the queue
  std::optional<QueueOrder> last_shown_;
  std::vector<Candidate> candidates_;  // a heap, the first in front
  std::vector<TaskPlace> places_;
  std::vector<Amount> row_;
};

}  // namespace schedcore
