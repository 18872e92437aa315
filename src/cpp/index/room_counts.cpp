#include "schedcore/index/room_counts.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "schedcore/index/fit.hpp"

namespace schedcore {

RoomCounts::RoomCounts(const MachinesView& machines)
    : n_resources_(machines.n_resources),
      n_machines_(machines.n_machines),
      free_(machines.capacity.begin(), machines.capacity.end()),
      total_free_(machines.n_resources),
      any_free_((machines.n_machines + 63) / 64) {
  for (std::size_t machine = 0; machine < n_machines_; ++machine) {
    note_any_free(machine);
    for (std::size_t k = 0; k < n_resources_; ++k) total_free_[k] += static_cast<double>(free(machine)[k]);
  }
}

void RoomCounts::note_any_free(std::size_t machine) {
  const Amount* row = free(machine);
  const bool is_any = std::any_of(row, row + n_resources_, [](Amount amount) { return amount > 0; });
  const std::uint64_t bit = std::uint64_t{1} << (machine % 64);
  any_free_[machine / 64] = is_any ? any_free_[machine / 64] | bit : any_free_[machine / 64] & ~bit;
}

void RoomCounts::set_free(std::size_t machine, std::span<const Amount> free) {
  Amount* row = free_.data() + machine * n_resources_;
  if (std::equal(free.begin(), free.end(), row)) return;
  // Classes that are further behind than a count from the beginning takes are counted anew.
  if (changed_.size() > 2 * n_machines_ + 64) {
    const std::size_t dropped = changed_.size() / 2;
    changed_.erase(changed_.begin(), changed_.begin() + static_cast<std::ptrdiff_t>(dropped));
    rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(2 * dropped * n_resources_));
  }
  changed_.push_back(static_cast<std::uint32_t>(machine));
  rows_.insert(rows_.end(), row, row + n_resources_);
  rows_.insert(rows_.end(), free.begin(), free.end());
  ++n_changes_;
  for (std::size_t k = 0; k < n_resources_; ++k) {
    total_free_[k] += static_cast<double>(free[k] - row[k]);
    row[k] = free[k];
  }
  note_any_free(machine);
}

void RoomCounts::set_limits(std::size_t machine, std::vector<Limit> limits) {
  if (limits_.empty()) {
    if (limits.empty()) return;
    limits_.resize(n_machines_);
  }
  if (limits_[machine] == limits) return;
  limits_[machine] = std::move(limits);
  unsorted_.push_back(static_cast<std::uint32_t>(machine));
  ++limits_version_;
  if (unsorted_.size() > 2 * n_machines_) sort_limits();
}

// Those of many machines change together, and one by one each would move all behind it.
void RoomCounts::sort_limits() {
  if (unsorted_.empty()) return;
  std::ranges::sort(unsorted_);
  unsorted_.erase(std::unique(unsorted_.begin(), unsorted_.end()), unsorted_.end());
  std::erase_if(limited_, [&](const LimitOf& each) { return std::ranges::binary_search(unsorted_, each.machine); });
  const auto n_kept = static_cast<std::ptrdiff_t>(limited_.size());
  for (const std::uint32_t machine : unsorted_) {
    std::uint32_t number = 0;
    for (const Limit& limit : limits_[machine]) limited_.push_back({limit.from, machine, number++});
  }
  std::sort(limited_.begin() + n_kept, limited_.end());
  std::inplace_merge(limited_.begin(), limited_.begin() + n_kept, limited_.end());
  unsorted_.clear();
}

Time RoomCounts::kept_until(std::size_t machine, std::span<const Amount> demand) const {
  if (limits_.empty()) return kNever;
  for (const Limit& limit : limits_[machine]) {
    if (limit.row.empty() || !fits(demand, limit.row)) return limit.from;
  }
  return kNever;
}

const Amount* RoomCounts::row_within(std::size_t machine, std::size_t n_limits) const {
  if (n_limits == 0) return free(machine);
  row_within_.assign(free(machine), free(machine) + n_resources_);
  for (std::size_t number = 0; number < n_limits; ++number) {
    const std::vector<Amount>& row = limits_[machine][number].row;
    for (std::size_t k = 0; k < n_resources_; ++k) row_within_[k] = row.empty() ? 0 : std::min(row_within_[k], row[k]);
  }
  return row_within_.data();
}

