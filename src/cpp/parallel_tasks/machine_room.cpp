#include "schedcore/parallel_tasks/machine_room.hpp"

#include <algorithm>
#include <cassert>

#include "schedcore/index/fit.hpp"

namespace schedcore {

bool MachineRoom::fits(std::size_t machine, std::span<const Amount> demand) const {
  return schedcore::fits(demand, free_of(machine));
}

void MachineRoom::take(std::size_t machine, std::span<const Amount> demand) {
  assert(fits(machine, demand));
  Amount* const own = free_.data() + machine * machines_.n_resources;
  for (std::size_t resource = 0; resource < demand.size(); ++resource) own[resource] -= demand[resource];
}

void MachineRoom::give(std::size_t machine, std::span<const Amount> demand) {
  Amount* const own = free_.data() + machine * machines_.n_resources;
  for (std::size_t resource = 0; resource < demand.size(); ++resource) own[resource] += demand[resource];
  assert(schedcore::fits(free_of(machine), machines_.capacity_of(machine)));
}

void MachineRoom::clear(std::size_t machine) {
  const auto capacity = machines_.capacity_of(machine);
  std::copy(capacity.begin(), capacity.end(), free_.begin() + static_cast<std::ptrdiff_t>(machine * capacity.size()));
}

}  // namespace schedcore
