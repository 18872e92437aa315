// When machines have room for tasks of a class, over all time to come: gaps, each of so many tasks from one instant to
// another.  A machine that has room for three tasks, then for one, is a gap of one task and, before the others are gone, one
// of two.
//
// So many tasks of a job have room together as there are in the gaps around its window.  A search reads the gaps that are
// long enough, which are few where machines are busy, in place of the futures of all machines.
//
// A class is brought up to date before it is read: groups of machines that have changed since are looked at anew, and those
// of their gaps that are others now are replaced.  That pays for classes that are asked again and again, as those that
// several waiting jobs share.
//
// Cost: O(changes) to see which groups changed since, O(groups) after many; O(k R) for the k breakpoints of one that did, its
// machines if the class may not use all, and for a gap without end a move in an array of those.  A search reads gaps of half
// its duration at least, and those without end that begin in time; O(P log P) for P that hold the window.  Memory 9 KB for
// each class that has been asked, and there about 100 bytes a gap and 4 a group.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/gangs/machine_groups.hpp"
#include "schedcore/index/gang_classes.hpp"

namespace schedcore {

class GapTable {
 public:
  using Class = GangClasses::Class;
  using Group = MachineGroups::Group;

  struct Gap {
    Time begin = 0;  // -kNever: before anybody asks
    Time end = 0;
    Amount n_tasks = 0;
  };

  void bring_up_to_date(Class of, const MachineGroups& groups, const GangClasses& classes);

  // No fewer than the tasks of the class in gaps that hold a window which begins in [from, until) and lasts so long.
  [[nodiscard]] Amount count(Class of, Time duration, Time from, Time until) const;

  // From when on so many tasks have room for good; kNever if they never have.
  [[nodiscard]] Time first_endless(Class of, Amount n_tasks) const;

  // A search, of a class that is up to date, goes in steps.  First the gaps that hold a window which begins in [from, until)
  // and lasts until end_of(begin); it does not decrease, and is no less than the begin plus `duration`.  Returns their tasks.
  template <class EndOf>
  Amount collect(Class of, Time duration, Time from, Time until, const EndOf& end_of);
  // Then others beside them, if any.
  template <class EndOf>
  void add(const Gap& gap, Time duration, Time from, Time until, const EndOf& end_of);
  // Then the first instant at which so many tasks have room together; kNever if there is none.
  template <class EndOf>
  [[nodiscard]] Time first_instant(Amount n_tasks, const EndOf& end_of);
  // No instant before that one has room for more tasks than so many, which is less than was asked for.
  [[nodiscard]] Amount most_together() const { return n_most_; }

  // Of a class that is up to date: visit(group, n_tasks) for each gap around [start, end), so many on each of its machines.
  template <class Visit>
  void for_each_around(Class of, Time start, Time end, const Visit& visit) const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // Two for each power of two.
  static constexpr std::size_t kLengths = 128;
  static constexpr std::uint8_t kEndless = 255;

  struct Span {
    Time begin = 0;
    Time end = 0;
  };
  // Gaps of about the same length, in no order.  When they are is what a search reads of most of them.
  struct Rows {
    std::vector<Span> spans;
    std::vector<Amount> tasks;  // on all machines of the group
    std::vector<std::uint32_t> nodes;
  };
  // A gap without end.
  struct Endless {
    Time begin = 0;
    std::uint32_t node = 0;
    friend bool operator<(const Endless& a, const Endless& b) { return std::tie(a.begin, a.node) < std::tie(b.begin, b.node); }
  };
  // A gap of a group, in a chain in the order in which they close, and where its row is.
  struct Node {
    Gap gap;  // the tasks of one machine
    Amount on_all = 0;
    Group group = 0;
    std::uint32_t next = kNone;
    std::uint32_t position = 0;  // in its rows
    std::uint8_t length = 0;
  };
  struct OfClass {
    std::uint64_t generation = ~std::uint64_t{0};
    std::uint64_t n_changes = 0;  // of the groups, when it was brought up to date
    std::array<Rows, kLengths> rows;
    std::array<std::uint64_t, kLengths / 64> has_rows{};  // a bit for each length
    std::vector<Endless> endless;  // by begin
    std::vector<Node> nodes;
    std::vector<std::uint32_t> unused;
    std::vector<std::uint32_t> first;  // node, by group

    [[nodiscard]] std::uint32_t& link_behind(std::uint32_t node, Group group) {
      return node == kNone ? first[group] : nodes[node].next;
    }
  };

  // Which rows hold gaps of this length; one that ends by `end` may lose so much by rounding.
  [[nodiscard]] static std::size_t length_of(Time duration);
  [[nodiscard]] static Time longest(const Gap& gap);
  // The first length from this one on that has rows; kLengths if there is none.
  [[nodiscard]] static std::size_t next_length(const OfClass& each, std::size_t length) {
    for (std::size_t word = length / 64; word < each.has_rows.size(); ++word, length = word * 64) {
      const std::uint64_t bits = each.has_rows[word] >> (length % 64);
      if (bits != 0) return length + static_cast<std::size_t>(std::countr_zero(bits));
    }
    return kLengths;
  }

