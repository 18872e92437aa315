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
  for (Group group = 0; group < groups.n_numbers(); ++group) {
    if (groups.changed_at(group) <= each.n_changes) continue;
    remove(each, group);
    Amount n_machines = static_cast<Amount>(groups.n_machines_of(group));
    if (!eligibility.is_everywhere()) {
      n_machines = std::ranges::count_if(groups.machines_of(group), [&](auto machine) { return eligibility.allows(machine); });
    }
    if (n_machines == 0) continue;
    find_gaps(of, group, groups, classes);
    for (const Gap& gap : found_) insert(each, group, gap, n_machines);
  }
  each.n_changes = groups.n_changes();
}

// Gaps that are open at a stretch lie within each other; those of more tasks than there is room for now end.
void GapTable::find_gaps(Class of, Group group, const MachineGroups& groups, const GangClasses& classes) {
  found_.clear();
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
    go_to(timeline.begin_of(stretch), std::min(classes.room(of, machine, timeline.row(stretch)), kMostTasks));
  }
  go_to(kNever, 0);
}

void GapTable::insert(OfClass& each, Group group, const Gap& gap, Amount n_machines) {
  std::uint32_t node = 0;
  if (each.unused.empty()) {
    node = static_cast<std::uint32_t>(each.nodes.size());
    each.nodes.emplace_back();
  } else {
    node = each.unused.back();
    each.unused.pop_back();
  }
  each.nodes[node].next = each.first[group];
  each.first[group] = node;
  const Tasks tasks{gap.n_tasks * n_machines, gap.n_tasks, group, node};
  if (gap.end == kNever) {
    each.nodes[node].length = kEndless;
    each.nodes[node].begin = gap.begin;
    each.nodes[node].tasks = tasks;
    const Endless one{gap.begin, node};
    each.endless.insert(std::ranges::lower_bound(each.endless, one, std::less()), one);
    return;
  }
  const std::size_t length = length_of(longest(gap));
  Rows& rows = each.rows[length];
  each.nodes[node].length = static_cast<std::uint8_t>(length);
  each.nodes[node].position = static_cast<std::uint32_t>(rows.spans.size());
  rows.spans.push_back({gap.begin, gap.end});
  rows.tasks.push_back(tasks);
  each.has_rows[length / 64] |= std::uint64_t{1} << (length % 64);
}

void GapTable::remove(OfClass& each, Group group) {
  for (std::uint32_t node = each.first[group]; node != kNone; node = each.nodes[node].next) {
    const Node& here = each.nodes[node];
    each.unused.push_back(node);
    if (here.length == kEndless) {
      const Endless one{here.begin, node};
      each.endless.erase(std::ranges::lower_bound(each.endless, one, std::less()));
      continue;
    }
    Rows& rows = each.rows[here.length];
    rows.spans[here.position] = rows.spans.back();
    rows.tasks[here.position] = rows.tasks.back();
    each.nodes[rows.tasks.back().node].position = here.position;
    rows.spans.pop_back();
    rows.tasks.pop_back();
    if (rows.spans.empty()) each.has_rows[here.length / 64] &= ~(std::uint64_t{1} << (here.length % 64));
  }
  each.first[group] = kNone;
}

}  // namespace schedcore
