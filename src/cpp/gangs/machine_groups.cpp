#include "schedcore/gangs/machine_groups.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace schedcore {

MachineGroups::MachineGroups(const MachinesView& machines)
    : n_resources_(machines.n_resources),
      capacity_(machines.capacity.begin(), machines.capacity.end()),
      of_(machines.n_machines),
      position_(machines.n_machines),
      first_like_(std::bit_ceil(machines.n_machines + 1), kNone),
      held_(machines.n_resources) {
  for (std::uint32_t machine = 0; machine < machines.n_machines; ++machine) {
    const Group group = new_group();
    groups_[group].timeline = ShortTimeline(capacity(machine));
    groups_[group].machines.push_back(machine);
    of_[machine] = group;
    position_[machine] = 0;
    note_change(group);
    settle(group);
  }
}

MachineGroups::Group MachineGroups::new_group() {
  if (unused_.empty()) {
    groups_.emplace_back();
    changed_at_.push_back(0);
    return static_cast<Group>(groups_.size() - 1);
  }
  const Group group = unused_.back();
  unused_.pop_back();
  return group;
}

void MachineGroups::move(std::uint32_t machine, Group to) {
  std::vector<std::uint32_t>& before = groups_[of_[machine]].machines;
  before[position_[machine]] = before.back();
  position_[before.back()] = position_[machine];
  before.pop_back();
  position_[machine] = static_cast<std::uint32_t>(groups_[to].machines.size());
  groups_[to].machines.push_back(machine);
  of_[machine] = to;
}

void MachineGroups::settle(Group group) {
  Members& mine = groups_[group];
  std::uint64_t hash = mine.timeline.hash();
  for (const Amount amount : capacity(mine.machines.front())) {
    hash = (hash ^ static_cast<std::uint64_t>(amount)) * 0x9E3779B97F4A7C15ULL;
  }
  mine.hash = hash;
  for (Group* link = &first_like(hash); *link != kNone; link = &groups_[*link].next) {
    Members& other = groups_[*link];
    const bool is_equal = other.hash == hash && other.timeline.has_same_future(mine.timeline) &&
                          std::ranges::equal(capacity(other.machines.front()), capacity(mine.machines.front()));
    if (!is_equal) continue;
    Group from = group;
    Group to = *link;
    if (mine.machines.size() > other.machines.size()) {
      std::swap(from, to);
      mine.next = other.next;
      *link = group;
    }
    note_change(from);
    note_change(to);
    while (!groups_[from].machines.empty()) move(groups_[from].machines.back(), to);
    unused_.push_back(from);
    return;
  }
  mine.next = first_like(hash);
  first_like(hash) = group;
  ++n_settled_;
}

void MachineGroups::unsettle(Group group) {
  Group* link = &first_like(groups_[group].hash);
  while (*link != group) link = &groups_[*link].next;
  *link = groups_[group].next;
  --n_settled_;
}

MachineGroups::Part& MachineGroups::part_of(Group group, const Tasks& n_tasks) {
  std::uint32_t* link = &first_part_[group];
  while (*link != kNoPart && parts_[*link].n_tasks != n_tasks) link = &parts_[*link].next;
  if (*link == kNoPart) {
    *link = static_cast<std::uint32_t>(parts_.size());
    parts_.push_back({group, group, n_tasks, 0, kNoPart});
    return parts_.back();
  }
  return parts_[*link];
}

void MachineGroups::list_tasks(const Booking& given_back, const Booking& taken, bool takes_all) {
  tasks_on_.clear();
  const auto tasks_of = [&](const TaskPlace& place) { return takes_all ? Amount{1} : place.n_tasks; };
  auto back = given_back.places.begin();
  for (const TaskPlace& place : taken.places) {
    for (; back != given_back.places.end() && back->machine < place.machine; ++back) {
      tasks_on_.push_back({back->machine, {tasks_of(*back), 0}});
    }
    Tasks n_tasks{0, tasks_of(place)};
    if (back != given_back.places.end() && back->machine == place.machine) n_tasks.given_back = tasks_of(*back++);
    tasks_on_.emplace_back(place.machine, n_tasks);
  }
  for (; back != given_back.places.end(); ++back) tasks_on_.push_back({back->machine, {tasks_of(*back), 0}});
}

