#include "schedcore/backfilling/reservation_rebuild.hpp"

#include <vector>

namespace schedcore {

void RebuildPolicy::decide(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const Time now = event.now;
  take_up(event, jobs);

  bounds_.forget(now);
  plan_ = load_.timelines();
  for (ResourceTimeline& each : plan_) each.forget_before(now);
  std::uint64_t n_looked_at = 0;
  for (Entry& entry : queue_.entries()) {
    if (!entry.waits) continue;
    const bool is_looked_at = ++n_looked_at <= limits_.queue_depth;
    const FitBounds::Fit fit = is_looked_at ? bounds_.earliest(class_of(entry, jobs), now, {}, plan_) : FitBounds::Fit{};
    if (is_looked_at && fit.time <= now + limits_.window) {
      place(entry, fit, now, turn);
    } else {
      queue_.cancel(entry);
    }
    turn.poll();
  }
  wakeup_ = next_start_on_time(now, jobs);
}

void RebuildPolicy::place(Entry& entry, const FitBounds::Fit& fit, Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const Time end = end_of(entry, fit.time, now, jobs);
  plan_[fit.machine].reserve(fit.time, end, jobs.demand(entry.job));
  const bool is_new = entry.start != fit.time || entry.machine != fit.machine;
  if (keeps_records_ && is_new && (entry.was_reserved || fit.time > now)) {
    records_.push_back({jobs.id(entry.job), now, fit.time, fit.machine});
  }
  give(entry, fit, end, now, turn);
}

}  // namespace schedcore
