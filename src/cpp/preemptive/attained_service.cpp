#include "schedcore/preemptive/attained_service.hpp"

#include <algorithm>

#include "schedcore/preemptive/slot_policies.hpp"

namespace schedcore {

Amount attained_service(const SlotJobs& jobs, const ActiveJobs& active, std::size_t row) {
  return jobs.processing_time[active.jobs()[row]] * active.demand()[row] - active.remaining()[row];
}

void attained_keys(const SlotJobs& jobs, const ActiveJobs& active, std::vector<double>& key) {
  key.resize(active.size());
  for (std::size_t row = 0; row < key.size(); ++row)
    key[row] = static_cast<double>(attained_service(jobs, active, row));
}

Slot steady_attained_order(const SlotJobs& jobs, const ActiveJobs& active, std::span<const Amount> cores,
                           std::span<const Amount> work, std::size_t cut, std::span<const std::uint32_t> order,
                           Slot most) {
  // A key that grows by the work of a slot is one that falls by its negative.
  const auto steady_row = [&](std::size_t row) {
    return SteadyRow{KeyRatio{}, attained_service(jobs, active, row), -work[row], static_cast<std::uint32_t>(row)};
  };
  for (std::size_t i = 1; i < order.size() && most > 0; ++i)
    most = std::min(most, slots_in_order(steady_row(order[i - 1]), steady_row(order[i])));
  if (!order.empty()) return most;

  // Who waits has the same key all the time, and the first of them comes before the others.
  const auto before = [](const SteadyRow& a, const SteadyRow& b) {
    return a.remaining != b.remaining ? a.remaining < b.remaining : a.row < b.row;
  };
  SteadyRow border{{}, 0, 0, kNewRow};
  for (std::size_t row = 0; row < active.size(); ++row) {
    if (cores[row] > 0) continue;
    const SteadyRow waits = steady_row(row);
    if (border.row == kNewRow || before(waits, border)) border = waits;
  }
  if (cut != kNoRow) {
    const SteadyRow last = steady_row(cut);
    if (border.row != kNewRow) most = std::min(most, slots_in_order(last, border));
    border = last;
  }
  if (border.row == kNewRow) return most;
  for (std::size_t row = 0; row < active.size() && most > 0; ++row)
    if (cores[row] > 0 && row != cut) most = std::min(most, slots_in_order(steady_row(row), border));
  return most;
}

}  // namespace schedcore
