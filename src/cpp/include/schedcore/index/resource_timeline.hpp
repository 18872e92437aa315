// The free amounts of a machine over time: a right-continuous step function that jobs reserve and release.
//
// Intervals are half-open.  Amounts are exact and may become negative where a running job outlives its plan; nothing
// fits there.  After every change neighbouring stretches differ, so the number k of breakpoints is the least possible
// and the cost does not depend on how many jobs made the function.
//
// Cost with R resources, amortised: earliest_fit O(R (b + log k + s log k)) where b stretches without room are stepped
// over one by one and s is the number of maximal runs of them; every other question and change O(R log k).  Memory
// O(R k).  A value type: copies are independent and cost one pass over the memory.
//
// A B+-tree: leaves hold up to kFanOut breakpoints and their rows side by side, inner entries the minima of a subtree and
// an amount that is added to all of it.  Measured against a treap with the same augmentation (k = 1000, R = 4), a reserve
// with its release takes half the time and first_shortage a third; against one sorted array scanned linearly, reserve and
// release are 0.7 times as fast at k = 10, 1.4 times at k = 1000 and 3.5 times at k = 4000 (bench/cpp/resource_timeline).
// For a timeline that never exceeds some ten breakpoints a sorted array is the better choice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

class ResourceTimeline {
 public:
  ResourceTimeline() : ResourceTimeline(std::span<const Amount>{}) {}
  // `capacity` is free from `origin` on.
  explicit ResourceTimeline(std::span<const Amount> capacity, Time origin = 0);

  // The function as its breakpoints: row i of `free` (row-major) holds on [time[i], time[i + 1]), the last one for ever.
  struct Stretches {
    std::vector<Time> time;
    std::vector<Amount> free;
  };
  [[nodiscard]] Stretches stretches() const;
  // Throws InvalidInstanceError unless the sizes agree and the times are finite and increase; equal neighbours merge.
  [[nodiscard]] static ResourceTimeline from_stretches(std::size_t n_resources, const Stretches& stretches);

  [[nodiscard]] std::size_t n_resources() const { return n_resources_; }
  // Where the function begins: the first breakpoint.
  [[nodiscard]] Time origin() const { return origin_; }
  // The number of breakpoints, the origin among them.
  [[nodiscard]] std::size_t n_breakpoints() const { return n_breakpoints_; }

  // free -= demand and free += demand on [start, end).  Requires origin() <= start < end; end may be kNever.
  void reserve(Time start, Time end, std::span<const Amount> demand);
  void release(Time start, Time end, std::span<const Amount> demand);

  // The free amounts at t, and their minima over [start, end).  Requires origin() <= t and origin() <= start < end.
  void free_at(Time t, std::span<Amount> out) const;
  void range_min(Time start, Time end, std::span<Amount> out) const;
  // Their maxima; O(R b) for the b breakpoints in the range.
  void range_max(Time start, Time end, std::span<Amount> out) const;

  // The earliest t >= from at which the demand does not fit, kNever if there is none.  Requires from >= origin().
  [[nodiscard]] Time first_shortage(Time from, std::span<const Amount> demand) const;
  // The earliest t that is `from` or in (from, until) at which the demand does not fit, and `available` set to what is
  // free there; kNever, and `available` as it was, if there is none.  Requires from >= origin().
  [[nodiscard]] Time shortage_before(Time from, Time until, std::span<const Amount> demand,
                                     std::span<Amount> available) const;

  // The earliest s >= not_before such that the demand fits at s and on all of [s, s + duration), the end being the double
  // s + duration; s is `not_before` or an instant at which availability rises; kNever if there is none (a demand above
  // the capacity), or none before `until`, beyond which nothing is looked for.  Requires not_before >= origin() and
  // duration >= 0.
  [[nodiscard]] Time earliest_fit(Time not_before, Time duration, std::span<const Amount> demand,
                                  Time until = kNever) const;

