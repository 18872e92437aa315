// The rules of OCORP's multipliers at the boundary, by word and number; schedcore.algorithms.preemptive checks them.
#pragma once

#include <optional>
#include <string>

#include "base/choice.hpp"
#include "schedcore/preemptive/dual_multipliers.hpp"

namespace schedcore::python {

[[nodiscard]] inline DualRules dual_rules(unsigned k, double gamma, std::optional<double> constant_step,
                                          const std::string& initial, double initial_value) {
  check_number(std::int64_t{k}, std::int64_t{1}, std::int64_t{1} << 20, "k");
  check_number(gamma, -kLargestNumber, kLargestNumber, "gamma");
  check_number(constant_step.value_or(0), -kLargestNumber, kLargestNumber, "constant_step");
  check_number(initial_value, -kLargestNumber, kLargestNumber, "initial_value");
  DualRules rules;
  rules.k = k;
  rules.gamma = gamma;
  rules.constant_step = constant_step;
  rules.initial = choice<InitialMultiplier>(initial, {{"big", InitialMultiplier::big},
                                                      {"zero", InitialMultiplier::zero},
                                                      {"steps", InitialMultiplier::steps},
                                                      {"constant", InitialMultiplier::constant}});
  rules.initial_value = initial_value;
  return rules;
}

}  // namespace schedcore::python
