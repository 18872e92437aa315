// Tasks in order of their volume on one machine, compared exactly.
//
// The volume is the processing time on the machine times the sum over resources of demand / capacity; resources of
// which the machine has none do not count.  O(n log n) comparisons of 128-bit integers; of numbers as long as the
// capacities together only where these have no common multiple up to 2^53.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/model/parallel_tasks.hpp"

namespace schedcore {

// The positions of the entries of `task` by descending volume on `machine`, ties by position.  Requires that each of
// them may run there.
[[nodiscard]] std::vector<std::uint32_t> descending_volumes(const ParallelTasksView& tasks, std::size_t machine,
                                                            std::span<const std::size_t> task);

}  // namespace schedcore