Amount RoomCounts::counted_anew(Class of, const GangClasses& classes) const {
  Amount total = 0;
  const Eligibility& eligibility = classes.eligibility(of);
  for (std::size_t word = 0; word < any_free_.size(); ++word) {
    for (std::uint64_t left = any_free_[word] & eligibility.word(word); left != 0; left &= left - 1) {
      const std::size_t machine = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      total += classes.room(of, machine, free(machine));
    }
  }
  return total;
}

Amount RoomCounts::count_changes(Class of, const GangClasses& classes) {
  if (of >= counts_.size()) counts_.resize(classes.size());
  Count& count = counts_[of];
  const std::uint64_t n_behind = n_changes_ - count.seen;
  const Eligibility& eligibility = classes.eligibility(of);
  const std::size_t n_allowed = eligibility.is_everywhere() ? n_machines_ : eligibility.machines().size();
  // A change takes two looks at a machine.
  const std::size_t n_most = n_allowed / 2 + any_free_.size() / 4;
  if (count.generation != classes.generation(of) || n_behind > std::min(n_most, changed_.size())) {
    count.generation = classes.generation(of);
    count.seen = n_changes_;
    count.total = counted_anew(of, classes);
    count.limited_seen = kNeverSeen;
    return count.total;
  }
  const Amount* row = rows_.data() + 2 * (changed_.size() - n_behind) * n_resources_;
  for (std::size_t i = changed_.size() - n_behind; i < changed_.size(); ++i, row += 2 * n_resources_) {
    const std::uint32_t machine = changed_[i];
    if (!classes.allows(of, machine)) continue;
    count.total += classes.room(of, machine, row + n_resources_) - classes.room(of, machine, row);
  }
  count.seen = n_changes_;
  return count.total;
}

// Requires that the class was counted since the last change.
Amount RoomCounts::count_until(Class of, Time end, const GangClasses& classes) {
  Count& count = counts_[of];
  if (count.limited_seen != n_changes_ || count.limits_version != limits_version_) {
    count.limited.assign(1, 0);
    for (const auto& [from, machine, number] : limited_) {
      Amount taken = 0;
      if (classes.allows(of, machine)) {
        taken = classes.room(of, machine, row_within(machine, number));
        taken -= classes.room(of, machine, row_within(machine, number + 1));
      }
      count.limited.push_back(count.limited.back() + taken);
    }
    count.limited_seen = n_changes_;
    count.limits_version = limits_version_;
  }
  const auto reached = std::ranges::lower_bound(limited_, LimitOf{end, 0, 0});
  return count.total - count.limited[static_cast<std::size_t>(reached - limited_.begin())];
}

void RoomCounts::place(Class of, Amount n_tasks, Time end, const GangClasses& classes,
                       std::vector<TaskPlace>& places) const {
  places.clear();
  const Eligibility& eligibility = classes.eligibility(of);
  for (std::size_t word = 0; word < any_free_.size(); ++word) {
    for (std::uint64_t left = any_free_[word] & eligibility.word(word); left != 0; left &= left - 1) {
      const std::size_t machine = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      std::size_t n_limits = 0;
      while (!limits_.empty() && n_limits < limits_[machine].size() && limits_[machine][n_limits].from < end) ++n_limits;
      const Amount taken = std::min(n_tasks, classes.room(of, machine, row_within(machine, n_limits)));
      if (taken == 0) continue;
      places.push_back({static_cast<std::uint32_t>(machine), taken});
      n_tasks -= taken;
      if (n_tasks == 0) return;
    }
  }
}

void RoomCounts::check_invariants(const GangClasses& classes) const {
  RoomCounts copy = *this;
  for (Class of = 0; of < counts_.size(); ++of) {
    if (counts_[of].generation != classes.generation(of)) continue;
    if (copy.count(of, classes) != counted_anew(of, classes)) throw std::logic_error("RoomCounts: count of a class");
  }
  for (std::size_t machine = 0; machine < n_machines_; ++machine) copy.note_any_free(machine);
  if (copy.any_free_ != any_free_) throw std::logic_error("RoomCounts: machines with anything free");
}

}  // namespace schedcore
