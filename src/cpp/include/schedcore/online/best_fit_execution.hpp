// BF-EXEC: arrivals go to the fullest machine with room; a machine that completes a job serves its queue shortest first.
//
// Source: the baseline of Fan and Liang, ICPP 2024, section 7.2.  Waiting jobs are tried on machines with a completion
// alone, in order of processing time; an arrival takes the machine with the least squared norm of free capacity
// (shares of the machine's own), ties to the lower machine, and never waits for the queue.  Shares are exact integers where
// all capacities of all machines have a common multiple up to 2^53; else they are rounded to 2^-40 (demand_scale.hpp), and
// a search of the fullest machine takes some times as long.
#pragma once

#include "schedcore/engine/policy.hpp"
#include "schedcore/index/waiting_index.hpp"

namespace schedcore {

class BestFitExecutionPolicy final : public Policy {
 public:
  BestFitExecutionPolicy() = default;

  [[nodiscard]] std::unique_ptr<Policy> clone() const override;
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void check_invariants() const override { waiting_.check_invariants(); }
  void attach(const MachinesView& machines) override;
  [[nodiscard]] bool heeds_placements() const override { return true; }
  void decide(const Event& event, Turn& turn) override;

 private:
  [[nodiscard]] std::size_t fullest_fitting(const MachineIndex& machines, std::span<const Amount> demand,
                                            const Eligibility& eligibility) const;

  DemandScale scale_;
  bool has_own_scales_ = false;  // every machine, because they differ
  WaitingIndex<ClassHeap> waiting_;
};

}  // namespace schedcore
