#include "schedcore/colocation/colocation.hpp"

#include <algorithm>

namespace schedcore {

std::vector<Amount> load_of_types(const ColocationView& view) {
  std::vector<Amount> load(view.n_types, 0);
  for (std::size_t task = 0; task < view.n_tasks(); ++task) load[view.type_of(task)] += view.size[task];
  return load;
}

ColocationCost colocation_cost(const ColocationView& view, std::span<const std::int64_t> machine) {
  const std::size_t n_types = view.n_types;
  std::vector<Amount> load(view.n_machines * n_types, 0);
  std::vector<std::uint64_t> n_tasks(view.n_machines * n_types, 0);
  for (std::size_t task = 0; task < view.n_tasks(); ++task) {
    const std::size_t cell = static_cast<std::size_t>(machine[task]) * n_types + view.type_of(task);
    load[cell] += view.size[task];
    ++n_tasks[cell];
  }
  ColocationCost cost;
  for (std::size_t k = 0; k < view.n_machines; ++k) {
    for (std::size_t destination = 0; destination < n_types; ++destination) {
      const std::uint64_t sharing = n_tasks[k * n_types + destination];
      if (sharing == 0) continue;
      CostNumerator own = 0;
      for (std::size_t source = 0; source < n_types; ++source) {
        own += load[k * n_types + source] * view.coefficient(source, destination);
      }
      cost.largest = std::max(cost.largest, own);
      cost.sum += UInt128(sharing) * UInt128(static_cast<std::uint64_t>(own));
    }
  }
  return cost;
}

}  // namespace schedcore
