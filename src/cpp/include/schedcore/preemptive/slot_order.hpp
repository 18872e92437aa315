// In which order a policy serves the active jobs of a slot: their keys, sorted where somebody needs more than the keys.
//
// OCORP's keys follow multipliers that change in every slot; those of its baselines stay, or follow the remaining work
// (slot_policies.hpp), or the work done (attained_service.hpp), or what that says beside completed jobs
// (gittins_order.hpp).  Rows are ordered by (key, row).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/model/slots.hpp"
#include "schedcore/preemptive/active_jobs.hpp"
#include "schedcore/preemptive/dual_multipliers.hpp"
#include "schedcore/preemptive/gittins_order.hpp"
#include "schedcore/preemptive/slot_policies.hpp"

namespace schedcore {

class SlotOrder {
 public:
  // `jobs` must outlive this.
  SlotOrder(SlotPolicy policy, const DualRules& rules, const SlotJobs& jobs);

  // After jobs were let in, or let go.  O(rows).
  void added(const ActiveJobs& active);
  void removed(const ActiveJobs& active);

  // The keys of `slot`.  O(rows); where sizes are learnt, as gittins_order.hpp says.
  [[nodiscard]] std::span<const double> keys(Slot slot, const ActiveJobs& active);
  // The cost of a unit of rate in the slot of the last keys(); empty for baselines.
  [[nodiscard]] std::span<const double> cost() const { return cost_; }
  // The order of the last keys(); `below_zero`: of the rows with negative keys alone.  O(n log n), O(1) where keys and
  // rows are those of the last call.
  [[nodiscard]] std::span<const std::uint32_t> sorted(bool below_zero);

  // For how many slots after this one, `most` at most, the order stays what it is for those who look at it: the `whole`
  // order, or only who comes before and after the row `cut`, and between the rows with and without `cores`.  0 under
  // multipliers; where sizes are learnt, 0 unless nobody waits.  O(rows).
  [[nodiscard]] Slot steady_slots(const ActiveJobs& active, std::span<const Amount> cores, std::span<const Amount> work,
                                  std::size_t cut, bool whole, Slot most);

  // What n_slots slots from `first` on change in which the rows do `work` each.  True if further slots change nothing.
  bool advance(Slot first, Slot n_slots, std::span<const Amount> work);

  // Empty for baselines.
  [[nodiscard]] std::span<const double> multipliers() const { return multipliers_.values(); }

 private:
  [[nodiscard]] SteadyRow steady_row(const ActiveJobs& active, std::span<const Amount> work, std::uint32_t row) const;

  SlotPolicy policy_;
  SlotJobs jobs_;
  DualMultipliers multipliers_;
  GittinsOrder gittins_;  // followed only where the policy learns sizes
  std::vector<double> key_;
  std::vector<double> cost_;
  std::vector<KeyRatio> ratio_;  // of policies that follow the remaining work
  bool ratios_are_exact_ = true;
  std::vector<std::uint32_t> order_;
  bool order_is_stale_ = true;
};

}  // namespace schedcore
