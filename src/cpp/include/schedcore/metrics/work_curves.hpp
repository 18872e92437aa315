// How work, flow times and fractional cost of a slotted schedule grow over time.
//
// Values are those after the slots t of a grid.  offered_volume: core-slots of the jobs with release time a < t;
// unfinished_volume: what is left of them, and unfinished_time: what is left over cores, task by task (both exact
// integers, or fractions held in 128 bits, until they are rounded once); flow_power: sum of f^k of the jobs completed by
// t; fractional: the terms of the fractional flow time (slot_facts.hpp) of all slots up to t.
//
// Work is piecewise linear in t, so two changes of slope a piece are enough.  The fractional cost of a piece is a
// polynomial in t: the stretch of grid points that it covers is cut into O(log m) dyadic blocks, each of which keeps the
// moments sum c (t0 - a)^i of all pieces that cover it, t0 being its start.  At last moments are moved from blocks to
// their halves, by positive shifts only, so nothing cancels.
#pragma once

#include <span>
#include <vector>

#include "schedcore/model/slot_pieces.hpp"

namespace schedcore {

struct WorkCurves {  // one entry a grid point
  std::vector<double> offered_volume;
  std::vector<double> unfinished_volume;
  std::vector<double> unfinished_time;
  std::vector<double> flow_power;
  std::vector<double> fractional;  // within some 1e-14 (log2 m) of its value
};

// Requires times that ascend strictly, from 0 on, 1 <= k <= 64 and measurable pieces (slot_pieces.hpp).
// O(n k log m + m k^2) for n pieces and m times; memory: up to 200 + 32 k bytes a time, and some 60 a task row.
[[nodiscard]] WorkCurves work_curves(const SlotTasksView& tasks, const SlotPiecesView& pieces, int k,
                                     std::span<const Slot> times);

}  // namespace schedcore
