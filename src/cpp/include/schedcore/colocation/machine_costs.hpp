// Loads and costs of machines while tasks come and go: what every algorithm that weighs a move asks.
//
// Adding or removing a task is O(n_types), and so is the cost of a machine, as it is or as it would be after a change.
// Removing exactly undoes adding: everything is an integer.  Once all tasks are placed, an assignment is evaluated once,
// by colocation_cost, which needs no state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/colocation/colocation.hpp"

namespace schedcore {

class MachineCosts {
 public:
  // Empty machines; the view must outlive this.
  MachineCosts(const ColocationView& view, std::size_t n_machines);

  [[nodiscard]] std::size_t n_machines() const { return n_machines_; }

  void add(std::size_t machine, std::size_t type, Amount size) {
    load_[machine * n_types_ + type] += size;
    const CostNumerator* caused = &alpha_[type * n_types_];
    CostNumerator* cost = &cost_[machine * n_types_];
    for (std::size_t d = 0; d < n_types_; ++d) cost[d] += size * caused[d];
  }
  void remove(std::size_t machine, std::size_t type, Amount size) { add(machine, type, -size); }

  [[nodiscard]] Amount load(std::size_t machine, std::size_t type) const { return load_[machine * n_types_ + type]; }

  // What a task of `type` costs, or would cost, beside the tasks that are on the machine.
  [[nodiscard]] CostNumerator cost_of_type(std::size_t machine, std::size_t type) const {
    return cost_[machine * n_types_ + type];
  }

  // The largest cost of a type that is present; 0 for an empty machine.
  [[nodiscard]] CostNumerator cost(std::size_t machine) const {
    const std::size_t row = machine * n_types_;
    CostNumerator worst = 0;
    for (std::size_t d = 0; d < n_types_; ++d) {
      if (load_[row + d] > 0) worst = std::max(worst, cost_[row + d]);
    }
    return worst;
  }

  // The cost with one more task.
  [[nodiscard]] CostNumerator cost_with(std::size_t machine, std::size_t type, Amount size) const {
    const std::size_t row = machine * n_types_;
    const CostNumerator* caused = &alpha_[type * n_types_];
    CostNumerator worst = cost_[row + type] + size * caused[type];
    for (std::size_t d = 0; d < n_types_; ++d) {
      if (load_[row + d] > 0) worst = std::max(worst, cost_[row + d] + size * caused[d]);
    }
    return worst;
  }

  // The cost without one of the tasks that are on the machine.
  [[nodiscard]] CostNumerator cost_without(std::size_t machine, std::size_t type, Amount size) const {
    const std::size_t row = machine * n_types_;
    const CostNumerator* caused = &alpha_[type * n_types_];
    CostNumerator worst = 0;
    for (std::size_t d = 0; d < n_types_; ++d) {
      if (load_[row + d] > (d == type ? size : 0)) worst = std::max(worst, cost_[row + d] - size * caused[d]);
    }
    return worst;
  }

  // The cost with one of the tasks that are there exchanged for another.
  [[nodiscard]] CostNumerator cost_after(std::size_t machine, std::size_t out_type, Amount out_size, std::size_t in_type,
                                         Amount in_size) const {
    const std::size_t row = machine * n_types_;
    const CostNumerator* gone = &alpha_[out_type * n_types_];
    const CostNumerator* come = &alpha_[in_type * n_types_];
    CostNumerator worst = 0;
    for (std::size_t d = 0; d < n_types_; ++d) {
      const bool present = d == in_type || load_[row + d] > (d == out_type ? out_size : 0);
      if (present) worst = std::max(worst, cost_[row + d] - out_size * gone[d] + in_size * come[d]);
    }
    return worst;
  }

  // The cost of the worst machine.  O(n_machines * n_types).
  [[nodiscard]] CostNumerator largest() const;

 private:
  std::span<const CostNumerator> alpha_;
  std::size_t n_types_ = 0;
  std::size_t n_machines_ = 0;
  std::vector<Amount> load_;         // [machine, type]
  std::vector<CostNumerator> cost_;  // [machine, type]: sum over s of load[machine, s] * alpha[s, type]
};

}  // namespace schedcore
