// The waiting jobs, searched by what fits: jobs with equal demand vectors share a class, and a tree over the classes
// with per-resource minima and the first job of every subtree answers "first waiting job that fits this free vector".
//
// Real traces have few distinct demand vectors (hundreds to thousands for millions of jobs), so the search is over
// classes.  A subtree is skipped when its minima do not fit or its first job comes after the best one found; when the
// class of its first job fits, that job answers for the whole subtree.  Classes with similar demands are kept together
// (a kd order, renewed when the tree is rebuilt), which makes the minima tell.
//
// Cost with C classes and R resources: push, pop O(log n + R log C) plus an amortised rebuild of O(R + log^2 C) for a new
// class; a search visits O(log C) nodes where free vectors separate the classes, at worst all 2C.  Where all demand
// vectors differ it still works (every class one job); bench/ shows the price.
//
// Invariants: every live class stands at exactly one leaf; node minima and first jobs are those of the leaves below.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "schedcore/class_queue.hpp"
#include "schedcore/fit.hpp"
#include "schedcore/types.hpp"

namespace schedcore {

// A queue that knows the least cost of its jobs.
template <class Queue>
concept KnowsLeastCost = requires(const Queue& queue) { queue.least_cost(); };

struct AnyCost {
  bool operator()(double /*cost*/) const { return true; }
};

template <class Queue>
class WaitingIndex {
 public:
  using Leaf = std::uint32_t;
  static constexpr Leaf kNoLeaf = std::numeric_limits<Leaf>::max();

  struct Found {
    Leaf leaf = kNoLeaf;
    WaitingJob job;
    [[nodiscard]] explicit operator bool() const { return leaf != kNoLeaf; }
  };

  WaitingIndex() = default;
  explicit WaitingIndex(std::size_t n_resources) : n_resources_(n_resources) { rebuild(kSmallest); }

  [[nodiscard]] bool empty() const { return n_waiting_ == 0; }
  [[nodiscard]] std::size_t size() const { return n_waiting_; }
  [[nodiscard]] const Queue& queue(Leaf leaf) const { return queues_[leaf]; }
  // For what a queue keeps beside its jobs; insert and erase go through push and erase of the index.
  [[nodiscard]] Queue& mutable_queue(Leaf leaf) { return queues_[leaf]; }
  [[nodiscard]] std::span<const Amount> demand(Leaf leaf) const { return {demand_of(leaf), n_resources_}; }

  void push(const WaitingJob& job, std::span<const Amount> demand, double cost = 0) {
    const Leaf leaf = leaf_for(demand);
    const bool was_empty = queues_[leaf].empty();
    queues_[leaf].insert(job, cost);
    ++n_waiting_;
    refresh_cost(leaf);
    if (was_empty) {
      refresh_minima(leaf);
      refresh_first(leaf);
    } else if (job.priority < top_[leaf]) {
      refresh_first(leaf);
    }
  }

  void erase(Leaf leaf, const Priority& priority) {
    const bool was_top = top_[leaf] == priority;
    queues_[leaf].erase(priority);
    --n_waiting_;
    refresh_cost(leaf);
    if (queues_[leaf].empty()) {
      refresh_minima(leaf);
      refresh_first(leaf);
    } else if (was_top) {
      refresh_first(leaf);
    }
  }

  // The leaf of a class that holds at least one waiting job.
  [[nodiscard]] Leaf leaf_of(std::span<const Amount> demand) const { return table_[slot_of(demand)]; }

  // The first waiting job in priority order that fits.
  [[nodiscard]] Found first_fit(std::span<const Amount> available) const {
    return first_offer(available, [this](Leaf leaf) { return &queues_[leaf].top(); });
  }

  // The first waiting job in priority order that fits and whose cost passes; `passes` must hold for every cost below one
  // for which it holds, and whole subtrees are skipped by their least cost.
  template <class Passes>
  [[nodiscard]] Found first_fit_where(std::span<const Amount> available, const Passes& passes) const {
    return first_offer(available, [&](Leaf leaf) { return queues_[leaf].first_where(passes); }, passes);
  }

