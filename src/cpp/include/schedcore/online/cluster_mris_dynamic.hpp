// MRIS without a fixed plan, on clusters: MrisDynamicPolicy decides alike where nothing of a cluster is used, and is faster.
//
// What clusters add: a job that has no place by what is known, because machines are down or going out of service, is in no
// batch, and one that was killed, or held, has left its batch.  A job starts on a machine if it fits there for its whole
// processing time.  Volumes, lengths of batches and patience are those of the whole job; what a start occupies, and for how
// long, is what is left of it.  What is proven without a cluster is not proven here.
//
// Cost: a start or an end O(R log k), and O(unfinished batches); a machine is offered to the waiting jobs where room has
// been given back, and every machine at every event while the bound holds a job back that fits somewhere.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "schedcore/engine/machine_offers.hpp"
#include "schedcore/exact/double_double.hpp"
#include "schedcore/index/waiting_index.hpp"
#include "schedcore/online/cluster_mris_intervals.hpp"
#include "schedcore/online/cluster_runs.hpp"

namespace schedcore {

class ClusterMrisDynamicPolicy final : public Policy, public MrisRecords {
 public:
  explicit ClusterMrisDynamicPolicy(const MrisOptions& options) : options_(options) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override {
    return std::make_unique<ClusterMrisDynamicPolicy>(*this);
  }
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void check_invariants() const override { open_.check_invariants(); }
  [[nodiscard]] std::span<const ResourceTimeline> timelines() const override { return runs_.timelines(); }
  void attach(const MachinesView& machines) override;
  void check_job(const JobColumns& job, Time now) const override;
  [[nodiscard]] bool heeds_eligibility() const override { return true; }
  [[nodiscard]] bool heeds_clusters() const override { return true; }
  [[nodiscard]] bool heeds_weights() const override { return true; }
  void take_over(const Commitments& commitments, const Cluster& cluster) override;
  void decide(const Event& event, Turn& turn) override;
  [[nodiscard]] Time next_wakeup() const override { return wakeup_; }
  [[nodiscard]] std::vector<JobSlot> waiting_in_order(const JobTable& /*jobs*/) const override {
    std::vector<JobSlot> waiting;
    for (const WaitingJob& job : queue_) waiting.push_back(job.job);
    return waiting;
  }

  [[nodiscard]] const std::vector<MrisIteration>& iterations() const override { return intervals_.iterations(); }
  [[nodiscard]] std::uint64_t n_early_starts() const override { return n_early_starts_; }
  [[nodiscard]] std::uint64_t n_replans() const override { return 0; }

 private:
  static constexpr int kNoBatch = -1;

  // A job that waits, by its slot.
  struct Waiting {
    WaitingJob job;
    int batch = kNoBatch;
    bool is_open = false;  // it is in open_
  };
  // A batch with jobs that wait.
  struct Batch {
    std::set<WaitingJob> jobs;
    std::multiset<Time> lengths;
    DoubleDouble volume;
  };

  // What happened, and who may start (cluster_mris_dynamic_events.cpp).
  void take_up(const Event& event, Turn& turn);
  void enqueue(JobSlot job, const JobTable& jobs);
  void dequeue(JobSlot job, const JobTable& jobs);
  void reweigh(const Reweighed& reweighed, const JobTable& jobs);
  void join(JobSlot job, int batch, const JobTable& jobs);
  void leave_batch(JobSlot job, const JobTable& jobs);
  void leave_without_place(const Turn& turn);
  void open(JobSlot job, const JobTable& jobs);
  void close(JobSlot job, const JobTable& jobs);
  void open_all(const JobTable& jobs);
  [[nodiscard]] bool may_start_early(JobSlot job, const JobTable& jobs) const;
  [[nodiscard]] double volume_of(JobSlot job, const JobTable& jobs) const {
    return jobs.whole_processing_time(job) * intervals_.share(jobs.demand(job));
  }

  void take_batch(int k, Turn& turn);
  void start_jobs(Turn& turn);
  void index_urgent(const JobTable& jobs);
  [[nodiscard]] bool offer(std::size_t machine, Turn& turn);
  void start(const WaitingJob& job, std::size_t machine, Turn& turn);
  void start_on_idle_machines(Turn& turn);
  [[nodiscard]] Time alone(const Batch& batch) const;
  [[nodiscard]] Time certified_end() const;
  [[nodiscard]] Time longest_allowed() const;
  void find_wakeup(const JobTable& jobs, const Availability& availability);

  MrisOptions options_;
  ClusterMrisIntervals intervals_;
  ClusterRuns runs_;
  std::size_t n_machines_ = 0;
  Time now_ = 0;
  std::vector<Waiting> waiting_;     // by slot
  std::set<WaitingJob> queue_;       // all that wait
  std::map<int, Batch> unfinished_;  // by k
  // Those that may start if they fit and the bound allows, by what is left of them.
  WaitingIndex<CostQueue> open_;
  WaitingIndex<CostQueue> urgent_;  // of those, the lowest unfinished batch, which the bound never holds back
  int urgent_k_ = kNoBatch;
  std::optional<Priority> densest_left_;  // least volume per weight of what the last knapsack left behind
  bool holds_back_ = false;               // somebody may fit somewhere whom the bound does not let start
  Time wakeup_ = kNever;
  std::uint64_t n_early_starts_ = 0;
  MachineOffers offers_;
  // Of the event under way.
  std::vector<Completion> freed_;  // on machines with room that was not there before
  std::vector<JobSlot> come_to_wait_;
  std::vector<JobSlot> fresh_;     // open since this event
  bool changes_who_may_start_ = false;  // early
};

}  // namespace schedcore
