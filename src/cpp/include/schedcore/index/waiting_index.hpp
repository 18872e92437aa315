// The waiting jobs, searched by what fits: jobs with equal demand vectors that may use the same machines share a class.
// The classes that may fit a free vector are picked out by bit slices of their demands, 64 at a time, and one row of bits
// more says which of them a machine may serve.
//
// Real traces have few distinct demand vectors (hundreds to thousands for millions of jobs), so the search is over
// classes.  They are kept roughly in the order of their first jobs (renewed when the index is rebuilt), and of every block
// of 64 the first job is known, so that a search that has found something passes over nearly all that follows.  Where
// queues know a volume, classes of like demands and volumes share a block instead, for those who reckon with blocks.
//
// Cost with C classes and R resources: push, pop O(log n), and O(R) with an amortised rebuild of O(R + log C) for a class
// that comes or goes; a search O(R) to choose its slices, O(R C / 64) word operations at worst, and a comparison of R amounts
// for every class that passes the slices and comes before the best one found.  Memory O(R C), where C counts emptied
// classes too until the index shrinks.  Where all demand vectors differ every class is one job; bench/ shows the price.
// Jobs that may not use every machine add O(machines) to a class that comes, and C / 8 bytes for each machine that they
// name; where all jobs may use all machines there is nothing of this.
//
// Invariants: every class stands at exactly one leaf, and live_ holds those with waiting jobs; the first job of a block
// is the first of its live leaves, and top_, lead_ and least_cost_ repeat what the queue of a leaf says.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/index/class_queue.hpp"
#include "schedcore/index/demand_slices.hpp"
#include "schedcore/index/eligibility.hpp"
#include "schedcore/index/eligible_slots.hpp"
#include "schedcore/index/fit.hpp"
#include "schedcore/index/nearby_order.hpp"

namespace schedcore {

// A queue that knows the least cost of its jobs.
template <class Queue>
concept KnowsLeastCost = requires(const Queue& queue) { queue.least_cost(); };

// A queue of which it is known how much its jobs are, and so an index that keeps classes near those that are like them.
template <class Queue>
concept KnowsVolume = requires(const Queue& queue) { queue.volume(); };

struct AnyCost {
  bool operator()(double /*cost*/) const { return true; }
};

template <class Queue>
class WaitingIndex {
 public:
  using Leaf = std::uint32_t;
  static constexpr bool kHasCost = KnowsLeastCost<Queue>;
  static constexpr std::size_t kBlock = 64;
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
  [[nodiscard]] Eligibility eligibility(Leaf leaf) const {
    return eligibility_.empty() ? Eligibility() : eligibility_[leaf];
  }

  // The least cost of the class's jobs, without a look at its queue.
  [[nodiscard]] double least_cost_of(Leaf leaf) const
    requires kHasCost
  {
    return least_cost_[leaf];
  }

  void push(const WaitingJob& job, std::span<const Amount> demand, double cost = 0, const Eligibility& eligibility = {}) {
    const Leaf leaf = leaf_for(demand, eligibility);
    queues_[leaf].insert(job, cost);
    ++n_waiting_;
    if constexpr (kHasCost) {
      least_cost_[leaf] = std::min(least_cost_[leaf], cost);
      block_least_cost_[leaf / kBlock] = std::min(block_least_cost_[leaf / kBlock], cost);
    }
    if (!is_live(leaf) || job.priority < top_[leaf]) {
      n_live_ += is_live(leaf) ? 0 : 1;
      live_[leaf / kBlock] |= bit(leaf);
      set_top(leaf, job.priority);
      if (first_[leaf / kBlock] == kNoLeaf || job.priority < top_[first_[leaf / kBlock]]) first_[leaf / kBlock] = leaf;
    }
  }

  // May renumber the leaves.
  void erase(Leaf leaf, const Priority& priority) {
    const bool was_top = top_[leaf] == priority;
    queues_[leaf].erase(priority);
    --n_waiting_;
    if (note_erased(leaf, was_top)) shrink();
  }

  // Takes every job for which gone(job) holds out of these classes, each of which is named once and has jobs that wait.
  // O(their jobs).  May renumber the leaves.
  template <class Gone>
  void erase_where(std::span<const Leaf> leaves, const Gone& gone) {
    bool any_empty = false;
    for (const Leaf leaf : leaves) {
      n_waiting_ -= queues_[leaf].erase_where(gone);
      any_empty |= note_erased(leaf, queues_[leaf].empty() || queues_[leaf].top().priority != top_[leaf]);
    }
    if (any_empty) shrink();
  }

