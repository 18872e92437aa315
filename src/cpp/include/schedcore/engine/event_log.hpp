// What was reported and when: events in order of time, each with its arrivals, its completions, and what happened to the
// cluster beside them.
//
// Kept in flat columns, so that a record costs a few words copied and, amortised, no allocation; dropping the first events
// costs amortised O(1) a record as well.  Records of the last event's instant join it; an event that is appended whole
// stands by itself, also beside one of the same instant.  Views live until the log is changed.  Copyable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/engine/availability.hpp"
#include "schedcore/engine/job_table.hpp"
#include "schedcore/index/job_shape.hpp"

namespace schedcore {

enum class ChangeKind : std::uint8_t {
  repair, open, fail, close, remove, announce, requeue, cancel, adopt, set_time, set_weight, set_machines, join, set_capacity,
  hold, release, reserve, cancel_reservation, set_priority
};

// Something else than an arrival or a completion.
struct RecordedChange {
  ChangeKind kind = ChangeKind::repair;
  std::int64_t subject = 0;  // a machine, the id of a job, or the number of a reservation
  // What is announced.  Its begin is the start of a job that is adopted; where that is set, what remains of it, its weight or its priority.
  Outage span = {};
  RunsOnClosed runs = RunsOnClosed::finish;  // on a machine that is closed or removed
  TaskPlace place = {};                      // of a job that is adopted; it has a record for each of its places, in order
  Eligibility eligibility = {};              // of a job, where that is set; written apart, as the next three
  std::shared_ptr<const std::string> constraint = nullptr;          // that allows it
  std::shared_ptr<const std::vector<Amount>> capacity = nullptr;    // of a machine that joins, or has another

  std::shared_ptr<const AdvanceReservation> reservation = nullptr;  // that is made

  // Whether it is of a machine.
  [[nodiscard]] bool is_of_machine() const {
    return kind <= ChangeKind::announce || kind == ChangeKind::join || kind == ChangeKind::set_capacity;
  }
  // Whether jobs that run on the machine are killed.
  [[nodiscard]] bool kills() const {
    return kind == ChangeKind::fail ||
           ((kind == ChangeKind::close || kind == ChangeKind::remove) && runs != RunsOnClosed::finish);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    auto number = static_cast<std::uint8_t>(kind);
    auto number_of_runs = static_cast<std::uint8_t>(runs);
    archive(number, number_of_runs, subject, span.begin, span.end, place.machine, place.n_tasks);
    if constexpr (Archive::is_reading) {
      archive.require(number <= static_cast<std::uint8_t>(ChangeKind::set_priority), "a record is of no kind");
      archive.require(number_of_runs <= static_cast<std::uint8_t>(RunsOnClosed::drop), "running jobs end in no way");
      kind = static_cast<ChangeKind>(number);
      runs = static_cast<RunsOnClosed>(number_of_runs);
    }
  }
};

struct RecordedEvent {
  Time now = 0;
  std::span<const JobColumns> arrivals;       // in the order of their records
  std::span<const Amount> demand;             // of the arrivals, row-major
  std::span<const JobPlacements> placements;  // of the arrivals; empty if they have none
  std::span<const std::int64_t> completions;  // ids, in the order of their records
  std::span<const RecordedChange> changes = {};  // in the order of their records
};

// The hold of a job ends.
struct ReleaseToCome {
  Time at = 0;
  std::int64_t id = 0;
};

class EventLog {
  // Where an event's columns end; they begin where those of the one before end.
  struct End {
    Time now = 0;
    std::uint64_t arrivals = 0;
    std::uint64_t completions = 0;
    std::uint64_t changes = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(now, arrivals, completions, changes);
    }
  };

 public:
  // A place where the log ended.
  class Mark {
    friend class EventLog;
    std::size_t n_ends = 0;
    End last;
  };

  explicit EventLog(std::size_t n_resources) : n_resources_(n_resources) {}

