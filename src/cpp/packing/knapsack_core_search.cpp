#include "knapsack_core_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "knapsack_relaxation.hpp"
#include "knapsack_states.hpp"

namespace schedcore {
namespace {

// Roundings of the few double operations of a bound are each below 2^-51 of its operands; every test below grants
// 2^-48, so that what exact arithmetic would keep is kept.
constexpr double kGrace = 0x1p-48;

// The search space: solutions with weight >= floor and size <= ceiling.  Whatever beats a solution of the region is
// in the region too: either the ceiling is the capacity, or no weight above the floor exists.
template <class Int>
struct Region {
  Int floor{};
  Int ceiling{};

  friend bool operator==(const Region&, const Region&) = default;
};

// What the same choice in every solution of a region leaves open.
template <class Int>
struct Core {
  std::vector<std::uint32_t> taken;      // items in every solution
  std::vector<std::uint32_t> undecided;  // in index order
  std::vector<std::uint32_t> position;   // of the undecided in density order
  Int weight{};                          // of the taken
  Int size{};
};

// Linear relaxation of the undecided items, which leave it one by one; asked for rooms that shrink from query to
// query after each `start`, so that a whole ordered list of states costs one walk along the items.
template <class Int>
class ShrinkingRelaxation {
 public:
  // Nodes are undecided items by decreasing density; node `end` closes the ring.
  ShrinkingRelaxation(const KnapsackItems<Int>& items, const Core<Int>& core)
      : end_(core.undecided.size()), nodes_(end_ + 1) {
    for (std::size_t k = 0; k < end_; ++k) {
      const std::uint32_t item = core.undecided[k];
      Node& node = nodes_[core.position[k]];
      node.weight = items.weight[item];
      node.size = items.size[item];
      node.density = static_cast<double>(node.weight) / static_cast<double>(node.size) * (1 + kGrace);
    }
    for (std::size_t k = 0; k <= end_; ++k) {
      nodes_[k].next = static_cast<std::uint32_t>(k == end_ ? 0 : k + 1);
      nodes_[k].previous = static_cast<std::uint32_t>(k == 0 ? end_ : k - 1);
    }
    cursor_ = end_ == 0 ? end_ : 0;
  }

  void remove(std::size_t position) {
    Node& node = nodes_[position];
    nodes_[node.previous].next = node.next;
    nodes_[node.next].previous = node.previous;
    if (position == cursor_) {
      cursor_ = node.next;
    } else if (position < cursor_) {
      weight_ -= node.weight;
      size_ -= node.size;
    }
  }
  void start(Int room) {
    shrink(room);
    while (cursor_ != end_ && size_ + nodes_[cursor_].size <= room) {
      weight_ += nodes_[cursor_].weight;
      size_ += nodes_[cursor_].size;
      cursor_ = nodes_[cursor_].next;
    }
  }
  void shrink(Int room) {
    while (size_ > room) {
      cursor_ = nodes_[cursor_].previous;
      weight_ -= nodes_[cursor_].weight;
      size_ -= nodes_[cursor_].size;
    }
  }
  // Weight and size of the items that fit whole, the densest first.
  [[nodiscard]] Int weight() const { return weight_; }
  [[nodiscard]] Int size() const { return size_; }
  // Whether the fraction of the next item can add `weight` within what is left of the room.
  [[nodiscard]] bool fraction_adds(Int weight, Int room) const {
    return cursor_ != end_ &&
           static_cast<double>(weight) <= static_cast<double>(room - size_) * nodes_[cursor_].density;
  }

 private:
  struct Node {
    Int weight{};
    Int size{};
    double density = 0;  // rounded up by kGrace
    std::uint32_t previous = 0;
    std::uint32_t next = 0;
  };

  std::size_t end_;
  std::vector<Node> nodes_;
  std::size_t cursor_ = 0;  // weight_ and size_ are those of the remaining nodes before it
  Int weight_{};
  Int size_{};
};

template <class Int>
class CoreSearch {
 public:
  CoreSearch(const KnapsackItems<Int>& items, Int capacity, std::size_t n_reported, const KnapsackOptions& options)
      : items_(items),
        capacity_(capacity),
        monitor_(options.monitor),
        budget_(options.budget),
        limits_(options.memory_limit, n_reported),
        relaxation_(items),
        optimum_(relaxation_.at(capacity)),
        highest_weight_(relaxation_.integer_bound(optimum_, capacity)),
        position_(items.count()) {
    for (std::size_t k = 0; k < position_.size(); ++k) position_[relaxation_.order()[k]] = static_cast<std::uint32_t>(k);
  }