  // The earliest t from which on the demand fits for ever; origin() if it always fits, kNever if it never does.
  [[nodiscard]] Time room_for_good(std::span<const Amount> demand) const;
  // Whether the demand fits just before t.  Requires t > origin().
  [[nodiscard]] bool has_room_before(Time t, std::span<const Amount> demand) const;
  // The earliest x such that the demand fits on all of [x, t); t if it does not fit just before.  Requires t > origin().
  [[nodiscard]] Time room_since(Time t, std::span<const Amount> demand) const;
  // The first of the longest intervals on which the demand fits that meets [from, to); empty if none does.  Requires
  // origin() <= from < to.
  struct Gap {
    Time begin = kNever;
    Time end = kNever;
    [[nodiscard]] bool is_empty() const { return begin == kNever; }
  };
  [[nodiscard]] Gap first_gap(Time from, Time to, std::span<const Amount> demand) const;

  // Drops what lies before t, which becomes the origin; earlier instants may not be asked or changed any more.  No effect
  // for t <= origin().  Amortised O(1) a dropped breakpoint.
  void forget_before(Time t);

  // The first breakpoint after `after`, kNever if there is none.  Requires after >= origin().
  [[nodiscard]] Time next_change(Time after) const;

  // Throws std::logic_error unless what is said at the data members holds.
  void check_invariants() const;

 private:
  using Node = std::uint32_t;
  static constexpr std::size_t kFanOut = 16;
  static constexpr std::size_t kMaxLevels = 24;

  // Entry i of node n stands at n kFanOut + i.  On level 0 an entry is a breakpoint and `low` its row; above, it is a
  // node of the level below, `key` that node's first breakpoint, `shift` what is to be added to all of it, and `low` the
  // minima of its entries' `low` plus `shift`.  So the free amounts are a leaf's row plus the shifts on the path to it.
  struct Level {
    std::vector<Time> key;            // increasing; kNever beyond `size`
    std::vector<Amount> low;          // a row an entry
    std::vector<Amount> shift;        // a row an entry; empty on level 0
    std::vector<Node> child;          // empty on level 0
    std::vector<std::uint32_t> size;  // entries of a node; 0 if unused
    std::vector<Node> unused;         // nodes to take before new ones
  };
  struct Step {
    Node node;
    std::uint32_t position;
    [[nodiscard]] std::size_t entry() const { return node * kFanOut + position; }
  };
  using Path = std::array<Step, kMaxLevels>;  // by level, leaf first

  template <class Width>
  class Cursor;

  // Queries (resource_timeline.cpp).
  [[nodiscard]] static std::size_t keys_up_to(const Level& level, Node node, Time t);
  [[nodiscard]] static std::size_t keys_before(const Level& level, Node node, Time t);
  [[nodiscard]] Node child(std::size_t level, Step step) const { return levels_[level].child[step.entry()]; }
  [[nodiscard]] std::uint32_t size(std::size_t level, Step step) const { return levels_[level].size[step.node]; }
  void seek(Time t, Path& path) const;
  template <bool of_minima, class Width, class Take>
  void fold(std::size_t level, Node node, Time start, Time end, Amount* shift, Amount* out, Width width,
            const Take& take) const;
  template <bool of_minima, class Take>
  void fold_range(Time start, Time end, std::span<Amount> out, Amount first, const Take& take) const;

  // Changes of the amounts (resource_timeline_changes.cpp).
  void change(Time start, Time end, const Amount* by);
  template <class Width>
  void add(std::size_t level, Node node, Time upper, Time start, Time end, const Amount* by, Width width);
  void split_at(Time t);
  void merge_at(Time t);
  [[nodiscard]] bool equals_predecessor(const Path& path) const;

  // Changes of the tree (resource_timeline_tree.cpp).
  [[nodiscard]] Node new_node(std::size_t level);
  void add_root_level();
  void copy_entries(std::size_t level, std::size_t from, std::size_t to, std::size_t count);
  void refresh_minima(std::size_t level, std::size_t entry);
  void open_gap(std::size_t level, Path& path);
  void split_node(std::size_t level, Path& path);
  void erase(std::size_t level, Path& path);
  void erase_entry(std::size_t level, Step step);
  void join_with_next(std::size_t level, Step parent);
  void shift_entries(std::size_t level, std::size_t first, std::size_t count, const Amount* by);
  void free_node(std::size_t level, Node node);
  void drop_subtree(std::size_t level, Node node);
  void shrink_root();

  std::size_t n_resources_ = 0;
  std::size_t n_breakpoints_ = 0;
  Time origin_ = 0;
  Node root_ = 0;
  std::vector<Level> levels_;  // leaves first; the last level has the root alone
};

}  // namespace schedcore
