// How long jobs will run, from how long the last ones of the same user ran: what a scheduler plans with in place of what
// users say.
//
// Source: Tsafrir, Etsion and Feitelson, TPDS 2007.  The prediction of a job is the mean of the last two runs of its user that
// completed, as of the instant at which it arrives, and at most its estimate, which it is as long as there are no two.  A run
// that outlives its prediction is given one that is longer: by a minute the first time, then by 5, 15 and 30 minutes and by 1,
// 2, 5, 10, 20, 50 and 100 hours, and then, as whenever that is less, its estimate.  Times are seconds.
//
// O(1) each; memory 16 bytes a user and 24 bytes a job.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/engine/job_table.hpp"

namespace schedcore {

class RunPredictions {
 public:
  // Predicts nothing.
  RunPredictions() = default;
  // By job: the number of the user, -1 for nobody, whose jobs last as long as they say; and the estimate.
  RunPredictions(std::span<const std::int64_t> user, std::span<const Time> estimate);

  [[nodiscard]] bool any() const { return !user_.empty(); }
  // A run has completed; in order of the instants, and of the jobs of one instant.
  void note(JobSlot job, Time run_length);
  // Of a job that arrives.
  [[nodiscard]] Time predict(JobSlot job);
  // What it is predicted to take.  Requires that predict(job) was asked.
  [[nodiscard]] Time predicted(JobSlot job) const { return predicted_[job]; }
  // Whether it may outlive its prediction.
  [[nodiscard]] bool may_last_longer(JobSlot job) const { return predicted_[job] < estimate_[job]; }
  // Of a run that has outlived its prediction, beyond `elapsed`.  Requires may_last_longer(job).
  Time correct(JobSlot job, Time elapsed);

 private:
  static constexpr std::array<Time, 11> kIncrements{60,    300,   900,   1800,   3600,  7200,
                                                    18000, 36000, 72000, 180000, 360000};
  struct LastTwo {
    Time last = 0;  // 0: there is none
    Time before = 0;
  };

  std::vector<std::int64_t> user_;
  std::vector<Time> estimate_;
  std::vector<LastTwo> runs_;  // by user
  std::vector<Time> predicted_;
  std::vector<std::uint8_t> n_corrections_;
};

}  // namespace schedcore
