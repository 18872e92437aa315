// Modified Smith ratios: weight / (what a task holds x what is left of its processing time), compared exactly.
//
// What a task holds on a machine is the sum over resources of demand / capacity; with one resource that orders tasks as
// the demand does.  Estimates of the ratios in doubles decide where they can, otherwise whole numbers of any size.  O(1);
// O(n_resources^2) with allocations for two ratios that are close but not made of equal parts.
#pragma once

#include <cstddef>
#include <span>

#include "schedcore/exact/natural.hpp"
#include "schedcore/exact/tick_scale.hpp"
#include "schedcore/model/parallel_tasks.hpp"

namespace schedcore {

// What one task has on its machine; larger ratios come first.
struct SmithRatio {
  double estimate = 0;
  std::size_t task = 0;
  Ticks remaining = 0;  // in a unit that all share, above 0
};

// The order of a list on one machine: ratios descending, ties by task.
class SmithOrder {
 public:
  SmithOrder(const ParallelTasksView& tasks, std::size_t machine);

  [[nodiscard]] SmithRatio ratio(std::size_t task, Ticks remaining) const;
  [[nodiscard]] bool before(const SmithRatio& a, const SmithRatio& b) const;

 private:
  // weight of `a` x what `b` holds x what remains of b, as a mantissa; the weight's power of two is left out.
  [[nodiscard]] Natural cross_product(const SmithRatio& a, const SmithRatio& b) const;
  [[nodiscard]] Natural held(std::size_t task) const;

  const ParallelTasksView& tasks_;
  std::span<const Amount> capacity_;
};

}  // namespace schedcore
