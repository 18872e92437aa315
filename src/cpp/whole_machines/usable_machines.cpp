#include "schedcore/whole_machines/usable_machines.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace schedcore {

UsableMachines::UsableMachines(const CycleMachines& machines, const CycleRuns& runs) : machines_(machines) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::greater<>(), [&](std::size_t run) { return runs.end[run]; });
  Held held{0, std::vector<std::int64_t>(machines.size()), std::vector<std::int64_t>(machines.size())};
  const std::size_t stride = std::max<std::size_t>(1, (order.size() + kEnds - 1) / kEnds);
  held.end = order.empty() ? 0 : runs.end[order.front()];
  held_.push_back(held);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t run = order[i];
    // Equal ends are on one side.
    if (i > 0 && i % stride == 0 && runs.end[run] < runs.end[order[i - 1]]) {
      held.end = runs.end[run];
      held_.push_back(held);
    }
    for (std::int64_t at = runs.offset[run]; at < runs.offset[run + 1]; ++at) {
      const auto place = static_cast<std::size_t>(at);
      held.processors[static_cast<std::size_t>(runs.machine[place])] += runs.processors[place];
      held.memory[static_cast<std::size_t>(runs.machine[place])] += runs.memory[place];
    }
  }
  std::ranges::reverse(held_);
}

const MachineSet& UsableMachines::up_to(Seconds latest, const CycleRequest& request) {
  const auto found = std::ranges::lower_bound(held_, latest, {}, &Held::end);
  const auto place = std::min(static_cast<std::size_t>(found - held_.begin()), held_.size() - 1);
  const Kind kind{request.least_offer, request.processors_per_task, request.memory_units,
                  request.memory_kind, request.memory,              request.is_exclusive};
  std::vector<std::optional<MachineSet>>& sets = known_.try_emplace(kind, held_.size()).first->second;
  if (!sets[place]) {
    MachineSet usable(machines_.size());
    for (std::size_t machine = 0; machine < machines_.size(); ++machine) {
      if (request.offer(machines_, machine, held_[place].processors[machine], held_[place].memory[machine]) > 0) usable.insert(machine);
    }
    sets[place] = usable;
  }
  return *sets[place];
}

}  // namespace schedcore
