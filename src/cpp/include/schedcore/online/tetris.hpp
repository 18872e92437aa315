// TETRIS without preemption: on every machine the fitting job with the best mix of alignment and size starts.
//
// Source: Grandl et al., SIGCOMM 2014, adapted by Fan and Liang, ICPP 2024, section 7.2.  For the jobs F that fit on a
// machine now, alignment a = sum_l (d_l/Q_l)(free_l/Q_l) with the machine's own capacities Q, and the second term b
// rewards small volume; eps = mean(a) / mean(b) over F is renewed after every start.  Scores within 1e-9 of the best are
// ties and go to the lowest id.
//
// Jobs with equal demands differ in b alone, so a class is scored once: its count, the sum of b over it (kept in
// double-double, so that neither order nor churn shows), its best b.  An offer costs O(fitting classes * R).
//
// On clusters the fitting jobs are those that end before the machine's next outage.  Where that is not all of them, each
// is scored by itself: O(fitting jobs) an offer.  Scores count all of a job, whatever was saved of its work.
#pragma once

#include "schedcore/engine/policy.hpp"
#include "schedcore/exact/double_double.hpp"
#include "schedcore/index/waiting_index.hpp"
#include "schedcore/engine/machine_offers.hpp"

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
  // What the score needs to know of the class: the demand of every resource, then u / L.  Empty for a new class.
  [[nodiscard]] const std::vector<double>& demands() const { return demands_; }
  void set_demands(std::vector<double> demands) { demands_ = std::move(demands); }
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
  CostQueue queue_;
  DoubleDouble sum_;
  std::vector<double> demands_;
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
  // A class, or one job of it.
  struct Candidate {
    Index::Leaf leaf;
    double alignment;
    double share;  // u / L of the class
    double least_cost;
    const WaitingJob* only;  // the job, null for a class
    double score;            // of its best job
  };
  // All jobs of the candidates: how many, and the sums of both terms of their scores.
  struct Fitting {
    double count = 0;
    double alignment = 0;
    double term = 0;
    void add(double jobs, double alignment_of_each, double term_of_all) {
      count += jobs;
      alignment += jobs * alignment_of_each;
      term += term_of_all;
    }
  };

  // The second term of the score for a job of processing time p in a class of share u / L.  Its order over p within a
  // class is that of falling cost, cost(p) = p, or -p in mode plus.
  [[nodiscard]] double term(double processing_time, double share) const;
  [[nodiscard]] double cost(double processing_time) const {
    return mode_ == TetrisMode::plus ? -processing_time : processing_time;
  }
  void index(JobSlot job, const JobTable& jobs);
  void remove(Index::Leaf leaf, JobSlot job, const JobTable& jobs);
  void weigh_room(std::size_t machine, std::span<const Amount> available);
  [[nodiscard]] static double alignment_of(const std::vector<double>& demands, std::span<const double> room);
  // Into `candidates_` and `fitting_`: who fits the machine and ends by then.  All of a class do, or some jobs of each.
  void collect(std::size_t machine, std::span<const Amount> available, const Availability& availability, const JobTable& jobs);
  void collect_classes(std::size_t machine, std::span<const Amount> available);
  void collect_jobs(std::size_t machine, std::span<const Amount> available, const Availability& availability, const JobTable& jobs);
  [[nodiscard]] const WaitingJob* best_candidate(Index::Leaf& leaf);
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
  std::vector<Candidate> candidates_;  // scratch of one offer
  Fitting fitting_;                    // likewise
  std::vector<double> room_;           // likewise
};

}  // namespace schedcore
