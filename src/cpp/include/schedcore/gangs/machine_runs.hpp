// On which of the machines with room for it a job goes, where neighbours are preferred.
//
// Neighbours are machines of equal weight whose numbers, those of the caller, follow each other; a run of them is as long as it
// can be.  Runs of lower weight come first.  Among those of one weight the smallest that has room for all tasks is taken, the
// first of equals; as long as there is none, the largest one is filled, the first of equals.  In a run the first machines are
// filled first.  That is how Slurm chooses nodes (Yoo, Jette and Grondona, JSSPP 2003), with tasks in place of processors.
//
// Cost: O(M + r log r + p log p) for M machines with room in r runs, and p places.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/engine/machine_names.hpp"
#include "schedcore/index/job_shape.hpp"

namespace schedcore {

// `rooms` are the machines with room, each with the number of tasks, at least one, in order of preference; together at least
// `n_tasks`.  Without names machines are called as they are numbered, and weigh nothing.  The places are in the same order.
[[nodiscard]] std::vector<TaskPlace> places_in_runs(std::span<const TaskPlace> rooms, Amount n_tasks, const MachineNames* names);

}  // namespace schedcore
