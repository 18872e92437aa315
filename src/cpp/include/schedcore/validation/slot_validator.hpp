// Is this slotted schedule feasible, slot by slot, and if not, what goes wrong first?
//
// Written apart from every algorithm and exact: all amounts and times are integers.  Pieces stand for all their slots at
// once, so the cost does not depend on how long they are.  Where the scheduler believed estimates, "believed" is the
// estimate, otherwise the demand; d is the true number of cores of a task row and d^ the believed one.
//
// A time that is no integer of at most 2^53 comes before everything else (time_not_integer).  Pieces are then visited by
// (start, job, task, machine).  At its turn a piece must, in this order,
//   unknown_job, unknown_task     belong to a job of the instance and to a task of that job (-1 where jobs have none);
//   unknown_machine               have a machine in [0, n_machines);
//   no_progress                   end after it starts;
//   no_cores                      hold a core at least;
//   start_before_release          start at or after the release time of its job;
//   reduce_before_map             if of a reduce task: start when all map work of its job has been done, and when none
//                                 of the pieces of the job's map tasks still runs;
//   piece_overlaps                start when no piece of the same task runs on the same machine;
//   demand_exceeded               with the other running pieces of its task, hold at most the believed cores;
//   capacity_exceeded             fit beside the running pieces of its machine, those of this start that were visited
//                                 before it included: their cores, and the believed demands in the other resources,
//                                 which a job holds once on every machine it runs on (the lowest that fails is named).
// The first piece that fails is the violation.  If all pass, the work of every task is followed.  With R core-slots left,
// a slot may give it at most min(d^, ceil(R d^ / d)) cores (without estimates min(d, R)), and R falls by the cores
// given, at most by d and to 0:
//   work_exceeded                 a slot gives more; the first such slot, then the first such task, is named;
//   work_missing                  R is not 0 in the end (not asked of partial schedules); the first task is named.
//
// O(n log c + n * R) time for n pieces of R resources, c of which run at a time; memory: some 40 bytes a task and c,
// nothing in proportion to n.  For jobs that are never interrupted see validator.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "schedcore/base/types.hpp"
#include "schedcore/model/slot_pieces.hpp"

namespace schedcore {

enum class SlotViolationKind : std::uint8_t {
  time_not_integer,
  unknown_job,
  unknown_task,
  unknown_machine,
  no_progress,
  no_cores,
  start_before_release,
  reduce_before_map,
  piece_overlaps,
  demand_exceeded,
  capacity_exceeded,
  work_exceeded,
  work_missing,
};

struct SlotViolation {
  SlotViolationKind kind = SlotViolationKind::time_not_integer;
  std::int64_t job = 0;  // job, task and machine as the schedule says, also where there are none such
  std::int64_t task = 0;
  std::int64_t machine = 0;  // work_exceeded, work_missing: -1
  Time instant = 0;          // start of the piece, or of the slot (work_exceeded); work_missing: 0
  std::size_t resource = 0;  // capacity_exceeded only
  // By how much, positive.  start_before_release: slots before it; piece_overlaps: slots of the overlap;
  // demand_exceeded, capacity_exceeded, work_exceeded: units above what is allowed; work_missing: core-slots that are
  // left; otherwise 0.
  std::int64_t excess = 0;
};

// The first violation, or nothing if the schedule is feasible.  `complete` asks for all work of all tasks.  Throws
// InvalidInstanceError if the pieces are not sorted by (start, job, task, machine).
[[nodiscard]] std::optional<SlotViolation> find_first_slot_violation(const SlotTasksView& tasks,
                                                                     const MachinesView& machines,
                                                                     const SlotPiecesView& pieces, bool complete);

}  // namespace schedcore
