#include "schedcore/engine/event_log.hpp"

#include <algorithm>

#include "schedcore/base/archive.hpp"

namespace schedcore {
namespace {

template <class T>
void drop(std::vector<T>& column, std::uint64_t n_rows) {
  column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(n_rows));
}

// Most events have a row or two, for which `insert` takes longer than the rows.
template <class T>
void add(std::vector<T>& column, std::span<const T> rows) {
  for (const T& row : rows) column.push_back(row);
}

std::uint64_t owned_bytes(std::span<const JobPlacements> placements) {
  std::uint64_t n_bytes = 0;
  for (const JobPlacements& each : placements) n_bytes += each.n_owned_bytes();
  return n_bytes;
}

}  // namespace

std::vector<ReleaseToCome> EventLog::releases() const {
  std::vector<ReleaseToCome> found;
  for (std::size_t event = 0; event < size(); ++event) {
    for (const RecordedChange& change : (*this)[event].changes) {
      if (change.kind == ChangeKind::release) found.push_back({instant(event), change.subject});
    }
  }
  return found;
}

std::size_t EventLog::n_bytes() const {
  return ends_.size() * sizeof(End) + arrivals_.size() * sizeof(JobColumns) + demand_.size() * sizeof(Amount) +
         placements_.size() * sizeof(JobPlacements) + owned_bytes_ + completions_.size() * sizeof(std::int64_t) +
         changes_.size() * sizeof(RecordedChange);
}

std::size_t EventLog::n_allocated_bytes() const {
  return ends_.capacity() * sizeof(End) + arrivals_.capacity() * sizeof(JobColumns) + demand_.capacity() * sizeof(Amount) +
         placements_.capacity() * sizeof(JobPlacements) + owned_bytes_ + completions_.capacity() * sizeof(std::int64_t) +
         changes_.capacity() * sizeof(RecordedChange);
}

EventLog::End& EventLog::open(Time now) {
  if (empty() || ends_.back().now != now) ends_.push_back({now, arrivals_.size(), completions_.size(), changes_.size()});
  return ends_.back();
}

void EventLog::add_rows_of_placements(std::span<const JobPlacements> placements, std::size_t n_arrivals) {
  if (placements_.empty() && std::ranges::all_of(placements, &JobPlacements::is_plain)) return;
  placements_.resize(arrivals_.size() - n_arrivals);
  for (const JobPlacements& each : placements) {
    placements_.push_back(each);
    owned_bytes_ += each.n_owned_bytes();  // one by one: memory may run out, and what is there is taken off again
  }
  placements_.resize(arrivals_.size());
}

void EventLog::add_arrival(Time now, const JobColumns& job, std::span<const Amount> demand,
                           const JobPlacements* placements) {
  End& event = open(now);
  arrivals_.push_back(job);
  add(demand_, demand);
  add_placements(std::span(placements, placements == nullptr ? 0 : 1), 1);
  ++event.arrivals;
}

void EventLog::add_completion(Time now, std::int64_t id) {
  End& event = open(now);
  completions_.push_back(id);
  ++event.completions;
}

void EventLog::add_change(Time now, const RecordedChange& change) {
  End& event = open(now);
  changes_.push_back(change);
  ++event.changes;
}

void EventLog::append(const RecordedEvent& event) {
  add(arrivals_, event.arrivals);
  add(demand_, event.demand);
  add_placements(event.placements, event.arrivals.size());
  add(completions_, event.completions);
  add(changes_, event.changes);
  ends_.push_back({event.now, arrivals_.size(), completions_.size(), changes_.size()});
}

void EventLog::drop_first(std::size_t n_events) {
  first_ += n_events;
  // What is moved is no more than what was dropped since the last time.
  const auto n_rows = [](std::uint64_t n_ends, const End& end) { 
    return n_ends + end.arrivals + end.completions + end.changes;
  };
  if (2 * n_rows(first_, begin_of(first_)) >= n_rows(ends_.size(), begin_of(ends_.size()))) compact();
}

EventLog::Mark EventLog::mark_after(std::size_t position) const {
  Mark mark;
  mark.n_ends = position;
  mark.last = begin_of(position);
  return mark;
}

void EventLog::cut_back(const Mark& mark) {
  const End& last = mark.last;
  ends_.resize(mark.n_ends);
  if (!ends_.empty()) ends_.back() = last;  // records may have joined it
  arrivals_.resize(last.arrivals);
  demand_.resize(last.arrivals * n_resources_);
  if (!placements_.empty()) {
    owned_bytes_ -= owned_bytes(std::span(placements_).subspan(last.arrivals));
    placements_.resize(last.arrivals);
  }
  completions_.resize(last.completions);
  changes_.resize(last.changes);
}

