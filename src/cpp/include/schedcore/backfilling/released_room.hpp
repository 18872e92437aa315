// Where reservations may start earlier in room that was released, without a look at the futures of all machines.
//
// A reservation is that of a job of one task, and was the earliest place when it was made or last looked at.  So an earlier
// one reaches into what was released since, or it begins before its own start on its own machine and goes on in its own
// room.  A pass looks at reservations in the order of the queue.  What was released before is in force for all of them; what
// one of them releases by moving is in force for those behind it in this pass, and for itself and those before it in the
// next.
//
// Demands are in clusters (demand_clusters.hpp).  For every release and cluster the gaps are found in which the corner of the
// cluster has room, if one of its jobs is so short and starts so late that the gap may help it.  A look at a reservation
// compares it with the gaps of its cluster, and searches the timeline only where a gap is long and early enough.  Gaps may be
// larger than what is left of them; a search that is about to rely on one looks at it anew.
//
// The gaps of a cluster are in groups by length, and few are as long as a job needs.  Those that may help are tried in the
// order of their beginnings, up to the best place that was found.
//
// Cost: O(1) to note a release between passes.  A pass O(W) for W reservations, and for each release O(C (R + g log k)) for C
// clusters, g gaps that it touches and k breakpoints; a look one comparison for each gap of its cluster that is about as
// long as its job or longer, and O(R log k) for each that may help.  Memory 32 bytes a release since the last pass, 4 C + 40 a machine, 4,600 C, and 140 a gap, of as many as there ever were in a pass.
// Nothing of it is part of a snapshot: forget() makes up for it by one look at everything.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "schedcore/backfilling/demand_clusters.hpp"
#include "schedcore/backfilling/plan_of_room.hpp"
#include "schedcore/base/types.hpp"

namespace schedcore {

class ReleasedRoom {
 public:
  static constexpr DemandClusters::Cluster kNoCluster = ~DemandClusters::Cluster{0};

  struct Place {
    Time time = kNever;
    std::uint32_t machine = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  // A reservation.
  struct Holder {
    std::uint64_t position = 0;  // in the order of the pass, and of all passes where `has_lasting_positions`
    Place place;
    Time end = 0;
    Time estimate = 0;
    std::uint32_t job_class = 0;
    DemandClusters::Cluster* cluster = nullptr;  // of its demand; kNoCluster at first, and kept for it
  };

  ReleasedRoom() = default;
  ReleasedRoom(std::size_t n_machines, std::size_t n_resources, bool has_lasting_positions = true)
      : has_lasting_positions_(has_lasting_positions),
        clusters_(n_resources),
        hull_(n_machines),
        taken_(n_machines),
        most_(n_resources) {}

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
  void note_release(std::uint32_t machine, Time from, Time to, const PlanOfRoom& plan);
  // Something was taken there, where there was room.
  void note_taken(std::uint32_t machine, Time from, Time to) {
    if (is_any_in_force_ && !hull_[machine].is_empty()) taken_[machine].push_back({from, to});
  }
  // Something was taken without regard to others: until then there may be less than nothing.
  void note_overfull(Time until) { overfull_until_ = std::max(overfull_until_, until); }

  // `holders` are all reservations of jobs of one task.
  void begin_pass(Time now, std::span<const Holder> holders, const PlanOfRoom& plan);
  // Goes on with a pass that was left off, maybe before a snapshot.  Nothing was reserved since; what was released is noted.
  void go_on(Time now);
  // The next reservation in the order of the pass.
  void look_at(const Holder& holder) {
    holder_ = holder;
    ++n_looks_;
  }
  // The earliest place of the reservation that is looked at, of one task, beside the others; it may be its own.  Where
  // is_known().
  [[nodiscard]] Place earliest(const PlanOfRoom& plan);
  // All were looked at since the beginning, some maybe without finding the earliest place.
  void end_pass(bool all_are_earliest);