  [[nodiscard]] std::vector<std::uint32_t> solve() {
    const Region<Int> last = greedy_region();
    std::vector<double> loss(items_.count());
    for (std::size_t i = 0; i < loss.size(); ++i) loss[i] = reduced_cost(i, optimum_.slope);
    std::optional<Region<Int>> previous;
    for (std::size_t core_size = kFirstCoreSize;; core_size += core_size / 2) {
      Region<Int> region = last;
      if (core_size < loss.size()) {
        std::nth_element(loss.begin(), loss.begin() + static_cast<std::ptrdiff_t>(core_size), loss.end());
        region = region_of_width(loss[core_size], last);
      }
      if (region == previous) continue;
      if (auto chosen = search(region)) return *std::move(chosen);
      previous = region;
    }
  }

 private:
  static constexpr std::size_t kFirstCoreSize = 24;

  // What an item loses against the relaxation when it is decided the other way.
  [[nodiscard]] double reduced_cost(std::size_t item, double slope) const {
    return std::abs(static_cast<double>(items_.weight[item]) - slope * static_cast<double>(items_.size[item]));
  }

  // The region that holds a solution for sure: at least as good as filling up in density order.
  [[nodiscard]] Region<Int> greedy_region() const {
    Int weight = 0;
    Int room = capacity_;
    for (const std::uint32_t item : relaxation_.order()) {
      if (items_.size[item] > room) continue;
      room -= items_.size[item];
      weight += items_.weight[item];
    }
    return {weight, weight == highest_weight_ ? capacity_ - room : capacity_};
  }

  // The region whose solutions lose at most about `width` against the relaxation, but no larger than `last`.
  [[nodiscard]] Region<Int> region_of_width(double width, const Region<Int>& last) const {
    const double rounding_loss = optimum_.above(highest_weight_);  // in [0, 1): weights are integers
    if (width >= optimum_.above(last.floor)) return last;
    Region<Int> region{highest_weight_, capacity_};
    if (width > rounding_loss) {
      region.floor -= static_cast<Int>(floor_to_int128(width - rounding_loss));
      region.floor = std::max(region.floor, last.floor);
    } else {
      const double dispensable = std::min((rounding_loss - width) / optimum_.slope, 0x1p120);
      region.ceiling -= static_cast<Int>(floor_to_int128(dispensable));
      region.ceiling = std::max(region.ceiling, Int{0});
    }
    if (region.floor == last.floor) region.ceiling = std::min(region.ceiling, last.ceiling);
    return region;
  }

  // Items whose reduced cost exceeds the relaxation's distance from the region's floor are decided; none if the
  // relaxation itself does not reach the region.
  [[nodiscard]] std::optional<Core<Int>> core_of(const Region<Int>& region) const {
    const auto optimum = relaxation_.at(region.ceiling);
    if (relaxation_.integer_bound(optimum, region.ceiling) < region.floor) return std::nullopt;
    const double distance = optimum.above(region.floor);
    const double grace =
        kGrace * (std::abs(distance) + 2 * static_cast<double>(items_.weight[relaxation_.order()[optimum.position]]));
    Core<Int> core;
    for (std::size_t i = 0; i < items_.count(); ++i) {
      const auto item = static_cast<std::uint32_t>(i);
      const double magnitude =
          static_cast<double>(items_.weight[i]) + optimum.slope * static_cast<double>(items_.size[i]);
      if (reduced_cost(i, optimum.slope) <= distance + grace + kGrace * magnitude) {
        core.undecided.push_back(item);
      } else if (position_[i] < optimum.position) {
        core.taken.push_back(item);
        core.weight += items_.weight[i];
        core.size += items_.size[i];
      }
    }
    std::vector<std::uint32_t> by_density(core.undecided.size());
    for (std::size_t k = 0; k < by_density.size(); ++k) by_density[k] = static_cast<std::uint32_t>(k);
    std::sort(by_density.begin(), by_density.end(), [&](std::uint32_t a, std::uint32_t b) {
      return position_[core.undecided[a]] < position_[core.undecided[b]];
    });
    core.position.resize(by_density.size());
    for (std::size_t k = 0; k < by_density.size(); ++k) core.position[by_density[k]] = static_cast<std::uint32_t>(k);
    return core;
  }

