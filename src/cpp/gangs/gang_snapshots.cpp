// What the policies of this room keep in a snapshot: when running jobs are planned to end, and what is reserved.
#include <algorithm>
#include <limits>

#include "schedcore/backfilling/planned_load.hpp"
#include "schedcore/gangs/gang_queue_policy.hpp"
#include "schedcore/gangs/gang_reservation_policy.hpp"

namespace schedcore {
namespace {

void write_places(SnapshotWriter& archive, std::span<const TaskPlace> places) {
  for (const TaskPlace& place : places) {
    archive.machine(place.machine);
    archive(place.n_tasks);
  }
}

}  // namespace

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
  archive(last_run_, wakeup_, is_owed_);
  keys_.write(archive);
  if (!protects_head()) return;
  ends_.write(archive);
  archive(told_.has_value());
  if (!told_) return;
  archive.job(told_->job);
  archive(told_->start_time, static_cast<std::uint64_t>(told_places_.size()));
  write_places(archive, told_places_);
}

// The next decision finds it anew.
void GangQueuePolicy::read_told(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  bool is_told = false;
  archive(is_told);
  if (!is_told) return;
  Placement told;
  archive.job(told.job);
  archive(told.start_time);
  archive.require(cluster.jobs.state(told.job) == JobState::submitted && told.start_time > cluster.now &&
                      told.start_time < kNever,
                  "a head is told that does not wait, or whose time has come");
  const JobShape& shape = cluster.jobs.shape(told.job);
  told_places_.resize(archive.length(sizeof(std::uint32_t) + sizeof(Amount)));
  Amount left = shape.n_tasks;
  for (TaskPlace& place : told_places_) {
    archive.machine(place.machine);
    archive(place.n_tasks);
    archive.require(place.machine < cluster.machines.n_machines && place.n_tasks >= 1 &&
                        place.n_tasks <= std::min(left, shape.spread),
                    "a head is told on machines where it cannot be");
    left -= place.n_tasks;
  }
  archive.require(left == 0, "a head is told with other tasks");
  require_different_machines(archive, told_places_);
  told.machine = told_places_.front().machine;
  told_ = told;
}

void GangQueuePolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  archive(last_run_, wakeup_, is_owed_);
  archive.require(last_run_ <= cluster.now && wakeup_ > cluster.now, "a run was later than now, or is owed since before");
  keys_.read(archive);
  for (const JobSlot job : cluster.waiting) enqueue(job, cluster.jobs);
  if (protects_head()) {
    ends_.read(archive);
    read_told(archive);
  }
  take_up_all(cluster);
}

void GangReservationPolicy::write(SnapshotWriter& archive) const {
  archive(last_run_, wakeup_, passes_.is_due, is_strained_);
  keys_.write(archive);
  ends_.write(archive);
  for (const JobSlot job : archive.cluster().waiting) {
    const Waiting& waiting = waiting_[job];
    archive(waiting.start);
    if (!waiting.is_reserved()) continue;
    archive(waiting.end, static_cast<std::uint64_t>(waiting.places.size()));
    write_places(archive, waiting.places);
  }
  archive(is_put_off_, passes_.is_under_way);
  if (passes_.is_under_way) archive(passes_.has_moved, next_look_);
  if (is_put_off_) archive(next_search_);
}

void GangReservationPolicy::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  const JobTable& jobs = cluster.jobs;
  archive(last_run_, wakeup_, passes_.is_due, is_strained_);
  archive.require(last_run_ <= cluster.now && wakeup_ >= cluster.now, "a run was later than now, or is owed since before");
  keys_.read(archive);
  ends_.read(archive);
  take_up_all(cluster);
  std::vector<TaskPlace> places;
  for (const JobSlot job : cluster.waiting) {
    Time start = kNever;
    archive(start);
    if (start == kNever) continue;
    Time end = kNever;
    archive(end);
    archive.require(start >= jobs.release_time(job) && start < end, "a reservation has no length");
    read_places(archive, job, places);
    take_reservation(job, start, end, places);
  }
  note_all_given_back();
  archive(is_put_off_, passes_.is_under_way);
  if (passes_.is_under_way) {
    archive.require(!rebuilds_ && options_.compression != Compression::none, "nothing is ever compressed");
    archive(passes_.has_moved, next_look_);
  }
  if (is_put_off_) archive(next_search_);
  archive.require(is_put_off_ == (wakeup_ == cluster.now), "work is put off, and not until now");
  archive.require(!is_put_off_ || !rebuilds_, "a plan is never made anew in parts");
  archive.require(is_put_off_ || !passes_.is_under_way || cluster.waiting.empty(), "a pass was left off, and nobody goes on with it");
}

// As many tasks as the job has, on machines that can run them.
void GangReservationPolicy::read_places(SnapshotReader& archive, JobSlot job, std::vector<TaskPlace>& places) const {
  const MachinesView& machines = archive.cluster().machines;
  const GangEntry& entry = waiting_[job].entry;
  Amount left = entry.n_tasks;
  places.clear();
  for (std::size_t n = archive.length(sizeof(std::uint32_t) + sizeof(Amount)); n > 0; --n) {
    TaskPlace place;
    archive.machine(place.machine);
    archive(place.n_tasks);
    archive.require(place.machine < machines.n_machines, "a reservation is on a machine that is not there");
    archive.require(places.empty() || places.back().machine < place.machine,
                    "the places of a reservation are not in the order of their machines");
    archive.require(place.n_tasks > 0 && place.n_tasks <= left, "a reservation is for other tasks than the job has");
    const auto capacity = machines.capacity_of(place.machine);
    archive.require(classes_.allows(entry.job_class, place.machine) &&
                        classes_.room(entry.job_class, place.machine, capacity.data()) >= place.n_tasks,
                    "a reservation is on a machine that cannot run the job");
    left -= place.n_tasks;
    places.push_back(place);
  }
  archive.require(left == 0, "a reservation is for other tasks than the job has");
}

}  // namespace schedcore
