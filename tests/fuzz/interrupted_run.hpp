// A fuzzer's bytes on an OnlineScheduler: the first chooses one of the policies, the second the number of machines, the
// rest are arrivals, completions and wrong calls.  Aborts if a run that snapshots interrupt decides unlike one that they
// do not; an overfull machine or a start in the past is an exception that nobody catches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/scheduler_caller.hpp"

namespace schedcore::testing {

inline void run_interrupted_and_straight(const std::vector<std::pair<std::string, PolicyMaker>>& makers,
                                         std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 2) return;
  const PolicyMaker& maker = makers[bytes[0] % makers.size()].second;
  const std::size_t n_machines = 1 + bytes[1] % 4;
  SchedulerCaller interrupted(n_machines, maker);
  SchedulerCaller straight(n_machines, maker);
  if (interrupted.play(bytes.subspan(2), true) != straight.play(bytes.subspan(2), false)) std::abort();
}

}  // namespace schedcore::testing
