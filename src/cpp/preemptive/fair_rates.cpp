#include "schedcore/preemptive/fair_rates.hpp"

#include <algorithm>
#include <numeric>

#include "schedcore/exact/wide.hpp"

namespace schedcore {
namespace {

constexpr double kLight = 0x1p-40;        // of the heaviest weight
constexpr double kNothingLeft = 0x1p-40;  // of a resource: rounding of the rates before

}  // namespace

FairRates::FairRates(FairRule rule, MachinesView machines) : rule_(rule) {
  columns_.n_resources = machines.n_resources;
  for (std::size_t r = 0; r < machines.n_resources; ++r) {
    UInt128 total = 0;
    for (std::size_t i = 0; i < machines.n_machines; ++i) total += magnitude(machines.capacity_of(i)[r]);
    total_.push_back(static_cast<double>(total));
  }
}

void FairRates::assign(const FairRows& rows, std::vector<double>& cores) {
  const std::size_t n = rows.limit.size();
  cores.assign(n, 0.0);
  room_.assign(total_.size(), 1.0);
  prices_.clear();
  const auto weight_of = [&](std::uint32_t row) { return rows.weight.empty() ? 1.0 : rows.weight[row]; };
  rest_.resize(n);
  std::iota(rest_.begin(), rest_.end(), 0u);
  while (!rest_.empty()) {
    double heaviest = 0.0;
    for (const std::uint32_t row : rest_) heaviest = std::max(heaviest, weight_of(row));
    const auto lighter = std::ranges::stable_partition(
        rest_, [&](std::uint32_t row) { return heaviest == 0.0 || weight_of(row) > heaviest * kLight; });
    const auto n_heavy = static_cast<std::ptrdiff_t>(rest_.size() - lighter.size());
    heavy_.assign(rest_.begin(), rest_.begin() + n_heavy);
    rest_.erase(rest_.begin(), rest_.begin() + n_heavy);
    assign_to(rows, heaviest, cores);
  }
}

bool FairRates::is_blocked(std::span<const Amount> demand) const {
  for (std::size_t r = 0; r < demand.size(); ++r)
    if (demand[r] > 0 && room_[r] <= kNothingLeft) return true;
  return false;
}

// To the heavy rows, of which the heaviest has this weight; alike where it is 0.
void FairRates::assign_to(const FairRows& rows, double heaviest, std::vector<double>& cores) {
  const std::size_t k = total_.size();
  const auto demand_of = [&](std::uint32_t row) { return rows.demand.subspan(row * k, k); };
  std::erase_if(heavy_, [&](std::uint32_t row) { return is_blocked(demand_of(row)); });
  if (heavy_.empty()) return;
  columns_.use.clear();
  columns_.dominant.clear();
  columns_.most.clear();
  columns_.weight.clear();
  for (const std::uint32_t row : heavy_) {
    const auto demand = demand_of(row);
    double dominant = 0.0;
    for (std::size_t r = 0; r < k; ++r) {
      const double part = demand[r] == 0 ? 0.0 : static_cast<double>(demand[r]) / total_[r];
      dominant = std::max(dominant, part);
      columns_.use.push_back(part == 0.0 ? 0.0 : part / room_[r]);
    }
    columns_.dominant.push_back(dominant);
    columns_.most.push_back(static_cast<double>(rows.limit[row]) / static_cast<double>(demand[0]));
    columns_.weight.push_back(rows.weight.empty() || heaviest == 0.0 ? 1.0 : rows.weight[row] / heaviest);
  }
  if (rule_ == FairRule::drf) {
    dominant_shares_.assign(columns_, rate_);
  } else {
    proportional_fairness_.assign(columns_, rate_);
    prices_.clear();
    for (std::size_t r = 0; r < k; ++r) {
      const double price = proportional_fairness_.prices()[r];
      prices_.push_back(price == 0.0 ? 0.0 : price / room_[r] * (heaviest == 0.0 ? 1.0 : heaviest));
    }
  }
  for (std::size_t i = 0; i < heavy_.size(); ++i) {
    const std::uint32_t row = heavy_[i];
    const auto limit = static_cast<double>(rows.limit[row]);
    const auto demand = demand_of(row);
    cores[row] = rate_[i] >= columns_.most[i] ? limit : std::min(rate_[i] * static_cast<double>(demand[0]), limit);
    for (std::size_t r = 0; r < k; ++r)
      if (demand[r] > 0) room_[r] -= rate_[i] * (static_cast<double>(demand[r]) / total_[r]);
  }
}

}  // namespace schedcore
