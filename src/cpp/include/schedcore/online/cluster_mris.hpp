// MRIS on clusters: machines differ, fail and are taken out of service, jobs may use some of them, are killed, cancelled or
// held.  MrisPolicy decides alike where nothing of it happens, and is faster.
//
// Sources: as of MrisPolicy; what clusters add is in docs/online.md.  A candidate at gamma_k is whoever waits without a plan,
// is short enough and has any place by what is known.  Who finds no place then, or whose place is lost because the machine
// fails or is to be out of service, waits for a later batch; so does who was killed.  Volumes and lengths that choose are
// those of the whole job, the places those of what is left of it.
//
// A planned job that is due and does not fit, because others run late, waits with its machine, and counts from now on.
//
// Cost: a batch as of MrisPolicy, and O(n log n) for n waiting jobs; a job or a run O(R log k).  A machine is offered to
// those who may start early where room has been given back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "schedcore/engine/machine_offers.hpp"
#include "schedcore/index/waiting_index.hpp"
#include "schedcore/online/cluster_mris_intervals.hpp"
#include "schedcore/online/cluster_runs.hpp"

namespace schedcore {

class ClusterMrisPolicy final : public Policy, public MrisRecords {
 public:
  explicit ClusterMrisPolicy(const MrisOptions& options) : options_(options) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<ClusterMrisPolicy>(*this); }
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void check_invariants() const override { pool_.check_invariants(); }
  [[nodiscard]] std::span<const ResourceTimeline> timelines() const override { return runs_.timelines(); }
  void attach(const MachinesView& machines) override;
  void check_job(const JobColumns& job, Time now) const override;
  [[nodiscard]] bool heeds_eligibility() const override { return true; }
  [[nodiscard]] bool heeds_clusters() const override { return true; }
  [[nodiscard]] bool heeds_weights() const override { return true; }
  void take_over(const Commitments& commitments, const Cluster& cluster) override;
  void decide(const Event& event, Turn& turn) override;
  [[nodiscard]] Time next_wakeup() const override { return wakeup_; }
  [[nodiscard]] std::vector<Placement> reserved(const JobTable& jobs, Time now) const override;
  [[nodiscard]] std::vector<JobSlot> waiting_in_order(const JobTable& jobs) const override;
  [[nodiscard]] std::vector<Promise> promises(const JobTable& jobs, Time now) const override;

  [[nodiscard]] const std::vector<MrisIteration>& iterations() const override { return intervals_.iterations(); }
  [[nodiscard]] std::uint64_t n_early_starts() const override { return n_early_starts_; }
  [[nodiscard]] std::uint64_t n_replans() const override { return n_replans_; }

 private:
  // A job that waits, by its slot.
  struct Waiting {
    WaitingJob job;
    int batch = -1;          // that took it last
    bool is_in_pool = false;
    bool is_planned = false;
    Time start = 0;           // planned, as the next three
    Time occupied_until = 0;  // in the timelines; of one that is overdue counted from now on
    std::uint32_t machine = 0;
    std::uint64_t order = 0;  // of planning
    [[nodiscard]] auto due() const { return std::tuple(start, order, job.job); }
  };
  using Due = std::tuple<Time, std::uint64_t, JobSlot>;

  // What happened (cluster_mris_events.cpp).
  void take_up(const Event& event, Turn& turn);
  [[nodiscard]] bool end_run(const Completion& ended, const JobTable& jobs);
  void void_plans(const Event& event, const Turn& turn);
  void void_overfull(std::span<const std::uint32_t> lowered, const Turn& turn);
  void enqueue(JobSlot job, const JobTable& jobs);
  void dequeue(JobSlot job, const JobTable& jobs);
  void reweigh(const Reweighed& reweighed, const JobTable& jobs);
  void keep_overdue(const JobTable& jobs);
  void open_to_early(Waiting& waiting, const JobTable& jobs);
  void close_to_early(Waiting& waiting, const JobTable& jobs);
  void refill_pool(const JobTable& jobs);
  void occupy_as_planned(Waiting& waiting, const JobTable& jobs);

  // Of a job that is not planned, whose place in the timelines is taken already.
  void plan(const Placement& placement, const JobTable& jobs);
  // Its place in the timelines stays taken.
  void unplan(Waiting& waiting);
  // Others may have its place.
  void release_plan(Waiting& waiting, const JobTable& jobs);
  // When a planned job ends; of one that is overdue counted from now on.
  [[nodiscard]] Time planned_end(const Waiting& waiting, const JobTable& jobs) const {
    return std::max(waiting.start, now_) + jobs.processing_time(waiting.job.job);
  }

  void plan_batch(int k, Turn& turn);
  void place(std::span<const WaitingJob> batch, Turn& turn);
  [[nodiscard]] bool place_again(std::span<const WaitingJob> batch, Turn& turn);
  [[nodiscard]] Time makespan(const JobTable& jobs) const;
  void start_due(Turn& turn);
  void start(JobSlot job, std::size_t machine, Turn& turn);
  void start_early(Turn& turn);
  void start_unplanned(const WaitingJob& job, std::size_t machine, Turn& turn);
  [[nodiscard]] bool fits_beside_plan(JobSlot job, std::size_t machine, const Turn& turn) const;
  void start_on_idle_machines(Turn& turn);
  [[nodiscard]] bool fits_now(JobSlot job, std::size_t machine, std::span<const Amount> free, const JobTable& jobs,
                              const Availability& availability) const;
  void find_wakeup(const JobTable& jobs, const Availability& availability);

  MrisOptions options_;
  ClusterMrisIntervals intervals_;
  ClusterRuns runs_;
  Time now_ = 0;
  std::vector<Waiting> waiting_;     // by slot
  std::set<WaitingJob> unplanned_;   // who waits without a plan
  std::set<Due> due_;                // who waits with one
  std::uint64_t n_planned_ever_ = 0;
  WaitingIndex<CostQueue> pool_;     // opportunistic: unplanned jobs that are short enough to start early
  // Room was given back at a time when it was offered to nobody: everybody has to look everywhere.
  bool look_everywhere_ = false;
  Time last_end_ = 0;                // of a run that is over
  Time wakeup_ = kNever;
  std::uint64_t n_early_starts_ = 0;
  std::uint64_t n_replans_ = 0;
  MachineOffers offers_;
  // Of the event under way.
  std::vector<Completion> freed_;   // on machines with room that was not there before
  std::vector<JobSlot> come_to_wait_;
  std::vector<JobSlot> fresh_;      // in the pool since this event
};

}  // namespace schedcore
