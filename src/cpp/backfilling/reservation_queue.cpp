#include "schedcore/backfilling/reservation_queue.hpp"

#include "schedcore/index/fit.hpp"

namespace schedcore {

void ReservationQueue::push(JobSlot job, Time estimate) {
  if (entries_.size() > 2 * n_waiting_ + kSlack) sweep();
  if (position_of_.size() <= job) position_of_.resize(job + 1);
  position_of_[job] = next_position_;
  Entry entry;
  entry.position = next_position_++;
  entry.job = job;
  entry.estimate = estimate;
  entries_.push_back(entry);
  ++n_waiting_;
}

void ReservationQueue::remove(Entry& entry) {
  if (entry.is_reserved()) --n_reserved_;
  entry.waits = false;
  entry.start = kNever;
  --n_waiting_;
  while (first_ < entries_.size() && !entries_[first_].waits) ++first_;
}

void ReservationQueue::reserve(Entry& entry, Time start, Time end, std::uint32_t machine) {
  if (!entry.is_reserved()) ++n_reserved_;
  entry.was_reserved = true;
  entry.start = start;
  entry.end = end;
  entry.machine = machine;
  if (made_.size() < ordered_.size()) {
    made_.push_back({start, static_cast<std::size_t>(&entry - entries_.data())});
  } else {
    forget_order();
  }
  // Most entries of the heap become void where reservations move often.
  if (starts_.size() > 2 * n_reserved_ + kSlack) drop_void_starts();
  starts_.push_back({start, entry.position});
  std::push_heap(starts_.begin(), starts_.end());
}

std::span<ReservationQueue::Entry> ReservationQueue::entries_from(Position position) {
  const std::span<Entry> all = entries();
  const auto found = std::lower_bound(all.begin(), all.end(), position,
                                      [](const Entry& entry, Position sought) { return entry.position < sought; });
  return all.subspan(static_cast<std::size_t>(found - all.begin()));
}

ReservationQueue::Position ReservationQueue::position_after(std::uint64_t n) {
  if (n >= n_waiting_) return next_position_;
  for (const Entry& entry : entries()) {
    if (entry.waits && --n == 0) return entry.position + 1;
  }
  return next_position_;
}

std::uint64_t ReservationQueue::n_before(Position position) const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(entries_, [&](const Entry& entry) { return entry.waits && entry.position < position; }));
}

ReservationQueue::Entry* ReservationQueue::find(Position position) {
  const std::span<Entry> found = entries_from(position);
  return !found.empty() && found.front().position == position && found.front().waits ? &found.front() : nullptr;
}

void ReservationQueue::drop_void_starts() {
  starts_.clear();
  for (const Entry& entry : entries()) {
    if (entry.waits && entry.is_reserved()) starts_.push_back({entry.start, entry.position});
  }
  std::make_heap(starts_.begin(), starts_.end());
}

void ReservationQueue::write(SnapshotWriter& archive) const {
  for (const Entry& entry : entries_) {
    if (!entry.waits) continue;
    archive.job(entry.job);
    archive(entry.start);
    if (entry.is_reserved()) archive(entry.end, entry.machine);
    archive(entry.is_in_class(), entry.was_reserved, entry.is_in_scan);
  }
}

void ReservationQueue::read(SnapshotReader& archive) {
  const Cluster& cluster = archive.cluster();
  const JobTable& jobs = cluster.jobs;
  std::vector<JobSlot> order;
  position_of_.resize(jobs.n_slots());
  for (std::size_t left = cluster.waiting.size(); left > 0; --left) {
    Entry entry;
    bool is_in_class = false;
    archive.job(entry.job);
    entry.estimate = jobs.processing_time(entry.job);
    archive(entry.start);
    if (entry.is_reserved()) {
      archive(entry.end, entry.machine);
      archive.require(entry.start >= jobs.release_time(entry.job) && entry.start < entry.end, "a reservation has no length");
      archive.require(entry.machine < cluster.machines.n_machines, "a reservation is on a machine that is not there");
      archive.require(fits(jobs.demand(entry.job), cluster.machines.capacity_of(entry.machine)),
                      "a reservation is on a machine that cannot run the job");
      archive.require(jobs.eligibility(entry.job).allows(entry.machine), "a reservation is where the job may not run");
    }
    archive(is_in_class, entry.was_reserved, entry.is_in_scan);
    archive.require(is_in_class || !entry.is_reserved(), "a reservation is of no class");
    archive.require(!entry.is_reserved() || (entry.was_reserved && !entry.is_in_scan), "a reservation is none");
    if (is_in_class) entry.job_class = 0;  // until the bounds say which
    entry.position = position_of_[entry.job] = next_position_++;
    if (entry.is_reserved()) {
      ++n_reserved_;
      if (entry.start <= cluster.now) overdue_.push_back(entry.position);
    }
    entries_.push_back(entry);
    order.push_back(entry.job);
  }
  n_waiting_ = entries_.size();
  require_each_once(std::move(order), cluster.waiting, "the queue does not hold every waiting job once");
  drop_void_starts();
}

