// Bytes become arrivals, completions early and late, and wrong calls on an OnlineScheduler that backfills: no crash, no
// overfull machine, no start in the past, and a run that is interrupted by snapshots decides like one that is not.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "../cpp/backfill_makers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto& makers = schedcore::testing::backfill_makers();
  const auto& maker = makers[data[0] % makers.size()].second;
  const std::size_t n_machines = 1 + data[1] % 4;
  const std::span<const std::uint8_t> bytes(data + 2, size - 2);
  schedcore::testing::SchedulerCaller interrupted(n_machines, maker);
  schedcore::testing::SchedulerCaller straight(n_machines, maker);
  if (interrupted.play(bytes, true) != straight.play(bytes, false)) std::abort();
  return 0;
}
