// Options of slotted runs at the boundary, by word and number; schedcore.algorithms.preemptive checks them.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/choice.hpp"
#include "schedcore/preemptive/dual_multipliers.hpp"

namespace schedcore::python {

// A word of InitialMultiplier, and the number that goes with some.
using FirstMultiplier = std::pair<std::string, double>;

// Without `mu` the step grows with the slot.
[[nodiscard]] inline DualRules dual_rules(unsigned k, double gamma, std::optional<double> mu,
                                          const FirstMultiplier& lambda0) {
  check_number(std::int64_t{k}, std::int64_t{1}, std::int64_t{1} << 20, "k");
  check_number(gamma, -kLargestNumber, kLargestNumber, "gamma");
  check_number(mu.value_or(0), -kLargestNumber, kLargestNumber, "mu");
  check_number(lambda0.second, -kLargestNumber, kLargestNumber, "lambda0");
  DualRules rules;
  rules.k = k;
  rules.gamma = gamma;
  rules.constant_step = mu;
  rules.initial = choice<InitialMultiplier>(lambda0.first, {{"big", InitialMultiplier::big},
                                                            {"zero", InitialMultiplier::zero},
                                                            {"steps", InitialMultiplier::steps},
                                                            {"constant", InitialMultiplier::constant}});
  rules.initial_value = lambda0.second;
  return rules;
}

// Whether jobs stay where they ran in the slot before.
[[nodiscard]] inline bool is_sticky(const std::string& packing) {
  return choice<bool>(packing, {{"ffd", false}, {"sticky", true}});
}

}  // namespace schedcore::python
