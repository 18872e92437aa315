// Where reservations may start earlier in room that was released, without a look at the futures of all machines.
//
// A reservation was the earliest place when it was made or last looked at.  So an earlier one reaches into what was released
// since, or it begins before its own start on its own machine and goes on in its own room.  A pass looks at reservations in
// the order of the queue.  What was released before is in force for all of them; what one of them releases by moving is in
// force for those behind it in this pass, and for itself and those before it in the next.
//
// Demands are in clusters (demand_clusters.hpp).  For every release and cluster the gaps are found in which the corner of the
// cluster has room, if one of its jobs is so short and starts so late that the gap may help it.  A look at a reservation
// compares it with the gaps of its cluster, and searches the timeline only where a gap is long and early enough.  Gaps may be
// larger than what is left of them; a search that is about to rely on one looks at it anew.
//
// Cost: O(1) to note a release between passes.  A pass O(W) for W reservations, and for each release O(C (R + g log k)) for C
// clusters, g gaps that it touches and k breakpoints; a look one comparison for each gap of its cluster and O(R log k) for
// each that may help.  Memory 32 bytes a release since the last pass, 4 C bytes a machine, and in a pass 84 bytes a gap.
// Nothing of it is part of a snapshot: forget() makes up for it by one look at everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "schedcore/backfilling/demand_clusters.hpp"
#include "schedcore/backfilling/fit_bounds.hpp"
#include "schedcore/backfilling/reservation_queue.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {

class ReleasedRoom {
 public:
  using Entry = ReservationQueue::Entry;
  using Position = ReservationQueue::Position;
  using Fit = FitBounds::Fit;
  using Timelines = std::vector<ResourceTimeline>;

  ReleasedRoom() = default;
  ReleasedRoom(std::size_t n_machines, std::size_t n_resources)
      : clusters_(n_resources), hull_(n_machines), taken_(n_machines), most_(n_resources) {}

  // Reservations may not be the earliest places any more: until a whole pass is over somebody looks at everything.
  void forget() { is_known_ = is_whole_ = false; }
  [[nodiscard]] bool is_known() const { return is_known_; }
  // There are no reservations.
  void clear() {
    released_.clear();
    is_in_pass_ = is_any_in_force_ = false;
    is_known_ = true;
  }

  // Something was released on [from, to) of the machine; in a pass, by the reservation that is looked at, which has its new
  // place by now.
  void note_release(std::uint32_t machine, Time from, Time to, const Timelines& timelines);
  // Something was taken there.
  void note_taken(std::uint32_t machine, Time from, Time to) {
    if (is_any_in_force_) taken_[machine].push_back({from, to});
  }

  void begin_pass(Time now, std::span<Entry> entries, const FitBounds& bounds, const Timelines& timelines);
  // Goes on with a pass that was left off, maybe before a snapshot.  Nothing was reserved since.
  void go_on(Time now);
  // Of those with a reservation, in the order of the queue.
  void look_at(const Entry& entry) { position_ = entry.position; }
  // The earliest place of the reservation that is looked at, beside the others; it may be its own.  Only where is_known().
  [[nodiscard]] Fit earliest(const Entry& entry, const FitBounds& bounds, const Timelines& timelines);
  // All were looked at since the beginning, some maybe without finding the earliest place.
  void end_pass(bool all_are_earliest);

 private:
  using Cluster = DemandClusters::Cluster;
  static constexpr Position kAll = std::numeric_limits<Position>::max();
  static constexpr std::size_t kLengths = 64;    // of jobs that are told apart, each twice the one before
  static constexpr std::size_t kTogether = 32;   // gaps that are compared without a branch
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Span {
    Time begin = kNever;
    Time end = 0;
  };
  struct Release {
    Span span;
    Position last = kAll;  // in force for those up to this one
    std::uint32_t machine = 0;
  };
  // Where a corner had room when that was last seen, on a machine on which something in there was released.  Those of a
  // cluster on one machine are disjoint.
  struct Gap {
    Span span;
    Release release;          // covers all that was released in there
    std::size_t n_taken = 0;  // on the machine, when it was last seen
    Position last_tried_by = kAll;
  };
  struct Gaps {
    std::vector<Gap> all;
    std::vector<Time> begin;           // of their spans, kNever where there is none; a look reads no more of most
    std::vector<Time> end;
    std::vector<std::uint32_t> next;   // on the same machine
    std::vector<std::uint32_t> first;  // by machine
    std::vector<std::uint32_t> unused;
  };

  void forget_gaps();
  static void join(std::vector<Release>& released);
  void sort_into_clusters(std::span<Entry> entries, const FitBounds& bounds);
  // The latest start of a job of the cluster that lasts up to about so long.
  [[nodiscard]] Time& latest(Cluster cluster, std::size_t length) { return latest_[cluster * kLengths + length]; }
  [[nodiscard]] static std::size_t length_of(Time duration);
  [[nodiscard]] bool may_help(Cluster cluster, const Span& span);

  void put_in_force(Release release, const Timelines& timelines);
  // Puts the gaps that the release touches.
  void find_gaps(Cluster cluster, const Release& release, const ResourceTimeline& timeline);
  void put(Cluster cluster, Gap gap);
  void link(Cluster cluster, const Gap& gap);
  void unlink(Cluster cluster, std::uint32_t number);
  [[nodiscard]] bool is_stale(const Gap& gap) const;
  void try_gap(std::uint32_t number, const Entry& entry, Fit& best, const FitBounds& bounds, const Timelines& timelines);
  // The first place of the entry that touches the release, if that is before the limit; otherwise the limit.
  [[nodiscard]] Fit first_in(const Release& release, const Entry& entry, const Fit& limit, const FitBounds& bounds,
                             const ResourceTimeline& timeline) const;

  DemandClusters clusters_;
  std::size_t n_clustered_ = 0;    // reservations when the clusters were built
  bool is_known_ = true;
  std::vector<Release> released_;  // for the next pass

  // Of a pass.
  bool is_in_pass_ = false;
  bool is_whole_ = false;  // all that was looked at has the earliest place
  bool is_any_in_force_ = false;
  Time now_ = 0;
  Position position_ = 0;
  std::vector<Gaps> gaps_;                 // by cluster
  std::vector<Time> latest_;
  std::vector<std::uint32_t> machines_;    // on which something was released
  std::vector<Span> hull_;                 // of what was released, by machine
  std::vector<std::vector<Span>> taken_;   // by machine
  std::vector<Amount> most_;               // free in a release
  std::vector<std::uint32_t> fresh_;       // gaps that came since the look began
};

}  // namespace schedcore