  // The first job in priority order among those that `offer(leaf)` returns for the classes that fit: a pointer to the
  // class's first acceptable job, or null.  `offer` must return the top of the class if the top is acceptable, and accept
  // no cost that fails `passes`.
  template <class Offer, class Passes = AnyCost>
  [[nodiscard]] Found first_offer(std::span<const Amount> available, const Offer& offer, const Passes& passes = {}) const {
    Found best;
    if (admits(1, available.data(), passes, best)) search(1, available.data(), offer, passes, kNoLeaf, best);
    return best;
  }

  // Calls visit(leaf) for every class with waiting jobs that fits.
  template <class Visit>
  void for_each_fitting_class(std::span<const Amount> available, const Visit& visit) const {
    visit_fitting(1, available.data(), visit);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(n_resources_, n_leaves_, n_used_, n_waiting_, queues_, demands_, minima_, first_, top_, least_cost_, table_);
  }

  void check_invariants() const {
    std::size_t waiting = 0;
    for (Leaf leaf = 0; leaf < n_used_; ++leaf) {
      waiting += queues_[leaf].size();
      if (table_[slot_of(demand(leaf))] != leaf) throw std::logic_error("WaitingIndex: class table");
    }
    if (waiting != n_waiting_) throw std::logic_error("WaitingIndex: number of waiting jobs");
    for (std::size_t node = 1; node < n_leaves_; ++node) {
      if (first_[node] != earlier(first_[2 * node], first_[2 * node + 1])) throw std::logic_error("WaitingIndex: first job");
      if constexpr (kHasCost) {
        if (least_cost_[node] != std::min(least_cost_[2 * node], least_cost_[2 * node + 1])) {
          throw std::logic_error("WaitingIndex: least cost");
        }
      }
      for (std::size_t r = 0; r < n_resources_; ++r) {
        if (node_minima(node)[r] != std::min(node_minima(2 * node)[r], node_minima(2 * node + 1)[r])) {
          throw std::logic_error("WaitingIndex: minima");
        }
      }
    }
  }

 private:
  static constexpr bool kHasCost = KnowsLeastCost<Queue>;
  static constexpr std::size_t kSmallest = 16;
  static constexpr Amount kNothingFits = std::numeric_limits<Amount>::max();

  [[nodiscard]] const Amount* demand_of(Leaf leaf) const { return demands_.data() + leaf * n_resources_; }
  [[nodiscard]] const Amount* node_minima(std::size_t node) const { return minima_.data() + node * n_resources_; }
  [[nodiscard]] Leaf earlier(Leaf a, Leaf b) const {
    if (a == kNoLeaf) return b;
    if (b == kNoLeaf) return a;
    return top_[a] < top_[b] ? a : b;
  }

  // Whether the subtree can hold something better than `best`.
  template <class Passes>
  [[nodiscard]] bool admits(std::size_t node, const Amount* available, const Passes& passes, const Found& best) const {
    const Leaf first = first_[node];
    if (first == kNoLeaf || !fits(node_minima(node), available, n_resources_)) return false;
    if constexpr (kHasCost) {
      if (!passes(least_cost_[node])) return false;
    }
    return !best || top_[first] < best.job.priority;
  }

  // Searches below a node that admits.  `asked` is the leaf that was asked on the way down: no class is asked twice.
  template <class Offer, class Passes>
  void search(std::size_t node, const Amount* available, const Offer& offer, const Passes& passes, Leaf asked,
              Found& best) const {
    const Leaf first = first_[node];
    if (first != asked && fits(demand_of(first), available, n_resources_)) {
      const WaitingJob* offered = offer(first);
      if (offered != nullptr) {
        if (!best || *offered < best.job) best = {first, *offered};
        // The top of the subtree's first class is the first job of the subtree.
        if (offered->priority == top_[first]) return;
      }
    }
    if (node >= n_leaves_) return;
    const std::size_t nearer = first_[2 * node] == first ? 2 * node : 2 * node + 1;
    if (admits(nearer, available, passes, best)) search(nearer, available, offer, passes, first, best);
    if (admits(nearer ^ 1, available, passes, best)) search(nearer ^ 1, available, offer, passes, kNoLeaf, best);
  }

