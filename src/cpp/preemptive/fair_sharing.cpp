#include "schedcore/preemptive/fair_sharing.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace schedcore {

FairSharing::FairSharing(FairRule rule, const SlotJobs& jobs, MachinesView machines, bool carries_remainders)
    : jobs_(jobs), rates_(rule, machines), carries_remainders_(carries_remainders) {}

void FairSharing::added(const ActiveJobs& active) {
  active.rows().follow(owed_);
  rows_changed_ = true;
}

void FairSharing::removed(const ActiveJobs& active) { added(active); }

void FairSharing::share(const ActiveJobs& active, Amount total, std::vector<Amount>& cores) {
  if (rows_changed_ || !std::ranges::equal(limit_, active.limit())) {
    if (rows_changed_) {
      demand_.clear();
      weight_.clear();
      for (const std::uint32_t job : active.jobs()) {
        const auto demand = jobs_.believed_demand_of(job);
        demand_.insert(demand_.end(), demand.begin(), demand.end());
        if (!jobs_.weight.empty()) weight_.push_back(jobs_.weight[job]);
      }
    }
    limit_.assign(active.limit().begin(), active.limit().end());
    rates_.assign({demand_, limit_, weight_}, cores_);
    share_.resize(cores_.size());
    std::ranges::transform(cores_, share_.begin(), core_share);
    rows_changed_ = false;
  }
  whole_cores_.assign(share_, owed_, total, cores);
}

std::span<const std::uint32_t> FairSharing::order() {
  lag_.resize(share_.size());
  for (std::size_t row = 0; row < share_.size(); ++row) {
    const Int128 units = share_[row].units();
    lag_[row] = units == 0 ? -std::numeric_limits<double>::infinity()
                           : static_cast<double>(owed_[row]) / static_cast<double>(units);
  }
  order_.resize(share_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
    return lag_[a] != lag_[b] ? lag_[a] > lag_[b] : a < b;
  });
  return order_;
}

void FairSharing::served(std::span<const Amount> cores) {
  is_steady_ = true;
  if (!carries_remainders_) return;
  for (std::size_t row = 0; row < cores.size(); ++row) {
    const Int128 lacks = share_[row].units() - static_cast<Int128>(cores[row]) * Int128(CoreShare::kUnits);
    if (lacks == 0) continue;
    owed_[row] += lacks;
    is_steady_ = false;
  }
}

}  // namespace schedcore
