// The key of a queue, by its name.
#pragma once

#include <string>

#include "base/choice.hpp"
#include "schedcore/exact/priority.hpp"

namespace schedcore::python {

inline PriorityRule priority_rule(const std::string& name) {
  return choice<PriorityRule>(name, {{"wsjf", PriorityRule::wsjf},
                                     {"wsvf", PriorityRule::wsvf},
                                     {"wsdf", PriorityRule::wsdf},
                                     {"sjf", PriorityRule::sjf},
                                     {"svf", PriorityRule::svf},
                                     {"sdf", PriorityRule::sdf},
                                     {"erf", PriorityRule::erf},
                                     {"custom", PriorityRule::custom},
                                     {"by_id", PriorityRule::by_id}});
}

}  // namespace schedcore::python
