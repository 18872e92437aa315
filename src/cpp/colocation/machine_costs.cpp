#include "schedcore/colocation/machine_costs.hpp"

namespace schedcore {

MachineCosts::MachineCosts(const ColocationView& view, std::size_t n_machines)
    : alpha_(view.alpha),
      n_types_(view.n_types),
      n_machines_(n_machines),
      load_(n_machines * view.n_types, 0),
      cost_(n_machines * view.n_types, 0) {}

CostNumerator MachineCosts::largest() const {
  CostNumerator worst = 0;
  for (std::size_t machine = 0; machine < n_machines_; ++machine) worst = std::max(worst, cost(machine));
  return worst;
}

}  // namespace schedcore
