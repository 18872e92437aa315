// FCFS, first fit and EASY backfilling with several resources: jobs start in the order of their arrival, or of keys that stand
// still, and while the first of them fits nowhere others may overtake it.
//
// Sources: Lifka, JSSPP 1995 (EASY); Leinberger, Karypis and Kumar, SC'99 (several resources, selections).  EASY keeps
// the head's shadow time s and machine m*: the earliest instant at which it fits by the running jobs' estimates, and
// `extra`, what is free there beyond its demand.  A job may overtake unless it runs on m* beyond s and takes more than
// extra.  So the head never starts after its first shadow time.
//
// After a pass no job may start that waits, so an event costs a search for the machines it freed and for what has arrived;
// the shadow is looked up, in O(R log k) a machine for k running jobs, only when something could use the room.  Where the
// queue has an order of keys, one that arrives may be the head, and who was kept from the places of another is looked at again.
// A derived policy may start others before the head, and protect another one (window_backfill.hpp).
// Memory below 100 bytes a waiting or running job beside the job table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "schedcore/backfilling/backfill_limits.hpp"
#include "schedcore/backfilling/backfill_scan.hpp"
#include "schedcore/backfilling/machine_set.hpp"
#include "schedcore/backfilling/placed_queue.hpp"
#include "schedcore/backfilling/planned_load.hpp"
#include "schedcore/backfilling/shadow_record.hpp"
#include "schedcore/engine/policy.hpp"
#include "schedcore/engine/queue_keys.hpp"

namespace schedcore {

class BackfillPolicy : public Policy, public BackfillRecords, public ShadowRecords {
 public:
  // `selection` and `limits` count only where jobs may overtake; window and resolution only under protected_head.  Requires
  // an order that it `takes`, and for another than that of the arrivals no queue_depth.
  BackfillPolicy(Overtaking overtaking, Selection selection, const BackfillLimits& limits, bool record,
                 const OrderRule& order = {})
      : ShadowRecords(record && overtaking == Overtaking::protected_head),
        queue_(order.is_by_arrival()),
        overtaking_(overtaking),
        selection_(selection),
        limits_(limits),
        keys_(order) {}
  // Keys that stand still and have no more than 128 bits; others are for GangQueuePolicy.
  [[nodiscard]] static bool takes(const OrderRule& order);

  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<BackfillPolicy>(*this); }
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void check_invariants() const override { scan_.check_invariants(); }
  [[nodiscard]] std::span<const ResourceTimeline> timelines() const override { return load_.timelines(); }
  void attach(const MachinesView& machines) override;
  [[nodiscard]] bool heeds_eligibility() const override { return true; }
  [[nodiscard]] Commitments commitments(const Cluster& cluster) const override;
  void decide(const Event& event, Turn& turn) final;
  [[nodiscard]] Time next_wakeup() const override { return wakeup_; }

  // The shadow of the head.
  [[nodiscard]] std::vector<Placement> reserved(const JobTable& jobs, Time now) const override;

  [[nodiscard]] std::uint64_t n_overruns() const override { return load_.n_overruns(); }

 protected:
  // What starts before others may overtake; the arrivals of the event are in the queue.  From then on the job that is
  // protected fits nowhere.
  virtual void start_first(const Event& event, Turn& turn) { start_heads(event.now, turn); }
  // Of a queue that is not empty.
  [[nodiscard]] virtual JobSlot protected_job(const JobTable& jobs) { return queue_.head(jobs); }

  void start_heads(Time now, Turn& turn);
  // Of a waiting job, wherever in the queue it stands.
  void start_from_queue(JobSlot job, bool is_shown, std::size_t machine, Time now, Turn& turn);
  void forget_shadow() { shadow_is_current_ = told_is_current_ = false; }

  PlacedQueue queue_;

 private:
  struct Shadow {
    Time time;
    std::uint32_t machine;
  };

  // Of a queue in an order of keys.
  void take_up_arrivals(const Event& event, const JobTable& jobs);
  [[nodiscard]] Priority place_of(JobSlot job, const JobTable& jobs);
  void start(JobSlot job, std::size_t machine, Time now, Turn& turn);
  void overtake(Time now, Turn& turn);
  void insert_fresh(const JobTable& jobs);
  [[nodiscard]] bool something_fits(const Turn& turn) const;
  [[nodiscard]] Shadow shadow_of(JobSlot head, const JobTable& jobs) const;
  void look_up_shadow(JobSlot head, const JobTable& jobs);
  void find_told_shadow(const JobTable& jobs);
  // Brings shadow_ and extra_ up to date; sets head_is_protected_.
  void protect_head(Time now, Turn& turn);
  [[nodiscard]] Time latest_end(std::uint32_t machine, std::span<const Amount> demand) const;
  void start_overtaking(JobSlot job, std::uint32_t machine, Time now, Turn& turn);

  Overtaking overtaking_;
  Selection selection_;
  BackfillLimits limits_;

  PlannedLoad load_;
  BackfillScan scan_;                 // the shown jobs
  MachineSet freed_;                  // machines on which room may have appeared since the last run

  std::optional<Shadow> shadow_;  // the last one that was looked up, of whatever head
  bool shadow_is_current_ = false;
  std::optional<Placement> told_;  // the head with its shadow, where anybody is told
  bool told_is_current_ = false;
  std::vector<Amount> extra_;     // what is free at the shadow beyond the head's demand

  Time last_run_ = -kNever;
  Time wakeup_ = kNever;

  // Of the run under way.
  bool head_is_protected_ = false;
  std::vector<JobSlot> fresh_;           // shown and not yet in the scan
  std::vector<std::uint32_t> machines_;  // to look at

  QueueKeys keys_;  // of a queue in another order than that of the arrivals
};

}  // namespace schedcore
