// Tasks that share machines and cost each other by type: what the colocation kernels read, and what an assignment costs.
//
// On a machine with load L[s] of every type s, each task of type d costs sum_s L[s] * coefficient(s, d), an integer over
// `alpha_denominator`.  A machine costs as much as the worst type that is present on it; an absent type puts no constraint
// on a machine.  Costs never decrease when a task is added.
//
// The boundary has checked: sizes are at least 1, types below n_types, coefficients at least 0 and above 0 on the
// diagonal, at least one machine, and the cost of everything on one machine fits int64, as does the sum of all sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/exact/wide.hpp"

namespace schedcore {

// A cost times alpha_denominator.
using CostNumerator = std::int64_t;

struct ColocationView {
  std::span<const Amount> size;            // of each task
  std::span<const std::int64_t> type;      // of each task
  std::span<const CostNumerator> alpha;    // row-major (n_types, n_types): [source, destination]
  CostNumerator alpha_denominator = 1;
  std::size_t n_types = 0;
  std::size_t n_machines = 0;

  [[nodiscard]] std::size_t n_tasks() const { return size.size(); }
  [[nodiscard]] std::size_t type_of(std::size_t task) const { return static_cast<std::size_t>(type[task]); }
  [[nodiscard]] CostNumerator coefficient(std::size_t source, std::size_t destination) const {
    return alpha[source * n_types + destination];
  }
};

// Total size of the tasks of each type.  O(n_tasks).
[[nodiscard]] std::vector<Amount> load_of_types(const ColocationView& view);

struct ColocationCost {
  CostNumerator largest = 0;  // of a task; 0 without tasks
  UInt128 sum = 0;            // over all tasks
};

// The costs of an assignment; machine[j] < n_machines is the machine of task j.  O(n_tasks + n_machines * n_types^2).
[[nodiscard]] ColocationCost colocation_cost(const ColocationView& view, std::span<const std::int64_t> machine);

}  // namespace schedcore
