// The dual recursion of OCORP: what each active job has earned by waiting, and the keys that follow from it.
//
// A unit of job j's rate costs w_j(t) = (t - a)^k / p + p^(k-1) in slot t.  Its multiplier lambda_j grows with the rate
// r_j = p / max(Gamma - a, p) at which it ought to run and falls with the rate y_j at which it ran:
//
//     lambda_j = max(0, lambda_j + mu(t) (r_j - y_j)),        omega_j = (w_j - lambda_j) / d_j  is the key of a slot.
//
// IEEE doubles in exactly this order of operations, powers by repeated multiplication from the left, so that orders
// and ties are reproducible bit for bit.  What is constant for a job is computed once.
//
// Source: Xu, Liu and Lau, "Optimal job scheduling with resource packing for heterogeneous servers", IEEE/ACM ToN 2021,
// Algorithm 1; the cap of r_j at 1 and the values of lambda in the first slot are ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedcore/model/slots.hpp"
#include "schedcore/preemptive/slot_calendar.hpp"

namespace schedcore {

// 1.0 times `base`, `exponent` times.
[[nodiscard]] inline double ipow(double base, unsigned exponent) {
  double power = 1.0;
  for (; exponent > 0; --exponent) power = power * base;
  return power;
}

// How multipliers start: Gamma^(k + 1/2) Gamma; 0; `initial_value` steps mu(a + 1); `initial_value`.
enum class InitialMultiplier { big, zero, steps, constant };

struct DualRules {
  unsigned k = 2;
  double gamma = 1.0;                   // by when all work ought to be done
  std::optional<double> constant_step;  // mu; none: mu(t) = t^(k + 1/2)
  InitialMultiplier initial = InitialMultiplier::big;
  double initial_value = 0.0;

  // mu(t).
  [[nodiscard]] double step(Slot slot) const;
  // lambda of a job in the first slot after its release.
  [[nodiscard]] double first_multiplier(Slot release_time) const;
};

// The multipliers of the active jobs, one a row; every pass over them is one loop over plain columns.
class DualMultipliers {
 public:
  explicit DualMultipliers(const DualRules& rules) : rules_(rules) {}

  // After every change of the rows; then `start` for each new one.
  void follow(const ActiveRows& active);
  // `believed` cores divide in the key, `demand` cores in the rate.  Throws UnsupportedError if p^(k-1) is no double.
  void start(std::size_t row, Slot release_time, Slot processing_time, Amount demand, Amount believed);

  // omega of every row in `slot`, and the cost w - lambda of a unit of its rate.  Throws UnsupportedError where
  // multipliers could exceed a double.
  void keys(Slot slot, std::vector<double>& omega, std::vector<double>& cost) const;

  // What the slots first .. first + n_slots - 1 change if every row does `work` core-slots in each of them; true if no
  // further slot of the kind would change anything.  O(rows) a slot, as long as any multiplier still changes.
  bool advance(Slot first, Slot n_slots, std::span<const Amount> work);

  [[nodiscard]] std::span<const double> values() const { return lambda_; }

 private:
  void check_range(Slot slot) const;
  [[nodiscard]] bool settled() const;

  DualRules rules_;
  double largest_first_ = 0.0;       // of all multipliers started so far
  std::vector<double> release_;      // a
  std::vector<double> processing_;   // p
  std::vector<double> end_cost_;     // p^(k-1)
  std::vector<double> target_rate_;  // r
  std::vector<double> demand_;
  std::vector<double> believed_;
  std::vector<double> lambda_;
  std::vector<double> lag_;  // r - y while `advance` runs
};

}  // namespace schedcore
