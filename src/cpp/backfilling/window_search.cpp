#include "schedcore/backfilling/window_search.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace schedcore {
namespace {

// Of all machines together, no more than 2^63 each.
std::vector<std::uint64_t> amounts_of_all(const MachinesView& machines, bool& is_large) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 63;
  std::vector<std::uint64_t> total(machines.n_resources, 0);
  for (std::size_t machine = 0; machine < machines.n_machines; ++machine) {
    const auto capacity = machines.capacity_of(machine);
    for (std::size_t k = 0; k < total.size(); ++k) {
      total[k] += static_cast<std::uint64_t>(capacity[k]);
      if (total[k] > kLargest) is_large = true;
      total[k] = std::min(total[k], kLargest);
    }
  }
  return total;
}

// The least common multiple of those that are not 0; 0 where it is above the bound.
UInt128 multiple_of_all(std::span<const std::uint64_t> values, UInt128 bound) {
  UInt128 multiple = 1;
  for (const std::uint64_t value : values) {
    if (value == 0) continue;
    const UInt128 remainder = multiple - multiple / value * value;
    const UInt128 factor = static_cast<UInt128>(value / std::gcd(static_cast<std::uint64_t>(remainder), value));
    if (multiple > bound / factor) return 0;
    multiple *= factor;
  }
  return multiple;
}

}  // namespace

WindowSearch::WindowSearch(const MachinesView& machines, std::size_t primary, TradeFactor trade, std::uint64_t work)
    : n_resources_(machines.n_resources), primary_(primary), work_(work) {
  assert(primary < n_resources_ && (trade.numerator != 0 || trade.denominator != 0) && work > 0);
  const std::uint64_t divisor = std::gcd(trade.numerator, trade.denominator);
  trade = {trade.numerator / divisor, trade.denominator / divisor};
  const auto total = amounts_of_all(machines, is_wide_);
  // T is at most (numerator + n_resources * denominator) multiples.
  const UInt128 most = static_cast<UInt128>(trade.denominator) * n_resources_ + trade.numerator;
  const UInt128 multiple = multiple_of_all(total, (static_cast<UInt128>(1) << 126) / most);
  is_wide_ = is_wide_ || multiple == 0;
  if (!is_wide_) {
    for (const std::uint64_t each : total) weights_.share.push_back(each == 0 ? UInt128{0} : multiple / each);
    weights_.of_others = trade.denominator;
    weights_.of_primary = trade.numerator;
    return;
  }
  std::vector<Natural> totals(n_resources_);
  for (std::size_t machine = 0; machine < machines.n_machines; ++machine) {
    for (std::size_t k = 0; k < n_resources_; ++k) {
      totals[k] = totals[k] + Natural(static_cast<std::uint64_t>(machines.capacity_of(machine)[k]));
    }
  }
  for (std::size_t k = 0; k < n_resources_; ++k) {
    Natural share(totals[k] == Natural() ? 0 : 1);
    for (std::size_t other = 0; other < n_resources_; ++other) {
      if (other != k && totals[other] != Natural()) share = share * totals[other];
    }
    wide_weights_.share.push_back(std::move(share));
  }
  wide_weights_.of_others = Natural(trade.denominator);
  wide_weights_.of_primary = Natural(trade.numerator);
}

template <class Number>
class WindowSearch::Walk {
 public:
  Walk(WindowSearch& search, const Weights<Number>& weights, std::span<const WindowCandidate> candidates,
       const std::function<void()>& poll)
      : search_(search), weights_(weights), candidates_(candidates), poll_(poll), available_(search.free_) {}

  [[nodiscard]] WindowChoice run() {
    walk(0);
    // What is better now has more of the others than the first one, and so less of the primary resource.
    threshold_ = traded(best_others_, best_primary_);
    is_trading_ = true;
    sums_.clear();
    looks_before_ = n_looks_;
    if (!is_cut_ && promises(0)) walk(0);
    return {best_, is_cut_};
  }

 private:
  static constexpr std::uint64_t kPollInterval = 256;
  static constexpr std::uint64_t kLooksBeforeSums = 256;
  static constexpr std::size_t kMostSummed = 10;
  static constexpr std::size_t kMostSumsAsked = 64;

  // Of every set of some last candidates that fits the free amounts as they were: the first to count first.
  struct Sums {
    std::vector<Number> others;  // O
    std::vector<Amount> use;     // a row each

    [[nodiscard]] std::size_t size() const { return others.size(); }
  };

