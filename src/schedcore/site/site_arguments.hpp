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

inline constexpr std::pair<const char*, QueueFormula> kQueueFormulas[] = {
    {"saf", QueueFormula::saf}, {"f1", QueueFormula::f1},   {"f2", QueueFormula::f2},     {"f3", QueueFormula::f3},
    {"f4", QueueFormula::f4},   {"lxf", QueueFormula::lxf}, {"wfp3", QueueFormula::wfp3}, {"unicef", QueueFormula::unicef}};

// The name of a key or of a formula, "priority" or "multifactor"; equal keys come in order of release, or of their ids alone.
inline OrderRule order_argument(const std::string& name, bool ties_by_id) {
  for (const auto& [formula_name, formula] : kQueueFormulas) {
    if (name == formula_name) return {PriorityRule::erf, OrderRule::Source::formula, ties_by_id, formula};
  }
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