  template <class Visit>
  void visit_fitting(std::size_t node, const Amount* available, const Visit& visit) const {
    if (first_[node] == kNoLeaf || !fits(node_minima(node), available, n_resources_)) return;
    if (node >= n_leaves_) {
      visit(static_cast<Leaf>(node - n_leaves_));
      return;
    }
    visit_fitting(2 * node, available, visit);
    visit_fitting(2 * node + 1, available, visit);
  }

  void refresh_cost(Leaf leaf) {
    if constexpr (kHasCost) {
      std::size_t node = n_leaves_ + leaf;
      double least = least_cost(leaf);
      while (least_cost_[node] != least) {
        least_cost_[node] = least;
        if (node == 1) return;
        least = std::min(least, least_cost_[node ^ 1]);
        node /= 2;
      }
    }
  }

  [[nodiscard]] double least_cost(Leaf leaf) const { return queues_[leaf].empty() ? kNever : queues_[leaf].least_cost(); }

  void refresh_first(Leaf leaf) {
    std::size_t node = n_leaves_ + leaf;
    first_[node] = queues_[leaf].empty() ? kNoLeaf : leaf;
    if (!queues_[leaf].empty()) top_[leaf] = queues_[leaf].top().priority;
    for (node /= 2; node >= 1; node /= 2) first_[node] = earlier(first_[2 * node], first_[2 * node + 1]);
  }

  void refresh_minima(Leaf leaf) {
    std::size_t node = n_leaves_ + leaf;
    Amount* minima = minima_.data() + node * n_resources_;
    if (queues_[leaf].empty()) {
      std::fill_n(minima, n_resources_, kNothingFits);
    } else {
      std::copy_n(demand_of(leaf), n_resources_, minima);
    }
    for (node /= 2; node >= 1; node /= 2) {
      bool changed = false;
      Amount* here = minima_.data() + node * n_resources_;
      const Amount* left = node_minima(2 * node);
      const Amount* right = node_minima(2 * node + 1);
      for (std::size_t r = 0; r < n_resources_; ++r) {
        const Amount least = std::min(left[r], right[r]);
        changed |= least != here[r];
        here[r] = least;
      }
      if (!changed) break;
    }
  }

