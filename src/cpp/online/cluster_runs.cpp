#include "schedcore/online/cluster_runs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "schedcore/index/fit.hpp"

namespace schedcore {

ClusterRuns::ClusterRuns(const MachinesView& machines)
    : n_resources_(machines.n_resources),
      capacity_(machines.capacity.begin(), machines.capacity.end()),
      taken_(machines.n_machines),
      is_down_(machines.n_machines) {
  timelines_.reserve(machines.n_machines);
  for (std::size_t machine = 0; machine < machines.n_machines; ++machine) {
    timelines_.emplace_back(machines.capacity_of(machine));
  }
}

void ClusterRuns::change(std::uint32_t machine, Time from, Time to, std::span<const Amount> demand, bool takes) {
  from = std::max(from, now_);
  if (from >= to) return;
  ResourceTimeline& timeline = timelines_[machine];
  timeline.forget_before(now_);
  if (takes) {
    timeline.reserve(from, to, demand);
  } else {
    timeline.release(from, to, demand);
  }
}

void ClusterRuns::insert(JobSlot job, Time end, Time promise) {
  if (job >= end_.size()) {
    end_.resize(job + std::size_t{1}, kNever);
    promise_.resize(job + std::size_t{1});
  }
  end_[job] = end;
  promise_[job] = promise;
  ends_.emplace(end, job);
  promises_.emplace(promise, job);
}

void ClusterRuns::begin(JobSlot job, Time end) { insert(job, end, end); }

bool ClusterRuns::end(JobSlot job, const JobTable& jobs) {
  vacate(jobs.machine(job), now_, end_[job], jobs.demand(job));
  ends_.erase({std::exchange(end_[job], kNever), job});
  promises_.erase({promise_[job], job});
  return now_ < promise_[job];
}

void ClusterRuns::adopt(JobSlot job, const JobTable& jobs) {
  const Time end = jobs.expected_end(job);
  insert(job, end, end);
  occupy(jobs.machine(job), now_, end, jobs.demand(job));
}

void ClusterRuns::reschedule(JobSlot job, const JobTable& jobs) {
  static_cast<void>(end(job, jobs));
  adopt(job, jobs);
}

void ClusterRuns::extend_overruns(const JobTable& jobs, std::span<const Rescheduled> not_yet) {
  const auto extend = [&](JobSlot job, Time estimate) {
    ends_.erase({end_[job], job});
    // Later than now even where the time is lost in rounding, and before the end of the clock.
    const Time end = std::min(now_ + estimate, std::numeric_limits<Time>::max());
    end_[job] = std::max(end, std::nextafter(now_, kNever));
    ends_.emplace(end_[job], job);
    occupy(jobs.machine(job), now_, end_[job], jobs.demand(job));
  };
  for (const Rescheduled& each : not_yet) {
    const bool runs = each.job < end_.size() && end_[each.job] < kNever;  // not one that is adopted after this
    if (runs && end_[each.job] <= now_) extend(each.job, each.processing_time_before);
  }
  while (!ends_.empty() && ends_.begin()->first <= now_) extend(ends_.begin()->second, jobs.processing_time(ends_.begin()->second));
}

void ClusterRuns::take_up_machine(std::uint32_t machine, const Availability& availability) {
  const auto capacity = capacity_of(machine);
  const auto amounts_of = [&](const Taken& each) { return each.amounts.empty() ? capacity : std::span<const Amount>(each.amounts); };
  for (const Taken& each : taken_[machine]) vacate(machine, each.from, each.to, amounts_of(each));
  const bool is_down = availability.is_down(machine);
  taken_[machine] = availability.taken(machine, now_);
  for (const Taken& each : taken_[machine]) occupy(machine, each.from, each.to, amounts_of(each));
  if (is_down != is_down_[machine]) n_down_ = is_down ? n_down_ + 1 : n_down_ - 1;
  is_down_[machine] = is_down;
}

bool ClusterRuns::has_place(JobSlot job, const JobTable& jobs, const Availability& availability) const {
  if (!availability.any()) return true;
  // Of the outages of a machine only the last can be without end. Before it, the job may not fit any more.
  const auto is_endless = [&](std::size_t machine) {
    return std::ranges::any_of(taken_[machine], [](const Taken& each) { return each.to == kNever; });
  };
  const auto demand = jobs.demand(job);
  const auto has_place_on = [&](std::uint32_t machine) {
    if (!fits(demand, capacity_of(machine)) || is_down_[machine]) return false;
    if (!is_endless(machine)) return true;
    return timelines_[machine].earliest_fit(now_, jobs.processing_time(job), demand) < kNever;
  };
  const Eligibility& eligibility = jobs.eligibility(job);
  if (!eligibility.is_everywhere()) return std::ranges::any_of(eligibility.machines(), has_place_on);
  for (std::uint32_t machine = 0; machine < timelines_.size(); ++machine) {
    if (has_place_on(machine)) return true;
  }
  return false;
}

void ClusterRuns::take_up_availability(const Cluster& cluster) {
  now_ = cluster.now;
  if (!cluster.availability->any()) return;
  for (std::uint32_t machine = 0; machine < timelines_.size(); ++machine) take_up_machine(machine, *cluster.availability);
}

void ClusterRuns::take_over(const Cluster& cluster) {
  take_up_availability(cluster);
  const JobTable& jobs = cluster.jobs;
  for (const JobSlot job : cluster.running) {
    const Time end = jobs.expected_end(job);
    insert(job, end, end);
    occupy(jobs.machine(job), now_, end, jobs.demand(job));
  }
}

void ClusterRuns::write(SnapshotWriter& archive) const {
  for (const JobSlot job : archive.cluster().running) archive(end_[job]);
}

void ClusterRuns::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  const JobTable& jobs = cluster.jobs;
  take_up_availability(cluster);
  for (const JobSlot job : cluster.running) {
    const Time promise = jobs.expected_end(job);
    Time end = 0;
    archive(end);
    archive.require(end > cluster.now && end < kNever, "a running job is expected to have ended");
    archive.require(end >= promise, "a running job is expected to end before it says");
    insert(job, end, promise);
    occupy(jobs.machine(job), now_, end, jobs.demand(job));
  }
}

}  // namespace schedcore
