#include "schedcore/backfilling/replanning_policy.hpp"

#include <algorithm>
#include <vector>

#include "schedcore/engine/job_checks.hpp"

namespace schedcore {

void ReplanningPolicy::attach(const MachinesView& machines) {
  load_ = PlannedLoad(machines, limits_.resolution, true);
  bounds_ = FitBounds(machines.n_machines, machines.n_resources, limits_.resolution);
}

// The places are given anew at the next event.
Commitments ReplanningPolicy::commitments(const Cluster& cluster) const {
  Commitments commitments;
  load_.commit(commitments, cluster);
  return commitments;
}

bool ReplanningPolicy::take_up(const Event& event, const JobTable& jobs) {
  const Time now = event.now;
  const std::uint64_t n_overruns_before = load_.n_overruns();
  for (const Completion& completion : event.completed) load_.complete(completion.job, completion.machine, now, jobs);
  load_.extend_overruns(now, jobs, [](std::uint32_t /*machine*/) {});
  for (const JobSlot job : event.arrived) queue_.push(job, jobs.processing_time(job));
  return !event.is_empty() || load_.n_overruns() != n_overruns_before;
}

Time ReplanningPolicy::end_of(const Entry& entry, Time start, Time now, const JobTable& jobs) const {
  const Time end = bounds_.planned_end(jobs.processing_time(entry.job), start, now);
  check_planned_end(jobs.id(entry.job), start, end, limits_.resolution);
  return end;
}

void ReplanningPolicy::give(Entry& entry, const FitBounds::Fit& place, Time end, Time now, Turn& turn) {
  if (place.time > now) {
    if (entry.start != place.time || entry.machine != place.machine) {
      queue_.reserve(entry, place.time, end, place.machine);
    }
    return;
  }
  turn.start(entry.job, place.machine);
  load_.start(entry.job, place.machine, now, turn.jobs());
  bounds_.remove(entry.job_class);
  queue_.remove(entry);
}

Time ReplanningPolicy::next_start_on_time(Time now, const JobTable& jobs) {
  if (load_.n_overruns() == 0) return queue_.next_start(now);
  std::vector<FitBounds::Fit> ends;
  load_.for_each_on_time(jobs, [&](JobSlot job, Time end) {
    if (end > now) ends.push_back({end, jobs.machine(job)});
  });
  std::sort(ends.begin(), ends.end());
  Time first = kNever;
  for (const Entry& entry : queue_.entries()) {
    if (!entry.waits || entry.start >= first) continue;
    if (std::binary_search(ends.begin(), ends.end(), FitBounds::Fit{entry.start, entry.machine})) first = entry.start;
  }
  return first;
}

}  // namespace schedcore
