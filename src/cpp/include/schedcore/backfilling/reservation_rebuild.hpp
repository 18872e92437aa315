// Conservative backfilling by the common shortcut: at every arrival and completion all reservations are forgotten and made
// anew in queue order.
//
// With exact estimates this is conservative backfilling.  With over-estimates a job that is early in the queue may take a
// place promised to a later one, which is then delayed; it exists for comparison.
// Source: Mu'alem and Feitelson, TPDS 2001, describe the variants.
//
// Every start is the planned end of a running job or comes after other starts, so the first one is a wake-up only where it
// may show that a job is late.  A start for which only jobs are waited for that are late already is none: each of them
// would be found late again, the start moved by one more estimate, and so on until one ends.
//
// Cost of an event: a copy of the running jobs' timelines and an earliest fit for every waiting job, where a job of equal
// demand and estimate starts where the one before it stopped; once a job has been late, a sort of the planned ends.
#pragma once

#include <memory>
#include <vector>

#include "schedcore/backfilling/backfill_limits.hpp"
#include "schedcore/backfilling/fit_bounds.hpp"
#include "schedcore/backfilling/planned_load.hpp"
#include "schedcore/backfilling/reservation_queue.hpp"
#include "schedcore/backfilling/reservation_record.hpp"
#include "schedcore/engine/policy.hpp"

namespace schedcore {

class RebuildPolicy final : public Policy, public BackfillRecords, public ReservationRecords {
 public:
  // `limits.interval` is not looked at.
  RebuildPolicy(const BackfillLimits& limits, bool record) : ReservationRecords(record), limits_(limits) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<RebuildPolicy>(*this); }
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  [[nodiscard]] std::span<const ResourceTimeline> timelines() const override { return load_.timelines(); }
  void attach(const MachinesView& machines) override;
  [[nodiscard]] bool heeds_eligibility() const override { return true; }
  [[nodiscard]] Commitments commitments(const Cluster& cluster) const override;
  void decide(const Event& event, Turn& turn) override;
  [[nodiscard]] Time next_wakeup() const override { return wakeup_; }
  [[nodiscard]] std::vector<Placement> reserved(const JobTable& /*jobs*/, Time /*now*/) const override {
    return queue_.placements();
  }
  [[nodiscard]] std::uint64_t n_overruns() const override { return load_.n_overruns(); }

 private:
  using Entry = ReservationQueue::Entry;

  void place(Entry& entry, const FitBounds::Fit& fit, Time now, Turn& turn);
  // The first start after now that a running job makes room for that is not late; kNever if there is none.
  [[nodiscard]] Time next_start_on_time(Time now, const JobTable& jobs);

  BackfillLimits limits_;
  ReservationQueue queue_;
  PlannedLoad load_;  // running jobs alone
  FitBounds bounds_;
  Time wakeup_ = kNever;
  std::vector<ResourceTimeline> plan_;  // of the event under way: running jobs and the places given so far
};

}  // namespace schedcore
