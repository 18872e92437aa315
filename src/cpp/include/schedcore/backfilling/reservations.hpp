// Conservative backfilling with several resources: waiting jobs hold reservations in the order of their arrival, all of
// them or the first few, and nothing ever delays a reservation.
//
// Sources: Feitelson and Weil, IPPS 1998 (conservative); Mu'alem and Feitelson, TPDS 2001 (compression after early
// completions); Leinberger, Karypis and Kumar, SC'99 (several resources, selections).  A pass gives back what jobs did not
// use, lets reservations move to earlier places in queue order (compression), reserves for jobs that hold nothing, and
// where only the first `protected_jobs` hold reservations starts others that fit beside them as the selection prefers.
// With a selection other than first fit and all jobs protected, jobs that could start now after a give-back are chosen by
// the selection before the others move.
//
// A compression looks at every reservation: a few comparisons with the gaps that room was released in (released_room.hpp),
// and searches of timelines only where one may help.  After a snapshot, or where jobs ran late, the first one compares with
// the bounds of classes instead (fit_bounds.hpp), M times as many over M machines.  An arrival that can start costs a first
// fit and a descent, another one a search from the bounds of its class on M machines.  With a selection and all jobs
// protected each start after a give-back scores every waiting job that fits on every machine.
// Memory about 260 bytes a waiting job beside the job table, and what bounds and gaps take.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "schedcore/backfilling/backfill_limits.hpp"
#include "schedcore/backfilling/backfill_scan.hpp"
#include "schedcore/backfilling/compression_passes.hpp"
#include "schedcore/backfilling/counted_looks.hpp"
#include "schedcore/backfilling/fit_bounds.hpp"
#include "schedcore/backfilling/machine_set.hpp"
#include "schedcore/backfilling/planned_load.hpp"
#include "schedcore/backfilling/released_room.hpp"
#include "schedcore/backfilling/reservation_queue.hpp"
#include "schedcore/backfilling/reservation_record.hpp"
#include "schedcore/engine/policy.hpp"

namespace schedcore {

struct ReservationOptions {
  std::uint64_t protected_jobs = std::numeric_limits<std::uint64_t>::max();
  Compression compression = Compression::pass;
};

struct CompressionCounts {
  std::uint64_t looks = 0;  // at a reservation that might move
  std::uint64_t moves = 0;
};

class ReservationPolicy final : public Policy, public BackfillRecords, public ReservationRecords {
 public:
  ReservationPolicy(Selection selection, const BackfillLimits& limits, const ReservationOptions& options, bool record)
      : ReservationRecords(record), selection_(selection), limits_(limits), options_(options) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<ReservationPolicy>(*this); }
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void check_invariants() const override { scan_.check_invariants(); }
  [[nodiscard]] std::span<const ResourceTimeline> timelines() const override { return load_.timelines(); }
  void attach(const MachinesView& machines) override;
  [[nodiscard]] bool heeds_eligibility() const override { return true; }
  [[nodiscard]] Commitments commitments(const Cluster& cluster) const override;
  void decide(const Event& event, Turn& turn) override;
  [[nodiscard]] Time next_wakeup() const override { return wakeup_; }
  // Where jobs run late, a reservation that cannot be kept shows the earliest start on its machine beside the running jobs,
  // by their estimates, and the reservations before it; what it holds, and when it is tried, does not change.  Costs a copy
  // of the timelines and two searches a reservation then, nothing of that otherwise.
  [[nodiscard]] std::vector<Placement> reserved(const JobTable& jobs, Time now) const override;

  [[nodiscard]] std::uint64_t n_overruns() const override { return load_.n_overruns(); }
  [[nodiscard]] const CompressionCounts& counts() const { return counts_; }

 private:
  using Entry = ReservationQueue::Entry;
  using Fit = FitBounds::Fit;