  // The leaf of a class that holds at least one waiting job.
  [[nodiscard]] Leaf leaf_of(std::span<const Amount> demand, const Eligibility& eligibility = {}) const {
    return table_[slot_of(demand, eligibility)];
  }

  // The first waiting job in priority order that fits, and that may use the machine if one is named; the searches below
  // alike.
  [[nodiscard]] Found first_fit(std::span<const Amount> available, std::size_t machine = kNoMachine) const {
    return first_offer(available, [this](Leaf leaf) { return &queues_[leaf].top(); }, AnyCost(), machine);
  }

  // Whether some waiting job fits, likewise.
  [[nodiscard]] bool any_fits(std::span<const Amount> available, std::size_t machine = kNoMachine) const {
    return any_candidate_word(machine, available, [&](std::size_t block, std::uint64_t candidates) {
      for (; candidates != 0; candidates &= candidates - 1) {
        if (fits(demand_of(leaf_at(block, candidates)), available.data(), n_resources_)) return true;
      }
      return false;
    });
  }

  // The first waiting job in priority order that fits and whose cost passes; `passes` must hold for every cost below one
  // for which it holds, and whole blocks are skipped by their least cost.
  template <class Passes>
  [[nodiscard]] Found first_fit_where(std::span<const Amount> available, const Passes& passes,
                                      std::size_t machine = kNoMachine) const {
    return first_offer(available, [&](Leaf leaf) { return queues_[leaf].first_where(passes); }, passes, machine);
  }

  // The first job in priority order among those that `offer(leaf)` returns for the classes that fit: a pointer to the
  // class's first acceptable job, or null.  `offer` must accept no cost that fails `passes`.
  template <class Offer, class Passes = AnyCost>
  [[nodiscard]] Found first_offer(std::span<const Amount> available, const Offer& offer, const Passes& passes = {},
                                  std::size_t machine = kNoMachine) const {
    Found best;
    std::uint64_t lead = std::numeric_limits<std::uint64_t>::max();
    any_candidate_word(machine, available, [&](std::size_t block, std::uint64_t candidates) {
      if (best && !(top_[first_[block]] < best.job.priority)) return false;
      if constexpr (kHasCost) {
        if (!passes(block_least_cost_[block])) return false;
      }
      for (; candidates != 0; candidates &= candidates - 1) {
        const Leaf leaf = leaf_at(block, candidates);
        if (lead_[leaf] > lead || (best && !(top_[leaf] < best.job.priority))) continue;
        if constexpr (kHasCost) {
          if (!passes(least_cost_[leaf])) continue;
        }
        if (!fits(demand_of(leaf), available.data(), n_resources_)) continue;
        const WaitingJob* offered = offer(leaf);
        if (offered != nullptr && (!best || *offered < best.job)) {
          best = {leaf, *offered};
          lead = offered->priority.high;
        }
      }
      return false;
    });
    return best;
  }

  // Calls visit(leaf) for every class with waiting jobs that fits.
  template <class Visit>
  void for_each_fitting_class(std::span<const Amount> available, const Visit& visit,
                              std::size_t machine = kNoMachine) const {
    any_candidate_word(machine, available, [&](std::size_t block, std::uint64_t candidates) {
      for (; candidates != 0; candidates &= candidates - 1) {
        const Leaf leaf = leaf_at(block, candidates);
        if (fits(demand_of(leaf), available.data(), n_resources_)) visit(leaf);
      }
      return false;
    });
  }

  // Calls visit(block, word) for every block of leaves with classes that may fit, and with the bits of these; no class
  // that fits is left out.
  template <class Visit>
  void for_each_candidate_block(std::span<const Amount> available, const Visit& visit,
                                std::size_t machine = kNoMachine) const {
    any_candidate_word(machine, available, [&](std::size_t block, std::uint64_t candidates) {
      visit(block, candidates);
      return false;
    });
  }

  // Puts classes near those that are like them again, if there are many and more than an eighth have come since.  May renumber
  // the leaves.  O(n log n), so O(log n) for each of those that came.
  void regroup()
    requires KnowsVolume<Queue>
  {
    // A rebuild gives classes the first half of the leaves.
    if (n_used_ > kWorthGrouping && n_used_ > n_leaves_ / 2 + n_leaves_ / 16) rebuild(2 * n_live_);
  }
  // Another number whenever leaves may have been renumbered.
  [[nodiscard]] std::uint64_t layout() const { return layout_; }

