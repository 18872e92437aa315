#include "schedcore/whole_machines/planned_intervals.hpp"

#include <algorithm>
#include <utility>

namespace schedcore {

PlannedIntervals::PlannedIntervals(Seconds begin, Seconds end, MachineSet free) : edges_{begin, end}, slots_{0} {
  sets_.push_back(std::move(free));
}

std::size_t PlannedIntervals::first_after(Seconds instant) const {
  // edges_[1 ..] are the ends.
  return static_cast<std::size_t>(std::upper_bound(edges_.begin() + 1, edges_.end(), instant) - edges_.begin()) - 1;
}

bool PlannedIntervals::are_free(const MachineSet& machines, Seconds begin, Seconds end) const {
  for (std::size_t i = first_after(begin); i < size() && edges_[i] < end; ++i) {
    if (!machines.is_within(free(i))) return false;
  }
  return true;
}

void PlannedIntervals::split(Seconds edge) {
  const std::size_t i = first_after(edge);
  if (i == size() || edges_[i] >= edge) return;
  std::uint32_t slot = 0;
  if (unused_.empty()) {
    slot = static_cast<std::uint32_t>(sets_.size());
    const MachineSet copy = free(i);
    sets_.push_back(copy);
  } else {
    slot = unused_.back();
    unused_.pop_back();
    sets_[slot] = free(i);
  }
  edges_.insert(edges_.begin() + static_cast<std::ptrdiff_t>(i) + 1, edge);
  slots_.insert(slots_.begin() + static_cast<std::ptrdiff_t>(i) + 1, slot);
  ++n_inserted_;
}

void PlannedIntervals::hold(const MachineSet& machines, Seconds begin, Seconds end) {
  if (begin >= edges_.back()) return;
  split(begin);
  split(end);
  const std::size_t first = first_after(begin);
  std::size_t last = first;
  for (std::size_t i = first; i < size() && edges_[i] < end; ++i) {
    sets_[slots_[i]] -= machines;
    last = i;
  }
  for (std::size_t i = first == 0 ? 0 : first - 1; i <= last && i + 1 < size(); ++i) {
    if (free(i) != free(i + 1)) continue;
    unused_.push_back(slots_[i + 1]);
    edges_.erase(edges_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return;
  }
}

}  // namespace schedcore
