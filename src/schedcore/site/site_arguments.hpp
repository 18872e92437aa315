// The rules of a site as somebody in Python said them, and the order of a queue by its name.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "base/choice.hpp"
#include "online/priority_rule_argument.hpp"
#include "schedcore/engine/engine.hpp"
#include "schedcore/exact/queue_order.hpp"
#include "schedcore/site/site_rules.hpp"

namespace schedcore::python {

// Rules, and what becomes of jobs that are ended for others.
struct GivenSite {
  SiteRules rules;
  KillRule preempt_rule = KillRule::requeue;
};


// The name of a key, "priority" or "multifactor"; equal keys come in order of release, or of their ids alone.
inline OrderRule order_argument(const std::string& name, bool ties_by_id) {
  if (name == "priority") return {PriorityRule::erf, OrderRule::Source::priority, ties_by_id};
  if (name == "multifactor") return {PriorityRule::erf, OrderRule::Source::multifactor, ties_by_id};
  return {priority_rule(name), OrderRule::Source::key, ties_by_id};
}

// The engine obeys the rules from now on; it has seen no job.
inline void obey(const GivenSite& site, const MachinesView& machines, Engine& engine) {
  const auto is_known = [&](const SiteLimit& limit) { return limit.resource < machines.n_resources; };
  check_shape(std::ranges::all_of(site.rules.limits, is_known), "a limit is of a resource that there is not");
  engine.obey(site.rules, site.preempt_rule);
}

}  // namespace schedcore::python
