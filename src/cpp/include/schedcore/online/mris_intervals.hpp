// The growing intervals of MRIS, the knapsack that chooses a batch at the end of one, and the bound that batches keep.
//
// With the interval g_k = gamma0 * 2^k, a batch is chosen at gamma_k = T + g_k by a knapsack of volume zeta_k = R*M*g_k over
// candidates with p <= g_k; where machines differ, volumes are shares of all of them together and zeta_k = R*g_k.  The
// bound that all policies built on this keep: every job taken at gamma_k ends by T + 2c*g_k, with c = 2R(1+eps), plus 1 for
// several machines (eps = 1 for the greedy knapsacks, 0 for exact), which makes sum w (C - T) at most 4c times that of any
// schedule of the jobs that arrive from T on.  Where machines differ, nothing is proven, nor on clusters.
//
// Where an exact knapsack spends the budget of a decision (work_budget.hpp: a step is a state of its dynamic program that is
// read), cadp with `epsilon` chooses that batch, which may be larger than c allows.
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
#include <span>
#include <vector>

#include "schedcore/engine/policy.hpp"
#include "schedcore/exact/demand_scale.hpp"
#include "schedcore/packing/knapsack.hpp"

namespace schedcore {

// Sums of volumes are rounded; promising this much less keeps the bound in exact arithmetic.
inline constexpr double kBoundSafety = 1 + 1e-12;

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

// What all forms of MRIS can be asked afterwards.
class MrisRecords {
 public:
  [[nodiscard]] virtual const std::vector<MrisIteration>& iterations() const = 0;
  [[nodiscard]] virtual std::uint64_t n_early_starts() const = 0;
  [[nodiscard]] virtual std::uint64_t n_replans() const = 0;

 protected:
  ~MrisRecords() = default;
};

// Throws InvalidInstanceError for a job shorter than gamma0, which no interval of an online MRIS could hold.
void check_interval(const JobColumns& job, Time gamma0);

class MrisIntervals {
 public:
  MrisIntervals() = default;
  MrisIntervals(const MrisOptions& options, const MachinesView& machines);

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
  // Whether a job has ended before its processing time since the origin.
  [[nodiscard]] bool ended_early() const { return ended_early_; }
  // First k whose interval has not passed: gamma(next_k() - 1) <= now < gamma(next_k()).
  [[nodiscard]] int next_k() const { return next_k_; }
  // The interval that passed last; requires that one has.
  [[nodiscard]] Time last_interval() const { return interval(next_k_ - 1); }
  // The longest processing time of an early start that the proof allows until the next gamma: (2c - 2) g_k.
  [[nodiscard]] Time longest_early() const { return (end_factor() - 2) * last_interval(); }

  // The indices of the batch of iteration k among its candidates, which are in order of id.
  [[nodiscard]] std::vector<std::uint32_t> choose(std::span<const JobSlot> candidates, int k, Turn& turn) const;

  // What a policy on clusters has to know to go on.
  void commit(Commitments& commitments) const {
    commitments.batches.origin = origin_;
    commitments.batches.next_interval = next_k_;
    commitments.batches.has_ended_early = ended_early_;
  }

  void record_makespan(Time makespan) {
    if (options_.record) iterations_.back().makespan = makespan;
  }
  [[nodiscard]] const std::vector<MrisIteration>& iterations() const { return iterations_; }

 protected:
  void record_iteration(int k, std::size_t n_candidates, std::span<const JobSlot> batch, const JobTable& jobs);
  // The first k whose interval is long enough.
  [[nodiscard]] int first_k_holding(Time length) const;
  // The first k with gamma_k >= instant.
  [[nodiscard]] int first_k_reaching(Time instant) const;
  // Refuses an origin and a next interval that are not those of the instant `now`.
  void require_clock(const SnapshotReader& archive, Time now) const;

  MrisOptions options_;
  std::size_t n_machines_ = 0;
  DemandScale scale_;
  Time origin_ = 0;
  bool ended_early_ = false;
  int next_k_ = 0;
  std::vector<MrisIteration> iterations_;

 private:
  // 2c as a fraction of integers below 2^53.
  [[nodiscard]] Ratio twice_c() const;
};

}  // namespace schedcore