  [[nodiscard]] std::size_t slot_of(std::span<const Amount> demand) const {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (const Amount amount : demand) {
      hash = (hash ^ static_cast<std::uint64_t>(amount)) * 0xBF58476D1CE4E5B9ULL;
      hash ^= hash >> 29;
    }
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(hash) & mask;
    while (table_[slot] != kNoLeaf && !std::equal(demand.begin(), demand.end(), demand_of(table_[slot]))) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  Leaf leaf_for(std::span<const Amount> demand) {
    std::size_t slot = slot_of(demand);
    if (table_[slot] != kNoLeaf) return table_[slot];
    if (n_used_ == n_leaves_) {
      std::size_t live = 0;
      for (const Queue& queue : queues_) live += queue.empty() ? 0 : 1;
      rebuild(std::max(kSmallest, std::bit_ceil(2 * live)));
      slot = slot_of(demand);
    }
    const auto leaf = static_cast<Leaf>(n_used_++);
    table_[slot] = leaf;
    demands_.insert(demands_.end(), demand.begin(), demand.end());
    return leaf;
  }

  // Drops empty classes and gives every live class a leaf in kd order, with room for new classes behind them.
  void rebuild(std::size_t n_leaves) {
    std::vector<Leaf> live;
    for (Leaf leaf = 0; leaf < n_used_; ++leaf) {
      if (!queues_[leaf].empty()) live.push_back(leaf);
    }
    order_by_similarity(live);
    std::vector<Queue> queues(n_leaves);
    std::vector<Amount> demands;
    demands.reserve(n_leaves * n_resources_);
    for (std::size_t i = 0; i < live.size(); ++i) {
      queues[i] = std::move(queues_[live[i]]);
      demands.insert(demands.end(), demand_of(live[i]), demand_of(live[i]) + n_resources_);
    }
    queues_ = std::move(queues);
    demands_ = std::move(demands);
    n_leaves_ = n_leaves;
    n_used_ = live.size();
    table_.assign(4 * n_leaves, kNoLeaf);
    minima_.assign(2 * n_leaves * n_resources_, kNothingFits);
    first_.assign(2 * n_leaves, kNoLeaf);
    top_.assign(n_leaves, {});
    if constexpr (kHasCost) least_cost_.assign(2 * n_leaves, kNever);
    for (Leaf leaf = 0; leaf < n_used_; ++leaf) {
      table_[slot_of(demand(leaf))] = leaf;
      first_[n_leaves_ + leaf] = leaf;
      top_[leaf] = queues_[leaf].top().priority;
      refresh_cost(leaf);
      std::copy_n(demand_of(leaf), n_resources_, minima_.data() + (n_leaves_ + leaf) * n_resources_);
    }
    for (std::size_t node = n_leaves_ - 1; node >= 1; --node) {
      first_[node] = earlier(first_[2 * node], first_[2 * node + 1]);
      for (std::size_t r = 0; r < n_resources_; ++r) {
        minima_[node * n_resources_ + r] = std::min(node_minima(2 * node)[r], node_minima(2 * node + 1)[r]);
      }
    }
  }

  // kd order: halve by the resource that spreads most, until few are left.  Spread counts as a share of the largest
  // demand and weighs by the square of the mean share, since what is asked for most is what machines run short of.
  void order_by_similarity(std::span<Leaf> leaves) const {
    std::vector<double> scale(n_resources_);
    for (std::size_t r = 0; r < n_resources_; ++r) {
      double sum = 0;
      double most = 1;
      for (const Leaf leaf : leaves) {
        sum += static_cast<double>(demand_of(leaf)[r]);
        most = std::max(most, static_cast<double>(demand_of(leaf)[r]));
      }
      const double mean_share = sum / most / static_cast<double>(leaves.size());
      scale[r] = mean_share * mean_share / most;
    }
    halve(leaves, scale);
  }

  void halve(std::span<Leaf> leaves, std::span<const double> scale) const {
    if (leaves.size() <= 2) return;
    std::size_t widest = 0;
    double widest_spread = -1;
    for (std::size_t r = 0; r < n_resources_; ++r) {
      Amount least = kNothingFits;
      Amount most = 0;
      for (const Leaf leaf : leaves) {
        least = std::min(least, demand_of(leaf)[r]);
        most = std::max(most, demand_of(leaf)[r]);
      }
      const double spread = static_cast<double>(most - least) * scale[r];
      if (spread > widest_spread) {
        widest_spread = spread;
        widest = r;
      }
    }
    const auto middle = static_cast<std::ptrdiff_t>(leaves.size() / 2);
    std::nth_element(leaves.begin(), leaves.begin() + middle, leaves.end(), [&](Leaf a, Leaf b) {
      const Amount da = demand_of(a)[widest];
      const Amount db = demand_of(b)[widest];
      return da != db ? da < db : a < b;
    });
    halve(leaves.first(static_cast<std::size_t>(middle)), scale);
    halve(leaves.subspan(static_cast<std::size_t>(middle)), scale);
  }

  std::size_t n_resources_ = 0;
  std::size_t n_leaves_ = 0;  // a power of two; nodes 1 .. 2 n_leaves_ - 1, leaves from n_leaves_ on
  std::size_t n_used_ = 0;    // leaves 0 .. n_used_ - 1 have a class, live or empty
  std::size_t n_waiting_ = 0;
  std::vector<Queue> queues_;
  std::vector<Amount> demands_;  // row-major, a row a used leaf
  std::vector<Amount> minima_;   // row-major, a row a node; kNothingFits where no job waits
  std::vector<Leaf> first_;      // of every node: the leaf whose top comes first
  std::vector<Priority> top_;    // of every live leaf: its first job, beside the tree so that a search stays in cache
  std::vector<double> least_cost_;  // of every node, where queues know costs; kNever where no job waits
  std::vector<Leaf> table_;      // open addressing: demand vector -> leaf
};

}  // namespace schedcore
