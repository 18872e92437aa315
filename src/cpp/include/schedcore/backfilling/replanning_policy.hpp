// What policies have in common that forget the plan of the waiting jobs where something has happened, and make it anew: the
// queue with the places that jobs hold until then, the running jobs by their estimates, and when to look again.
//
// Every planned start is the planned end of a running job or comes after other starts, so the first one is a wake-up only
// where it may show that a job is late.  A start for which only jobs are waited for that are late already is none: each of
// them would be found late again, the start moved by one more estimate, and so on until one ends.
//
// Cost of an event without the plan: that of the running jobs' timelines, and once a job has been late a sort of the planned
// ends.  Not for policies whose promises stand (reservations.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/backfilling/backfill_limits.hpp"
#include "schedcore/backfilling/fit_bounds.hpp"
#include "schedcore/backfilling/planned_load.hpp"
#include "schedcore/backfilling/reservation_queue.hpp"
#include "schedcore/engine/policy.hpp"

namespace schedcore {

class ReplanningPolicy : public Policy, public BackfillRecords {
 public:
  [[nodiscard]] std::span<const ResourceTimeline> timelines() const override { return load_.timelines(); }
  void attach(const MachinesView& machines) override;
  [[nodiscard]] bool heeds_eligibility() const override { return true; }
  [[nodiscard]] Commitments commitments(const Cluster& cluster) const override;
  [[nodiscard]] Time next_wakeup() const override { return wakeup_; }
  [[nodiscard]] std::vector<Placement> reserved(const JobTable& /*jobs*/, Time /*now*/) const override {
    return queue_.placements();
  }
  [[nodiscard]] std::uint64_t n_overruns() const override { return load_.n_overruns(); }

 protected:
  using Entry = ReservationQueue::Entry;

  // `limits.interval` is not looked at.
  explicit ReplanningPolicy(const BackfillLimits& limits) : limits_(limits) {}

  // What has ended, outlived its estimate and arrived.  Whether anything has.
  bool take_up(const Event& event, const JobTable& jobs);
  // The class of a waiting job, which is put in one by the first look at it.
  FitBounds::Class class_of(Entry& entry, const JobTable& jobs) {
    if (!entry.is_in_class()) {
      entry.job_class =
          bounds_.add(jobs.demand(entry.job), jobs.processing_time(entry.job), jobs.eligibility(entry.job));
    }
    return entry.job_class;
  }
  // The end of a place that a job is to have; InvalidInstanceError where the clock has no such end.
  [[nodiscard]] Time end_of(const Entry& entry, Time start, Time now, const JobTable& jobs) const;
  // The job starts if its place is now, and holds it otherwise.
  void give(Entry& entry, const FitBounds::Fit& place, Time end, Time now, Turn& turn);
  // The first start after now that a running job makes room for that is not late; kNever if there is none.
  [[nodiscard]] Time next_start_on_time(Time now, const JobTable& jobs);

  void write_plan(SnapshotWriter& archive) const;
  void read_plan(SnapshotReader& archive);

  BackfillLimits limits_;
  ReservationQueue queue_;
  PlannedLoad load_;  // running jobs alone
  FitBounds bounds_;
  Time wakeup_ = kNever;
};

}  // namespace schedcore
