// MRIS without a fixed plan: the batches and the bound of MRIS, the work conservation of PQ.
//
// Nothing is decided before it starts.  At every event the jobs that batches have taken, and with `opportunistic` those
// that may start early, are tried in priority order like in PQ.  A job that no batch has taken may start early if
// p <= patience * g_k and its weight per volume exceeds that of every job that the last knapsack left behind.
//
// What keeps the bound (proof in docs/online.md).  Let S_i add, over the batches 0..i with unstarted jobs, the time
// max(2 pmax, 2V/M) + pmax that PQ needs for the unstarted jobs of one batch alone (corrected Lemma 6.3; without the last
// term for one machine).  A job of the lowest unfinished batch may always start.  Any other job may start at t only if
//     t - T + max(longest remaining time of a running job, p_j) + S_i <= 2c * g_i   for all those i,
// T being the origin and g_i the interval of batch i (mris_batches.hpp).  Then every job of every batch i ends by
// T + 2c * g_i, so that sum w (C - T) stays at most 4c times optimal.
//
// A job that ends before its processing time makes room that patience and density, which are for measured speed and not for
// the proof, would leave idle.  From then on, until the origin changes, any job that no batch has taken may start early
// if p <= (2c - 2) * g_k and the bound allows: so no machine idles while a waiting job fits unless the proof needs it,
// and the bound holds as long as no job runs longer than announced.  Without `opportunistic` such jobs start only while
// nothing runs at all, whatever their length.
//
// Cost: PQ's, and O(number of unfinished batches) a start; the waiting jobs are indexed anew at every gamma.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "schedcore/exact/double_double.hpp"
#include "schedcore/index/waiting_index.hpp"
#include "schedcore/engine/machine_offers.hpp"
#include "schedcore/online/mris.hpp"

namespace schedcore {

class MrisDynamicPolicy final : public Policy, public MrisRecords {
 public:
  explicit MrisDynamicPolicy(const MrisOptions& options) : options_(options) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override;
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void check_invariants() const override { waiting_.check_invariants(); }
  void attach(const MachinesView& machines) override;
  void check_job(const JobColumns& job, Time now) const override;
  [[nodiscard]] bool heeds_eligibility() const override { return true; }
  [[nodiscard]] Commitments commitments(const Cluster& cluster) const override;
  void decide(const Event& event, Turn& turn) override;
  [[nodiscard]] Time next_wakeup() const override;

  [[nodiscard]] const std::vector<MrisIteration>& iterations() const override { return batches_.iterations(); }
  [[nodiscard]] std::uint64_t n_early_starts() const override { return n_early_starts_; }
  [[nodiscard]] std::uint64_t n_replans() const override { return 0; }

 private:
  // A batch with unstarted jobs.
  struct Batch {
    int k = 0;
    Time longest_span = 0;  // 2c * g_k: so long after the origin all of it has ended
    std::vector<MrisBatches::Candidate> by_length;  // shortest first; the last one is unstarted
    DoubleDouble volume;  // of the unstarted jobs

    template <class Archive>
    void serialize(Archive& archive) {
      archive(k, longest_span, by_length, volume);
    }
  };
  // Least values, since all machines were last looked at, at which the bound held a job back.  May be lower than need
  // be, which only costs another look at the machines.
  struct Held {
    Time allowed;
    int lowest_k;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(allowed, lowest_k);
    }
  };

  void take_batch(int k, Time now, Turn& turn);
  void index_arrivals(const Event& event, const Turn& turn);
  void reindex(const JobTable& jobs);
  [[nodiscard]] bool may_start_early(JobSlot job, const JobTable& jobs) const;
  // In machine-seconds; where machines differ, in seconds of all of them together.
  [[nodiscard]] double volume_of(JobSlot job, const JobTable& jobs) const {
    return jobs.processing_time(job) * batches_.share(jobs.demand(job));
  }
  [[nodiscard]] Time alone(const Batch& batch, const JobTable& jobs) const;
  [[nodiscard]] Time certified_end(Time now, const JobTable& jobs) const;
  [[nodiscard]] Time longest_allowed(Time now, const JobTable& jobs) const;
  // Of the running jobs, by their processing times; 0 where all have outlived them.
  [[nodiscard]] Time longest_remaining(Time now) const;
  void index_urgent(const JobTable& jobs);
  [[nodiscard]] bool has_loosened(Time now, const JobTable& jobs) const;
  void hold(Time allowed);
  // The first job in priority order that fits the machine and that the bound lets start now.
  [[nodiscard]] WaitingIndex<CostQueue>::Found first_allowed(std::size_t machine, std::span<const Amount> available,
                                                             Time allowed, const JobTable& jobs);
  void offer(std::size_t machine, Time now, Turn& turn);
  void start(const WaitingJob& job, std::size_t machine, Time now, Turn& turn);

  MrisOptions options_;
  MrisBatches batches_;
  std::size_t n_machines_ = 0;
  WaitingIndex<CostQueue> waiting_;  // every job that may start if it fits and the bound allows
  WaitingIndex<CostQueue> urgent_;   // of those, the lowest unfinished batch, which the bound never holds back
  int urgent_k_ = -1;
  std::vector<Batch> unfinished_;       // in order of k
  std::vector<std::int32_t> batch_of_;  // by slot: the iteration that took the job, -1 for none
  std::set<std::pair<Time, JobSlot>> running_;  // by the end that the processing time promises
  std::optional<Held> held_at_;         // present while a job that fits some machine may be held back by the bound
  Priority densest_left_;               // volume per weight, where the last knapsack left jobs behind
  bool has_left_ = false;
  std::uint64_t n_untaken_ = 0;
  std::uint64_t n_early_starts_ = 0;
  MachineOffers offers_;
  std::vector<JobSlot> fresh_;  // scratch of one event
};

}  // namespace schedcore
