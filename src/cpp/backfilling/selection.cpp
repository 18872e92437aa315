#include "schedcore/backfilling/selection.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <optional>

#include "schedcore/exact/binary_form.hpp"
#include "schedcore/exact/natural.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {
namespace {

// a / capacity_a < b / capacity_b for non-negative amounts and positive capacities.
bool share_less(Amount a, Amount capacity_a, Amount b, Amount capacity_b) {
  return multiply_words(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(capacity_b)) <
         multiply_words(static_cast<std::uint64_t>(b), static_cast<std::uint64_t>(capacity_a));
}

// The shares u_k over their common denominator, the product of the capacities.
struct SharesOfOne {
  Natural one{1};
  Natural largest;
  Natural sum;
  std::uint64_t count = 0;
};

SharesOfOne shares_of_one(std::span<const Amount> demand, std::span<const Amount> free, const Amount* capacity) {
  std::vector<std::size_t> counted;
  for (std::size_t k = 0; k < demand.size(); ++k) {
    if (capacity[k] > 0) counted.push_back(k);
  }
  SharesOfOne shares;
  shares.count = counted.size();
  for (const std::size_t k : counted) {
    Natural share(static_cast<std::uint64_t>(capacity[k] - free[k] + demand[k]));
    for (const std::size_t other : counted) {
      if (other != k) share = share * Natural(static_cast<std::uint64_t>(capacity[other]));
    }
    shares.largest = std::max(shares.largest, share);
    shares.sum = shares.sum + share;
    shares.one = shares.one * Natural(static_cast<std::uint64_t>(capacity[k]));
  }
  return shares;
}

struct Fraction {
  Natural numerator;
  Natural denominator{1};
};

Fraction fraction_of(double value) {
  const auto [mantissa, exponent] = binary_form(value);
  const Natural power = Natural(2).to_the_power(static_cast<unsigned>(std::abs(exponent)));
  return exponent >= 0 ? Fraction{Natural(mantissa) * power} : Fraction{Natural(mantissa), power};
}

// (all - sum) / all of one less that of the other, where `all` is as many times one as there are shares.
std::weak_ordering compare_fullness(const SharesOfOne& a, const SharesOfOne& b) {
  const Natural all_a = Natural(a.count) * a.one;
  const Natural all_b = Natural(b.count) * b.one;
  return (all_a - a.sum) * all_b <=> (all_b - b.sum) * all_a;
}

// Of two products by how their factors compare; nothing where one factor is less and another one greater.
std::optional<std::weak_ordering> agreed(std::initializer_list<std::weak_ordering> factors) {
  std::weak_ordering all = std::weak_ordering::equivalent;
  for (const std::weak_ordering one : factors) {
    if (one == all || one == std::weak_ordering::equivalent) continue;
    if (all != std::weak_ordering::equivalent) return std::nullopt;
    all = one;
  }
  return all;
}

// Shares over a common multiple of the capacities that leaves products of two sums within 128 bits.
constexpr std::uint64_t kLargestMultiple = std::uint64_t{1} << 40;

std::uint64_t share_unit(std::span<const Amount> capacity) {
  std::uint64_t multiple = 1;
  for (const Amount amount : capacity) {
    if (amount == 0) continue;
    const auto each = static_cast<std::uint64_t>(amount);
    const std::uint64_t rest = multiple / std::gcd(multiple, each);
    if (rest > kLargestMultiple / each) return 0;
    multiple = rest * each;
  }
  return multiple;
}

}  // namespace

SelectionScores::SelectionScores(const MachinesView& machines, Selection selection)
    : selection_(selection),
      n_resources_(machines.n_resources),
      capacity_(machines.capacity.begin(), machines.capacity.end()) {
  for (std::size_t machine = 0; machine < machines.n_machines; ++machine) {
    share_unit_.push_back(share_unit(machines.capacity_of(machine)));
  }
  // A share is off by two roundings, a sum of K by K more, the quotient at most K by K of each; twice that for two scores.
  const auto count = static_cast<double>(n_resources_);
  tolerance_ = 8 * count * (count + 4) * std::numeric_limits<double>::epsilon();
  if (is_estimate()) {
    tolerance_ = 0;  // scores are the estimates themselves
  } else if (is_logarithm()) {
    // Logarithms are below 10 of a balance, 128 of a fullness and 1100 of an estimate, and off by some units in the last
    // place, beside what their arguments are off by.
    const double powers = selection_.balance + selection_.fullness + selection_.estimate;
    const double largest = 10.0 * selection_.balance + 128.0 * selection_.fullness + 1100.0 * selection_.estimate;
    tolerance_ = 4 * powers * tolerance_ + largest * 1e-14;
  }
}