  [[nodiscard]] bool protects_all() const { return options_.protected_jobs == ReservationOptions{}.protected_jobs; }
  [[nodiscard]] ResourceTimeline& timeline(std::size_t machine) { return load_.timelines()[machine]; }
  [[nodiscard]] static ReleasedRoom::Holder holder_of(Entry& entry) {
    return {entry.position, {entry.start, entry.machine}, entry.end, entry.estimate, entry.job_class, &entry.cluster};
  }
  void note_release(std::size_t machine, Time from, Time to, Time now);
  void note_freed(std::size_t machine) {
    if (!protects_all()) freed_.insert(static_cast<std::uint32_t>(machine));
  }
  void watch_strain(Time now);

  void reserve(Entry& entry, const Fit& fit, Time now, const JobTable& jobs);
  void record(const Entry& entry, Time now, const JobTable& jobs);
  // Takes what is left of the reservation's occupation out of the timeline, or puts it in again.
  void lift(const Entry& entry, Time now, const JobTable& jobs);
  void lay(const Entry& entry, Time now, const JobTable& jobs);
  void move(Entry& entry, const Fit& fit, Time now, const JobTable& jobs);
  // Starts a job whose reservation is due, unless it does not fit because others run late.
  void start_if_it_fits(Entry& entry, Time now, Turn& turn);
  // Starts a job that holds no reservation.
  void start_now(Entry& entry, std::uint32_t machine, Time now, Turn& turn);
  void finish_start(Entry& entry, Turn& turn);
  // The lowest machine on which there is room for the job from now until `end`.
  [[nodiscard]] std::size_t machine_with_room(JobSlot job, Time now, Time end, const Turn& turn);
  // Where a job without a reservation fits first if that is before `beyond`; otherwise something not before it.
  [[nodiscard]] Fit first_place(Entry& entry, const Fit& beyond, Time now, const Turn& turn);
  void start_due(Time now, Turn& turn);
  void start_overdue(Time now, Turn& turn);
  void start_heads(Time now, Turn& turn);
  // Returns whether the budget sufficed for all.
  [[nodiscard]] bool reserve_for_others(Time now, Turn& turn);
  void overtake(Time now, Turn& turn);

  // Compression (reservation_compression.cpp).  Both return whether the budget sufficed; otherwise the next call goes on.
  [[nodiscard]] bool compress(Time now, Turn& turn);
  [[nodiscard]] bool look_at_others(Time now, Turn& turn);
  void begin_pass(Time now, Turn& turn);
  void leave_off(ReservationQueue::Position next, Turn& turn);
  [[nodiscard]] Fit earlier_place(Entry& entry, Time now, const JobTable& jobs);
  [[nodiscard]] Fit earlier_place_anywhere(const Entry& entry, Time now, const JobTable& jobs);
  [[nodiscard]] Fit place_under_strain(const Entry& entry, Time now, const JobTable& jobs);
  void start_selected(Time now, Turn& turn);
  [[nodiscard]] bool may_start_now(const Entry& entry, std::uint32_t machine, Time now, const JobTable& jobs);

  Selection selection_;
  BackfillLimits limits_;
  ReservationOptions options_;

  ReservationQueue queue_;
  PlannedLoad load_;         // running jobs and reservations
  FitBounds bounds_;
  ReleasedRoom released_room_;
  std::vector<ReleasedRoom::Holder> holders_;  // where a pass begins; kept for its memory
  BackfillScan scan_;        // jobs without a reservation, where not all get one
  SelectionScores scores_;
  MachineSet freed_;         // machines on which room may have appeared since jobs last overtook
  // Every waiting job before the first position holds a reservation, or is in the scan before the second.
  ReservationQueue::Position next_unreserved_ = 0;
  ReservationQueue::Position next_unscanned_ = 0;
  ReservationQueue::Position end_of_looks_ = 0;  // of the run under way
  CompressionPasses passes_;
  ReservationQueue::Position next_look_ = 0;    // of the pass that was left off
  // Where searches for places were left off, with a window; as long as nothing happens.
  ReservationQueue::Position next_search_ = 0;
  bool is_put_off_ = false;           // work was left off
  bool is_strained_ = false;          // jobs outlived their estimates: timelines may be negative
  Time last_run_ = -kNever;
  bool run_is_owed_ = false;          // at the end of the interval
  Time wakeup_ = kNever;
  CompressionCounts counts_;
  CountedLooks looks_;                // of the decision under way
};

}  // namespace schedcore
