// MRIS: batches chosen by a knapsack at geometrically growing instants, each placed by PQ with backfilling.
//
// Source: Fan and Liang, ICPP 2024, section 5.3, with the corrections of docs/online.md.  At gamma_k = gamma0 * 2^k the
// unplaced jobs with p, r <= gamma_k go through a knapsack of volume R*M*gamma_k; the chosen batch is placed from
// gamma_k on into the committed schedule.  The weighted completion time is at most 4c times optimal with
// c = 2R(1+eps), plus 1 for several machines (eps = 1 for the greedy knapsacks, 0 for exact), for scan and nobackfill.
//
// Beyond the paper, with the same constant: `opportunistic` starts jobs that no batch has taken yet where they disturb
// nothing, and `replan` places planned but unstarted jobs again together with the new batch, as long as every job of
// every batch B_i still ends by 2c*gamma_i.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "schedcore/knapsack.hpp"
#include "schedcore/machine_offers.hpp"
#include "schedcore/policy.hpp"
#include "schedcore/waiting_index.hpp"

namespace schedcore {

enum class MrisPlacement : std::uint8_t { scan, list, nobackfill };

struct MrisOptions {
  PriorityRule rule = PriorityRule::wsjf;
  KnapsackMethod knapsack = KnapsackMethod::cadp;
  Ratio epsilon{1, 10};
  std::uint64_t memory_limit = std::uint64_t{1} << 30;
  MrisPlacement placement = MrisPlacement::scan;
  Time gamma0 = 1;
  bool opportunistic = false;
  double patience = 1;
  bool replan = false;
  bool record = false;  // keep iterations(), whose size grows with the number of jobs
};

// What one non-empty iteration did; job numbers are ids.
struct MrisIteration {
  int k = 0;
  Time gamma = 0;
  std::uint64_t n_candidates = 0;
  std::vector<std::int64_t> chosen;  // ascending
  Time makespan = 0;                 // of everything placed so far

  template <class Archive>
  void serialize(Archive& archive) {
    archive(k, gamma, n_candidates, chosen, makespan);
  }
};

class MrisPolicy final : public Policy {
 public:
  explicit MrisPolicy(const MrisOptions& options) : options_(options) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override;
  void write(SnapshotWriter& archive) const override { const_cast<MrisPolicy*>(this)->serialize(archive); }
  void read(SnapshotReader& archive) override { serialize(archive); }
  void attach(const MachinesView& machines) override;
  void check_job(const JobColumns& job, Time now) const override;
  void decide(const Event& event, Turn& turn) override;
  [[nodiscard]] Time next_wakeup() const override;
  [[nodiscard]] bool plans() const override { return true; }

  [[nodiscard]] const std::vector<MrisIteration>& iterations() const { return iterations_; }
  [[nodiscard]] std::uint64_t n_early_starts() const { return n_early_starts_; }
  [[nodiscard]] std::uint64_t n_replans() const { return n_replans_; }

 private:
  struct Candidate {
    JobSlot job = 0;
    std::uint32_t generation = 0;
  };
  template <class Archive>
  void serialize(Archive& archive) {
    archive(options_, n_machines_, scale_, next_k_, makespan_, leftover_, pool_, batch_of_, iterations_, n_early_starts_,
            n_replans_);
    if constexpr (Archive::is_reading) {
      std::vector<std::pair<int, std::vector<Candidate>>> waves;
      archive(waves);
      arriving_ = {waves.begin(), waves.end()};
    } else {
      archive(std::vector<std::pair<int, std::vector<Candidate>>>(arriving_.begin(), arriving_.end()));
    }
  }

  [[nodiscard]] Time gamma(int k) const;
  [[nodiscard]] int first_k_reaching(Time bound) const;
  [[nodiscard]] double end_factor() const;  // 2c
  [[nodiscard]] WaitingJob waiting_job(const JobTable& jobs, JobSlot job) const;
  [[nodiscard]] std::vector<JobSlot> take_candidates(int k, const JobTable& jobs);
  [[nodiscard]] std::vector<std::uint32_t> choose(std::span<const JobSlot> candidates, int k, Turn& turn) const;
  void iterate(int k, Time now, Turn& turn);
  void place(std::span<const WaitingJob> batch, Time now, Turn& turn);
  [[nodiscard]] bool place_again(std::span<const WaitingJob> batch, Time now, Turn& turn);
  void commit(std::span<const Placement> placements, Turn& turn);
  void start_early(const Event& event, bool all, Turn& turn);

  MrisOptions options_;
  std::size_t n_machines_ = 0;
  DemandScale scale_;
  int next_k_ = 0;  // the first iteration that has not been run
  Time makespan_ = 0;
  std::map<int, std::vector<Candidate>> arriving_;  // by the first iteration that may take the job
  std::vector<Candidate> leftover_;                 // candidates of every iteration to come, in order of id
  WaitingIndex<CostQueue> pool_;                    // opportunistic: arrived jobs that no batch has taken
  std::vector<std::int32_t> batch_of_;              // replan: by slot, the iteration that took the job
  std::vector<MrisIteration> iterations_;
  std::uint64_t n_early_starts_ = 0;
  std::uint64_t n_replans_ = 0;
  MachineOffers offers_;
};

}  // namespace schedcore
