// What a slotted schedule did to each job: completion, fractional flow time, interruptions, moves, the longest gap.
//
// Read from the pieces alone.  A task runs in a slot if it holds cores there, on the set A(t) of machines.
//   fractional      sum over slots of w(t) x rate, rate = core-slots worked off / cores of the task, with
//                   w(t) = (t - a)^k / p + p^(k-1) for a job without tasks, and for a task of a phase of n tasks of p
//                   slots (2 (t - a)^k + P^k) / (2 n p), P = the times of the phases that have tasks;
//   preemptions     a task ran in slot t - 1, has work left and does not run in slot t;
//   migrations      a task runs in t, ran last in s < t, and A(t) is no subset of A(s): at most one a slot;
//   live migrations those with s = t - 1;
//   max_gap         the longest run of slots, from the release on and while work is left, without cores for the job.
// Interruptions and moves of tasks are summed by job; a gap is one of the whole job.  What is unfinished is followed up to
// the end of the run: a task with work left that ran, but not in the last slot, was preempted.
#pragma once

#include <cstdint>
#include <vector>

#include "schedcore/model/slot_pieces.hpp"

namespace schedcore {

struct SlotFacts {  // one entry a job
  std::vector<double> completion_time;  // infinite where work is left
  std::vector<double> fractional;       // within some 1e-14 of its value; infinite beyond the doubles
  std::vector<std::int64_t> preemptions;
  std::vector<std::int64_t> migrations;
  std::vector<std::int64_t> live_migrations;
  std::vector<std::int64_t> max_gap;
};

// `end_of_run`: the last slot that was looked at, for schedules of runs that were cut short; the last end of a piece
// where that is later.  Requires 1 <= k <= 64 and measurable pieces (slot_pieces.hpp).  Expected O(n k) for n pieces, two
// passes over their columns (with estimates O(n (k + log c)), c pieces running at a time), and some 80 bytes a task row;
// nothing in proportion to n or to slots.
[[nodiscard]] SlotFacts slot_facts(const SlotTasksView& tasks, const SlotPiecesView& pieces, int k, Slot end_of_run);

// The weight of work in the fractional flow time: w(t) = (t - a)^k / divisor + constant, per task row.
struct FractionalWeight {
  double divisor;
  double constant;
};
[[nodiscard]] std::vector<FractionalWeight> fractional_weights(const SlotTasksView& tasks, int k);

}  // namespace schedcore