void SelectionScores::look_at(std::size_t machine, std::span<const Amount> free) {
  machine_ = machine;
  const Amount* capacity = capacity_of(machine);
  counted_.clear();
  used_.resize(n_resources_);
  for (std::size_t k = 0; k < n_resources_; ++k) {
    used_[k] = capacity[k] - free[k];
    if (capacity[k] > 0) counted_.push_back(k);
  }
  if (selection_.rule != SelectionRule::lowest) return;
  std::stable_sort(counted_.begin(), counted_.end(),
                   [&](std::size_t a, std::size_t b) { return share_less(used_[a], capacity[a], used_[b], capacity[b]); });
}

std::weak_ordering SelectionScores::compare_balance(const ScoredPair& a, std::span<const Amount> free_a,
                                                    const ScoredPair& b, std::span<const Amount> free_b) const {
  if (n_resources_ == 1) return std::weak_ordering::equivalent;
  const auto in_words = [&](const ScoredPair& pair, std::span<const Amount> free) {
    const Amount* capacity = capacity_of(pair.machine);
    struct {
      std::uint64_t largest = 0, sum = 0, count = 0;
    } shares;
    for (std::size_t k = 0; k < n_resources_; ++k) {
      if (capacity[k] == 0) continue;
      const std::uint64_t share = static_cast<std::uint64_t>(capacity[k] - free[k] + pair.demand[k]) *
                                  (share_unit_[pair.machine] / static_cast<std::uint64_t>(capacity[k]));
      shares.largest = std::max(shares.largest, share);
      shares.sum += share;
      ++shares.count;
    }
    return shares;
  };
  if (share_unit_[a.machine] != 0 && share_unit_[b.machine] != 0) {
    const auto x = in_words(a, free_a);
    const auto y = in_words(b, free_b);
    const UInt128 left = multiply_words(x.count * x.largest, y.sum);
    const UInt128 right = multiply_words(y.count * y.largest, x.sum);
    return left < right ? std::weak_ordering::less
                        : right < left ? std::weak_ordering::greater : std::weak_ordering::equivalent;
  }
  const SharesOfOne x = shares_of_one(a.demand, free_a, capacity_of(a.machine));
  const SharesOfOne y = shares_of_one(b.demand, free_b, capacity_of(b.machine));
  return Natural(x.count) * x.largest * y.sum <=> Natural(y.count) * y.largest * x.sum;
}

std::uint32_t SelectionScores::mismatch(std::span<const Amount> demand) const {
  const Amount* capacity = capacity_of(machine_);
  const std::size_t most = counted_.empty() ? 0 : counted_.size() - 1;
  const auto window = static_cast<std::uint32_t>(std::min<std::size_t>(selection_.balance, most));
  for (std::uint32_t p = 0; p < window; ++p) {
    const std::size_t wanted = counted_[p];
    for (std::size_t i = p + 1; i < counted_.size(); ++i) {
      const std::size_t other = counted_[i];
      if (share_less(demand[wanted], capacity[wanted], demand[other], capacity[other])) return window - p;
    }
  }
  return 0;
}

