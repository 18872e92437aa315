#include "schedcore/engine/arrival_order.hpp"

#include <algorithm>

namespace schedcore {

std::vector<ArrivalOrder::Entry>::iterator ArrivalOrder::find(JobSlot job, const JobTable& jobs) {
  const Key key = key_of(job, jobs);
  auto entry = std::ranges::lower_bound(entries_, key, {}, &Entry::key);
  // One that is gone may have been followed by another of the same key.
  while (entry != entries_.end() && entry->key == key && (entry->is_gone || entry->job != job)) ++entry;
  return entry != entries_.end() && entry->key == key ? entry : entries_.end();
}

void ArrivalOrder::insert(JobSlot job, const JobTable& jobs) {
  const Key key = key_of(job, jobs);
  entries_.insert(std::ranges::upper_bound(entries_, key, {}, &Entry::key), {key, job});
}

void ArrivalOrder::erase(JobSlot job, const JobTable& jobs) {
  const auto entry = find(job, jobs);
  if (entry == entries_.end()) return;
  entry->is_gone = true;
  if (2 * ++n_gone_ < entries_.size()) return;
  std::erase_if(entries_, [](const Entry& each) { return each.is_gone; });
  n_gone_ = 0;
}

void ArrivalOrder::move(JobSlot before, JobSlot after, const JobTable& jobs) {
  const auto entry = find(before, jobs);
  if (entry != entries_.end()) entry->job = after;
}

void ArrivalOrder::clear() {
  entries_.clear();
  n_gone_ = 0;
}

std::vector<JobSlot> ArrivalOrder::all() const {
  std::vector<JobSlot> jobs;
  jobs.reserve(size());
  for (const Entry& entry : entries_) {
    if (!entry.is_gone) jobs.push_back(entry.job);
  }
  return jobs;
}

}  // namespace schedcore
