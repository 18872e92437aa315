#include "schedcore/parallel_tasks/slow_motion.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "schedcore/exact/double_double_quotient.hpp"

namespace schedcore {
namespace {

constexpr double kSameShare = 1e-12;
constexpr auto kUnits = static_cast<double>(kWholeTask);

// What a task had of its machines so far, and what the cap lets it have: `units` of 10^-9 of lambda.
class CappedShares {
 public:
  CappedShares(std::span<const ProgressStep> steps, FractionCap cap) {
    if (cap == FractionCap::task) {
      goal_.push_back({0, kWholeTask, {}});
      return;
    }
    for (const ProgressStep& step : steps) {
      Goal* own = find(step.machine);
      if (own == nullptr) own = &goal_.emplace_back(Goal{step.machine, 0, {}});
      own->units += step.end - step.start;  // becomes units once the total is known
    }
    for (const ProgressStep& step : steps) {
      Goal* const own = find(step.machine);
      if (own->is_counted) continue;
      own->units /= step.processing_time;
      own->is_counted = true;
    }
    by_machine_ = true;
  }

  struct Goal {
    std::size_t machine;
    std::int64_t units;
    TaskShare done;
    bool is_counted = false;
  };
  [[nodiscard]] Goal& of(std::size_t machine) { return by_machine_ ? *find(machine) : goal_[0]; }

 private:
  [[nodiscard]] Goal* find(std::size_t machine) {
    const auto own = std::find_if(goal_.begin(), goal_.end(), [&](const Goal& g) { return g.machine == machine; });
    return own == goal_.end() ? nullptr : &*own;
  }

  std::vector<Goal> goal_;  // one, or one for each machine
  bool by_machine_ = false;
};

double near_whole(double fine_time) {
  const double whole = std::round(fine_time);
  return std::abs(fine_time - whole) <= 0x1p-40 * whole ? whole : fine_time;
}

}  // namespace

Speed::Speed(double stated) : value_(stated) {
  assert(stated > 0 && stated <= 1);
  const auto [units, error] = two_product(stated, kUnits);
  in_units_ = {units, error};
}

Speed::Speed(const TaskShare& share) : value_(share.units().hi / kUnits), in_units_(share.units()), exact_(share) {
  assert(!share.is_zero());
}

std::weak_ordering Speed::compare(const TaskShare& share, std::int64_t units) const {
  if (!exact_.is_zero()) return TaskShare::compare_products(share, kWholeTask, exact_, units);
  const double wanted = in_units_.hi * (static_cast<double>(units) / kUnits), lead = share.units().hi - wanted;
  if (std::abs(lead) <= kSameShare * wanted) return std::weak_ordering::equivalent;
  return lead < 0 ? std::weak_ordering::less : std::weak_ordering::greater;
}

double Speed::missing(const TaskShare& share, std::int64_t units) const {
  const DoubleDouble wanted = quotient(product(in_units_, as_double_double(units)), kUnits);
  return (wanted - share.units()).hi;
}

std::vector<MeasuredPiece> slow_motion(const ParallelTasksView& tasks, const TaskProgress& progress,
                                       const Speed& lambda, FractionCap cap) {
  std::vector<MeasuredPiece> pieces;
  pieces.reserve(progress.n_steps());
  const auto image = [&lambda](double fine_time) { return fine_time / kFineTimesPerTime / lambda.value(); };
  for (std::size_t task = 0; task < tasks.n_tasks(); ++task) {
    const auto steps = progress.of(task);
    CappedShares shares(steps, cap);
    for (const ProgressStep& step : steps) {
      auto& goal = shares.of(step.machine);
      if (lambda.compare(goal.done, goal.units) >= 0) continue;
      TaskShare after = step.after(goal.done);
      const auto start = static_cast<double>(step.start), end = static_cast<double>(step.end);
      double processed = static_cast<double>(step.end - step.start), cut = end;
      if (lambda.compare(after, goal.units) > 0) {
        const double missing = lambda.missing(goal.done, goal.units) * static_cast<double>(step.processing_time);
        processed = std::min(processed, missing);
        cut = std::clamp(near_whole(start + processed), start, end);
      }
      goal.done = std::move(after);
      pieces.push_back({task, step.machine, image(start), image(cut), image(processed)});
    }
  }
  return pieces;
}

}  // namespace schedcore
