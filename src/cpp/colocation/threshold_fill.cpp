#include "schedcore/colocation/threshold_fill.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "schedcore/colocation/machine_costs.hpp"

namespace schedcore {
namespace {

constexpr Amount kLargest = std::numeric_limits<Amount>::max();

struct Sizes {
  Amount total = 0;
  Amount largest = 0;

  explicit Sizes(const ColocationView& view) {
    for (const Amount size : view.size) {
      total += size;
      largest = std::max(largest, size);
    }
  }
};

Amount ceil_divide(Amount a, Amount b) { return a / b + (a % b != 0 ? 1 : 0); }

Amount at_most_largest(UInt128 value) { return static_cast<Amount>(std::min(value, UInt128(kLargest))); }

// The cost numerator that a threshold allows; no cost exceeds 64 bits.
CostNumerator cost_limit(const ColocationView& view, Amount threshold) {
  return at_most_largest(UInt128(threshold) * UInt128(view.alpha_denominator));
}

// The bisection that all three share: `accepts(threshold)` keeps what it packed; returns the last accepted threshold.
template <class Accepts>
std::optional<Amount> last_accepted(Amount low, Amount high, Accepts accepts) {
  std::optional<Amount> accepted;
  while (low < high) {
    const Amount middle = low + (high - low) / 2;
    if (accepts(middle)) {
      accepted = middle;
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return accepted;
}

// Next fit, each cluster on fresh machines.  Tasks from the first that would need a machine too many on are left over:
// returns its position in `clusters.task`.  Every size must be at most the threshold.
std::size_t next_fit(const ColocationView& view, const ClusterTasks& clusters, Amount threshold,
                     std::span<std::int64_t> machine) {
  const auto n_machines = static_cast<std::int64_t>(view.n_machines);
  std::int64_t current = -1;
  std::size_t position = 0;
  for (std::size_t cluster = 0; cluster < clusters.n_clusters(); ++cluster) {
    Amount room = 0;  // so that the first task opens a machine: sizes are at least 1
    for (; position < clusters.first[cluster + 1]; ++position) {
      const std::uint32_t task = clusters.task[position];
      if (view.size[task] > room) {
        if (current + 1 == n_machines) return position;
        ++current;
        room = threshold;
      }
      room -= view.size[task];
      machine[task] = current;
    }
  }
  return position;
}

// How many machines each cluster uses in a packing by next_fit.
std::vector<std::int64_t> machines_used(const ClusterTasks& clusters, std::span<const std::int64_t> machine) {
  std::vector<std::int64_t> used;
  for (std::size_t cluster = 0; cluster < clusters.n_clusters(); ++cluster) {
    const auto tasks = clusters.of(cluster);
    used.push_back(machine[tasks.back()] - machine[tasks.front()] + 1);
  }
  return used;
}

// FILLGREEDY's largest threshold, max(2 L, L + largest size) with L = total / (n_machines - n_types), rounded down.
UInt128 sufficient_threshold(const ColocationView& view, const Sizes& sizes) {
  const UInt128 spare(static_cast<std::uint64_t>(view.n_machines - view.n_types));
  const auto total = static_cast<UInt128>(sizes.total);
  return std::max((total + total) / spare, total / spare + UInt128(sizes.largest));
}

Amount smallest_threshold(const ColocationView& view, const ClusterTasks& clusters, const Sizes& sizes,
                          std::span<std::int64_t> machine) {
  const auto fits = [&](Amount threshold) {
    return next_fit(view, clusters, threshold, machine) == clusters.task.size();
  };
  const bool has_spare = view.n_machines > view.n_types;
  const Amount high =
      has_spare ? std::min(sizes.total, at_most_largest(sufficient_threshold(view, sizes))) : sizes.total;
  const Amount low = std::max(sizes.largest, ceil_divide(sizes.total, static_cast<Amount>(view.n_machines)));
  return last_accepted(low, high, fits).value_or(high);
}

// GREEDYFOR2TYPES' packing: whether it did not fail.
bool fill_two_groups(const ColocationView& view, const ClusterTasks& clusters, Amount threshold,
                     std::span<std::int64_t> machine) {
  const auto last_machine = static_cast<std::int64_t>(view.n_machines) - 1;
  std::int64_t current = 0;
  Amount load = 0;
  bool overflows = false;
  std::int64_t shared = 0;
  for (std::size_t group = 0; group < clusters.n_clusters(); ++group) {
    shared = current;  // the last machine of the group before
    bool starts = group > 0;
    for (const std::uint32_t task : clusters.of(group)) {
      const Amount size = view.size[task];
      if (size > threshold) return false;
      if (!overflows && (std::exchange(starts, false) || size > threshold - load)) {
        if (current == last_machine) {
          if (group == 0) return false;
          overflows = true;
        } else {
          ++current;
          load = 0;
        }
      }
      machine[task] = overflows ? shared : current;
      if (!overflows) load += size;
    }
  }
  return true;
}

// FILLREBALANCE at one threshold after another.
class Rebalancing {
 public:
  Rebalancing(const ColocationView& view, const ClusterTasks& clusters, RebalanceRule rule, Monitor* monitor)
      : view_(view), clusters_(clusters), rule_(rule), monitor_(monitor), machine_(view.n_tasks()) {}

  bool accepts(Amount threshold) {
    const std::size_t first_left = next_fit(view_, clusters_, threshold, machine_);
    MachineCosts costs(view_, view_.n_machines);
    for (std::size_t i = 0; i < first_left; ++i) {
      const std::uint32_t task = clusters_.task[i];
      costs.add(static_cast<std::size_t>(machine_[task]), view_.type_of(task), view_.size[task]);
    }
    const CostNumerator limit = cost_limit(view_, threshold);
    for (std::size_t i = first_left; i < clusters_.task.size(); ++i) {
      if (i % kTasksBetweenPolls == 0 && monitor_ != nullptr) monitor_->poll(0, 0);
      const std::uint32_t task = clusters_.task[i];
      const std::size_t chosen = place(costs, view_.type_of(task), view_.size[task], limit);
      if (chosen == kNoMachine) return false;
      costs.add(chosen, view_.type_of(task), view_.size[task]);
      machine_[task] = static_cast<std::int64_t>(chosen);
    }
    accepted_ = machine_;
    return true;
  }

  std::vector<std::int64_t> take() { return std::move(accepted_); }

 private:
  static constexpr std::size_t kTasksBetweenPolls = 256;

  [[nodiscard]] std::size_t place(const MachineCosts& costs, std::size_t type, Amount size, CostNumerator limit) const {
    std::size_t chosen = kNoMachine;
    CostNumerator least = limit;
    for (std::size_t machine = 0; machine < view_.n_machines; ++machine) {
      const CostNumerator cost = costs.cost_with(machine, type, size);
      if (cost > least || (cost == least && chosen != kNoMachine)) continue;
      chosen = machine;
      least = cost;
      if (rule_ == RebalanceRule::first) break;
    }
    return chosen;
  }

  const ColocationView& view_;
  const ClusterTasks& clusters_;
  RebalanceRule rule_;
  Monitor* monitor_;
  std::vector<std::int64_t> machine_;
  std::vector<std::int64_t> accepted_;
};

// A threshold at which everything may stand on one machine.
Amount threshold_of_one_machine(const ColocationView& view, const Sizes& sizes) {
  const std::vector<Amount> load = load_of_types(view);
  Amount threshold = sizes.total;
  for (std::size_t destination = 0; destination < view.n_types; ++destination) {
    if (load[destination] == 0) continue;
    CostNumerator cost = 0;
    for (std::size_t source = 0; source < view.n_types; ++source) {
      cost += load[source] * view.coefficient(source, destination);
    }
    threshold = std::max(threshold, ceil_divide(cost, view.alpha_denominator));
  }
  return threshold;
}

}  // namespace

FillGreedyOutcome fill_greedy(const ColocationView& view, const ClusterTasks& clusters, bool searches) {
  const Sizes sizes(view);
  FillGreedyOutcome outcome{{std::vector<std::int64_t>(view.n_tasks()), 0}, {}};
  FilledMachines& filled = outcome.filled;
  filled.threshold = searches ? UInt128(smallest_threshold(view, clusters, sizes, filled.machine))
                              : sufficient_threshold(view, sizes);
  next_fit(view, clusters, at_most_largest(filled.threshold), filled.machine);
  outcome.machines_of_cluster = machines_used(clusters, filled.machine);
  return outcome;
}

FilledMachines greedy_for_two_types(const ColocationView& view, const ClusterTasks& clusters, bool searches) {
  const Sizes sizes(view);
  const UInt128 n_machines(static_cast<std::uint64_t>(view.n_machines));
  const auto total = static_cast<UInt128>(sizes.total);
  const UInt128 high = (total + std::max(total, n_machines * UInt128(sizes.largest))) / n_machines;
  FilledMachines filled{std::vector<std::int64_t>(view.n_tasks()), high};
  if (searches && view.n_machines > 1) {
    const auto accepts = [&](Amount threshold) {
      return fill_two_groups(view, clusters, threshold, filled.machine) &&
             colocation_cost(view, filled.machine).largest <= cost_limit(view, threshold);
    };
    if (const auto accepted = last_accepted(sizes.largest, at_most_largest(high), accepts)) {
      filled.threshold = UInt128(*accepted);
    }
  }
  fill_two_groups(view, clusters, at_most_largest(filled.threshold), filled.machine);
  return filled;
}

FilledMachines fill_rebalance(const ColocationView& view, const ClusterTasks& clusters, RebalanceRule rule,
                              Monitor* monitor) {
  const Sizes sizes(view);
  std::vector<std::int64_t> scratch(view.n_tasks());
  const Amount high = clusters.n_clusters() <= view.n_machines ? smallest_threshold(view, clusters, sizes, scratch)
                                                               : threshold_of_one_machine(view, sizes);
  Rebalancing rebalancing(view, clusters, rule, monitor);
  const auto accepts = [&](Amount threshold) { return rebalancing.accepts(threshold); };
  const std::optional<Amount> accepted = last_accepted(sizes.largest, high, accepts);
  if (!accepted) rebalancing.accepts(high);
  return {rebalancing.take(), UInt128(accepted.value_or(high))};
}

}  // namespace schedcore
