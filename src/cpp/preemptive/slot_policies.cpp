#include "schedcore/preemptive/slot_policies.hpp"

#include <cassert>

#include "schedcore/preemptive/slot_calendar.hpp"

namespace schedcore {

double KeyRatio::key(Amount remaining) const {
  return static_cast<double>(remaining) * static_cast<double>(factor) / static_cast<double>(divisor);
}

KeyRatio key_ratio(SlotPolicy policy, const SlotJob& job) {
  if (policy == SlotPolicy::srpt) return {1, job.demand};
  assert(policy == SlotPolicy::srvf);
  return job.believed == job.demand ? KeyRatio{} : KeyRatio{job.believed, job.demand};
}

double constant_key(SlotPolicy policy, const SlotJob& job) {
  switch (policy) {
    case SlotPolicy::svf: return static_cast<double>(job.processing_time * job.believed);
    case SlotPolicy::srf: return static_cast<double>(job.believed);
    case SlotPolicy::fifo: return static_cast<double>(job.release_time);
    default: break;
  }
  assert(false);
  return 0.0;
}

Slot slots_in_order(const SteadyRow& a, const SteadyRow& b) {
  // (R_a - s w_a) f_a / v_a against (R_b - s w_b) f_b / v_b, multiplied by both divisors: linear in s on both sides.
  const Amount to_a = a.ratio.factor * b.ratio.divisor, to_b = b.ratio.factor * a.ratio.divisor;
  const Amount gained = b.work * to_b - a.work * to_a;
  if (gained <= 0) return kNoSlot;
  const Amount ahead = b.remaining * to_b - a.remaining * to_a - (a.row < b.row ? 0 : 1);
  return ahead / gained;
}

bool key_products_are_exact(Amount largest_volume, Amount largest_factor, Amount largest_divisor) {
  constexpr Amount kBound = Amount{1} << 52;
  return largest_volume < kBound / largest_factor / largest_divisor;
}

}  // namespace schedcore
