// The engine embedded in a cluster, with every policy that heeds clusters: the first byte chooses one, the second the number of
// machines and what becomes of killed jobs, the rest are events (cluster_caller.hpp).  Aborts if a run that snapshots
// interrupt decides unlike one that they do not.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "gangs/cluster_caller.hpp"
#include "gangs/cluster_makers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schedcore;
  if (size < 2) return 0;
  const auto& makers = testing::cluster_makers();
  const testing::ClusterMaker& maker = makers[data[0] % makers.size()];
  const std::size_t n_machines = 1 + data[1] % 5;
  const auto rule = static_cast<KillRule>(data[1] / 8 % 3);
  const std::span<const std::uint8_t> bytes(data + 2, size - 2);
  testing::ClusterCaller interrupted(n_machines, maker, rule);
  testing::ClusterCaller straight(n_machines, maker, rule);
  if (interrupted.play(bytes, true) != straight.play(bytes, false)) std::abort();
  return 0;
}
