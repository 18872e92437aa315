// TETRIS without preemption: on every machine the fitting job with the best mix of alignment and size starts.
//
// Source: Grandl et al., SIGCOMM 2014, adapted by Fan and Liang, ICPP 2024, section 7.2.  For the jobs F that fit on a
// machine now, alignment a = sum_l (d_l/Q_l)(free_l/Q_l) with the machine's own capacities Q, and the second term b
// rewards small volume; eps = mean(a) / mean(b) over F is renewed after every start.  Scores within 1e-9 of the best are
// ties and go to the lowest id.
//
// Jobs with equal demands differ in b alone, so a class is scored once: its count, the sum of b over it (kept in
// double-double, so that neither order nor churn shows), its best b.  Classes of like demands and volumes stand in blocks
// of 64, so that most blocks are scored at once (score_blocks.hpp).
//
// On clusters the fitting jobs are those that end before the machine's next outage.  Where that is not all of them, each
// is scored by itself: O(fitting jobs) an offer.  Scores count all of a job, whatever was saved of its work.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "schedcore/engine/machine_offers.hpp"
#include "schedcore/engine/policy.hpp"
#include "schedcore/exact/double_double.hpp"
#include "schedcore/index/waiting_index.hpp"
#include "schedcore/online/score_blocks.hpp"

namespace schedcore {

// inverse: a + eps / v;  minus: a - eps v;  plus: a + eps v (as printed in the paper; prefers large volumes).
enum class TetrisMode : std::uint8_t { inverse, minus, plus };

// A class of waiting jobs in order of id that knows the sum of the second term over its jobs.
class ScoredQueue {
 public:
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  [[nodiscard]] std::size_t size() const { return queue_.size(); }
  [[nodiscard]] const WaitingJob& top() const { return queue_.top(); }
  [[nodiscard]] double least_cost() const { return queue_.least_cost(); }
  [[nodiscard]] double sum() const { return sum_.hi; }

  void insert(const WaitingJob& job, double cost) { queue_.insert(job, cost); }
  void erase(const Priority& priority) { queue_.erase(priority); }
  void add_term(double term) { sum_ = sum_ + term; }
  void clear_sum() { sum_ = {}; }
  // u / L, by which a processing time becomes a volume.
  [[nodiscard]] double share() const { return share_; }
  void set_share(double share) { share_ = share; }
  // Of the job of least cost.
  [[nodiscard]] double volume() const { return std::min(std::abs(least_cost()) * share_, kLargest); }
  template <class Passes>
  [[nodiscard]] const WaitingJob* first_where(const Passes& passes) const {
    return queue_.first_where(passes);
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    queue_.for_each(visit);
  }
  // Of terms that came and went, with the rounding that they left behind.
  [[nodiscard]] DoubleDouble exact_sum() const { return sum_; }
  void set_sum(DoubleDouble sum) { sum_ = sum; }

 private:
  static constexpr double kLargest = std::numeric_limits<double>::max();

  CostQueue queue_;
  DoubleDouble sum_;
  double share_ = 0;
};

class TetrisPolicy final : public Policy {
 public:
  TetrisPolicy(TetrisMode mode, bool on_clusters) : mode_(mode), on_clusters_(on_clusters) {}

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
    return jobs.waiting_by([&](JobSlot job) { return jobs.id(job); });
  }

 private:
  using Index = WaitingIndex<ScoredQueue>;
  // One job of a class.
  struct FittingJob {
    Index::Leaf leaf;
    double alignment;
    double term;
    const WaitingJob* job;
  };

  // The second term of the score for a job of processing time p in a class of share u / L.  Its order over p within a
  // class is that of falling cost, cost(p) = p, or -p in mode plus.
  [[nodiscard]] double term(double processing_time, double share) const;
  [[nodiscard]] double cost(double processing_time) const {
    return mode_ == TetrisMode::plus ? -processing_time : processing_time;
  }
  void index(JobSlot job, const JobTable& jobs);
  void remove(Index::Leaf leaf, JobSlot job, const JobTable& jobs);
  // Has what `waiting_` says of the class again.
  void note(Index::Leaf leaf);
  void note_all();
  void weigh_room(std::size_t machine, std::span<const Amount> available);
  // Who fits the machine and ends by then, into `blocks_` if all of a class do, into `fitting_jobs_` if some jobs of each
  // may; into `fitting_` in both cases.
  void collect(std::size_t machine, std::span<const Amount> available, const Availability& availability, const JobTable& jobs);
  void collect_jobs(std::size_t machine, std::span<const Amount> available, const Availability& availability, const JobTable& jobs);
  [[nodiscard]] TetrisScore score_of_fitting() const;
  // Of those that were collected, the one to start; `leaf` is its class.
  [[nodiscard]] const WaitingJob* best_fitting(Index::Leaf& leaf);
  [[nodiscard]] double best_score(const TetrisScore& score);
  void offer(std::size_t machine, Turn& turn);

  TetrisMode mode_;
  bool on_clusters_;
  Time now_ = 0;
  Time longest_ = 0;  // that a job has waited for
  Time next_wakeup_ = kNever;
  std::vector<Amount> capacity_;  // of every machine, row-major
  DemandScale scale_;
  Index waiting_;
  MachineOffers offers_;
  ScoreBlocks blocks_;  // of the classes of waiting_, while its layout is this one
  std::uint64_t layout_of_blocks_ = 0;
  // Scratch of one offer.
  bool by_job_ = false;  // whether jobs were collected one by one
  ScoreBlocks::Fitting fitting_;
  std::vector<FittingJob> fitting_jobs_;
  std::vector<ScoreBlocks::Candidate> candidates_;
  std::vector<double> room_;
};

}  // namespace schedcore
