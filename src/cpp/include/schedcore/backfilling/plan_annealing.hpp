// Plan-based scheduling: at every event the order of the waiting jobs is searched whose plan predicts the least mean response
// time, and the jobs start that this plan has start now.
//
// Sources: Zheng et al., IEEE Cluster 2016; Kopanski and Rzadca, Euro-Par 2021.  How orders are searched is said in
// order_search.hpp, how they are planned in order_plan.hpp.  Nothing is promised: the next event makes another plan.
//
// Where no waiting job fits what is free, no order lets one start, and none is searched: nothing is drawn, and whoever is told
// plans is told that of the queue.  Nor is one searched where nothing has come, gone or outlived its estimate since the last
// plan, as another search would draw again and could decide anew.
//
// Cost of an event: O(n) and a look for each class of jobs if none fits, one plan more if plans are told; else a search,
// up to `work_limit` placements or one plan.  For queues of many thousands use backfill.hpp.
#pragma once

#include <cstdint>
#include <memory>

#include "schedcore/backfilling/order_search.hpp"
#include "schedcore/backfilling/replanning_policy.hpp"
#include "schedcore/base/random_stream.hpp"
#include "schedcore/exact/demand_scale.hpp"

namespace schedcore {

class PlanAnnealingPolicy final : public ReplanningPolicy {
 public:
  struct Counts {
    std::uint64_t searches = 0;
    std::uint64_t placements = 0;  // in them
    std::uint64_t cut = 0;         // searches that the limit of work ended
  };

  PlanAnnealingPolicy(const OrderSearchOptions& options, std::uint64_t seed)
      : ReplanningPolicy({}), options_(options), random_(seed) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<PlanAnnealingPolicy>(*this); }
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void attach(const MachinesView& machines) override;
  void decide(const Event& event, Turn& turn) override;
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  [[nodiscard]] bool any_fits(const Turn& turn);
  void follow(const OrderSearchOutcome& outcome, const std::vector<JobSlot>& waiting, Time now, Turn& turn);
  [[nodiscard]] OrderSearchOutcome search(OrderPlan& plan, const std::vector<JobSlot>& waiting, Turn& turn);

  OrderSearchOptions options_;
  RandomStream random_;
  DemandScale scale_;
  Counts counts_;
  Time next_start_ = kNever;       // that is planned: by then a running job ends, or is found late
  bool waits_for_starts_ = false;  // whether the last plan was made with jobs that fitted
};

}  // namespace schedcore
