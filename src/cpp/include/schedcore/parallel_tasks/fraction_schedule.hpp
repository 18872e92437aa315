// Preemptive list scheduling of task fractions, the first schedule of SynchPack-1 [Shafiee2020].
//
// A fraction is the part of a task that an interval-indexed program gave to one machine in one interval; it occupies
// that machine for units x processing time.  List order is ascending (interval, task, machine).  From time 0, at the
// start and whenever fractions complete:
//   1. of the unfinished fractions that do not run, let l0 be the lowest interval; running fractions of higher
//      intervals stop, on all machines, the others go on;
//   2. the whole list is scanned: a fraction starts if it is unfinished, does not run, no fraction of its task runs
//      (on this machine or another), and its machine has room for its demand in every resource.
// Times are integers in units of 1e-9, so that completions of one instant are one event.
//
// What an event looks at.  Scanning the list anew gives the schedule from before except where something changed: l0
// never falls, because what stops is above it; and if l0 rises, what now may not be stopped any more is exactly what
// the scan had put first.  So on a machine without a completion the scan decides up to position p as it did at the
// last event unless a task with a fraction there, at a position up to p, is idle or busy where it was not: the task
// of a completed fraction, of one that the scan no longer starts, or of one that it starts now.  Accordingly an event
// opens the machines with a completion from the top of the list, and every other from the position of the first
// fraction whose task changed; an opened machine stops what runs there above l0, from that position on, and is
// searched as a fitting_list.  What starts again in the same event was not interrupted.
//
// For F fractions, M machines and L intervals: O(F log F + L M), and at each event, for each opened machine, O(R log
// F) for each fraction that it stops and starts and each that fits but whose task is busy, and O(1) for each other
// fraction of those tasks.  A list scan would cost O(F) an event.  Memory O(R F).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/model/parallel_tasks.hpp"
#include "schedcore/parallel_tasks/capped_fractions.hpp"

namespace schedcore {

// Times of this schedule, in units of 1e-9 of the unit of processing times.
using FineTime = std::int64_t;
inline constexpr double kFineTimesPerTime = 1e9;

struct FractionPiece {
  std::size_t fraction = 0;  // its index in the input
  FineTime start = 0;
  FineTime end = 0;

  friend bool operator==(const FractionPiece&, const FractionPiece&) = default;
};

struct FractionSchedule {
  std::vector<FractionPiece> pieces;  // ascending by (start, task)
  std::vector<FineTime> tau;          // of each interval: when all fractions up to it are complete; 0 if there are none
};

// Requires positive units, intervals below n_intervals, and that every fraction may run on its machine.  Fractions of
// one task in one interval on one machine must not come twice.  Throws UnsupportedError if the schedule reaches 2^63
// units of 1e-9.
[[nodiscard]] FractionSchedule fraction_schedule(const ParallelTasksView& tasks,
                                                 std::span<const IntervalFraction> fractions, std::size_t n_intervals,
                                                 Monitor* monitor = nullptr);

}  // namespace schedcore
