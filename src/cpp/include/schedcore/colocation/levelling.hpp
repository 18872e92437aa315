// Levelling: lower the worst machine by an exchange with another one, until no exchange helps.
//
// An exchange is accepted if both machines then cost less than the worst machine did.  The costs of all machines,
// sorted with the largest first, fall lexicographically with every step, so levelling ends.
//
// Whole types are tried first, once for every machine that becomes the worst, with the cheapest machines; and with all
// machines when single tasks no longer help.  With single tasks, the machines are tried in order of cost, the cheapest
// first, and the best exchange with the first machine that admits one is taken.
#pragma once

#include <cstdint>

#include "schedcore/colocation/placed_tasks.hpp"
#include "schedcore/colocation/work_meter.hpp"

namespace schedcore {

// Ends at `target`, when stuck, or when the work is spent.  Returns how many exchanges were carried out.
std::uint64_t level(PlacedTasks& tasks, CostNumerator target, WorkMeter& work);

}  // namespace schedcore
