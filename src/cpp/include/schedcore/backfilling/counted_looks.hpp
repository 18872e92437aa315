// What a decision of conservative backfilling takes of its budget (base/work_budget.hpp).
//
// A step stands for some nanoseconds of what is usual.  What is counted follows from the jobs and machines alone, and not
// from what was known already, so that a scheduler that was loaded from a snapshot stops where the saved one would.  The
// first look of a decision is always allowed: however small the budgets, repeated decisions come to an end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schedcore/base/work_budget.hpp"

namespace schedcore {

class CountedLooks {
 public:
  static constexpr std::uint64_t kLook = 256;    // at a reservation that could move
  static constexpr std::uint64_t kMove = 4096;   // of a reservation
  static constexpr std::uint64_t kMachine = 32;  // in a search that asks each of them

  [[nodiscard]] static std::uint64_t search(std::size_t n_machines) { return kLook + kMachine * n_machines; }

  void begin_decision() { has_looked_ = false; }
  [[nodiscard]] bool may_look(WorkBudget& budget, std::uint64_t n_steps) {
    const bool suffices = budget.spend(n_steps);
    const bool may = suffices || !has_looked_;
    has_looked_ = true;
    return may;
  }
  static void count_move(WorkBudget& budget) { static_cast<void>(budget.spend(kMove)); }

 private:
  bool has_looked_ = false;
};

}  // namespace schedcore