ScoredPair SelectionScores::score(std::span<const Amount> demand, Time estimate) const {
  ScoredPair pair{0, estimate, 0, static_cast<std::uint32_t>(machine_), demand};
  if (selection_.rule == SelectionRule::first_fit) return pair;
  if (is_estimate()) {
    pair.score = estimate;
    return pair;
  }
  const Amount* capacity = capacity_of(machine_);
  double largest = 0;
  double sum = 0;
  double left = 0;  // 1 less the shares, without cancellation
  for (const std::size_t k : counted_) {
    const double share = static_cast<double>(used_[k] + demand[k]) / static_cast<double>(capacity[k]);
    largest = std::max(largest, share);
    sum += share;
    left += static_cast<double>(capacity[k] - used_[k] - demand[k]) / static_cast<double>(capacity[k]);
  }
  const double average = counted_.empty() ? 0 : sum / static_cast<double>(counted_.size());
  const double balance = average > 0 ? largest / average : 1;
  if (is_logarithm()) {
    const double fullness = counted_.empty() ? 1 : left / static_cast<double>(counted_.size());
    // A factor that does not count may be 0.
    if (selection_.balance > 0) pair.score += selection_.balance * std::log2(balance);
    if (selection_.fullness > 0) pair.score += selection_.fullness * std::log2(fullness);
    if (selection_.estimate > 0) pair.score += selection_.estimate * std::log2(estimate);
    return pair;
  }
  if (selection_.rule == SelectionRule::product) {
    pair.score = balance;
  } else {
    pair.mismatch = mismatch(demand);
    pair.score = 1.0 + pair.mismatch;
  }
  if (selection_.fullness > 0) pair.score *= 1 - average;
  return pair;
}

std::weak_ordering SelectionScores::compare_exactly(const ScoredPair& a, std::span<const Amount> free_a,
                                                    const ScoredPair& b, std::span<const Amount> free_b) const {
  if (selection_.rule == SelectionRule::first_fit) return std::weak_ordering::equivalent;
  if (selection_.rule == SelectionRule::lowest && selection_.fullness == 0) return a.mismatch <=> b.mismatch;
  if (is_product(1, 0, 0)) return compare_balance(a, free_a, b, free_b);
  // Like jobs on like machines in the same state, of which there are many, need no arithmetic.
  const std::span<const Amount> whole_a(capacity_of(a.machine), n_resources_);
  const std::span<const Amount> whole_b(capacity_of(b.machine), n_resources_);
  const bool are_as_long = !selection_.heeds_estimates() || a.estimate == b.estimate;
  if (are_as_long && std::ranges::equal(a.demand, b.demand) && std::ranges::equal(free_a, free_b) &&
      std::ranges::equal(whole_a, whole_b)) {
    return std::weak_ordering::equivalent;
  }
  if (is_zero(a) && is_zero(b)) return std::weak_ordering::equivalent;
  const auto shares_of = [&](const ScoredPair& pair, std::span<const Amount> free) {
    return shares_of_one(pair.demand, free, capacity_of(pair.machine));
  };
  if (is_logarithm()) {
    // Powers are needed only where the factors do not agree.
    std::weak_ordering by_balance = std::weak_ordering::equivalent;
    std::weak_ordering by_fullness = by_balance;
    std::weak_ordering by_estimate = by_balance;
    if (selection_.balance > 0) by_balance = compare_balance(a, free_a, b, free_b);
    if (selection_.fullness > 0) by_fullness = compare_fullness(shares_of(a, free_a), shares_of(b, free_b));
    if (selection_.estimate > 0) by_estimate = std::weak_order(a.estimate, b.estimate);
    if (const auto order = agreed({by_balance, by_fullness, by_estimate})) return *order;
  }
  const auto exact = [&](const ScoredPair& pair, std::span<const Amount> free) {
    const SharesOfOne shares = shares_of(pair, free);
    const Natural count(shares.count);
    const Natural all = count * shares.one;
    Fraction score{Natural(1)};
    const auto multiply = [&](const Fraction& factor, std::uint32_t power) {
      if (power == 0) return;
      score.numerator = score.numerator * factor.numerator.to_the_power(power);
      score.denominator = score.denominator * factor.denominator.to_the_power(power);
    };
    if (selection_.rule == SelectionRule::lowest) {
      multiply({Natural(1 + pair.mismatch)}, 1);
    } else if (!(shares.sum == Natural())) {
      multiply({count * shares.largest, shares.sum}, selection_.balance);
    }
    multiply({all - shares.sum, all}, selection_.fullness);
    if (selection_.estimate > 0) multiply(fraction_of(pair.estimate), selection_.estimate);
    return score;
  };
  const Fraction x = exact(a, free_a);
  const Fraction y = exact(b, free_b);
  return x.numerator * y.denominator <=> y.numerator * x.denominator;
}

}  // namespace schedcore
