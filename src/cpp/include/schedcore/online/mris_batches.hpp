// Which jobs MRIS takes when: candidates by interval, a knapsack over their volumes, and the record of what was chosen.
//
// With the interval g_k = gamma0 * 2^k, the candidates J_k at gamma_k = T + g_k are the untaken jobs with p <= g_k and
// r <= gamma_k; the knapsack of volume zeta_k = R*M*g_k chooses the batch; where machines differ,
// volumes are shares of all of them together and zeta_k = R*g_k.  How a batch is then scheduled is the
// policy's part.  The bound that all policies built on this keep: every job taken at gamma_k ends by T + 2c*g_k, with
// c = 2R(1+eps), plus 1 for several machines (eps = 1 for the greedy knapsacks, 0 for exact), which makes sum w (C - T)
// at most 4c times that of any schedule of the jobs that arrive from T on.  Where machines differ, nothing is proven.
//
// The origin T is given, or it is the beginning of the busy period: the arrival that ended the last instant at which
// nothing waited, was planned or ran.  Everything is then as if time and this object began there.
//
// A job that ends before its processing time leaves machines idle that the batches count on as busy.  Nothing is then as
// the proof thinks it, and `ended_early` holds until the origin changes; what a policy makes of it stands in its header.
//
// Rounding: gamma_k is the double nearest to T + g_k, several of which may agree for small k and large T; lengths are
// compared as lengths, so that what is proven holds up to the rounding of the clock, and exactly for T = 0.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "schedcore/engine/policy.hpp"
#include "schedcore/exact/demand_scale.hpp"
#include "schedcore/packing/knapsack.hpp"

namespace schedcore {

enum class MrisPlacement : std::uint8_t { scan, list, nobackfill };

struct MrisOptions {
  PriorityRule rule = PriorityRule::wsjf;
  KnapsackMethod knapsack = KnapsackMethod::cadp;
  Ratio epsilon{1, 10};
  std::uint64_t memory_limit = std::uint64_t{1} << 30;
  MrisPlacement placement = MrisPlacement::scan;
  Time gamma0 = 1;
  Time origin = 0;
  bool origin_is_busy = false;  // the origin is the beginning of the busy period
  bool opportunistic = false;
  double patience = 1;
  bool replan = false;
  bool record = false;  // keep iterations(), whose size grows with the number of jobs
};

// What one non-empty iteration did; job numbers are ids.
struct MrisIteration {
  int k = 0;
  Time gamma = 0;
  Time origin = 0;
  std::uint64_t n_candidates = 0;
  std::vector<std::int64_t> chosen;  // ascending
  Time makespan = 0;                 // of everything placed or started so far

  template <class Archive>
  void serialize(Archive& archive) {
    archive(k, gamma, origin, n_candidates, chosen, makespan);
  }
};

class MrisBatches {
 public:
  // A job that may have left (started early) since it was noted; its slot may serve another job by now.
  struct Candidate {
    JobSlot job = 0;
    std::uint32_t generation = 0;
    [[nodiscard]] bool waits(const JobTable& jobs) const {
      return jobs.generation(job) == generation && jobs.state(job) == JobState::submitted;
    }
    template <class Archive>
    void serialize(Archive& archive) {
      archive.job_or_gone(job, generation);
    }
  };

  MrisBatches() = default;
  MrisBatches(const MrisOptions& options, const MachinesView& machines);

  [[nodiscard]] const DemandScale& scale() const { return scale_; }
  [[nodiscard]] Time interval(int k) const { return std::ldexp(options_.gamma0, k); }
  [[nodiscard]] Time gamma(int k) const { return origin_ + interval(k); }
  [[nodiscard]] Time since_origin(Time now) const { return now - origin_; }
  // 2c, rounded down by a few units in the last place.
  [[nodiscard]] double end_factor() const;
  // Whether `end` <= T + 2c * g_k: exactly where end - T is a double, and at most one unit in its last place too strict
  // elsewhere.
  [[nodiscard]] bool keeps_bound(Time end, int k) const;
  // A demand summed over the resources, each as a share of the capacity that the scale has: u / L.
  [[nodiscard]] double share(std::span<const Amount> demand) const {
    return static_cast<double>(scale_.total(demand)) / static_cast<double>(scale_.common_capacity());
  }
  [[nodiscard]] WaitingJob waiting_job(const JobTable& jobs, JobSlot job) const {
    return {jobs.priority(job, options_.rule, scale_), job};
  }

