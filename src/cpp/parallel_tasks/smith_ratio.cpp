#include "schedcore/parallel_tasks/smith_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "schedcore/exact/binary_form.hpp"

namespace schedcore {
namespace {

constexpr double kMargin = 0x1p-50;     // above the error of two estimates, for each term and operation
constexpr double kSmallest = 0x1p-900;  // below it, estimates lose digits

Natural natural(Ticks ticks) {
  const auto value = static_cast<UInt128>(ticks);
  return Natural(high_word(value)) * Natural(2).to_the_power(64) + Natural(low_word(value));
}

}  // namespace

SmithOrder::SmithOrder(const ParallelTasksView& tasks, std::size_t machine)
    : tasks_(tasks), capacity_(tasks.machines.capacity_of(machine)) {}

SmithRatio SmithOrder::ratio(std::size_t task, Ticks remaining) const {
  const auto demand = tasks_.demand_of(task);
  double share = 0;
  for (std::size_t r = 0; r < capacity_.size(); ++r) {
    if (capacity_[r] > 0) share += static_cast<double>(demand[r]) / static_cast<double>(capacity_[r]);
  }
  return {tasks_.weight[tasks_.job_of(task)] / (share * static_cast<double>(remaining)), task, remaining};
}

bool SmithOrder::before(const SmithRatio& a, const SmithRatio& b) const {
  const double larger = std::max(a.estimate, b.estimate);
  const double margin = kMargin * static_cast<double>(capacity_.size() + 3) * larger;
  if (larger > kSmallest && std::abs(a.estimate - b.estimate) > margin) return a.estimate > b.estimate;
  const double a_weight = tasks_.weight[tasks_.job_of(a.task)], b_weight = tasks_.weight[tasks_.job_of(b.task)];
  const auto a_demand = tasks_.demand_of(a.task), b_demand = tasks_.demand_of(b.task);
  const bool alike = a_weight == b_weight && a.remaining == b.remaining &&
                     std::equal(a_demand.begin(), a_demand.end(), b_demand.begin());
  if (alike) return a.task < b.task;
  Natural left = cross_product(a, b), right = cross_product(b, a);
  const int shift = binary_form(a_weight).exponent - binary_form(b_weight).exponent;
  (shift > 0 ? left : right) = (shift > 0 ? left : right) * Natural(2).to_the_power(static_cast<unsigned>(std::abs(shift)));
  const auto order = left <=> right;
  return order > 0 || (order == 0 && a.task < b.task);
}

Natural SmithOrder::cross_product(const SmithRatio& a, const SmithRatio& b) const {
  return Natural(binary_form(tasks_.weight[tasks_.job_of(a.task)]).mantissa) * held(b.task) * natural(b.remaining);
}

// Times the product of all capacities, which is the same for all tasks.
Natural SmithOrder::held(std::size_t task) const {
  const auto demand = tasks_.demand_of(task);
  Natural sum;
  for (std::size_t r = 0; r < capacity_.size(); ++r) {
    if (capacity_[r] == 0) continue;
    Natural term(static_cast<std::uint64_t>(demand[r]));
    for (std::size_t other = 0; other < capacity_.size(); ++other) {
      if (other != r && capacity_[other] > 0) term = term * Natural(static_cast<std::uint64_t>(capacity_[other]));
    }
    sum = sum + term;
  }
  return sum;
}

}  // namespace schedcore