  // For policies whose sums over classes depend on the order of the leaves: the leaves and those that have a class, live or
  // empty, and an index with the same ones, in which no job waits.  `demands` is row-major; `eligibility` may be empty if
  // every job may use every machine.
  [[nodiscard]] std::size_t n_resources() const { return n_resources_; }
  [[nodiscard]] std::size_t n_leaves() const { return n_leaves_; }
  [[nodiscard]] std::size_t n_used() const { return n_used_; }
  // Whether an index can have come to so many leaves.
  [[nodiscard]] static bool may_have(std::size_t n_leaves, std::size_t n_used, std::size_t n_live) {
    return n_leaves % kBlock == 0 && n_leaves >= kSmallest && n_leaves - kSmallest <= kFewLive * n_live &&
           n_used <= n_leaves;
  }
  void lay_out(std::size_t n_leaves, std::vector<Amount> demands, std::vector<Eligibility> eligibility = {}) {
    ++layout_;
    n_leaves_ = n_leaves;
    eligibility_ = std::move(eligibility);
    demands_ = std::move(demands);
    demands_.reserve(n_leaves_ * n_resources_);
    n_used_ = n_resources_ == 0 ? 0 : demands_.size() / n_resources_;
    n_live_ = n_waiting_ = 0;
    queues_ = std::vector<Queue>(n_leaves_);
    slices_ = DemandSlices(n_resources_, n_leaves_, demands_);
    table_.assign(std::bit_ceil(4 * n_leaves_), kNoLeaf);
    live_.assign(slices_.n_words(), 0);
    eligible_ = EligibleSlots(slices_.n_words());
    for (Leaf leaf = 0; leaf < eligibility_.size(); ++leaf) eligible_.add(leaf, eligibility_[leaf]);
    top_.assign(n_leaves_, {});
    lead_.assign(n_leaves_, 0);
    first_.assign(n_leaves_ / kBlock, kNoLeaf);
    if constexpr (kHasCost) {
      least_cost_.assign(n_leaves_, kNever);
      block_least_cost_.assign(n_leaves_ / kBlock, kNever);
    }
    for (Leaf leaf = 0; leaf < n_used_; ++leaf) table_[slot_of(demand(leaf), this->eligibility(leaf))] = leaf;
  }

  void check_invariants() const {
    std::size_t waiting = 0;
    std::size_t live = 0;
    for (Leaf leaf = 0; leaf < n_used_; ++leaf) {
      waiting += queues_[leaf].size();
      live += is_live(leaf) ? 1 : 0;
      if (table_[slot_of(demand(leaf), eligibility(leaf))] != leaf) throw std::logic_error("WaitingIndex: class table");
      for (const std::uint32_t machine : eligibility(leaf).machines()) {
        if ((eligible_.word(machine, leaf / kBlock) & bit(leaf)) == 0) throw std::logic_error("WaitingIndex: eligibility");
      }
      if (is_live(leaf) == queues_[leaf].empty()) throw std::logic_error("WaitingIndex: live classes");
      if (is_live(leaf) && (top_[leaf] != queues_[leaf].top().priority || lead_[leaf] != top_[leaf].high)) {
        throw std::logic_error("WaitingIndex: first of a class");
      }
      if constexpr (kHasCost) {
        if (least_cost_[leaf] != least_cost(leaf)) throw std::logic_error("WaitingIndex: least cost");
      }
      slices_.check_slot(leaf, demand_of(leaf));
    }
    if (live != n_live_) throw std::logic_error("WaitingIndex: number of live classes");
    if (waiting != n_waiting_) throw std::logic_error("WaitingIndex: number of waiting jobs");
    for (std::size_t block = 0; block < first_.size(); ++block) {
      if (first_[block] != first_of_block(block)) throw std::logic_error("WaitingIndex: first of a block");
      if constexpr (kHasCost) {
        if (block_least_cost_[block] != least_cost_of_block(block)) {
          throw std::logic_error("WaitingIndex: least cost of a block");
        }
      }
    }
  }

 private:
  static constexpr std::size_t kSmallest = kBlock;
  static constexpr std::size_t kWorthGrouping = 2048;  // classes; of fewer a search costs little anyhow
  static constexpr std::size_t kFewLive = 8;  // one live leaf in so many: the index shrinks

