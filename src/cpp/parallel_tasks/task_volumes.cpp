#include "schedcore/parallel_tasks/task_volumes.hpp"

#include <algorithm>
#include <numeric>

#include "schedcore/exact/demand_scale.hpp"
#include "schedcore/exact/natural.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {
namespace {

std::uint64_t time_on(const ParallelTasksView& tasks, std::size_t task, std::size_t machine) {
  return static_cast<std::uint64_t>(tasks.placement_time[tasks.placement_on(task, machine)]);
}

template <class Volume>
std::vector<std::uint32_t> descending(const std::vector<Volume>& volume) {
  std::vector<std::uint32_t> order(volume.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return volume[b] < volume[a]; });
  return order;
}

// What each unit of a resource weighs: the product of the capacities of all other resources.
std::vector<Natural> weights_of_resources(std::span<const Amount> capacity) {
  std::vector<Natural> weight(capacity.size());
  for (std::size_t resource = 0; resource < capacity.size(); ++resource) {
    if (capacity[resource] == 0) continue;
    weight[resource] = Natural(1);
    for (std::size_t other = 0; other < capacity.size(); ++other) {
      if (other == resource || capacity[other] == 0) continue;
      weight[resource] = weight[resource] * Natural(static_cast<std::uint64_t>(capacity[other]));
    }
  }
  return weight;
}

}  // namespace

std::vector<std::uint32_t> descending_volumes(const ParallelTasksView& tasks, std::size_t machine,
                                              std::span<const std::size_t> task) {
  const DemandScale scale(tasks.machines.capacity_of(machine));
  if (scale.exact()) {
    std::vector<UInt128> volume;
    volume.reserve(task.size());
    for (const std::size_t own : task) {
      volume.push_back(UInt128(time_on(tasks, own, machine)) * UInt128(scale.total(tasks.demand_of(own))));
    }
    return descending(volume);
  }
  const std::vector<Natural> weight = weights_of_resources(tasks.machines.capacity_of(machine));
  std::vector<Natural> volume;
  volume.reserve(task.size());
  for (const std::size_t own : task) {
    Natural sum;
    for (std::size_t resource = 0; resource < weight.size(); ++resource) {
      sum = sum + Natural(static_cast<std::uint64_t>(tasks.demand_of(own)[resource])) * weight[resource];
    }
    volume.push_back(Natural(time_on(tasks, own, machine)) * sum);
  }
  return descending(volume);
}

}  // namespace schedcore
