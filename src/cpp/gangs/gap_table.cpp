#include "schedcore/gangs/gap_table.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>

namespace schedcore {

// By the exponent and the first bit behind it, from 2^-20 to 2^43.
std::size_t GapTable::length_of(Time duration) {
  constexpr std::uint64_t kFirst = (1023 - 20) * 2;
  const std::uint64_t halves = std::bit_cast<std::uint64_t>(duration) >> 51;
  return std::min<std::size_t>(halves > kFirst ? halves - kFirst : 0, kLengths - 1);
}

Time GapTable::longest(const Gap& gap) {
  return gap.end - gap.begin + gap.end * (4 * std::numeric_limits<Time>::epsilon());
}

void GapTable::bring_up_to_date(Class of, const MachineGroups& groups, const GangClasses& classes) {
  if (of >= classes_.size()) classes_.resize(of + 1);
  OfClass& each = classes_[of];
  if (each.generation != classes.generation(of)) {
    each = {};
    each.generation = classes.generation(of);
  } else if (each.n_changes == groups.n_changes()) {
    return;
  }
  each.first.resize(groups.n_numbers(), kNone);
  const Eligibility& eligibility = classes.eligibility(of);
  groups.for_each_changed_since(each.n_changes, [&](Group group) {
    Amount n_machines = static_cast<Amount>(groups.n_machines_of(group));
    if (!eligibility.is_everywhere()) {
      n_machines = std::ranges::count_if(groups.machines_of(group), [&](auto machine) { return eligibility.allows(machine); });
    }
    found_.clear();
    if (n_machines > 0) find_gaps(of, group, groups, classes);
    replace(each, group, found_, n_machines, n_machines > 0 ? groups.timeline(group).begin_of(0) : 0);
  });
  each.n_changes = groups.n_changes();
}

// Without a branch, as what the next gap will say is not foreseen by a processor.
Amount GapTable::count(Class of, Time duration, Time from, Time until) const {
  const OfClass& each = classes_[of];
  Amount n_tasks = 0;
  for (std::size_t length = next_length(each, length_of(duration)); length < kLengths; length = next_length(each, length + 1)) {
    const Rows& rows = each.rows[length];
    for (std::size_t i = 0; i < rows.spans.size(); ++i) {
      const auto [begin, end] = rows.spans[i];
      n_tasks += rows.tasks[i] & -static_cast<Amount>(may_hold(begin, end, duration, from, until));
    }
  }
  for (const Endless& one : each.endless) {
    if (one.begin >= until) break;
    n_tasks += each.nodes[one.node].on_all;
  }
  return n_tasks;
}

Time GapTable::first_endless(Class of, Amount n_tasks) const {
  const OfClass& each = classes_[of];
  for (const Endless& one : each.endless) {
    n_tasks -= each.nodes[one.node].on_all;
    if (n_tasks <= 0) return one.begin;
  }
  return kNever;
}

// Doubles round alike, so no window is in an earlier part than one that begins before it.
Amount GapTable::most_in_parts() const {
  constexpr std::size_t kParts = 32;
  const Time per_part = (until_ - from_) / kParts;
  if (!(per_part > 0) || per_part == kNever) return n_found_;
  const auto part_of = [&](Time t) { return static_cast<std::size_t>(std::clamp((t - from_) / per_part, 0.0, kParts - 1.0)); };
  std::array<Amount, kParts + 1> change{};
  for (const Gap& gap : found_) {
    const Time last = gap.end < kNever ? gap.end - duration_ + gap.end * (4 * std::numeric_limits<Time>::epsilon()) : until_;
    change[part_of(gap.begin)] += gap.n_tasks;
    change[part_of(last) + 1] -= gap.n_tasks;
  }
  Amount n_tasks = 0;
  Amount n_most = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    n_tasks += change[part];
    n_most = std::max(n_most, n_tasks);
  }
  return n_most;
}