  // The canonical solution if the region holds any.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> search(const Region<Int>& region) {
    const auto core = core_of(region);
    if (!core || core->size > region.ceiling) return std::nullopt;
    // From here on weights and sizes are those of undecided items.  Every completion that is met raises the goal or,
    // once no higher weight is possible, lowers the room.
    Int goal = region.floor - core->weight;
    Int room = region.ceiling - core->size;
    const Int highest = highest_weight_ - core->weight;

    limits_.give_back_all();
    KnapsackHistory history(limits_);
    KnapsackStates<Int> states(limits_);
    KnapsackStates<Int> next(limits_);
    ShrinkingRelaxation<Int> rest(items_, *core);
    states.push_back({});
    for (std::size_t k = 0; k < core->undecided.size(); ++k) {
      if (k > 0 && k % KnapsackHistory::kItemsPerCheckpoint == 0) history.checkpoint(states);
      if (budget_ != nullptr && !budget_->spend(states.size())) throw WorkBudgetSpent();
      limits_.read(states.size() * sizeof(KnapsackState<Int>), core->undecided.size() - k);
      const Int item_weight = items_.weight[core->undecided[k]];
      const Int item_size = items_.size[core->undecided[k]];
      const std::uint64_t item_bit = std::uint64_t{1} << (k % KnapsackHistory::kItemsPerCheckpoint);
      rest.remove(core->position[k]);
      rest.start(room - states[0].size);
      next.clear();
      // Merge the states without the item and with it by (size, -weight), of equal ones the former first, and keep
      // the undominated ones.
      Int heaviest = -1;
      const std::size_t n_states = states.size();
      for (std::size_t without = 0, with = 0; with < n_states;) {
        KnapsackState<Int> state = states[with];
        state.weight += item_weight;
        state.size += item_size;
        state.taken |= item_bit;
        if (without < n_states && (states[without].size < state.size || (states[without].size == state.size &&
                                                                         states[without].weight >= state.weight))) {
          state = states[without++];
        } else {
          ++with;
        }
        if (state.weight <= heaviest) continue;
        heaviest = state.weight;
        if (state.size > room) break;
        rest.shrink(room - state.size);
        const Int reached = state.weight + rest.weight();
        if (reached >= goal) {
          goal = reached;
          if (goal == highest) room = std::min(room, state.size + rest.size());
        } else if (!rest.fraction_adds(goal - reached, room - state.size)) {
          continue;
        }
        next.push_back(state);
        if (next.size() % kStatesPerPoll == 0) poll(k, core->undecided.size());
      }
      states.swap(next);
      if (states.empty()) return std::nullopt;
      if (k % kItemsPerPoll == 0) poll(k, core->undecided.size());
    }

    const KnapsackState<Int>& best = states[states.size() - 1];
    if (best.weight < goal) return std::nullopt;
    std::vector<std::uint32_t> chosen = core->taken;
    for (const std::size_t k : history.items_of(best)) chosen.push_back(core->undecided[k]);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  void poll(std::size_t done, std::size_t total) const {
    if (monitor_ != nullptr) monitor_->poll(done, total);
  }

  static constexpr std::size_t kStatesPerPoll = 1 << 15;
  static constexpr std::size_t kItemsPerPoll = 64;

  const KnapsackItems<Int>& items_;
  Int capacity_;
  Monitor* monitor_;
  WorkBudget* budget_;
  KnapsackLimits limits_;  // of all regions together, memory of one at a time
  KnapsackRelaxation<Int> relaxation_;
  typename KnapsackRelaxation<Int>::Optimum optimum_;  // at the capacity
  Int highest_weight_;                                 // integer bound at the capacity
  std::vector<std::uint32_t> position_;                // of every item in density order
};

}  // namespace

template <class Int>
std::vector<std::uint32_t> solve_by_core_search(const KnapsackItems<Int>& items, Int capacity, std::size_t n_reported,
                                                const KnapsackOptions& options) {
  return CoreSearch<Int>(items, capacity, n_reported, options).solve();
}

template std::vector<std::uint32_t> solve_by_core_search(const KnapsackItems<std::int64_t>& items,
                                                         std::int64_t capacity, std::size_t n_reported,
                                                         const KnapsackOptions& options);
template std::vector<std::uint32_t> solve_by_core_search(const KnapsackItems<Int128>& items, Int128 capacity,
                                                         std::size_t n_reported, const KnapsackOptions& options);
template std::vector<std::uint32_t> solve_by_core_search(const KnapsackItems<Int256>& items, Int256 capacity,
                                                         std::size_t n_reported, const KnapsackOptions& options);

}  // namespace schedcore
