// Fair sharing over the slots of a run: who gets how many whole cores, and in which order memory is granted.
//
// The shares (fair_rates.hpp) change only with the active jobs and with what they can use.  Whole cores (whole_cores.hpp)
// follow from them in each slot.  What a job had a share of and did not get, because of its remainder or for want of
// memory, is owed to it, and what it got beyond its share, or of idle cores, it owes; so over time every job gets what its
// shares add up to, though there are more jobs than cores.  Where remainders are dropped nothing is owed, and as long as
// shares do not change the same jobs get the cores that remain.
//
// Memory is granted first to the row that is owed most slots: what it is owed over its share, ties by row; last to those
// without a share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/exact/wide.hpp"
#include "schedcore/model/slots.hpp"
#include "schedcore/preemptive/active_jobs.hpp"
#include "schedcore/preemptive/fair_rates.hpp"
#include "schedcore/preemptive/whole_cores.hpp"

namespace schedcore {

class FairSharing {
 public:
  // `jobs` must outlive this.
  FairSharing(FairRule rule, const SlotJobs& jobs, MachinesView machines, bool carries_remainders);

  // After jobs were let in, or let go.  O(rows).
  void added(const ActiveJobs& active);
  void removed(const ActiveJobs& active);

  // Writes the cores of every row in the slot to come; `total` are those of all machines.  Costs what the rates cost if
  // they have changed, otherwise expected O(rows).
  void share(const ActiveJobs& active, Amount total, std::vector<Amount>& cores);
  // In which order memory is granted in that slot.  O(rows log rows).
  [[nodiscard]] std::span<const std::uint32_t> order();
  // What the rows really got in it.
  void served(std::span<const Amount> cores);
  // Further slots are decided alike while the rows, what they can use and what they get stay the same.
  [[nodiscard]] bool is_steady() const { return is_steady_; }

 private:
  SlotJobs jobs_;
  FairRates rates_;
  bool carries_remainders_;
  std::vector<Amount> demand_;  // row-major (n_rows, n_resources)
  std::vector<double> weight_;  // by row
  std::vector<Amount> limit_;   // for which the shares were computed
  bool rows_changed_ = true;
  std::vector<double> cores_;
  std::vector<CoreShare> share_;
  std::vector<Int128> owed_;    // by row, in units of a share
  bool is_steady_ = false;
  WholeCores whole_cores_;
  std::vector<double> lag_;
  std::vector<std::uint32_t> order_;
};

}  // namespace schedcore