  [[nodiscard]] static Number number(Amount amount) { return Number(static_cast<std::uint64_t>(amount)); }
  [[nodiscard]] Number traded(const Number& sum, Amount primary) const {
    return sum * weights_.of_others + number(primary) * weights_.share[search_.primary_] * weights_.of_primary;
  }
  template <class Use>
  [[nodiscard]] Number others(const Use& use) const {
    Number sum = Number(std::uint64_t{0});
    for (std::size_t k = 0; k < search_.n_resources_; ++k) {
      if (k != search_.primary_) sum = sum + number(use(k)) * weights_.share[k];
    }
    return sum;
  }
  // Whether use of so much would be better than the best set.
  template <class Use>
  [[nodiscard]] bool is_better(const Use& use) const {
    const Amount primary = use(search_.primary_);
    if (!is_trading_) return primary > best_primary_ || (primary == best_primary_ && others(use) > best_others_);
    const Number sum = others(use);
    if (sum < best_others_ || (sum == best_others_ && primary <= best_primary_)) return false;
    return traded(sum, primary) > threshold_;
  }
  // Whether use of so much beside what was taken, as far as it is free, would be better than the best set.
  [[nodiscard]] bool is_better_with(const Amount* more) const {
    return is_better([&](std::size_t k) { return search_.sum_[k] + std::min(search_.free_[k], more[k]); });
  }
  [[nodiscard]] bool is_free(const Amount* demand) const {
    for (std::size_t k = 0; k < search_.n_resources_; ++k) {
      if (demand[k] > search_.free_[k]) return false;
    }
    return true;
  }
  // Whether candidates from this one on can make what was taken better than the best set.
  [[nodiscard]] bool promises(std::size_t candidate) {
    if (!is_better_with(search_.rest_.data() + candidate * search_.n_resources_)) return false;
    if (candidate == candidates_.size()) return true;
    more_.assign(search_.n_resources_, 0);
    for (std::size_t later = candidate; later < candidates_.size(); ++later) {
      const Amount* demand = candidates_[later].demand.data();
      if (((left_ >> search_.class_of_[later]) & 1) != 0 || !is_free(demand)) continue;
      for (std::size_t k = 0; k < search_.n_resources_; ++k) more_[k] += demand[k];
    }
    if (!is_better_with(more_.data())) return false;
    if (sums_.empty() && n_looks_ - looks_before_ >= kLooksBeforeSums) list_sums();
    return sums_.size() + candidate <= candidates_.size() || some_sum_promises(sums_[candidates_.size() - candidate]);
  }
  [[nodiscard]] bool some_sum_promises(const Sums& sums) const {
    const std::size_t n_resources = search_.n_resources_;
    const std::size_t primary = search_.primary_;
    const Amount free_primary = search_.free_[primary];
    const Number free_others = others([&](std::size_t k) { return search_.free_[k]; });
    const Number taken_others = others([&](std::size_t k) { return search_.sum_[k]; });
    std::size_t first = 0;
    for (std::size_t n_left = sums.size(); n_left > 0;) {  // of those that are too much, at the front
      const std::size_t half = n_left / 2;
      const std::size_t middle = first + half;
      const bool is_too_much =
          is_trading_ ? free_others < sums.others[middle] : sums.use[middle * n_resources + primary] > free_primary;
      if (is_too_much) {
        first = middle + 1;
        n_left -= half + 1;
      } else {
        n_left = half;
      }
    }
    for (std::size_t i = first; i < sums.size(); ++i) {
      const Amount* use = sums.use.data() + i * n_resources;
      const bool is_behind = is_trading_ ? taken_others + sums.others[i] < best_others_
                                         : search_.sum_[primary] + use[primary] < best_primary_;
      if (is_behind) return false;
      if (i - first == kMostSumsAsked) return true;
      if (is_free(use) && is_better_with(use)) return true;
    }
    return false;
  }
  // sums_[i] of the last i candidates, each from the one before and the same with one candidate more.
  void list_sums() {
    const std::size_t n_resources = search_.n_resources_;
    const std::size_t primary = search_.primary_;
    sums_.resize(std::min(kMostSummed, candidates_.size() - 1) + 1);
    sums_[0].others.push_back(Number(std::uint64_t{0}));
    sums_[0].use.assign(n_resources, 0);
    for (std::size_t i = 1; i < sums_.size(); ++i) {
      const Sums& before = sums_[i - 1];
      Sums& sums = sums_[i];
      const Amount* demand = candidates_[candidates_.size() - i].demand.data();
      const Number more = others([&](std::size_t k) { return demand[k]; });
      const auto comes_first = [&](std::size_t with, std::size_t without) {
        const Number& others_without = before.others[without];
        const Number others_with = before.others[with] + more;
        const Amount primary_without = before.use[without * n_resources + primary];
        const Amount primary_with = before.use[with * n_resources + primary] + demand[primary];
        if (primary_with == primary_without) return others_without < others_with;
        if (others_with == others_without) return primary_without < primary_with;
        return is_trading_ ? others_without < others_with : primary_without < primary_with;
      };
      std::size_t with = 0;
      for (std::size_t without = 0; without < before.size() || with < before.size();) {
        const bool is_with = without == before.size() || (with < before.size() && comes_first(with, without));
        const std::size_t of = is_with ? with++ : without++;
        const Amount* use = before.use.data() + of * n_resources;
        bool fits = true;
        for (std::size_t k = 0; k < n_resources; ++k) fits = fits && (!is_with || use[k] + demand[k] <= available_[k]);
        if (!fits) continue;
        sums.others.push_back(is_with ? before.others[of] + more : before.others[of]);
        for (std::size_t k = 0; k < n_resources; ++k) sums.use.push_back(use[k] + (is_with ? demand[k] : 0));
      }
    }
  }
  void consider() {
    const auto use = [&](std::size_t k) { return search_.sum_[k]; };
    if (!is_better(use)) return;
    best_ = taken_;
    best_primary_ = search_.sum_[search_.primary_];
    best_others_ = others(use);
  }
  void take(std::size_t candidate, std::size_t machine) {
    const auto demand = candidates_[candidate].demand;
    search_.room_.acquire(machine, demand);
    for (std::size_t k = 0; k < demand.size(); ++k) {
      search_.sum_[k] += demand[k];
      search_.free_[k] -= demand[k];
    }
    taken_ |= std::uint64_t{1} << candidate;
  }
  void give_back(std::size_t candidate, std::size_t machine) {
    const auto demand = candidates_[candidate].demand;
    search_.room_.release(machine, demand);
    for (std::size_t k = 0; k < demand.size(); ++k) {
      search_.sum_[k] -= demand[k];
      search_.free_[k] += demand[k];
    }
    taken_ &= ~(std::uint64_t{1} << candidate);
  }
  // All sets that hold what was taken and, of the candidates from this one on, whatever fits.
  void walk(std::size_t candidate) {
    const std::uint64_t left_before = left_;
    for (; candidate < candidates_.size(); ++candidate) {
      const std::uint64_t its_class = std::uint64_t{1} << search_.class_of_[candidate];
      if ((left_ & its_class) != 0) continue;
      if (++n_looks_ % kPollInterval == 0) poll_();
      if (n_looks_ > search_.work_ && best_ != 0) is_cut_ = true;
      if (is_cut_) break;
      const std::size_t machine =
          search_.room_.first_fit(candidates_[candidate].demand, 0, candidates_[candidate].eligibility);
      left_ |= its_class;  // one that does not fit now does not fit beside more either
      if (machine == kNoMachine) continue;
      left_ &= ~its_class;
      take(candidate, machine);
      if (promises(candidate + 1)) walk(candidate + 1);
      give_back(candidate, machine);
      left_ |= its_class;
      if (is_cut_ || !promises(candidate + 1)) break;
    }
    if (candidate == candidates_.size()) consider();
    left_ = left_before;
  }

