// How much work one decision may spend in its expensive part: a count of elementary steps, which no clock and no machine
// changes, so that the same call with the same limit decides the same everywhere.
//
// Whoever does the work says what a step is, and spends before it works.  A step should take about as long wherever one is
// counted, some nanoseconds.
#pragma once

#include <cstdint>
#include <exception>
#include <limits>

namespace schedcore {

class WorkBudget {
 public:
  WorkBudget() = default;  // without a limit
  explicit WorkBudget(std::uint64_t limit) : left_(limit), is_limited_(true) {}

  // Whether there are so many steps left, which are then taken; if not, none is left from then on.
  [[nodiscard]] bool spend(std::uint64_t n_steps) {
    if (!is_limited_) return true;
    const bool suffices = n_steps <= left_;
    left_ = suffices ? left_ - n_steps : 0;
    return suffices;
  }
  [[nodiscard]] bool is_limited() const { return is_limited_; }
  // The largest number there is if it is not limited.
  [[nodiscard]] std::uint64_t left() const { return left_; }

 private:
  std::uint64_t left_ = std::numeric_limits<std::uint64_t>::max();
  bool is_limited_ = false;
};

// Ends a computation of which a part is worth nothing; caught by whoever gave it the budget.
class WorkBudgetSpent : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the budget of work is spent"; }
};

}  // namespace schedcore
