#include "schedcore/online/cluster_mris_intervals.hpp"

#include <algorithm>

#include "schedcore/engine/cluster.hpp"

namespace schedcore {

std::vector<JobSlot> ClusterMrisIntervals::take(int k, std::vector<JobSlot>& candidates, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  std::ranges::sort(candidates, {}, [&](JobSlot job) { return jobs.id(job); });
  std::vector<JobSlot> batch;
  for (const std::uint32_t item : choose(candidates, k, turn)) batch.push_back(candidates[item]);
  record_iteration(k, candidates.size(), batch, jobs);
  return batch;
}

void ClusterMrisIntervals::read(SnapshotReader& archive) {
  archive(origin_, ended_early_, next_k_, iterations_);
  require_clock(archive, archive.cluster().now);
}

}  // namespace schedcore