std::vector<Occupation> ReservationQueue::occupations() const {
  std::vector<Occupation> all;
  for (const Entry& entry : entries_) {
    if (entry.waits && entry.is_reserved()) all.push_back({entry.start, entry.end, entry.machine, entry.job});
  }
  return all;
}

void ReservationQueue::sweep() {
  forget_order();
  std::erase_if(entries_, [](const Entry& entry) { return !entry.waits; });
  first_ = 0;
}

std::vector<ReservationQueue::Entry*> ReservationQueue::take_due(Time now) {
  std::vector<Entry*> due;
  for (const Position position : overdue_) {
    Entry* entry = find(position);
    if (entry != nullptr && entry->start <= now) due.push_back(entry);
  }
  overdue_.clear();
  while (!starts_.empty() && starts_.front().time <= now) {
    const Start top = starts_.front();
    std::pop_heap(starts_.begin(), starts_.end());
    starts_.pop_back();
    Entry* entry = find(top.position);
    if (entry != nullptr && entry->start == top.time) due.push_back(entry);
  }
  const auto by_start = [](const Entry* a, const Entry* b) {
    return std::tie(a->start, a->position) < std::tie(b->start, b->position);
  };
  std::sort(due.begin(), due.end(), by_start);
  due.erase(std::unique(due.begin(), due.end()), due.end());
  return due;
}

Time ReservationQueue::next_start(Time now) {
  while (!starts_.empty()) {
    const Entry* entry = find(starts_.front().position);
    const bool holds = entry != nullptr && entry->start == starts_.front().time;
    if (holds && entry->start > now) return entry->start;
    if (holds) overdue_.push_back(entry->position);
    std::pop_heap(starts_.begin(), starts_.end());
    starts_.pop_back();
  }
  return kNever;
}

void ReservationQueue::forget_order() {
  ordered_.clear();
  made_.clear();
}

std::vector<ReservationQueue::Ordered> ReservationQueue::in_order() const {
  std::vector<Ordered> all;
  all.reserve(n_reserved_);
  for (std::size_t index = first_; index < entries_.size(); ++index) {
    if (entries_[index].is_reserved()) all.push_back({entries_[index].start, index});
  }
  std::ranges::sort(all);
  return all;
}

void ReservationQueue::put_in_order() {
  if (ordered_.empty()) {
    ordered_ = in_order();
    return;
  }
  std::erase_if(ordered_, [&](const Ordered& each) { return is_void(each); });
  std::erase_if(made_, [&](const Ordered& each) { return is_void(each); });
  std::ranges::sort(made_);
  const auto n_before = static_cast<std::ptrdiff_t>(ordered_.size());
  ordered_.insert(ordered_.end(), made_.begin(), made_.end());
  std::inplace_merge(ordered_.begin(), ordered_.begin() + n_before, ordered_.end());
  // One that was made and has come back to where it was before.
  ordered_.erase(std::unique(ordered_.begin(), ordered_.end()), ordered_.end());
  made_.clear();
}

template <class Visit>
void ReservationQueue::for_each_reserved(const Visit& visit) const {
  const bool is_in_order = !ordered_.empty() && made_.empty();
  std::vector<Ordered> sorted;
  if (!is_in_order) sorted = in_order();
  for (const Ordered& each : is_in_order ? ordered_ : sorted) {
    if (!is_void(each)) visit(entries_[each.index]);
  }
}

std::vector<const ReservationQueue::Entry*> ReservationQueue::reserved_entries() const {
  std::vector<const Entry*> reserved;
  reserved.reserve(n_reserved_);
  for_each_reserved([&](const Entry& entry) { reserved.push_back(&entry); });
  return reserved;
}

std::vector<Placement> ReservationQueue::placements() const {
  std::vector<Placement> placements;
  placements.reserve(n_reserved_);
  for_each_reserved([&](const Entry& entry) { placements.push_back({entry.job, entry.machine, entry.start}); });
  return placements;
}

}  // namespace schedcore
