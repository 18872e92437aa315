// Which jobs MRIS takes when: candidates by interval, a knapsack over their volumes, and the record of what was chosen.
//
// The candidates J_k at gamma_k are the untaken jobs with p <= g_k and r <= gamma_k (mris_intervals.hpp).  How a batch is
// then scheduled is the policy's part.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "schedcore/online/mris_intervals.hpp"

namespace schedcore {

class MrisBatches : public MrisIntervals {
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
  MrisBatches(const MrisOptions& options, const MachinesView& machines) : MrisIntervals(options, machines) {}

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
  // The jobs that no batch has taken and that wait, in key order.  O(n log n).
  [[nodiscard]] std::vector<WaitingJob> untaken(const JobTable& jobs) const;
  // Calls visit(candidate) for every job that arrived and may not be taken yet.
  template <class Visit>
  void for_each_arriving(const Visit& visit) const {
    for (const auto& [k, wave] : arriving_) {
      for (const Candidate& candidate : wave) visit(candidate);
    }
  }

  // The next gamma at which a batch can be taken; with `every` the next gamma of all.
  [[nodiscard]] Time next_wakeup(bool every) const;

  void write(SnapshotWriter& archive) const;
  void read(SnapshotReader& archive);

 private:
  void sweep(const JobTable& jobs);
  void skip_empty(Time now);
  void gather(int k, const JobTable& jobs);

  static constexpr std::uint64_t kSlack = 64;

  std::uint64_t n_arrived_ = 0;
  std::uint64_t n_completed_ = 0;
  std::map<int, std::vector<Candidate>> arriving_;  // by the first iteration that may take the job
  std::uint64_t n_arriving_ = 0;                    // of those, of all iterations
  std::uint64_t sweep_at_ = kSlack;                 // more of them are looked through for jobs that have started
  std::vector<Candidate> leftover_;                 // candidates of every iteration to come, in order of id
};

}  // namespace schedcore
