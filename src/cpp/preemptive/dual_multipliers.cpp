#include "schedcore/preemptive/dual_multipliers.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

#include "schedcore/base/errors.hpp"

namespace schedcore {
namespace {

constexpr Slot kBetweenLooks = 64;  // slots between two looks at whether anything still changes

// With the exponent known the compiler unrolls the power and vectorises the loop over rows.
template <class Loop>
void with_exponent(unsigned k, const Loop& loop) {
  switch (k) {
    case 1: return loop([](double base) { return ipow(base, 1); });
    case 2: return loop([](double base) { return ipow(base, 2); });
    case 3: return loop([](double base) { return ipow(base, 3); });
    default: return loop([k](double base) { return ipow(base, k); });
  }
}

}  // namespace

double DualRules::step(Slot slot) const {
  if (constant_step) return *constant_step;
  const auto t = static_cast<double>(slot);
  return ipow(t, k) * std::sqrt(t);
}

double DualRules::first_multiplier(Slot release_time) const {
  switch (initial) {
    case InitialMultiplier::big: return gamma * (ipow(gamma, k) * std::sqrt(gamma));
    case InitialMultiplier::zero: return 0.0;
    case InitialMultiplier::steps: return initial_value * step(release_time + 1);
    case InitialMultiplier::constant: return initial_value;
  }
  return 0.0;
}

void DualMultipliers::follow(const ActiveRows& active) {
  for (auto* column : {&release_, &processing_, &end_cost_, &target_rate_, &demand_, &believed_, &lambda_})
    active.follow(*column);
}

void DualMultipliers::start(std::size_t row, Slot release_time, Slot processing_time, Amount demand, Amount believed) {
  const auto a = static_cast<double>(release_time), p = static_cast<double>(processing_time);
  release_[row] = a;
  processing_[row] = p;
  end_cost_[row] = ipow(p, rules_.k - 1);
  if (!std::isfinite(end_cost_[row]))
    throw UnsupportedError("processing_time ** (k - 1) = " + std::to_string(processing_time) + " ** " +
                           std::to_string(rules_.k - 1) + " exceeds what a double holds; use a smaller k");
  target_rate_[row] = p / std::max(rules_.gamma - a, p);
  demand_[row] = static_cast<double>(demand);
  believed_[row] = static_cast<double>(believed);
  lambda_[row] = rules_.first_multiplier(release_time);
  largest_first_ = std::max(largest_first_, lambda_[row]);
}

void DualMultipliers::check_range(Slot slot) const {
  const auto t = static_cast<double>(slot);
  if (!std::isfinite(largest_first_ + t * rules_.step(slot)) || !std::isfinite(ipow(t, rules_.k)))
    throw UnsupportedError("multipliers may exceed what a double holds in slot " + std::to_string(slot) + " with k = " +
                           std::to_string(rules_.k) + "; use a smaller k, gamma or lambda0");
}

void DualMultipliers::keys(Slot slot, std::vector<double>& omega, std::vector<double>& cost) const {
  check_range(slot);
  const auto t = static_cast<double>(slot);
  const std::size_t n = lambda_.size();
  omega.resize(n);
  cost.resize(n);
  with_exponent(rules_.k, [&](auto to_the_k) {
    for (std::size_t row = 0; row < n; ++row) {
      cost[row] = to_the_k(t - release_[row]) / processing_[row] + end_cost_[row] - lambda_[row];
      omega[row] = cost[row] / believed_[row];
    }
  });
}

bool DualMultipliers::settled() const {
  bool all = true;
  for (std::size_t row = 0; row < lambda_.size(); ++row)
    all &= lag_[row] == 0.0 || (lag_[row] < 0.0 && lambda_[row] == 0.0);
  return all;
}

bool DualMultipliers::advance(Slot first, Slot n_slots, std::span<const Amount> work) {
  const std::size_t n = lambda_.size();
  assert(work.size() == n);
  lag_.resize(n);
  for (std::size_t row = 0; row < n; ++row)
    lag_[row] = target_rate_[row] - static_cast<double>(work[row]) / demand_[row];
  for (Slot passed = 0; passed < n_slots; ++passed) {
    if (passed % kBetweenLooks == 1 && settled()) return true;
    const double mu = rules_.step(first + passed);
    for (std::size_t row = 0; row < n; ++row) lambda_[row] = std::max(0.0, lambda_[row] + mu * lag_[row]);
  }
  return false;
}

}  // namespace schedcore
