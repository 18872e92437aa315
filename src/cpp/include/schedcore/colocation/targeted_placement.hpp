// Assignments to begin an improvement with: tasks placed by loads that machines should have, or by what they cost.
#pragma once

#include <cstdint>
#include <span>

#include "schedcore/base/monitor.hpp"
#include "schedcore/colocation/colocation.hpp"

namespace schedcore {

// Place the tasks of each type, the largest first, on the machine that lacks most of what it should hold of the type.
//
// target[k * n_types + s] >= 0 is the load of type s wanted on machine k; ties go to the lowest machine.  Machines that
// should hold none of a type get none, unless all do.  The targets say which types share machines and how much of
// each; a solution of the pattern program, whose loads are divisible, has exactly this form.  Loads miss their
// targets by up to the size of a task: follow it by improve_assignment.  O(n log n + n log m + m * n_types).
void place_by_targets(const ColocationView& view, std::span<const Amount> target, std::span<std::int64_t> machine);

// Place the tasks, the largest first, on the machine that then costs least; ties to the lowest machine.
//
// For many types, where no targets are known.  With few types that do not go together it mixes them early and cannot
// undo it.  O(n log n + n * m * n_types).  Polls `monitor`, which may be null.
void place_by_cost(const ColocationView& view, std::span<std::int64_t> machine, Monitor* monitor);

}  // namespace schedcore
