// Queues of waiting jobs through the bytes of a snapshot, with slots for the names of jobs.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "schedcore/base/archive.hpp"
#include "schedcore/engine/cluster.hpp"
#include "schedcore/engine/job_table.hpp"

namespace schedcore::testing {

class QueueSnapshot {
 public:
  // Every submitted job waits.
  explicit QueueSnapshot(const JobTable& jobs) : cluster_{jobs, {}, {}, 0, 0, {}, {}, {}, {}, nullptr}, slots_(jobs.n_slots()) {
    std::iota(slots_.begin(), slots_.end(), JobSlot{0});
    std::vector<std::uint32_t> generation;
    for (const JobSlot slot : slots_) {
      generation.push_back(jobs.generation(slot));
      if (jobs.state(slot) == JobState::submitted) cluster_.waiting.push_back(slot);
    }
    writer_.name_jobs(slots_, generation);
    writer_.set_cluster(cluster_);
  }

  [[nodiscard]] Cluster& cluster() { return cluster_; }
  [[nodiscard]] SnapshotWriter& writer() { return writer_; }
  // Of what was written.  Requires that this lives on.
  [[nodiscard]] SnapshotReader reader() const {
    SnapshotReader reader(writer_.bytes());
    reader.name_jobs(static_cast<std::uint32_t>(slots_.size()));
    reader.set_cluster(cluster_);
    return reader;
  }

 private:
  Cluster cluster_;
  std::vector<JobSlot> slots_;
  SnapshotWriter writer_;
};

}  // namespace schedcore::testing
