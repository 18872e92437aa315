// Conservative backfilling by the common shortcut: at every arrival and completion all reservations are forgotten and made
// anew in queue order.
//
// With exact estimates this is conservative backfilling.  With over-estimates a job that is early in the queue may take a
// place promised to a later one, which is then delayed; it exists for comparison.
// Source: Mu'alem and Feitelson, TPDS 2001, describe the variants.
//
// Cost of an event: a copy of the running jobs' timelines and an earliest fit for every waiting job, where a job of equal
// demand and estimate starts where the one before it stopped, and what is said in replanning_policy.hpp.
#pragma once

#include <memory>
#include <vector>

#include "schedcore/backfilling/replanning_policy.hpp"
#include "schedcore/backfilling/reservation_record.hpp"

namespace schedcore {

class RebuildPolicy final : public ReplanningPolicy, public ReservationRecords {
 public:
  // `limits.interval` is not looked at.
  RebuildPolicy(const BackfillLimits& limits, bool record) : ReplanningPolicy(limits), ReservationRecords(record) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<RebuildPolicy>(*this); }
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void decide(const Event& event, Turn& turn) override;

 private:
  void place(Entry& entry, const FitBounds::Fit& fit, Time now, Turn& turn);

  std::vector<ResourceTimeline> plan_;  // of the event under way: running jobs and the places given so far
};

}  // namespace schedcore
