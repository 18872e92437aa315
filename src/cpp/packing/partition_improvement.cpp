#include "schedcore/packing/partition_improvement.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <vector>

#include "schedcore/packing/bin_completion.hpp"
#include "schedcore/packing/pair_exchange.hpp"
#include "schedcore/packing/partition_bounds.hpp"

namespace schedcore {
namespace {

// The shares of the work: what bin completion may take of all of it at one capacity, and a walk of what is left, while
// it aims at the bound, and later.
constexpr std::uint64_t kCompletionShare = 16;
constexpr std::uint64_t kFirstWalkShare = 2;
constexpr std::uint64_t kLaterWalkShare = 3;
constexpr std::size_t kMostBins = 1u << 14;  // beyond, the first bins alone would use up the work of bin completion

class PartitionImprovement {
 public:
  PartitionImprovement(std::span<const Amount> sorted_size, std::span<const Amount> speed,
                       std::span<std::uint32_t> machine, const ImprovementLimits& limits)
      : size_(sorted_size), speed_(speed), machine_(machine), limits_(limits), found_(sorted_size.size()) {
    makespan_ = makespan_of(loads_of(size_, machine_, speed_.size()), speed_);
    is_identical_ = std::adjacent_find(speed_.begin(), speed_.end(), std::not_equal_to<>()) == speed_.end();
    bound_ = is_identical_
                 ? CompletionTime{identical_makespan_bound(size_, speed_.size(), makespan_.load), speed_.front()}
                 : uniform_makespan_bound(size_, speed_);
  }

  ImprovedPartition run() {
    if (is_identical_) complete_bins();
    if (!is_content() && work_left() > 0) walk();
    return {makespan_, bound_, work_};
  }

 private:
  [[nodiscard]] std::uint64_t work_left() const { return limits_.work_limit - std::min(limits_.work_limit, work_); }

  // Doubles decide here when to stop, not what is optimal; without a gap the comparison is exact.
  [[nodiscard]] bool is_content() const {
    if (!(bound_ < makespan_)) return true;
    if (limits_.gap == 0) return false;
    const double makespan = static_cast<double>(makespan_.load) / static_cast<double>(makespan_.speed);
    const double bound = static_cast<double>(bound_.load) / static_cast<double>(bound_.speed);
    return makespan <= bound * (1 + limits_.gap);
  }

  void adopt(std::span<const std::uint32_t> machine) {
    const CompletionTime makespan = makespan_of(loads_of(size_, machine, speed_.size()), speed_);
    if (!(makespan < makespan_)) return;
    std::copy(machine.begin(), machine.end(), machine_.begin());
    makespan_ = makespan;
  }

  // Equal speeds: packs at the bound, or raises it where that is impossible, until neither is known.
  void complete_bins() {
    if (speed_.size() > kMostBins) return;
    while (!is_content() && work_left() > 0) {
      const std::uint64_t limit = std::min(limits_.work_limit, work_ + limits_.work_limit / kCompletionShare);
      switch (pack_bins(size_, speed_.size(), bound_.load, limit, work_, limits_.monitor, found_)) {
        case PackingAnswer::packed: adopt(found_); return;
        case PackingAnswer::impossible: ++bound_.load; break;
        case PackingAnswer::unknown: return;
      }
    }
  }

  // By machine: the most that keeps within the bound and the gap, and the most that is better than the makespan.
  [[nodiscard]] std::vector<Amount> lowest_aim() const {
    std::vector<Amount> aim(speed_.size());
    for (std::size_t k = 0; k < aim.size(); ++k) {
      const Amount at_bound = load_by(bound_, speed_[k]);
      const double more = static_cast<double>(at_bound) * limits_.gap;
      const auto room = static_cast<double>(kUnlimitedLoad - at_bound);
      aim[k] = more < room ? at_bound + static_cast<Amount>(more) : kUnlimitedLoad;
    }
    return aim;
  }
  [[nodiscard]] std::vector<Amount> highest_aim() const {
    std::vector<Amount> aim(speed_.size());
    for (std::size_t k = 0; k < aim.size(); ++k) {
      const Amount reached = load_by(makespan_, speed_[k]);
      aim[k] = CompletionTime{reached, speed_[k]} < makespan_ ? reached : reached - 1;
    }
    return aim;
  }

  void walk() {
    PairExchange exchange(size_, machine_, speed_.size());
    std::vector<Amount> failed = lowest_aim();
    std::vector<Amount> aim = failed;
    std::uint64_t share = kFirstWalkShare;
    while (work_left() > 0) {
      const bool arrived = exchange.walk(aim, (work_left() + share - 1) / share, work_, limits_.monitor);
      exchange.write(found_);
      adopt(found_);
      if (is_content()) return;
      if (!arrived) failed = aim;
      // Halfway to what would be better by the least amount, which gets all work that is left in the end.
      const std::vector<Amount> highest = highest_aim();
      bool is_between = false;
      for (std::size_t k = 0; k < aim.size(); ++k) {
        is_between |= failed[k] < highest[k];
        aim[k] = failed[k] + std::max(Amount{0}, highest[k] - failed[k] + 1) / 2;
      }
      share = is_between ? kLaterWalkShare : 1;
      if (!is_between) aim = highest;
    }
  }

  std::span<const Amount> size_;
  std::span<const Amount> speed_;
  std::span<std::uint32_t> machine_;
  ImprovementLimits limits_;
  std::vector<std::uint32_t> found_;
  bool is_identical_ = false;
  CompletionTime makespan_;
  CompletionTime bound_;
  std::uint64_t work_ = 0;
};

}  // namespace

ImprovedPartition improve_partition(std::span<const Amount> sorted_size, std::span<const Amount> speed,
                                    std::span<std::uint32_t> machine, const ImprovementLimits& limits) {
  assert(!speed.empty() && machine.size() == sorted_size.size() && limits.gap >= 0);
  // Tasks of no length stand last and can stay where they are.
  const auto zeros = std::find(sorted_size.begin(), sorted_size.end(), Amount{0});
  const auto n_positive = static_cast<std::size_t>(zeros - sorted_size.begin());
  if (n_positive == 0) return {{0, speed.front()}, {0, speed.front()}, 0};
  // In the largest unit of which all sizes are multiples: loads are multiples of it, too, which raises the bound.
  Amount unit = 0;
  for (std::size_t i = 0; i < n_positive && unit != 1; ++i) unit = std::gcd(unit, sorted_size[i]);
  std::vector<Amount> units(sorted_size.begin(), zeros);
  for (Amount& size : units) size /= unit;
  ImprovedPartition improved = PartitionImprovement(units, speed, machine.first(n_positive), limits).run();
  improved.makespan.load *= unit;
  improved.lower_bound.load *= unit;
  return improved;
}

}  // namespace schedcore