 private:
  using Cluster = DemandClusters::Cluster;
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::size_t kLengths = 64;    // of jobs that are told apart, each twice the one before
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Span {
    Time begin = kNever;
    Time end = 0;
    [[nodiscard]] bool is_empty() const { return begin >= end; }
  };
  struct Release {
    Span span;
    std::uint64_t last = kAll;  // in force for those up to this one
    std::uint32_t machine = 0;
  };
  // Where a corner had room when that was last seen, on a machine on which something in there was released.  Those of a
  // cluster on one machine are disjoint.
  struct Gap {
    Span span;
    Release release;          // covers all that was released in there
    std::size_t n_taken = 0;  // on the machine, when it was last seen
    std::uint64_t last_tried = 0;  // by look
    std::uint32_t length = 0;      // its group
    std::uint32_t seat = kNone;    // in the group; none if there is no such gap any more
  };
  // Of gaps of about the same length: all that a look reads of most.
  struct Group {
    std::vector<Time> begin;
    std::vector<Time> end;
    std::vector<std::uint32_t> number;
    void clear();
    void add(const Span& span, std::uint32_t gap);
    void erase(std::uint32_t seat);  // the last one takes the seat
  };
  struct Choice {
    Time begin = 0;
    std::uint32_t number = 0;
  };
  // Of the gaps on a machine: all that is read of those that do not meet another one.
  struct Link {
    Span span;
    std::uint32_t next = kNone;
  };
  struct Gaps {
    std::vector<Gap> all;
    std::vector<Link> links;           // of the same gaps
    std::vector<Group> groups;         // by length
    std::uint64_t some = 0;            // a bit for each group that is not empty
    std::vector<std::uint32_t> first;  // by machine
    std::vector<std::uint32_t> unused;
  };

  void forget_gaps();
  static void join(std::vector<Release>& released);
  void sort_into_clusters(std::span<const Holder> holders, const PlanOfRoom& plan);
  // The latest start of a job of the cluster that lasts up to about so long.
  [[nodiscard]] Time& latest(Cluster cluster, std::size_t length) { return latest_[cluster * kLengths + length]; }
  [[nodiscard]] static std::size_t length_of(Time duration);
  // At least that of any job that the span has room for.
  [[nodiscard]] static std::size_t length_of(const Span& span);
  [[nodiscard]] bool may_help(Cluster cluster, const Span& span);

  void put_in_force(Release release, const PlanOfRoom& plan);
  // Puts the gaps that the release touches.
  void find_gaps(Cluster cluster, const Release& release, const PlanOfRoom& plan);
  void put(Cluster cluster, Gap gap);
  void link(Cluster cluster, const Gap& gap);
  void unlink(Cluster cluster, std::uint32_t number);
  [[nodiscard]] bool is_stale(const Gap& gap) const;
  // Those that the job that is looked at may use are to be tried.
  void choose_from(const Group& group);
  void choose_from_fresh(const Gaps& gaps);
  void choose(Time begin, std::uint32_t number);
  void try_gap(std::uint32_t number, Place& best, const PlanOfRoom& plan);
  // Whether a start before its own, with room up to there, is possible: in its own room from there on.
  [[nodiscard]] bool fits_in_own_room(Time start, const PlanOfRoom& plan) const;
  // The first place that touches the release, if that is before the limit; otherwise the limit.
  [[nodiscard]] Place first_in(const Release& release, const Place& limit, const PlanOfRoom& plan) const;

  bool has_lasting_positions_ = true;
  DemandClusters clusters_;
  std::size_t n_clustered_ = 0;    // reservations when the clusters were built
  bool is_known_ = true;
  Time overfull_until_ = -kNever;
  std::vector<Release> released_;  // for the next pass

  // Of a pass.
  bool is_in_pass_ = false;
  bool is_whole_ = false;  // all that was looked at has the earliest place
  bool has_holders_ = false;
  bool is_any_in_force_ = false;
  Time now_ = 0;
  Holder holder_;             // that is looked at
  std::uint64_t n_looks_ = 0;
  std::vector<Gaps> gaps_;                 // by cluster
  std::vector<Time> latest_;
  std::vector<std::uint32_t> machines_;    // on which something was released
  std::vector<Span> hull_;                 // of what was released, by machine
  std::vector<std::vector<Span>> taken_;   // by machine
  std::vector<Amount> most_;               // free in a release
  std::vector<Choice> choices_;            // gaps to try, a heap with the first begin on top
  std::vector<std::uint32_t> fresh_;       // gaps that came since the look began
};

}  // namespace schedcore