void MachineGroups::change(const Booking& given_back, const Booking& taken, std::span<const Amount> demand, bool takes_all,
                           Time now) {
  list_tasks(given_back, taken, takes_all);
  parts_.clear();
  first_part_.resize(groups_.size(), kNoPart);
  for (const auto& [machine, n_tasks] : tasks_on_) ++part_of(of_[machine], n_tasks).n_machines;
  // A part that is all of its group keeps it; the machines of others move, while their groups are still known.
  for (Part& part : parts_) {
    if (part.n_machines == groups_[part.before].machines.size()) {
      unsettle(part.before);
    } else {
      part.after = new_group();
      groups_[part.after].timeline = groups_[part.before].timeline;
    }
  }
  for (const auto& [machine, n_tasks] : tasks_on_) {
    const Part& part = part_of(of_[machine], n_tasks);
    if (part.after != part.before) move(machine, part.after);
  }
  for (const Part& part : parts_) {
    note_change(part.before);
    // Where several parts are all of a group, nobody keeps it.
    if (groups_[part.before].machines.empty() && first_part_[part.before] != kNoPart) {
      unsettle(part.before);
      unused_.push_back(part.before);
    }
    first_part_[part.before] = kNoPart;
  }
  for (const Part& part : parts_) {
    const auto all = capacity(groups_[part.after].machines.front());
    const auto held_by = [&](Amount n_tasks) {
      for (std::size_t k = 0; k < n_resources_; ++k) held_[k] = takes_all ? all[k] : n_tasks * demand[k];
      return std::span<const Amount>(held_);
    };
    ShortTimeline& timeline = groups_[part.after].timeline;
    timeline.forget_before(now);
    if (part.n_tasks.given_back > 0) timeline.release(given_back.from, given_back.to, held_by(part.n_tasks.given_back));
    if (part.n_tasks.taken > 0) timeline.reserve(taken.from, taken.to, held_by(part.n_tasks.taken));
    note_change(part.after);
    settle(part.after);
  }
  if (n_settled_ > 2 * n_after_merging_ + 64) merge_equal_ones(now);
}

// Groups that nobody has changed for long still tell of what is over.
void MachineGroups::merge_equal_ones(Time now) {
  std::ranges::fill(first_like_, kNone);
  n_settled_ = 0;
  for (Group group = 0; group < groups_.size(); ++group) {
    if (groups_[group].machines.empty()) continue;
    groups_[group].timeline.forget_before(now);
    settle(group);
  }
  n_after_merging_ = n_settled_;
}

void MachineGroups::check_invariants() const {
  std::size_t n_machines = 0;
  std::size_t n_unused = 0;
  for (Group group = 0; group < groups_.size(); ++group) {
    const Members& members = groups_[group];
    n_machines += members.machines.size();
    for (std::uint32_t i = 0; i < members.machines.size(); ++i) {
      if (of_[members.machines[i]] != group || position_[members.machines[i]] != i) {
        throw std::logic_error("MachineGroups: the group of a machine");
      }
    }
    if (members.machines.empty()) {
      ++n_unused;
      continue;
    }
    members.timeline.check_invariants();
    Group like = first_like_[members.hash & (first_like_.size() - 1)];
    while (like != group && like != kNone) like = groups_[like].next;
    if (like != group) {
      throw std::logic_error("MachineGroups: a group that is not once in the table");
    }
  }
  if (n_unused != unused_.size() || groups_.size() - n_unused != n_settled_) {
    throw std::logic_error("MachineGroups: a group without machines is in use");
  }
  if (n_machines != of_.size()) throw std::logic_error("MachineGroups: a machine in no group");
}

}  // namespace schedcore
