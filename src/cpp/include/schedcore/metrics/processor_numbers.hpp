// Which processors the jobs of a schedule hold: at its start a job takes the lowest free numbers of its machine.
//
// A schedule says how many processors of a machine a job holds, not which; programs that draw or check allocations want
// numbers.  Those of machine i follow those of machine i - 1.  At one instant completions free their numbers first,
// then jobs take theirs in the order of their indices, so no two jobs hold a number at the same time.
//
// O((n + k) log k) for n jobs and k intervals in all.  Low numbers are reused first, which keeps k small; a job of p
// processors has at most p intervals.  Not a placement policy: which processors a job gets changes no start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

// The intervals of job j are [first[i], last[i]], both ends included, for i in [offset[j], offset[j + 1]), ascending
// and not adjacent.
struct ProcessorNumbers {
  std::vector<std::int64_t> offset;
  std::vector<Amount> first;
  std::vector<Amount> last;
};

// `processors[j]` > 0 of machine[j], which has capacity[machine[j]]; the capacities add up to less than 2^63.
// Requires completions that follow starts; InvalidInstanceError where jobs hold more than a capacity.
[[nodiscard]] ProcessorNumbers lowest_free_processors(std::span<const Time> start_time,
                                                      std::span<const Time> processing_time,
                                                      std::span<const Amount> processors,
                                                      std::span<const std::int64_t> machine,
                                                      std::span<const Amount> capacity);

}  // namespace schedcore
