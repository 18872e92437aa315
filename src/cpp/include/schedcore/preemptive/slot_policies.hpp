// The keys of the policies that OCORP is compared with, and for how long two jobs keep their order under them.
//
// Smallest key first, ties by job: remaining time R / d (SRPT), remaining volume R (SRVF), volume p d (SVF), cores d
// (SRF), release time (FIFO).  Decisions believe the estimated cores e: the keys are R / d, R e / d, p e, e.  Keys are
// doubles; R e is multiplied first, and where e = d the remaining volume is R itself.
#pragma once

#include <cstdint>

#include "schedcore/model/slots.hpp"

namespace schedcore {

enum class SlotPolicy { ocorp, ocorp_plus, srpt, srvf, svf, srf, fifo, las, gittins, proportional_fairness, drf };

[[nodiscard]] constexpr bool has_multipliers(SlotPolicy policy) {
  return policy == SlotPolicy::ocorp || policy == SlotPolicy::ocorp_plus;
}
// The key of a job changes with what is left of it.
[[nodiscard]] constexpr bool follows_remaining_work(SlotPolicy policy) {
  return policy == SlotPolicy::srpt || policy == SlotPolicy::srvf;
}
// The key of a job changes with what it has got (attained_service.hpp).
[[nodiscard]] constexpr bool follows_attained_service(SlotPolicy policy) { return policy == SlotPolicy::las; }
// The key of a job changes with what it has got, and with what completed jobs had got (gittins_order.hpp).
[[nodiscard]] constexpr bool learns_sizes(SlotPolicy policy) { return policy == SlotPolicy::gittins; }
// Cores are shared among all, in no order (fair_sharing.hpp).
[[nodiscard]] constexpr bool shares_fairly(SlotPolicy policy) {
  return policy == SlotPolicy::proportional_fairness || policy == SlotPolicy::drf;
}

// Every job has a key, which does not grow while the job runs.
[[nodiscard]] constexpr bool can_serve_whole(SlotPolicy policy) {
  return !has_multipliers(policy) && !follows_attained_service(policy) && !learns_sizes(policy) && !shares_fairly(policy);
}

// What a baseline key is made of.
struct SlotJob {
  Slot release_time;
  Slot processing_time;
  Amount demand;
  Amount believed;
};

// A key R * factor / divisor (divided only by divisors above 1, multiplied only by factors above 1).
struct KeyRatio {
  Amount factor = 1;
  Amount divisor = 1;
  [[nodiscard]] double key(Amount remaining) const;
  friend bool operator==(const KeyRatio&, const KeyRatio&) = default;
};

// Of the policies that follow the remaining work.
[[nodiscard]] KeyRatio key_ratio(SlotPolicy policy, const SlotJob& job);
// Of those whose keys stay.  Requires that p e is below 2^53.
[[nodiscard]] double constant_key(SlotPolicy policy, const SlotJob& job);

// A row in a stretch of slots in which it does `work` core-slots in each.
struct SteadyRow {
  KeyRatio ratio;
  Amount remaining;
  Amount work;
  std::uint32_t row;
};

// How many slots later at most `a`, which has the smaller (key, row) now, still has it: kNoSlot if always.  Exact, and
// true of the doubles as well where key_products_are_exact says so.  O(1).
[[nodiscard]] Slot slots_in_order(const SteadyRow& a, const SteadyRow& b);

// No product of a remaining volume, a factor and a divisor reaches 2^52, so that different keys are different doubles.
[[nodiscard]] bool key_products_are_exact(Amount largest_volume, Amount largest_factor, Amount largest_divisor);

}  // namespace schedcore
