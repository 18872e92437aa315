// MRIS: batches chosen by a knapsack at geometrically growing instants, each placed by PQ with backfilling.
//
// Source: Fan and Liang, ICPP 2024, section 5.3, with the corrections of docs/online.md.  A batch is planned at its gamma
// beside everything committed.  Beyond the paper, with the same constant: `opportunistic` starts jobs that no batch has
// taken yet where they disturb nothing that runs or is planned, and `replan` places planned but unstarted jobs again
// together with the new batch, as long as every job of every batch still ends within its bound.
//
// A job that ends before its processing time leaves the plan as it is, for plans can be announced.  But from then on,
// until the origin changes, no job waits while nothing runs at all: planned jobs that fit at once beside the rest of
// the plan start in plan order, or if nothing is planned, jobs that no batch has taken start like in PQ, which costs
// O(n log n) for n waiting jobs each time.  While every job ends on time decisions are those of the paper.  What is
// proven otherwise stands in docs/online.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/index/waiting_index.hpp"
#include "schedcore/engine/machine_offers.hpp"
#include "schedcore/online/mris_batches.hpp"

namespace schedcore {

class MrisPolicy final : public Policy, public MrisRecords {
 public:
  explicit MrisPolicy(const MrisOptions& options) : options_(options) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override;
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void check_invariants() const override { pool_.check_invariants(); }
  void attach(const MachinesView& machines) override;
  void check_job(const JobColumns& job, Time now) const override;
  [[nodiscard]] bool heeds_eligibility() const override { return true; }
  [[nodiscard]] Commitments commitments(const Cluster& cluster) const override;
  void decide(const Event& event, Turn& turn) override;
  [[nodiscard]] Time next_wakeup() const override { return batches_.next_wakeup(!pool_.empty()); }
  [[nodiscard]] bool plans() const override { return true; }

  [[nodiscard]] const std::vector<MrisIteration>& iterations() const override { return batches_.iterations(); }
  [[nodiscard]] std::uint64_t n_early_starts() const override { return n_early_starts_; }
  [[nodiscard]] std::uint64_t n_replans() const override { return n_replans_; }

 private:
  void iterate(int k, Time now, Turn& turn);
  void place(std::span<const WaitingJob> batch, Time now, Turn& turn);
  [[nodiscard]] bool place_again(std::span<const WaitingJob> batch, Time now, Turn& turn);
  void commit(std::span<const Placement> placements, Turn& turn);
  void start_early(const Event& event, bool all, Turn& turn);
  void start_untaken(const WaitingJob& job, std::size_t machine, Time now, Turn& turn);
  void start_on_idle_machines(Time now, Turn& turn);

  MrisOptions options_;
  MrisBatches batches_;
  Time makespan_ = 0;
  WaitingIndex<CostQueue> pool_;        // opportunistic: arrived jobs that no batch has taken
  std::vector<std::int32_t> batch_of_;  // replan: by slot, the iteration that took the job
  std::uint64_t n_early_starts_ = 0;
  std::uint64_t n_replans_ = 0;
  MachineOffers offers_;
  std::vector<WaitingJob> fresh_;  // scratch of one event: the arrivals that are short enough, in key order
  std::vector<JobSlot> fresh_slots_;
};

}  // namespace schedcore
