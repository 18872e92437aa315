// A walk to a target: random exchanges that do not add to what machines cost above it.
//
// An exchange of one task, or of two, between two machines is accepted if the sum of what the two cost above the
// target does not grow.  Machines below the target thus exchange freely; machines above it hand over what they can.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedcore/base/random_stream.hpp"
#include "schedcore/colocation/placed_tasks.hpp"
#include "schedcore/colocation/work_meter.hpp"

namespace schedcore {

class TargetWalk {
 public:
  // Both must outlive this.
  TargetWalk(PlacedTasks& tasks, WorkMeter& work, std::uint64_t seed);

  // Walk until no machine costs more than `target`, for at most `steps` evaluations and the work that is left.  Whether
  // the target was reached.  O(n_machines + steps * n_types), and exchanges.
  bool reach(CostNumerator target, std::uint64_t steps);

  // Carry out a few random exchanges, whatever they cost.  One time in `whole_types_one_in` the first is of whole
  // types.
  void shake(std::size_t exchanges, std::uint64_t whole_types_one_in);

  [[nodiscard]] std::uint64_t moves() const { return moves_; }

 private:
  [[nodiscard]] std::uint64_t excess(CostNumerator cost) const {
    return cost > target_ ? static_cast<std::uint64_t>(cost - target_) : 0;
  }
  // Two different machines, a task of the first, and a task of the second or nothing; false if the draw was in vain.
  bool draw(std::size_t from, Exchange& exchange);
  // The same with all tasks of the types drawn; a type that both sides hold is only given.
  void widen(Exchange& exchange) const;
  void note(std::size_t machine);

  PlacedTasks& tasks_;
  WorkMeter& work_;
  RandomStream random_;
  CostNumerator target_ = 0;
  std::vector<std::size_t> above_;     // machines that cost more than target_, in any order
  std::vector<std::size_t> position_;  // of a machine in above_, or kBelow
  std::uint64_t moves_ = 0;
};

}  // namespace schedcore
