#include "schedcore/gangs/head_protection.hpp"

#include <algorithm>
#include <utility>

namespace schedcore {

HeadProtection::HeadProtection(const MachinesView& machines)
    : n_resources_(machines.n_resources),
      number_(machines.n_machines, kNotReserved),
      row_(machines.n_resources),
      beside_(machines),
      is_behind_(machines.n_machines) {}

void HeadProtection::protect(Time start, Time end, const HeadSearch& search, std::span<const Amount> demand, bool is_exclusive,
                             const GangClasses& classes) {
  for (const TaskPlace& place : places_) {
    number_[place.machine] = kNotReserved;
    note_change(place.machine);
  }
  start_ = start;
  end_ = end;
  places_ = search.places();
  extra_.resize(places_.size() * n_resources_);
  held_.resize(places_.size() * n_resources_);
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    const auto [machine, n_tasks] = places_[i];
    const Amount* then = search.free_then(machine);
    const auto capacity = classes.capacity(machine);
    for (std::size_t k = 0; k < n_resources_; ++k) {
      held_[i * n_resources_ + k] = is_exclusive ? capacity[k] : n_tasks * demand[k];
      extra_[i * n_resources_ + k] = then[k] - held_[i * n_resources_ + k];
    }
    number_[machine] = i;
    note_change(machine);
  }
}

void HeadProtection::drop() {
  start_ = kNever;
  for (const TaskPlace& place : places_) {
    number_[place.machine] = kNotReserved;
    note_change(place.machine);
  }
  places_.clear();
}

void HeadProtection::set_limits(std::size_t machine, std::vector<RoomCounts::Limit> limits) {
  const auto on = static_cast<std::uint32_t>(machine);
  if (limits.empty()) {
    limits_.erase(on);
  } else {
    limits_[on] = std::move(limits);
  }
  limit_beside(on);
}

// Where a limit begins while the reservation lasts, others have so much less.
void HeadProtection::limit_beside(std::uint32_t machine) {
  const auto found = limits_.find(machine);
  std::vector<RoomCounts::Limit> limits;
  if (found != limits_.end()) limits = found->second;
  for (RoomCounts::Limit& limit : limits) {
    if (number_[machine] == kNotReserved || limit.row.empty() || limit.from < start_ || limit.from >= end_) continue;
    const Amount* held = held_.data() + number_[machine] * n_resources_;
    for (std::size_t k = 0; k < n_resources_; ++k) limit.row[k] -= held[k];
  }
  beside_.set_limits(machine, std::move(limits));
}

void HeadProtection::catch_up(const RoomCounts& now) {
  for (const std::uint32_t machine : behind_) {
    is_behind_[machine] = false;
    std::copy_n(now.free(machine), n_resources_, row_.begin());
    if (number_[machine] != kNotReserved) {
      const Amount* extra = extra_.data() + number_[machine] * n_resources_;
      for (std::size_t k = 0; k < n_resources_; ++k) row_[k] = std::min(row_[k], extra[k]);
    }
    beside_.set_free(machine, row_);
    if (!limits_.empty()) limit_beside(machine);
  }
  behind_.clear();
}

void HeadProtection::note_outlasting(std::size_t machine, std::span<const Amount> held, Amount n_more) {
  if (number_[machine] == kNotReserved) return;
  Amount* extra = extra_.data() + number_[machine] * n_resources_;
  for (std::size_t k = 0; k < n_resources_; ++k) extra[k] -= n_more * held[k];
  note_change(machine);
}

}  // namespace schedcore