// Gaps that are open at a stretch lie within each other; those of more tasks than there is room for now end.
void GapTable::find_gaps(Class of, Group group, const MachineGroups& groups, const GangClasses& classes) {
  open_.clear();
  const std::uint32_t machine = groups.any_machine_of(group);
  const ShortTimeline& timeline = groups.timeline(group);
  Amount n_open = 0;
  const auto go_to = [&](Time t, Amount room) {
    while (n_open > room) {
      Gap& last = open_.back();
      const Amount n_closed = std::min(last.n_tasks, n_open - room);
      found_.push_back({last.begin, t, n_closed});
      n_open -= n_closed;
      last.n_tasks -= n_closed;
      if (last.n_tasks == 0) open_.pop_back();
    }
    if (room > n_open) open_.push_back({t, kNever, room - n_open});
    n_open = room;
  };
  for (std::size_t stretch = 0; stretch < timeline.size(); ++stretch) {
    go_to(stretch == 0 ? -kNever : timeline.begin_of(stretch), std::min(classes.room(of, machine, timeline.row(stretch)), kMostTasks));
  }
  go_to(kNever, 0);
}

// A change of a machine leaves most of its gaps as they were.
void GapTable::replace(OfClass& each, Group group, std::span<const Gap> gaps, Amount n_machines, Time now) {
  const auto closes_before = [](const Gap& a, const Gap& b) { return a.end < b.end || (a.end == b.end && a.begin > b.begin); };
  std::uint32_t last = kNone;  // the node of the gap before
  const auto drop_next = [&] {
    const std::uint32_t node = each.link_behind(last, group);
    each.link_behind(last, group) = each.nodes[node].next;
    remove(each, node);
  };
  for (const Gap& gap : gaps) {
    std::uint32_t next = each.link_behind(last, group);
    for (; next != kNone && closes_before(each.nodes[next].gap, gap); next = each.link_behind(last, group)) drop_next();
    if (next == kNone || closes_before(gap, each.nodes[next].gap)) {
      const std::uint32_t node = insert(each, group, gap, n_machines, now);
      each.nodes[node].next = next;
      each.link_behind(last, group) = node;
      last = node;
      continue;
    }
    Node& same = each.nodes[next];
    same.gap.n_tasks = gap.n_tasks;
    same.on_all = gap.n_tasks * n_machines;
    if (same.length != kEndless) each.rows[same.length].tasks[same.position] = same.on_all;
    last = next;
  }
  while (each.link_behind(last, group) != kNone) drop_next();
}

std::uint32_t GapTable::insert(OfClass& each, Group group, const Gap& gap, Amount n_machines, Time now) {
  std::uint32_t number = 0;
  if (each.unused.empty()) {
    number = static_cast<std::uint32_t>(each.nodes.size());
    each.nodes.emplace_back();
  } else {
    number = each.unused.back();
    each.unused.pop_back();
  }
  Node& node = each.nodes[number];
  node.gap = gap;
  node.on_all = gap.n_tasks * n_machines;
  node.group = group;
  if (gap.end == kNever) {
    node.length = kEndless;
    const Endless one{gap.begin, number};
    each.endless.insert(std::ranges::lower_bound(each.endless, one, std::less()), one);
    return number;
  }
  const std::size_t length = length_of(longest({std::max(gap.begin, now), gap.end, gap.n_tasks}));
  Rows& rows = each.rows[length];
  node.length = static_cast<std::uint8_t>(length);
  node.position = static_cast<std::uint32_t>(rows.spans.size());
  rows.spans.push_back({gap.begin, gap.end});
  rows.tasks.push_back(node.on_all);
  rows.nodes.push_back(number);
  each.has_rows[length / 64] |= std::uint64_t{1} << (length % 64);
  return number;
}

void GapTable::remove(OfClass& each, std::uint32_t node) {
  const Node& here = each.nodes[node];
  each.unused.push_back(node);
  if (here.length == kEndless) {
    const Endless one{here.gap.begin, node};
    each.endless.erase(std::ranges::lower_bound(each.endless, one, std::less()));
    return;
  }
  Rows& rows = each.rows[here.length];
  rows.spans[here.position] = rows.spans.back();
  rows.tasks[here.position] = rows.tasks.back();
  rows.nodes[here.position] = rows.nodes.back();
  each.nodes[rows.nodes.back()].position = here.position;
  rows.spans.pop_back();
  rows.tasks.pop_back();
  rows.nodes.pop_back();
  if (rows.spans.empty()) each.has_rows[here.length / 64] &= ~(std::uint64_t{1} << (here.length % 64));
}

}  // namespace schedcore