  [[nodiscard]] const Amount* demand_of(Leaf leaf) const { return demands_.data() + leaf * n_resources_; }
  // The first of a block whose bit is set in the word.
  [[nodiscard]] static Leaf leaf_at(std::size_t block, std::uint64_t word) {
    return static_cast<Leaf>(block * kBlock + static_cast<std::size_t>(std::countr_zero(word)));
  }
  [[nodiscard]] static std::uint64_t bit(Leaf leaf) { return std::uint64_t{1} << (leaf % kBlock); }
  [[nodiscard]] bool is_live(Leaf leaf) const { return (live_[leaf / kBlock] & bit(leaf)) != 0; }

  void set_top(Leaf leaf, const Priority& priority) {
    top_[leaf] = priority;
    lead_[leaf] = priority.high;
  }

  [[nodiscard]] Leaf first_of_block(std::size_t block) const {
    Leaf first = kNoLeaf;
    for (std::uint64_t left = live_[block]; left != 0; left &= left - 1) {
      const Leaf leaf = leaf_at(block, left);
      if (first == kNoLeaf || (lead_[leaf] <= lead_[first] && top_[leaf] < top_[first])) first = leaf;
    }
    return first;
  }

  // After jobs of the class have gone, its first one among them or not.  Returns whether none is left.
  bool note_erased(Leaf leaf, bool was_top) {
    const bool is_empty = queues_[leaf].empty();
    if (is_empty) {
      live_[leaf / kBlock] &= ~bit(leaf);
      --n_live_;
    }
    if (was_top) {
      if (!is_empty) set_top(leaf, queues_[leaf].top().priority);
      if (first_[leaf / kBlock] == leaf) first_[leaf / kBlock] = first_of_block(leaf / kBlock);
    }
    if constexpr (kHasCost) refresh_cost(leaf);
    return is_empty;
  }
  void shrink() {
    if (n_leaves_ > kSmallest && kFewLive * n_live_ < n_leaves_) rebuild(2 * n_live_);
  }

  [[nodiscard]] double least_cost(Leaf leaf) const { return queues_[leaf].empty() ? kNever : queues_[leaf].least_cost(); }
  [[nodiscard]] double least_cost_of_block(std::size_t block) const {
    return *std::min_element(least_cost_.begin() + static_cast<std::ptrdiff_t>(block * kBlock),
                             least_cost_.begin() + static_cast<std::ptrdiff_t>((block + 1) * kBlock));
  }
  // After a job of the class has gone.
  void refresh_cost(Leaf leaf) {
    const double before = least_cost_[leaf];
    least_cost_[leaf] = least_cost(leaf);
    if (least_cost_[leaf] > before && block_least_cost_[leaf / kBlock] == before) {
      block_least_cost_[leaf / kBlock] = least_cost_of_block(leaf / kBlock);
    }
  }

  // As DemandSlices says, of live leaves that may use the machine.
  template <class Stops>
  bool any_candidate_word(std::size_t machine, std::span<const Amount> available, const Stops& stops) const {
    const std::uint64_t* const live = live_.data();
    if (machine == kNoMachine || eligible_.all_everywhere()) {
      return slices_.any_candidate_word([live](std::size_t i) { return live[i]; }, available.data(), stops);
    }
    const auto among = [this, live, machine](std::size_t i) { return live[i] & eligible_.word(machine, i); };
    return slices_.any_candidate_word(among, available.data(), stops);
  }

