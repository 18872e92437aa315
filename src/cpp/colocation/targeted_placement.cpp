#include "schedcore/colocation/targeted_placement.hpp"

#include <cstddef>
#include <queue>
#include <utility>
#include <vector>

#include "schedcore/colocation/machine_costs.hpp"
#include "schedcore/packing/list_scheduling.hpp"

namespace schedcore {

void place_by_targets(const ColocationView& view, std::span<const Amount> target, std::span<std::int64_t> machine) {
  std::vector<std::vector<std::size_t>> tasks_of(view.n_types);
  for (const std::size_t task : decreasing_order(view.size)) tasks_of[view.type_of(task)].push_back(task);
  using Wanting = std::pair<Amount, std::int64_t>;  // what is lacking, and minus the machine: the lowest first on a tie
  for (std::size_t type = 0; type < view.n_types; ++type) {
    if (tasks_of[type].empty()) continue;
    std::vector<Wanting> wanting;
    for (std::size_t own = 0; own < view.n_machines; ++own) {
      const Amount wanted = target[own * view.n_types + type];
      if (wanted > 0) wanting.emplace_back(wanted, -static_cast<std::int64_t>(own));
    }
    if (wanting.empty()) {
      for (std::size_t own = 0; own < view.n_machines; ++own) wanting.emplace_back(0, -static_cast<std::int64_t>(own));
    }
    std::priority_queue<Wanting> most({}, std::move(wanting));
    for (const std::size_t task : tasks_of[type]) {
      const auto [lacking, own] = most.top();
      most.pop();
      machine[task] = -own;
      most.emplace(lacking - view.size[task], own);
    }
  }
}

void place_by_cost(const ColocationView& view, std::span<std::int64_t> machine, Monitor* monitor) {
  MachineCosts costs(view, view.n_machines);
  std::uint64_t placed = 0;
  for (const std::size_t task : decreasing_order(view.size)) {
    const std::size_t type = view.type_of(task);
    const Amount size = view.size[task];
    std::size_t best = 0;
    CostNumerator least = costs.cost_with(0, type, size);
    for (std::size_t own = 1; own < view.n_machines; ++own) {
      const CostNumerator cost = costs.cost_with(own, type, size);
      if (cost < least) {
        least = cost;
        best = own;
      }
    }
    costs.add(best, type, size);
    machine[task] = static_cast<std::int64_t>(best);
    if (monitor != nullptr) monitor->poll(++placed, view.n_tasks());
  }
}

}  // namespace schedcore