  WindowSearch& search_;
  const Weights<Number>& weights_;
  std::span<const WindowCandidate> candidates_;
  const std::function<void()>& poll_;
  std::vector<Amount> available_;  // before anything was taken
  std::vector<Sums> sums_;         // empty until they are listed
  std::vector<Amount> more_;       // scratch
  std::uint64_t n_looks_ = 0;
  std::uint64_t looks_before_ = 0;  // before sets were traded
  bool is_cut_ = false;
  bool is_trading_ = false;
  std::uint64_t taken_ = 0;
  std::uint64_t left_ = 0;  // classes of which no more is taken
  std::uint64_t best_ = 0;
  Amount best_primary_ = -1;
  Number best_others_ = Number(std::uint64_t{0});
  Number threshold_ = Number(std::uint64_t{0});
};

void WindowSearch::prepare(std::span<const WindowCandidate> candidates, const MachineIndex& machines) {
  const std::size_t n = candidates.size();
  room_ = machines;
  class_of_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t first = 0;
    while (!std::ranges::equal(candidates[first].demand, candidates[i].demand) ||
           candidates[first].eligibility != candidates[i].eligibility) {
      ++first;
    }
    class_of_[i] = static_cast<std::uint8_t>(first);
  }
  rest_.assign((n + 1) * n_resources_, 0);
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = 0; k < n_resources_; ++k) {
      rest_[i * n_resources_ + k] = rest_[(i + 1) * n_resources_ + k] + candidates[i].demand[k];
    }
  }
  sum_.assign(n_resources_, 0);
  free_.assign(n_resources_, 0);
  for (std::size_t machine = 0; machine < machines.n_machines(); ++machine) {
    const auto available = machines.free(machine);
    // More than all of them demand is as good as that.
    for (std::size_t k = 0; k < n_resources_; ++k) free_[k] = std::min(free_[k] + available[k], rest_[k]);
  }
}

WindowChoice WindowSearch::choose(std::span<const WindowCandidate> candidates, const MachineIndex& machines,
                                  const std::function<void()>& poll) {
  assert(candidates.size() <= kMaxWindow);
  if (candidates.size() <= 1) return {candidates.size(), false};
  prepare(candidates, machines);
  return is_wide_ ? Walk<Natural>(*this, wide_weights_, candidates, poll).run()
                  : Walk<UInt128>(*this, weights_, candidates, poll).run();
}

}  // namespace schedcore
