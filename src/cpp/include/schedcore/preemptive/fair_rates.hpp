// How many cores each active job gets in one slot under fair sharing, fractions included.
//
// All machines are one pool of each resource.  A row that asks for d_r of resource r, among it e cores, and can use `limit`
// of them, has a rate x up to limit / e, takes x d_r of every resource and gets x e cores.  The rates are those of
// proportional_fairness.hpp or dominant_shares.hpp.
//
// Rows whose weight is at most 2^-40 of the heaviest share what the others leave over, by the same rule, and so on; those
// of weight 0 at last, all alike.  That is the limit of smaller and smaller weights, and it keeps numbers of one size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/model/slots.hpp"
#include "schedcore/preemptive/dominant_shares.hpp"
#include "schedcore/preemptive/fair_columns.hpp"
#include "schedcore/preemptive/proportional_fairness.hpp"

namespace schedcore {

enum class FairRule { proportional_fairness, drf };

struct FairRows {
  std::span<const Amount> demand;  // row-major (n_rows, n_resources), as decisions believe; cores above 0
  std::span<const Amount> limit;   // most cores of use, 1 to the row's cores
  std::span<const double> weight;  // finite, at least 0; empty: all alike
};

class FairRates {
 public:
  FairRates(FairRule rule, MachinesView machines);

  // Writes the cores of every row: at most its limit, and exactly that where no resource keeps it from having it.
  // Requires that no row asks for more of a resource than all machines have.  Costs as said there.
  void assign(const FairRows& rows, std::vector<double>& cores);

  // By resource, of the last call: what all of it costs those who came last; empty under DRF.
  [[nodiscard]] const std::vector<double>& prices() const { return prices_; }

 private:
  void assign_to(const FairRows& rows, double heaviest, std::vector<double>& cores);
  [[nodiscard]] bool is_blocked(std::span<const Amount> demand) const;

  FairRule rule_;
  std::vector<double> total_;  // by resource, of all machines
  std::vector<double> room_;   // by resource, the part of it that is left
  DominantShares dominant_shares_;
  ProportionalFairness proportional_fairness_;
  FairColumns columns_;
  std::vector<double> prices_;
  std::vector<double> rate_;
  std::vector<std::uint32_t> heavy_, rest_;  // who gets cores now, and who waits for what they leave
};

}  // namespace schedcore