  [[nodiscard]] std::size_t size() const { return ends_.size() - first_; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] Time instant(std::size_t event) const { return ends_[first_ + event].now; }
  [[nodiscard]] RecordedEvent operator[](std::size_t event) const;
  // The ends of holds, in the order of their records.
  [[nodiscard]] std::vector<ReleaseToCome> releases() const;
  [[nodiscard]] std::size_t n_bytes() const;
  // With what is allocated beyond the rows, which only `release_memory` gives back.
  [[nodiscard]] std::size_t n_allocated_bytes() const;
  [[nodiscard]] std::size_t n_resources() const { return n_resources_; }

  // `now` is not before the last instant.
  void add_arrival(Time now, const JobColumns& job, std::span<const Amount> demand,
                   const JobPlacements* placements = nullptr);
  void add_completion(Time now, std::int64_t id);
  void add_change(Time now, const RecordedChange& change);
  void append(const RecordedEvent& event);

  void drop_first(std::size_t n_events);
  void keep_first(std::size_t n_events) { cut_back(mark_after(first_ + n_events)); }
  // Forgets what was recorded after `mark` was taken; nothing may have been dropped since.
  [[nodiscard]] Mark mark() const { return mark_after(ends_.size()); }
  void cut_back(const Mark& mark);
  // Forgets every event and the memory that they took.
  void release_memory() noexcept { *this = EventLog(n_resources_); }

  // What is dropped is not written.  `read` refuses columns that do not belong together and instants that do not increase;
  // whether jobs and ids can be is the caller's to check.
  void write(SnapshotWriter& archive, std::size_t n_machines) const;
  void read(SnapshotReader& archive, std::size_t n_machines);

 private:
  [[nodiscard]] End begin_of(std::size_t position) const { return position == 0 ? End{} : ends_[position - 1]; }
  [[nodiscard]] Mark mark_after(std::size_t position) const;
  End& open(Time now);
  // Of the arrivals that were added last; they, and those before them, may have none.
  void add_placements(std::span<const JobPlacements> placements, std::size_t n_arrivals) {
    if (!placements.empty() || !placements_.empty()) add_rows_of_placements(placements, n_arrivals);
  }
  void add_rows_of_placements(std::span<const JobPlacements> placements, std::size_t n_arrivals);
  void compact();

  std::uint64_t n_resources_;
  std::uint64_t first_ = 0;  // the events before it are dropped and wait to be cleared away
  std::vector<End> ends_;
  std::vector<JobColumns> arrivals_;
  std::vector<Amount> demand_;
  std::vector<JobPlacements> placements_;  // of all arrivals; empty as long as none has any
  std::uint64_t owned_bytes_ = 0;          // by the placements
  std::vector<std::int64_t> completions_;
  std::vector<RecordedChange> changes_;
};

// Inline: whoever reads an event most often asks for a part of it.
inline RecordedEvent EventLog::operator[](std::size_t event) const {
  const End begin = begin_of(first_ + event);
  const End& end = ends_[first_ + event];
  const std::size_t n_arrivals = end.arrivals - begin.arrivals;
  return {end.now,
          {arrivals_.data() + begin.arrivals, n_arrivals},
          {demand_.data() + begin.arrivals * n_resources_, n_arrivals * n_resources_},
          placements_.empty() ? std::span<const JobPlacements>()
                              : std::span(placements_).subspan(begin.arrivals, n_arrivals),
          {completions_.data() + begin.completions, static_cast<std::size_t>(end.completions - begin.completions)},
          {changes_.data() + begin.changes, static_cast<std::size_t>(end.changes - begin.changes)}};
}

// The arrivals in a log by id; made when first asked, and good until the log is changed.
class ArrivalsById {
 public:
  explicit ArrivalsById(const EventLog& log) : log_(log) {}
  // The event, and which of its arrivals.
  [[nodiscard]] std::pair<RecordedEvent, std::size_t> at(std::int64_t id);

 private:
  const EventLog& log_;
  std::unordered_map<std::int64_t, std::pair<std::size_t, std::size_t>> places_;
};

}  // namespace schedcore
