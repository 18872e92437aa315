#include "schedcore/gangs/head_protection.hpp"

#include <algorithm>
#include <utility>

namespace schedcore {

HeadProtection::HeadProtection(const MachinesView& machines)
    : n_resources_(machines.n_resources),
      number_(machines.n_machines, kNotReserved),
      row_(machines.n_resources),
      beside_(machines) {}

void HeadProtection::protect(Time start, const HeadSearch& search, std::span<const Amount> demand, bool is_exclusive,
                             const GangClasses& classes, const RoomCounts& now) {
  const std::vector<TaskPlace> before = std::move(places_);
  for (const TaskPlace& place : before) number_[place.machine] = kNotReserved;
  start_ = start;
  places_ = search.places();
  extra_.resize(places_.size() * n_resources_);
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    const auto [machine, n_tasks] = places_[i];
    const Amount* then = search.free_then(machine);
    const auto capacity = classes.capacity(machine);
    for (std::size_t k = 0; k < n_resources_; ++k) {
      extra_[i * n_resources_ + k] = then[k] - (is_exclusive ? capacity[k] : n_tasks * demand[k]);
    }
    number_[machine] = i;
    set_beside(machine, now);
  }
  for (const TaskPlace& place : before) {
    if (number_[place.machine] == kNotReserved) set_beside(place.machine, now);
  }
}

void HeadProtection::drop(const RoomCounts& now) {
  start_ = kNever;
  for (const TaskPlace& place : places_) {
    number_[place.machine] = kNotReserved;
    set_beside(place.machine, now);
  }
  places_.clear();
}

void HeadProtection::set_beside(std::size_t machine, const RoomCounts& now) {
  std::copy_n(now.free(machine), n_resources_, row_.begin());
  if (number_[machine] != kNotReserved) {
    const Amount* extra = extra_.data() + number_[machine] * n_resources_;
    for (std::size_t k = 0; k < n_resources_; ++k) row_[k] = std::min(row_[k], extra[k]);
  }
  beside_.set_free(machine, row_);
}

void HeadProtection::note_change(std::size_t machine, const RoomCounts& now) { set_beside(machine, now); }

void HeadProtection::note_outlasting(std::size_t machine, std::span<const Amount> held) {
  if (number_[machine] == kNotReserved) return;
  Amount* extra = extra_.data() + number_[machine] * n_resources_;
  for (std::size_t k = 0; k < n_resources_; ++k) extra[k] -= held[k];
}

}  // namespace schedcore
