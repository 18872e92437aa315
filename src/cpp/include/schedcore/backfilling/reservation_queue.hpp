// The waiting jobs in the order of their arrival with the reservations that they hold.
//
// A position is the rank of a job's arrival and names it until it leaves.  Jobs that have left are passed over and swept
// out once they are as many as those that wait.  Due reservations are found through a heap of starts, in which entries that
// have become void are dropped when they come up.
// Cost: amortised O(1) to push, to leave and for each job passed over; O(log n) for a change of a start or a lookup.  All
// reservations in order O(n log n), or O(n + k log k) where k were made since `put_in_order`, which is O(n) memory more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "schedcore/backfilling/fit_bounds.hpp"
#include "schedcore/backfilling/released_room.hpp"
#include "schedcore/engine/cluster.hpp"
#include "schedcore/engine/policy.hpp"

namespace schedcore {

class ReservationQueue {
 public:
  using Position = std::uint64_t;

  struct Entry {
    Position position = 0;
    Time start = kNever;  // kNever: holds no reservation
    Time end = kNever;    // of its occupation of the timeline
    Time estimate = 0;
    std::uint32_t machine = 0;
    DemandClusters::Cluster cluster = ReleasedRoom::kNoCluster;
    FitBounds::Class job_class = FitBounds::kNoClass;  // until it is looked at
    JobSlot job = 0;
    bool waits = true;
    bool was_reserved = false;  // at some time
    bool is_in_scan = false;
    [[nodiscard]] bool is_reserved() const { return start != kNever; }
    [[nodiscard]] bool is_in_class() const { return job_class != FitBounds::kNoClass; }
  };

  [[nodiscard]] bool empty() const { return n_waiting_ == 0; }
  [[nodiscard]] std::size_t size() const { return n_waiting_; }
  [[nodiscard]] std::size_t n_reserved() const { return n_reserved_; }
  // Entries in memory, those of jobs that have left and of starts that are void among them.
  [[nodiscard]] std::size_t n_kept() const {
    return entries_.size() + starts_.size() + overdue_.size() + ordered_.size() + made_.size();
  }

  // By position, some of them of jobs that have left.  Entries stay where they are until the next push.
  [[nodiscard]] std::span<Entry> entries() { return {entries_.data() + first_, entries_.size() - first_}; }
  [[nodiscard]] std::span<Entry> entries_from(Position position);
  // One more than the position of the n-th waiting job; of the last one if there are fewer.
  [[nodiscard]] Position position_after(std::uint64_t n);
  // How many wait before it.
  [[nodiscard]] std::uint64_t n_before(Position position) const;
  // Of a waiting job.
  [[nodiscard]] Entry& of_job(JobSlot job) { return *find(position_of_[job]); }

  void push(JobSlot job, Time estimate);
  void remove(Entry& entry);
  // Sets or changes the reservation, or takes it away.
  void reserve(Entry& entry, Time start, Time end, std::uint32_t machine);
  void cancel(Entry& entry) {
    if (entry.is_reserved()) --n_reserved_;
    entry.start = kNever;
  }

  // The reservations with a start not after `now`, in order of (start, position).  Those that do not start now are to be
  // handed back by `keep_overdue`.
  [[nodiscard]] std::vector<Entry*> take_due(Time now);
  void keep_overdue(const Entry& entry) { overdue_.push_back(entry.position); }
  // Whether a job that was handed back as overdue still waits.
  [[nodiscard]] bool has_overdue() {
    return std::any_of(overdue_.begin(), overdue_.end(), [&](Position position) { return find(position) != nullptr; });
  }
  // The first start after now; kNever if there is none.
  [[nodiscard]] Time next_start(Time now);

  // Makes what follows cheaper until the next reservation, and itself as long as few are made between two calls.
  void put_in_order();
  // Reservations in order of (start, position).
  [[nodiscard]] std::vector<const Entry*> reserved_entries() const;
  [[nodiscard]] std::vector<Placement> placements() const;

  // The waiting jobs alone; their positions count from 0 again.  Reading is for an empty queue; whoever keeps the bounds
  // of classes gives every entry that is in one its class again.
  void write(SnapshotWriter& archive) const;
  void read(SnapshotReader& archive);
  // What the reservations occupy.
  [[nodiscard]] std::vector<Occupation> occupations() const;

 private:
  struct Start {
    Time time = 0;
    Position position = 0;
    friend bool operator<(const Start& a, const Start& b) {  // a heap with the first start on top
      return std::tie(a.time, a.position) > std::tie(b.time, b.position);
    }
  };
  // Void once the entry begins at another time.
  struct Ordered {
    Time start = 0;
    std::size_t index = 0;  // of the entry, in order of position
    friend auto operator<=>(const Ordered&, const Ordered&) = default;
  };
  static constexpr std::size_t kSlack = 64;

  // Null if the job has left.
  [[nodiscard]] Entry* find(Position position);
  void drop_void_starts();
  [[nodiscard]] bool is_void(const Ordered& each) const { return entries_[each.index].start != each.start; }
  [[nodiscard]] std::vector<Ordered> in_order() const;
  void forget_order();
  template <class Visit>
  void for_each_reserved(const Visit& visit) const;
  void sweep();

  std::vector<Entry> entries_;
  std::size_t first_ = 0;              // no job before it waits
  std::vector<Position> position_of_;  // by slot, of waiting jobs
  std::vector<Start> starts_;          // a heap
  std::vector<Position> overdue_;
  std::vector<Ordered> ordered_;       // reservations in order when `put_in_order` was called last; none: that is not known
  std::vector<Ordered> made_;          // since then
  Position next_position_ = 0;
  std::size_t n_waiting_ = 0;
  std::size_t n_reserved_ = 0;
};

}  // namespace schedcore
