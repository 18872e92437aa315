#include "schedcore/backfilling/planned_load.hpp"

#include "schedcore/engine/job_checks.hpp"

namespace schedcore {

void require_planned_end(const SnapshotReader& archive, Time end, JobSlot job, Time resolution) {
  const Cluster& cluster = archive.cluster();
  const Time start = cluster.jobs.start_time(job);
  const Time estimate = cluster.jobs.processing_time(job);
  // It was planned by its estimate and, if that was over, got it once more, at the latest now.
  const Time planned = std::min(start + rounded_up(estimate, resolution), std::numeric_limits<Time>::max());
  const Time renewed = renewed_end(start + estimate > cluster.now ? start : cluster.now, estimate, resolution);
  archive.require(end > cluster.now && end >= start + estimate && end <= std::max(planned, renewed),
                  "a job is planned to end at an instant that its estimate does not lead to");
}

PlannedLoad::PlannedLoad(const MachinesView& machines, Time resolution, bool has_timelines) : resolution_(resolution) {
  if (!has_timelines) return;
  timelines_.reserve(machines.n_machines);
  for (std::size_t machine = 0; machine < machines.n_machines; ++machine) {
    timelines_.emplace_back(machines.capacity_of(machine));
  }
}

void PlannedLoad::push_end(const End& end) {
  end_[end.job] = end.end;
  ends_.push_back(end);
  std::push_heap(ends_.begin(), ends_.end());
}

void PlannedLoad::pop_end() {
  std::pop_heap(ends_.begin(), ends_.end());
  ends_.pop_back();
}

void PlannedLoad::start(JobSlot job, std::size_t machine, Time now, const JobTable& jobs) {
  const Time end = rounded_up(now + jobs.processing_time(job), resolution_);
  check_planned_end(jobs.id(job), now, end, resolution_);
  if (!timelines_.empty()) {
    timelines_[machine].forget_before(now);
    timelines_[machine].reserve(now, end, jobs.demand(job));
  }
  start_reserved(job, end, jobs);
}

void PlannedLoad::start_reserved(JobSlot job, Time end, const JobTable& jobs) {
  if (end_.size() < jobs.n_slots()) end_.resize(jobs.n_slots(), kNever);
  ++n_running_;
  // Jobs that ended early leave entries behind that would come up only at their planned ends.
  if (ends_.size() > 2 * n_running_ + kSlack) {
    std::erase_if(ends_, [&](const End& entry) { return !is_current(entry, jobs); });
    std::make_heap(ends_.begin(), ends_.end());
  }
  push_end({end, job, jobs.generation(job)});
}

Time PlannedLoad::complete(JobSlot job, std::size_t machine, Time now, const JobTable& jobs) {
  const Time end = end_[job];
  end_[job] = kNever;
  --n_running_;
  if (timelines_.empty()) return kNever;
  timelines_[machine].forget_before(now);
  if (end <= now) return kNever;
  timelines_[machine].release(now, end, jobs.demand(job));
  return end;
}

void PlannedLoad::commit(Commitments& commitments, const Cluster& cluster) const {
  for (const JobSlot job : cluster.running) commitments.planned_ends.emplace_back(job, end_[job]);
  commitments.n_overruns = n_overruns_;
}

void PlannedLoad::write(SnapshotWriter& archive) const {
  archive(n_overruns_);
  for (const JobSlot job : archive.cluster().running) archive(end_[job]);
}

void PlannedLoad::read(SnapshotReader& archive, std::vector<Occupation> reserved) {
  const Cluster& cluster = archive.cluster();
  const JobTable& jobs = cluster.jobs;
  archive(n_overruns_);
  end_.assign(jobs.n_slots(), kNever);
  for (const JobSlot job : cluster.running) {
    const Time start = jobs.start_time(job);
    Time end = 0;
    archive(end);
    require_planned_end(archive, end, job, resolution_);
    push_end({end, job, jobs.generation(job)});
    reserved.push_back({start, end, jobs.machine(job), job});
  }
  n_running_ = cluster.running.size();
  if (!timelines_.empty()) timelines_ = timelines_beside(cluster, std::move(reserved));
}

}  // namespace schedcore
