// What the policies of this room keep in a snapshot: the order of the queue, and when running jobs are planned to end.
#include <algorithm>
#include <limits>

#include "schedcore/gangs/gang_queue_policy.hpp"

namespace schedcore {

void PlannedEnds::write(SnapshotWriter& archive) const {
  archive(n_overruns_);
  for (const JobSlot job : archive.cluster().running) archive(end_[job]);
}

void PlannedEnds::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  archive(n_overruns_);
  for (const JobSlot job : cluster.running) {
    Time end = 0;
    archive(end);
    require_planned_end(archive, end, job, resolution_);
    insert(job, end);
  }
}

void GangQueuePolicy::write(SnapshotWriter& archive) const {
  archive(last_run_, wakeup_);
  for (const JobSlot job : archive.cluster().waiting) archive(entries_[job].order);
  if (overtaking_ == Overtaking::protected_head) ends_.write(archive);
}

void GangQueuePolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  archive(last_run_, wakeup_);
  archive.require(last_run_ <= cluster.now && wakeup_ > cluster.now, "a run was later than now, or is owed since before");
  entries_.resize(cluster.jobs.n_slots());
  for (const JobSlot job : cluster.waiting) {
    Priority order;
    archive(order);
    archive.require(order.id == cluster.jobs.id(job), "a place in the queue is of another job");
    entries_[job].order = order;
    enqueue(job, cluster.jobs);
  }
  if (overtaking_ == Overtaking::protected_head) ends_.read(archive);
  // What is free is taken up with the first event.
  for (std::uint32_t machine = 0; machine < cluster.machines.n_machines; ++machine) {
    const auto free = cluster.free_on(machine);
    for (std::size_t k = 0; k < free.size(); ++k) row_[k] = std::max(free[k], Amount{0});
    now_free_.set_free(machine, row_);
    if (overtaking_ == Overtaking::protected_head) protection_.note_change(machine, now_free_);
  }
}

}  // namespace schedcore
