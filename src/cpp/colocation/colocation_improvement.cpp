#include "schedcore/colocation/colocation_improvement.hpp"

#include <algorithm>

#include "present_types.hpp"
#include "schedcore/colocation/levelling.hpp"
#include "schedcore/colocation/placed_tasks.hpp"
#include "schedcore/colocation/target_walk.hpp"
#include "schedcore/colocation/work_meter.hpp"

namespace schedcore {
namespace {

// The target of a walk is at first half-way to the proven end, then a quarter, and so on; the last is just below the
// best.
constexpr unsigned kHalvings = 5;
constexpr std::uint64_t kStepsPerTask = 32;  // of a walk
constexpr std::uint64_t kFewestSteps = 2000;
constexpr unsigned kFailuresToGiveUp = 100;
constexpr std::size_t kShaken = 4;
constexpr std::uint64_t kWholeTypesOneIn = 4;

class AssignmentImprovement {
 public:
  AssignmentImprovement(const ColocationView& view, std::span<std::int64_t> machine, const AssignmentLimits& limits,
                        Monitor* monitor)
      : present_(view),
        best_(machine),
        target_(limits.target),
        work_(limits.work_limit, monitor),
        tasks_(present_.view(), machine),
        walk_(tasks_, work_, limits.seed),
        best_cost_(tasks_.largest()) {}

  AssignmentOutcome run() {
    level_down();
    unsigned halvings = 1;
    unsigned failures = 0;
    while (!ended() && failures < kFailuresToGiveUp) {
      const CostNumerator below = best_cost_ - 1;
      const CostNumerator ambition = halvings > kHalvings ? 0 : (below - target_) >> halvings;
      if (walk_.reach(below - ambition, steps_of_walk())) {
        level_down();
        failures = 0;
        continue;
      }
      if (tasks_.largest() < best_cost_) level_down();  // not as far as wanted, and yet
      ++failures;
      ++halvings;
      if (ended()) break;
      if (tasks_.largest() > best_cost_) tasks_ = PlacedTasks(present_.view(), best_);
      if (ambition == 0) walk_.shake(kShaken, kWholeTypesOneIn);
    }
    return {best_cost_, moves_ + walk_.moves(), work_.done(), end()};
  }

 private:
  void level_down() {
    moves_ += level(tasks_, target_, work_);
    const CostNumerator cost = tasks_.largest();
    if (cost >= best_cost_) return;
    best_cost_ = cost;
    tasks_.write(best_);
  }

  [[nodiscard]] std::uint64_t steps_of_walk() const {
    return std::max(kFewestSteps, kStepsPerTask * present_.view().n_tasks());
  }
  [[nodiscard]] bool ended() const { return best_cost_ <= target_ || work_.spent(); }
  [[nodiscard]] AssignmentEnd end() const {
    if (best_cost_ <= target_) return AssignmentEnd::target;
    return work_.spent() ? AssignmentEnd::work_limit : AssignmentEnd::stuck;
  }

  PresentTypes present_;
  std::span<std::int64_t> best_;  // the caller's; holds the cheapest assignment seen
  CostNumerator target_;
  WorkMeter work_;
  PlacedTasks tasks_;
  TargetWalk walk_;
  CostNumerator best_cost_;
  std::uint64_t moves_ = 0;
};

}  // namespace

AssignmentOutcome improve_assignment(const ColocationView& view, std::span<std::int64_t> machine,
                                      const AssignmentLimits& limits, Monitor* monitor) {
  if (view.n_tasks() == 0 || view.n_machines == 1) {
    const CostNumerator cost = colocation_cost(view, machine).largest;
    return {cost, 0, 0, cost <= limits.target ? AssignmentEnd::target : AssignmentEnd::stuck};
  }
  return AssignmentImprovement(view, machine, limits, monitor).run();
}

}  // namespace schedcore