  // Both are computed, as neither is foreseen by a processor.
  [[nodiscard]] static bool may_hold(Time begin, Time end, Time duration, Time from, Time until) {
    const Time start = std::max(from, begin);
    return (static_cast<unsigned>(start < until) & static_cast<unsigned>(start + duration <= end)) != 0;
  }

  // No fewer than the tasks that have room together at any instant, by parts of the time in which the windows begin.
  [[nodiscard]] Amount most_in_parts() const;
  // Leaves those of one machine in found_, in the order in which they close.
  void find_gaps(Class of, Group group, const MachineGroups& groups, const GangClasses& classes);
  // `now` is when gaps that are open have begun, as far as anybody cares.
  static void replace(OfClass& each, Group group, std::span<const Gap> gaps, Amount n_machines, Time now);
  // Each in its row and the node, but not in a chain.
  [[nodiscard]] static std::uint32_t insert(OfClass& each, Group group, const Gap& gap, Amount n_machines, Time now);
  static void remove(OfClass& each, std::uint32_t node);

  std::vector<OfClass> classes_;

  // Scratch.
  std::vector<Gap> found_;  // in a search: from the first start within them on
  Amount n_found_ = 0;
  Amount n_most_ = 0;
  Time from_ = 0;
  Time until_ = 0;
  Time duration_ = 0;
  std::vector<Gap> open_;
};

template <class EndOf>
Amount GapTable::collect(Class of, Time duration, Time from, Time until, const EndOf& end_of) {
  found_.clear();
  n_found_ = 0;
  from_ = from;
  until_ = until;
  duration_ = duration;
  const OfClass& each = classes_[of];
  for (std::size_t length = next_length(each, length_of(duration)); length < kLengths; length = next_length(each, length + 1)) {
    const Rows& rows = each.rows[length];
    for (std::size_t i = 0; i < rows.spans.size(); ++i) {
      const auto [begin, end] = rows.spans[i];
      if (may_hold(begin, end, duration, from, until)) add({begin, end, rows.tasks[i]}, duration, from, until, end_of);
    }
  }
  for (const Endless& one : each.endless) {
    if (one.begin >= until) break;
    add({one.begin, kNever, each.nodes[one.node].on_all}, duration, from, until, end_of);
  }
  return n_found_;
}

template <class EndOf>
void GapTable::add(const Gap& gap, Time duration, Time from, Time until, const EndOf& end_of) {
  const Time start = std::max(from, gap.begin);
  if (!may_hold(gap.begin, gap.end, duration, from, until) || gap.end < end_of(start)) return;
  found_.push_back({start, gap.end, gap.n_tasks});
  n_found_ += gap.n_tasks;
}

template <class EndOf>
Time GapTable::first_instant(Amount n_tasks, const EndOf& end_of) {
  n_most_ = n_found_ < n_tasks ? n_found_ : most_in_parts();
  if (n_most_ < n_tasks) return kNever;
  n_most_ = 0;
  const auto begins_later = [](const Gap& a, const Gap& b) { return a.begin > b.begin; };
  const auto ends_later = [](const Gap& a, const Gap& b) { return a.end > b.end; };
  std::ranges::make_heap(found_, begins_later);
  open_.clear();
  Amount n_open = 0;
  Amount n_left = n_found_;  // open, or to come
  while (!found_.empty()) {
    if (n_left < n_tasks) {
      n_most_ = std::max(n_most_, n_left);
      return kNever;
    }
    const Time start = found_.front().begin;
    for (; !found_.empty() && found_.front().begin == start; found_.pop_back()) {
      n_open += found_.front().n_tasks;
      open_.push_back(found_.front());
      std::ranges::push_heap(open_, ends_later);
      std::ranges::pop_heap(found_, begins_later);
    }
    if (n_open <= n_most_) continue;
    const Time end = end_of(start);
    for (; !open_.empty() && open_.front().end < end; open_.pop_back()) {
      n_open -= open_.front().n_tasks;
      n_left -= open_.front().n_tasks;
      std::ranges::pop_heap(open_, ends_later);
    }
    if (n_open >= n_tasks) return start;
    n_most_ = std::max(n_most_, n_open);
  }
  return kNever;
}

template <class Visit>
void GapTable::for_each_around(Class of, Time start, Time end, const Visit& visit) const {
  const OfClass& each = classes_[of];
  for (std::size_t length = next_length(each, length_of(end - start)); length < kLengths; length = next_length(each, length + 1)) {
    const Rows& rows = each.rows[length];
    for (std::size_t i = 0; i < rows.spans.size(); ++i) {
      const auto [first, last] = rows.spans[i];
      if (first > start || end > last) continue;
      const Node& node = each.nodes[rows.nodes[i]];
      visit(node.group, node.gap.n_tasks);
    }
  }
  for (const Endless& one : each.endless) {
    if (one.begin > start) break;
    const Node& node = each.nodes[one.node];
    visit(node.group, node.gap.n_tasks);
  }
}

}  // namespace schedcore