  [[nodiscard]] bool is_allowed_as(Leaf leaf, const Eligibility& eligibility) const {
    return eligibility_.empty() ? eligibility.is_everywhere() : eligibility_[leaf] == eligibility;
  }
  [[nodiscard]] std::size_t slot_of(std::span<const Amount> demand, const Eligibility& eligibility) const {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL ^ eligibility.hash();
    for (const Amount amount : demand) {
      hash = (hash ^ static_cast<std::uint64_t>(amount)) * 0xBF58476D1CE4E5B9ULL;
      hash ^= hash >> 29;
    }
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(hash) & mask;
    while (table_[slot] != kNoLeaf && !(std::equal(demand.begin(), demand.end(), demand_of(table_[slot])) &&
                                        is_allowed_as(table_[slot], eligibility))) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  Leaf leaf_for(std::span<const Amount> demand, const Eligibility& eligibility) {
    std::size_t slot = slot_of(demand, eligibility);
    if (table_[slot] != kNoLeaf) return table_[slot];
    if (n_used_ == n_leaves_) {
      rebuild(2 * n_live_);
      slot = slot_of(demand, eligibility);
    }
    const auto leaf = static_cast<Leaf>(n_used_++);
    table_[slot] = leaf;
    demands_.insert(demands_.end(), demand.begin(), demand.end());
    slices_.add(leaf, demand.data());
    if (!eligibility.is_everywhere() || !eligibility_.empty()) {
      eligibility_.resize(leaf);
      eligibility_.push_back(eligibility);
      eligible_.add(leaf, eligibility);
    }
    return leaf;
  }

  // Drops empty classes and gives every live class a leaf in the order of their first jobs, or near those that are like
  // it, with room for new ones.
  void rebuild(std::size_t n_leaves) {
    std::vector<Leaf> live;
    for (Leaf leaf = 0; leaf < n_used_; ++leaf) {
      if (is_live(leaf)) live.push_back(leaf);
    }
    std::sort(live.begin(), live.end(), [&](Leaf a, Leaf b) { return top_[a] < top_[b]; });
    if constexpr (KnowsVolume<Queue>) {
      const auto coordinate = [&](Leaf leaf, std::size_t k) {
        return k == 0 ? queues_[leaf].volume() : static_cast<double>(demand_of(leaf)[k - 1]);
      };
      if (live.size() > kWorthGrouping) NearbyOrder(n_resources_ + 1, coordinate).arrange(std::span(live));
    }
    std::vector<Queue> queues;
    std::vector<Amount> demands;
    std::vector<Eligibility> eligibility;
    queues.reserve(live.size());
    demands.reserve(live.size() * n_resources_);
    for (const Leaf leaf : live) {
      queues.push_back(std::move(queues_[leaf]));
      demands.insert(demands.end(), demand_of(leaf), demand_of(leaf) + n_resources_);
      if (!eligibility_.empty()) eligibility.push_back(eligibility_[leaf]);
    }
    const auto is_everywhere = [](const Eligibility& each) { return each.is_everywhere(); };
    if (std::ranges::all_of(eligibility, is_everywhere)) eligibility.clear();
    const std::size_t n_waiting = n_waiting_;
    lay_out(std::max(kSmallest, (n_leaves + kBlock - 1) / kBlock * kBlock), std::move(demands),
            std::move(eligibility));
    n_live_ = n_used_;
    n_waiting_ = n_waiting;
    for (Leaf leaf = 0; leaf < n_used_; ++leaf) {
      queues_[leaf] = std::move(queues[leaf]);
      live_[leaf / kBlock] |= bit(leaf);
      set_top(leaf, queues_[leaf].top().priority);
      Leaf& first = first_[leaf / kBlock];
      if (first == kNoLeaf || top_[leaf] < top_[first]) first = leaf;
      if constexpr (kHasCost) {
        least_cost_[leaf] = least_cost(leaf);
        block_least_cost_[leaf / kBlock] = std::min(block_least_cost_[leaf / kBlock], least_cost_[leaf]);
      }
    }
  }

  std::size_t n_resources_ = 0;
  std::size_t n_leaves_ = 0;  // a multiple of kBlock
  std::size_t n_used_ = 0;    // leaves 0 .. n_used_ - 1 have a class, live or empty
  std::size_t n_live_ = 0;    // of those, the live ones
  std::size_t n_waiting_ = 0;
  std::uint64_t layout_ = 0;
  std::vector<Queue> queues_;
  std::vector<Amount> demands_;  // row-major, a row a used leaf
  std::vector<Eligibility> eligibility_;  // of every used leaf; empty while every job may use every machine
  DemandSlices slices_;
  EligibleSlots eligible_;
  std::vector<std::uint64_t> live_;       // a bit a leaf
  std::vector<Priority> top_;             // of every live leaf: its first job, side by side so that a search stays in cache
  std::vector<std::uint64_t> lead_;       // the first word of that job's priority, which nearly always decides
  std::vector<Leaf> first_;               // of every block: the live leaf whose top comes first
  std::vector<double> least_cost_;        // of every leaf, where queues know costs; kNever where no job waits
  std::vector<double> block_least_cost_;  // of every block
  std::vector<Leaf> table_;               // open addressing: demand vector -> leaf
};

}  // namespace schedcore
