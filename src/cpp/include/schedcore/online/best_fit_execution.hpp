// BF-EXEC: arrivals go to the fullest machine with room; a machine that completes a job serves its queue shortest first.
//
// Source: the baseline of Fan and Liang, ICPP 2024, section 7.2.  Waiting jobs are tried on machines with a completion
// alone, in order of processing time; an arrival takes the machine with the least squared norm of free capacity
// (shares of the machine's own), ties to the lower machine, and never waits for the queue.  Shares are exact integers where
// all capacities of all machines have a common multiple up to 2^53; else they are rounded to 2^-40 (demand_scale.hpp), and
// a search of the fullest machine takes some times as long.
//
// On clusters a job fits where it ends before the machine's next outage.  Machines that come back count among those that
// have completed a job, jobs that wait again among the arrivals.  Where an outage may matter to an arrival, every machine
// with room is looked at; where it may matter to jobs that wait, every one of them that fits.
#pragma once

#include "schedcore/engine/policy.hpp"
#include "schedcore/index/waiting_index.hpp"

namespace schedcore {

class BestFitExecutionPolicy final : public Policy {
 public:
  explicit BestFitExecutionPolicy(bool on_clusters) : on_clusters_(on_clusters) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override;
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void check_invariants() const override { waiting_.check_invariants(); }
  void attach(const MachinesView& machines) override;
  [[nodiscard]] bool heeds_placements() const override { return true; }
  [[nodiscard]] bool heeds_clusters() const override { return on_clusters_; }
  void take_over(const Commitments& commitments, const Cluster& cluster) override;
  void decide(const Event& event, Turn& turn) override;
  // When an outage is over that may keep jobs waiting.
  [[nodiscard]] Time next_wakeup() const override { return next_wakeup_; }
  [[nodiscard]] std::vector<JobSlot> waiting_in_order(const JobTable& jobs) const override {
    return jobs.waiting_by([&](JobSlot job) { return std::pair(jobs.whole_processing_time(job), jobs.id(job)); });
  }

 private:
  void index(JobSlot job, const JobTable& jobs);
  void serve(std::size_t machine, Turn& turn);
  // The first job that waits, fits and keeps its room until it ends.
  [[nodiscard]] WaitingIndex<ClassHeap>::Found first_with_room(const Availability& availability, std::size_t machine,
                                                               std::span<const Amount> free, const JobTable& jobs) const;
  [[nodiscard]] std::size_t fullest_fitting(JobSlot job, const Turn& turn) const;

  bool on_clusters_;
  Time now_ = 0;
  Time longest_ = 0;  // that a job has waited for
  Time next_wakeup_ = kNever;
  DemandScale scale_;
  bool has_own_scales_ = false;  // every machine, because they differ
  WaitingIndex<ClassHeap> waiting_;
  std::vector<JobSlot> come_to_wait_;  // scratch of one event
  std::vector<std::uint32_t> freed_;   // likewise
};

}  // namespace schedcore
