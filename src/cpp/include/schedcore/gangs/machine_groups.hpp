// Machines with the same future: equal capacities, and from now on the same free amounts over time.  Machines that a job of
// several tasks takes together stay alike, so there are about as many groups as jobs, and not as machines.
//
// A change of some machines splits their group; groups that have become equal are merged when the change shows it, and
// all of them are looked through once there are many more than there were then.
//
// Cost of a change of p machines in g groups: O(p) and, for each group, a copy of its timeline with k breakpoints,
// O(R k); machines are relabelled one by one, those of the smaller group where two merge.  Memory O(R k) a group and 20
// bytes a machine.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/index/job_shape.hpp"
#include "schedcore/index/short_timeline.hpp"

namespace schedcore {

class MachineGroups {
 public:
  using Group = std::uint32_t;

  MachineGroups() = default;
  explicit MachineGroups(const MachinesView& machines);

  // Groups are numbered below; some of the numbers are not in use and have no machine.
  [[nodiscard]] std::size_t n_numbers() const { return groups_.size(); }
  [[nodiscard]] std::size_t n_machines_of(Group group) const { return groups_[group].machines.size(); }
  [[nodiscard]] Group of(std::size_t machine) const { return of_[machine]; }
  // Of a group with machines.
  [[nodiscard]] std::uint32_t any_machine_of(Group group) const { return groups_[group].machines.front(); }
  [[nodiscard]] const ShortTimeline& timeline(Group group) const { return groups_[group].timeline; }

  [[nodiscard]] std::span<const std::uint32_t> machines_of(Group group) const { return groups_[group].machines; }

  // Changes of what is ahead of any machine are counted.
  [[nodiscard]] std::uint64_t n_changes() const { return n_changes_; }
  // Calls visit(group) once for each number below n_numbers() whose group has changed, or has begun or ended to be, since the
  // count was so.
  template <class Visit>
  void for_each_changed_since(std::uint64_t count, const Visit& visit) const;

  // What the tasks of a job take on machines on [from, to), which is empty or begins at `now` or later.  No machine twice.
  struct Booking {
    std::span<const TaskPlace> places = {};
    Time from = 0;
    Time to = 0;
  };
  // The first is given back and the second taken; if neither is empty, places are in the order of their machines.  Each task
  // takes the demand, or the job all that its machines have.
  void change(const Booking& given_back, const Booking& taken, std::span<const Amount> demand, bool takes_all, Time now);

  // Throws std::logic_error unless every machine is in one group and numbers agree.
  void check_invariants() const;

 private:
  struct Members {
    ShortTimeline timeline;
    std::vector<std::uint32_t> machines;
    std::uint64_t hash = 0;
    Group next = kNone;  // of those with alike hashes
  };
  static constexpr Group kNone = ~Group{0};

  [[nodiscard]] std::span<const Amount> capacity(std::size_t machine) const {
    return {capacity_.data() + machine * n_resources_, n_resources_};
  }
  [[nodiscard]] Group new_group();
  void move(std::uint32_t machine, Group to);
  // The first of those whose hashes are alike.
  [[nodiscard]] Group& first_like(std::uint64_t hash) { return first_like_[hash & (first_like_.size() - 1)]; }
  // Puts a group into the table, or all its machines into an equal one that is there.
  void settle(Group group);
  void unsettle(Group group);
  void note_change(Group group) {
    if (last_changes_.size() == 2 * kKept) last_changes_.erase(last_changes_.begin(), last_changes_.begin() + kKept);
    last_changes_.push_back(group);
    changed_at_[group] = ++n_changes_;
  }
  void merge_equal_ones(Time now);

  std::size_t n_resources_ = 0;
  std::vector<Amount> capacity_;         // row-major
  std::vector<Members> groups_;
  std::vector<std::uint64_t> changed_at_;  // by group
  std::uint64_t n_changes_ = 0;
  static constexpr std::size_t kKept = 1024;
  std::vector<Group> last_changes_;        // the last kKept at least, in their order
  std::vector<Group> unused_;
  std::vector<Group> of_;                // by machine
  std::vector<std::uint32_t> position_;  // by machine: in its group
  std::vector<Group> first_like_;        // by the last bits of a hash; as many as a power of 2
  std::size_t n_settled_ = 0;
  std::size_t n_after_merging_ = 1;

  // Scratch of a change.  A job that takes all of a machine has one task there.
  struct Tasks {
    Amount given_back = 0;
    Amount taken = 0;
    friend bool operator==(const Tasks&, const Tasks&) = default;
  };
  // The machines of one group with as many tasks, chained for each group.
  struct Part {
    Group before = 0;
    Group after = 0;
    Tasks n_tasks;
    std::uint32_t n_machines = 0;
    std::uint32_t next = 0;
  };
  static constexpr std::uint32_t kNoPart = ~std::uint32_t{0};
  [[nodiscard]] Part& part_of(Group group, const Tasks& n_tasks);
  void list_tasks(const Booking& given_back, const Booking& taken, bool takes_all);

  std::vector<std::pair<std::uint32_t, Tasks>> tasks_on_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> first_part_;  // by group
  std::vector<Amount> held_;
};

template <class Visit>
void MachineGroups::for_each_changed_since(std::uint64_t count, const Visit& visit) const {
  const std::uint64_t n_missed = n_changes_ - count;
  if (n_missed > last_changes_.size()) {
    for (Group group = 0; group < groups_.size(); ++group) {
      if (changed_at_[group] > count) visit(group);
    }
    return;
  }
  for (std::size_t i = last_changes_.size() - static_cast<std::size_t>(n_missed); i < last_changes_.size(); ++i) {
    // Each at the last of its changes.
    const Group group = last_changes_[i];
    if (changed_at_[group] == n_changes_ - (last_changes_.size() - 1 - i)) visit(group);
  }
}

}  // namespace schedcore
