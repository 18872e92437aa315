// Slotted preemptive scheduling of a whole workload: OCORP, OCORP+, OCORP+M and the policies they are compared with.
//
// In every slot with active jobs: release, order, cores, machines, memory (slot_decision.hpp), work, multipliers.
// Slots without active jobs are passed over.  Stretches in which provably nothing changes are decided once: under
// baselines up to the next arrival, the next change of what some job can use, or of an order that matters (none does
// where jobs are served whole and keep their servers); under multipliers while the pool suffices for everybody and memory
// refuses nobody (the recursion itself still runs slot by slot, until no multiplier changes any more).  Everything else is
// decided in each slot anew, SRPT and SRVF also where remaining work times cores reaches 2^52, so that their keys could
// round to the same double.
//
// Cost of a slot: O(active jobs), plus packing O((active + machines) log active) where cores have changed, plus with
// memory a sort of the active jobs and the memory step.  Where jobs are served whole: a sort of the active jobs, and
// whole_service.hpp.  Output: one piece for each stretch of unchanged cores.
//
// A work-conserving run ends: in every slot the first machine in packing order, or one on which somebody stays, has a
// piece, and no job is alone too large for it there, so that at least one core-slot is done; of jobs that are served
// whole the first one runs.  No job starves for longer than all others have work.  A strict run may never end: set
// max_slots.
#pragma once

#include <cstdint>
#include <vector>

#include "schedcore/base/monitor.hpp"
#include "schedcore/model/slots.hpp"
#include "schedcore/preemptive/slot_decision.hpp"
#include "schedcore/preemptive/piece_recorder.hpp"

namespace schedcore {

// What is kept of every slot on demand; rows ascending by (slot, job, machine).
struct SlotRecord {
  std::vector<Slot> multiplier_slot;
  std::vector<std::int64_t> multiplier_job;
  std::vector<double> multiplier;  // lambda as the keys of that slot have it
  std::vector<Slot> refused_slot;
  std::vector<std::int64_t> refused_job;
  std::vector<std::int64_t> refused_machine;
};

struct PreemptiveOutcome {
  std::vector<double> completion_time;  // infinite for what a run cut short did not finish
  PieceRecorder pieces;                 // finished
  std::uint64_t n_refused = 0;          // pieces refused their memory before any backfill, over all slots
  SlotRecord record;
};

// Runs slots 1 .. max_slots, or until all is done.  `monitor`, which may be null, is polled with jobs completed.
// Throws UnsupportedError where a run goes beyond slot 2^53.
// The boundary has checked the jobs as slots.hpp says, and that each is believed to fit: no more cores than there are,
// no more of anything else than the first machine in packing order has; where jobs are served whole, that some machine
// holds all it asks for.
[[nodiscard]] PreemptiveOutcome run_slots(const SlotJobs& jobs, MachinesView machines, const SlotRules& rules,
                                          Slot max_slots, bool keep_record, Monitor* monitor);

}  // namespace schedcore
