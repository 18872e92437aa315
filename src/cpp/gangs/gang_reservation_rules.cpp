// What a site rules in a GangReservationPolicy: the order of the queue, which moves, and limits that hold jobs.
#include <algorithm>
#include <utility>

#include "schedcore/gangs/gang_reservation_policy.hpp"

namespace schedcore {

// Before anything of the event.
void GangReservationPolicy::take_up_site(const JobTable& jobs) {
  if (rule_.source == OrderRule::Source::multifactor && seen_version_ != site_->version()) put_in_order(jobs);
}

void GangReservationPolicy::put_in_order(const JobTable& jobs) {
  seen_version_ = site_->version();
  if (queue_.empty()) return;
  std::vector<GangEntry> entries;
  entries.reserve(queue_.size());
  bool has_moved = false;
  queue_.for_each([&](const GangEntry& entry) {
    entries.push_back(entry);
    entries.back().order = jobs.queue_order(entry.job, rule_, scale_);
    has_moved |= entries.size() > 1 && entries.back().order < entries[entries.size() - 2].order;
  });
  const auto by_order = [](const GangEntry& entry) { return entry.order; };
  if (has_moved) std::ranges::sort(entries, {}, by_order);
  queue_.assign(entries);
  due_.clear();
  std::vector<GangEntry> unreserved;
  for (const GangEntry& entry : entries) {
    Waiting& waiting = of(entry.job);
    waiting.entry.order = entry.order;
    if (waiting.is_reserved()) {
      due_.insert({waiting.start, entry.order, entry.job});
    } else {
      unreserved.push_back(entry);
    }
  }
  unreserved_.assign(unreserved);
  // A pass that was left off begins anew.
  next_search_.reset();
  passes_.is_due |= std::exchange(passes_.is_under_way, false);
  if (has_moved) released_room_.forget();  // whose pass is in the order of the queue
}

void GangReservationPolicy::reweigh(JobSlot before, JobSlot after, const JobTable& jobs) {
  Waiting waiting = std::move(of(before));
  of(before) = {};
  const bool is_reserved = waiting.is_reserved();
  if (is_reserved) {
    due_.erase({waiting.start, waiting.entry.order, before});
  } else {
    unreserved_.erase(waiting.entry.order);
  }
  queue_.erase(waiting.entry.order);
  classes_.remove(waiting.entry.job_class);
  enqueue(after, jobs);
  Waiting& moved = of(after);
  waiting.entry = moved.entry;
  moved = std::move(waiting);
  if (!is_reserved) return;
  unreserved_.erase(moved.entry.order);
  due_.insert({moved.start, moved.entry.order, after});
}

}  // namespace schedcore
