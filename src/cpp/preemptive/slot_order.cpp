#include "schedcore/preemptive/slot_order.hpp"

#include <algorithm>
#include <cassert>

#include "schedcore/preemptive/attained_service.hpp"

namespace schedcore {
namespace {

SlotJob slot_job(const SlotJobs& jobs, std::size_t job) {
  return {jobs.release_time[job], jobs.processing_time[job], jobs.demand_of(job)[0], jobs.believed_demand_of(job)[0]};
}

bool ratios_are_exact(SlotPolicy policy, const SlotJobs& jobs) {
  if (!follows_remaining_work(policy)) return true;
  Amount volume = 1, factor = 1, divisor = 1;
  for (std::size_t j = 0; j < jobs.n_jobs(); ++j) {
    const SlotJob job = slot_job(jobs, j);
    const KeyRatio ratio = key_ratio(policy, job);
    volume = std::max(volume, job.processing_time * job.demand);
    factor = std::max(factor, ratio.factor);
    divisor = std::max(divisor, ratio.divisor);
  }
  return key_products_are_exact(volume, factor, divisor);
}

}  // namespace

SlotOrder::SlotOrder(SlotPolicy policy, const DualRules& rules, const SlotJobs& jobs)
    : policy_(policy), jobs_(jobs), multipliers_(rules), gittins_(jobs), ratios_are_exact_(ratios_are_exact(policy, jobs)) {}

void SlotOrder::added(const ActiveJobs& active) {
  const ActiveRows& rows = active.rows();
  removed(active);
  for (const std::uint32_t row : rows.new_rows()) {
    const SlotJob job = slot_job(jobs_, rows.jobs()[row]);
    if (has_multipliers(policy_)) {
      multipliers_.start(row, job.release_time, job.processing_time, job.demand, job.believed);
    } else if (follows_remaining_work(policy_)) {
      ratio_[row] = key_ratio(policy_, job);
    } else if (!follows_attained_service(policy_) && !learns_sizes(policy_) && !shares_fairly(policy_)) {
      key_[row] = constant_key(policy_, job);
    }
  }
}

void SlotOrder::removed(const ActiveJobs& active) {
  const ActiveRows& rows = active.rows();
  if (has_multipliers(policy_)) {
    multipliers_.follow(rows);
  } else if (follows_remaining_work(policy_)) {
    rows.follow(ratio_);
  } else {
    rows.follow(key_);
  }
  if (learns_sizes(policy_)) gittins_.follow(active);
  order_is_stale_ = true;
}

std::span<const double> SlotOrder::keys(Slot slot, const ActiveJobs& active) {
  if (has_multipliers(policy_)) {
    multipliers_.keys(slot, key_, cost_);
    order_is_stale_ = true;
  } else if (follows_remaining_work(policy_)) {
    key_.resize(ratio_.size());
    for (std::size_t row = 0; row < key_.size(); ++row) key_[row] = ratio_[row].key(active.remaining()[row]);
    order_is_stale_ = true;
  } else if (follows_attained_service(policy_)) {
    attained_keys(jobs_, active, key_);
    order_is_stale_ = true;
  } else if (learns_sizes(policy_)) {
    gittins_.keys(active, key_);
    order_is_stale_ = true;
  }
  return key_;
}

std::span<const std::uint32_t> SlotOrder::sorted(bool below_zero) {
  if (!order_is_stale_) return order_;
  order_.clear();
  for (std::uint32_t row = 0; row < key_.size(); ++row)
    if (!below_zero || key_[row] < 0.0) order_.push_back(row);
  std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
    return key_[a] < key_[b] || (key_[a] == key_[b] && a < b);
  });
  order_is_stale_ = false;
  return order_;
}

SteadyRow SlotOrder::steady_row(const ActiveJobs& active, std::span<const Amount> work, std::uint32_t row) const {
  return {ratio_[row], active.remaining()[row], work[row], row};
}

Slot SlotOrder::steady_slots(const ActiveJobs& active, std::span<const Amount> cores, std::span<const Amount> work,
                             std::size_t cut, bool whole, Slot most) {
  if (has_multipliers(policy_)) return 0;
  if (follows_attained_service(policy_)) {
    const auto order = whole ? sorted(false) : std::span<const std::uint32_t>();
    return steady_attained_order(jobs_, active, cores, work, cut, order, most);
  }
  if (learns_sizes(policy_)) {
    const bool nobody_waits = cut == kNoRow && std::ranges::find(cores, Amount{0}) == cores.end();
    return !whole && nobody_waits ? most : 0;
  }
  if (!follows_remaining_work(policy_) || (!whole && cut == kNoRow)) return most;
  if (!ratios_are_exact_) return 0;
  if (whole) {
    const auto order = sorted(false);
    for (std::size_t i = 1; i < order.size() && most > 0; ++i)
      most = std::min(most, slots_in_order(steady_row(active, work, order[i - 1]), steady_row(active, work, order[i])));
    return most;
  }
  // The rows with all they can use get nearer to their end, those without cores do not: only the cut row can pass.
  const SteadyRow last = steady_row(active, work, static_cast<std::uint32_t>(cut));
  for (std::uint32_t row = 0; row < active.size() && most > 0; ++row)
    if (row != cut && cores[row] > 0) most = std::min(most, slots_in_order(steady_row(active, work, row), last));
  return most;
}

bool SlotOrder::advance(Slot first, Slot n_slots, std::span<const Amount> work) {
  return !has_multipliers(policy_) || multipliers_.advance(first, n_slots, work);
}

}  // namespace schedcore
