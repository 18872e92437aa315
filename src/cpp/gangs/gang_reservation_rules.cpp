// What a site rules in a GangReservationPolicy: the order of the queue, which moves, and limits that hold jobs.
#include <optional>
#include <utility>

#include "schedcore/gangs/gang_reservation_policy.hpp"

namespace schedcore {

// Before anything of the event.
void GangReservationPolicy::put_in_order(const JobTable& jobs) {
  const bool has_moved = queue_.reorder([&](const GangEntry& entry) {
    return of(entry.job).entry.order = keys_.renewed(entry.order, entry.job, jobs);
  });
  unreserved_.reorder([&](const GangEntry& entry) { return of(entry.job).entry.order; });
  due_.clear();
  for (const JobSlot job : holders()) due_.insert({of(job).start, of(job).entry.order, job});
  // A pass that was left off begins anew.
  next_search_.reset();
  passes_.is_due |= std::exchange(passes_.is_under_way, false);
  if (has_moved) released_room_.forget();  // whose pass is in the order of the queue
}

std::optional<GangEntry> GangReservationPolicy::first_candidate() {
  // As a rule no limit holds the very first.
  if (!is_limited(queue_.front())) return queue_.front();
  const auto whichever = [](const auto&... /*job*/) { return true; };
  std::optional<GangEntry> first = unreserved_.find(std::nullopt, limit_use(), classes_, whichever, whichever, whichever);
  for (const Due& each : due_) {
    if ((!first || each.order < first->order) && !is_limited(of(each.job).entry)) first = of(each.job).entry;
  }
  return first;
}

void GangReservationPolicy::reweigh(JobSlot before, JobSlot after, const JobTable& jobs) {
  Waiting waiting = std::move(of(before));
  of(before) = {};
  const bool is_reserved = waiting.is_reserved();
  if (is_reserved) {
    due_.erase({waiting.start, waiting.entry.order, before});
  } else {
    unreserved_.erase(waiting.entry);
  }
  queue_.erase(waiting.entry.order);
  classes_.remove(waiting.entry.job_class);
  enqueue(after, jobs);
  Waiting& moved = of(after);
  waiting.entry = moved.entry;
  moved = std::move(waiting);
  if (!is_reserved) return;
  unreserved_.erase(moved.entry);
  due_.insert({moved.start, moved.entry.order, after});
}

}  // namespace schedcore