  // Amortised O(log log of the longest job): notes of jobs that have started early are swept out once they are as many as
  // the others.
  void add(JobSlot job, const JobTable& jobs);
  // What an event has changed.
  struct News {
    bool is_new_period = false;    // nothing of before counts
    bool is_first_early_end = false;  // since the origin
  };
  // To be told of every event first.
  News begin(const Event& event, const JobTable& jobs);
  // Whether a job has ended before its processing time since the origin.
  [[nodiscard]] bool ended_early() const { return ended_early_; }
  [[nodiscard]] bool nothing_runs(const Turn& turn) const { return turn.n_started() == n_completed_; }
  // Runs iterate(k) for every due interval that can have candidates, in order, and says whether any gamma passed.  A
  // caller who comes late finds several due.
  template <class Iterate>
  bool run_due(Time now, const Iterate& iterate) {
    bool passed = false;
    while (gamma(next_k_) <= now) {
      passed = true;
      if (leftover_.empty() && (arriving_.empty() || arriving_.begin()->first > next_k_)) {
        skip_empty(now);
      } else {
        iterate(next_k_);
        ++next_k_;
      }
    }
    return passed;
  }
  // The batch of iteration k in order of id; empty if there are no candidates.
  [[nodiscard]] std::vector<JobSlot> take(int k, Turn& turn);
  // The candidates that the last iterations left behind, in order of id, some of which may have started since.
  [[nodiscard]] const std::vector<Candidate>& leftover() const { return leftover_; }
  // The longest processing time of an early start that the proof allows until the next gamma: (2c - 2) g_k.
  [[nodiscard]] Time longest_early() const { return (end_factor() - 2) * interval(next_k_ - 1); }
  // The jobs that no batch has taken and that wait, in key order.  O(n log n).
  [[nodiscard]] std::vector<WaitingJob> untaken(const JobTable& jobs) const;
  // Calls visit(candidate) for every job that arrived and may not be taken yet.
  template <class Visit>
  void for_each_arriving(const Visit& visit) const {
    for (const auto& [k, wave] : arriving_) {
      for (const Candidate& candidate : wave) visit(candidate);
    }
  }

  // First k whose interval has not passed: gamma(next_k() - 1) <= now < gamma(next_k()).
  [[nodiscard]] int next_k() const { return next_k_; }
  // The next gamma at which a batch can be taken; with `every` the next gamma of all.
  [[nodiscard]] Time next_wakeup(bool every) const;

  void record_makespan(Time makespan) {
    if (options_.record) iterations_.back().makespan = makespan;
  }
  [[nodiscard]] const std::vector<MrisIteration>& iterations() const { return iterations_; }

  void write(SnapshotWriter& archive) const;
  void read(SnapshotReader& archive);

 private:
  // 2c as a fraction of integers below 2^53.
  [[nodiscard]] Ratio twice_c() const;
  // The first k whose interval is long enough.
  [[nodiscard]] int first_k_holding(Time length) const;
  // The first k with gamma_k >= instant.
  [[nodiscard]] int first_k_reaching(Time instant) const;
  void sweep(const JobTable& jobs);
  void skip_empty(Time now);
  void gather(int k, const JobTable& jobs);
  [[nodiscard]] std::vector<std::uint32_t> choose(std::span<const JobSlot> candidates, int k, Turn& turn) const;

  MrisOptions options_;
  std::size_t n_machines_ = 0;
  DemandScale scale_;
  static constexpr std::uint64_t kSlack = 64;

  Time origin_ = 0;
  std::uint64_t n_arrived_ = 0;
  std::uint64_t n_completed_ = 0;
  bool ended_early_ = false;
  int next_k_ = 0;
  std::map<int, std::vector<Candidate>> arriving_;  // by the first iteration that may take the job
  std::uint64_t n_arriving_ = 0;                    // of those, of all iterations
  std::uint64_t sweep_at_ = kSlack;                 // more of them are looked through for jobs that have started
  std::vector<Candidate> leftover_;                 // candidates of every iteration to come, in order of id
  std::vector<MrisIteration> iterations_;
};

}  // namespace schedcore
