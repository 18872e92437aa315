// What the policies of this room keep in a snapshot: the order of the queue, and when running jobs are planned to end.
#include <algorithm>
#include <limits>

#include "schedcore/gangs/gang_queue_policy.hpp"
#include "schedcore/gangs/gang_reservation_policy.hpp"

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

void GangReservationPolicy::write(SnapshotWriter& archive) const {
  archive(last_run_, wakeup_, released_, is_strained_);
  ends_.write(archive);
  for (const JobSlot job : archive.cluster().waiting) {
    const Waiting& waiting = waiting_[job];
    archive(waiting.entry.order, waiting.start);
    if (!waiting.is_reserved()) continue;
    archive(waiting.end, static_cast<std::uint64_t>(waiting.places.size()));
    for (const TaskPlace& place : waiting.places) archive(place.machine, place.n_tasks);
  }
}

void GangReservationPolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  const JobTable& jobs = cluster.jobs;
  now_ = cluster.now;
  plan_.pass_to(now_);
  archive(last_run_, wakeup_, released_, is_strained_);
  archive.require(last_run_ <= now_ && wakeup_ > now_, "a run was later than now, or is owed since before");
  ends_.read(archive);
  for (const JobSlot job : cluster.running) {
    chosen_.clear();
    jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) { chosen_.push_back({machine, n_tasks}); });
    plan_.occupy(chosen_, now_, ends_.end_of(job), jobs.demand(job), jobs.shape(job).is_exclusive);
  }
  waiting_.resize(jobs.n_slots());
  for (const JobSlot job : cluster.waiting) {
    Waiting& waiting = of(job);
    archive(waiting.entry.order);
    archive.require(waiting.entry.order.id == jobs.id(job), "a place in the queue is of another job");
    enqueue(job, jobs);
    Time start = kNever;
    archive(start);
    if (start == kNever) continue;
    archive(waiting.end);
    archive.require(start >= jobs.release_time(job) && start < waiting.end, "a reservation has no length");
    Amount left = waiting.entry.n_tasks;
    for (std::size_t n = archive.length(sizeof(std::uint32_t) + sizeof(Amount)); n > 0; --n) {
      TaskPlace place;
      archive(place.machine, place.n_tasks);
      archive.require(place.machine < cluster.machines.n_machines, "a reservation is on a machine that is not there");
      archive.require(place.n_tasks > 0 && place.n_tasks <= left, "a reservation is for other tasks than the job has");
      const auto capacity = cluster.machines.capacity_of(place.machine);
      archive.require(classes_.allows(waiting.entry.job_class, place.machine) &&
                          classes_.room(waiting.entry.job_class, place.machine, capacity.data()) >= place.n_tasks,
                      "a reservation is on a machine that cannot run the job");
      left -= place.n_tasks;
      waiting.places.push_back(place);
    }
    archive.require(left == 0, "a reservation is for other tasks than the job has");
    waiting.start = start;
    unreserved_.erase(waiting.entry.order);
    due_.insert({start, waiting.entry.order, job});
    lay(waiting);
  }
  given_back_.note_all();
}

}  // namespace schedcore