void EventLog::compact() {
  const End begin = begin_of(first_);
  drop(ends_, first_);
  drop(arrivals_, begin.arrivals);
  drop(demand_, begin.arrivals * n_resources_);
  if (!placements_.empty()) {
    owned_bytes_ -= owned_bytes(std::span(placements_).first(begin.arrivals));
    drop(placements_, begin.arrivals);
  }
  drop(completions_, begin.completions);
  drop(changes_, begin.changes);
  for (End& end : ends_) {
    end.arrivals -= begin.arrivals;
    end.completions -= begin.completions;
    end.changes -= begin.changes;
  }
  first_ = 0;
}

void EventLog::write(SnapshotWriter& archive, std::size_t n_machines) const {
  if (first_ > 0) {
    EventLog rest = *this;
    rest.compact();
    return rest.write(archive, n_machines);
  }
  archive(ends_, arrivals_, demand_, completions_, static_cast<std::uint64_t>(changes_.size()));
  for (RecordedChange change : changes_) {
    if (change.is_of_machine()) change.subject = archive.number_of(static_cast<std::uint32_t>(change.subject));
    if (change.kind == ChangeKind::adopt) change.place.machine = archive.number_of(change.place.machine);
    archive(change);
    if (change.kind == ChangeKind::set_machines) write_constraint(archive, change.constraint, change.eligibility);
    if (change.capacity != nullptr) archive(*change.capacity);
    if (change.kind == ChangeKind::reserve) write_reservation(archive, *change.reservation);
  }
  const bool any_placed = !std::ranges::all_of(placements_, &JobPlacements::is_plain);
  archive(any_placed);
  for (std::size_t k = 0; any_placed && k < placements_.size(); ++k) write_placements(archive, placements_[k], n_machines);
}

void EventLog::read(SnapshotReader& archive, std::size_t n_machines) {
  first_ = 0;
  archive(ends_, arrivals_, demand_, completions_);
  EligibilitySets sets;
  for (std::size_t left = archive.length(1); left > 0; --left) {
    RecordedChange& change = changes_.emplace_back();
    archive(change);
    if (change.kind == ChangeKind::set_machines) {
      read_constraint(archive, n_machines, sets, change.constraint, change.eligibility);
    }
    if (change.kind == ChangeKind::reserve) {
      change.reservation = std::make_shared<const AdvanceReservation>(read_reservation(archive, 0, n_machines, n_resources_));
      archive.require(change.reservation->number == change.subject, "a reservation has two numbers");
    }
    if (change.kind != ChangeKind::join && change.kind != ChangeKind::set_capacity) continue;
    std::vector<Amount> capacity;
    archive(capacity);
    archive.require(capacity.size() == n_resources_ && std::ranges::all_of(capacity, is_capacity), "a capacity is impossible");
    change.capacity = std::make_shared<const std::vector<Amount>>(std::move(capacity));
  }
  End before;
  for (std::size_t event = 0; event < ends_.size(); ++event) {
    const End& end = ends_[event];
    archive.require(end.now >= 0 && end.now < kNever && (event == 0 || end.now > before.now), "records are out of order");
    archive.require(end.arrivals >= before.arrivals && end.completions >= before.completions && end.changes >= before.changes,
                    "records are out of order");
    before = end;
  }
  archive.require(before.arrivals == arrivals_.size() && before.completions == completions_.size() &&
                      before.changes == changes_.size() && demand_.size() == arrivals_.size() * n_resources_,
                  "records have no instant");
  for (const JobColumns& job : arrivals_) {
    archive.require(job.weight < kNever && -kNever < job.weight, "a weight is infinite");
  }
  bool any_placed = false;
  archive(any_placed);
  for (std::size_t k = 0; any_placed && k < arrivals_.size(); ++k) {
    placements_.push_back(read_placements(archive, n_machines, sets));
  }
  owned_bytes_ = owned_bytes(placements_);
}

std::pair<RecordedEvent, std::size_t> ArrivalsById::at(std::int64_t id) {
  const std::size_t n_events = places_.empty() ? log_.size() : 0;
  for (std::size_t event = 0; event < n_events; ++event) {
    const auto arrivals = log_[event].arrivals;
    for (std::size_t row = 0; row < arrivals.size(); ++row) places_.try_emplace(arrivals[row].id, event, row);
  }
  const auto [event, row] = places_.at(id);
  return {log_[event], row};
}

}  // namespace schedcore
