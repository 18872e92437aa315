// Shift left: every piece of a schedule moved, as a whole, to the earliest time at which it fits.
//
// Touching pieces of a task on a machine are made one first.  Then the pieces are taken in ascending (start, task,
// machine); each goes to the earliest start, no later than its own, at which its machine has room for it beside the
// pieces already taken, no other taken piece of its task runs, and its job is released.  No piece ends later than it
// did, so neither does any job, and no step can fail: what was taken before and ran at some instant of the piece's
// old place ran there before the shift, too.
//
// Rounding.  If every start, end and release time is an integer (below 2^53), nothing is rounded.  Otherwise a new
// end is a rounded sum, which may miss an instant that it stands for, and a gap that a piece fills exactly may look
// too short. So a new end that comes within 2^-40 (1 + t) of a start or end already known becomes that, and a piece
// may lack as much of its length, though never half of it; what it lacks is cut off its end.  Here t is the new end:
// pieces keep the length that they are said to have (measured_piece.hpp), however far they move.  Where the input calls
// one instant by one double, decisions are those of exact arithmetic unless other instants lie that close.  Whatever
// the input, nothing overlaps, bit for bit, that did not overlap before, except pieces too short to show at their
// place.
//
// For n pieces of which k are on one machine and q belong to one task: O(n log n), and for each piece one
// earliest_fit of resource_timeline.hpp a piece of its own task that is in its way; that steps over the stretches
// before it without room, so that many large pieces on one machine cost O(k) each, a nanosecond a stretch.  Memory
// O(n).
#pragma once

#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/model/parallel_tasks.hpp"
#include "schedcore/parallel_tasks/measured_piece.hpp"

namespace schedcore {

// Requires 0 <= start <= end, finite, and length > 0 of each piece.  The pieces come back in the order in which they
// were taken, those that touched before the shift as one.
[[nodiscard]] std::vector<TaskPiece> shift_left(const ParallelTasksView& tasks, std::vector<MeasuredPiece> pieces,
                                                Monitor* monitor = nullptr);

}  // namespace schedcore
