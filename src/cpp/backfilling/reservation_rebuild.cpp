#include "schedcore/backfilling/reservation_rebuild.hpp"

#include <algorithm>
#include <vector>

#include "schedcore/engine/job_checks.hpp"

namespace schedcore {

void RebuildPolicy::attach(const MachinesView& machines) {
  load_ = PlannedLoad(machines, limits_.resolution, true);
  bounds_ = FitBounds(machines.n_machines, machines.n_resources, limits_.resolution);
}

// The places are given anew at the next event.
Commitments RebuildPolicy::commitments(const Cluster& cluster) const {
  Commitments commitments;
  load_.commit(commitments, cluster);
  return commitments;
}

void RebuildPolicy::decide(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const Time now = event.now;
  for (const Completion& completion : event.completed) load_.complete(completion.job, completion.machine, now, jobs);
  load_.extend_overruns(now, jobs, [](std::uint32_t /*machine*/) {});
  for (const JobSlot job : event.arrived) queue_.push(job, jobs.processing_time(job));

  bounds_.forget(now);
  plan_ = load_.timelines();
  for (ResourceTimeline& each : plan_) each.forget_before(now);
  std::uint64_t n_looked_at = 0;
  for (Entry& entry : queue_.entries()) {
    if (!entry.waits) continue;
    const bool is_looked_at = ++n_looked_at <= limits_.queue_depth;
    if (is_looked_at && entry.job_class == FitBounds::kNoClass) {
      entry.job_class =
          bounds_.add(jobs.demand(entry.job), jobs.processing_time(entry.job), jobs.eligibility(entry.job));
    }
    const FitBounds::Fit fit = is_looked_at ? bounds_.earliest(entry.job_class, now, {}, plan_) : FitBounds::Fit{};
    if (is_looked_at && fit.time <= now + limits_.window) {
      place(entry, fit, now, turn);
    } else {
      queue_.cancel(entry);
    }
    turn.poll();
  }
  wakeup_ = next_start_on_time(now, jobs);
}

Time RebuildPolicy::next_start_on_time(Time now, const JobTable& jobs) {
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

void RebuildPolicy::place(Entry& entry, const FitBounds::Fit& fit, Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const Time end = bounds_.planned_end(jobs.processing_time(entry.job), fit.time, now);
  check_planned_end(jobs.id(entry.job), fit.time, end, limits_.resolution);
  plan_[fit.machine].reserve(fit.time, end, jobs.demand(entry.job));
  const bool is_new = entry.start != fit.time || entry.machine != fit.machine;
  if (keeps_records_ && is_new && (entry.was_reserved || fit.time > now)) {
    records_.push_back({jobs.id(entry.job), now, fit.time, fit.machine});
  }
  if (fit.time > now) {
    if (is_new) queue_.reserve(entry, fit.time, end, fit.machine);
    return;
  }
  turn.start(entry.job, fit.machine);
  load_.start(entry.job, fit.machine, now, jobs);
  bounds_.remove(entry.job_class);
  queue_.remove(entry);
}

}  // namespace schedcore
