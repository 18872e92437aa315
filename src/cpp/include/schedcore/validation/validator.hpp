// Is this non-preemptive schedule feasible, and if not, what goes wrong first?
//
// Written apart from every algorithm, exact: amounts are compared as integers, times as the doubles they are, with
// completions at fl(start + processing_time).  A job holds its demand during [start, completion); completions of an
// instant free their amounts before the starts of that instant take theirs.
//
// Jobs are visited by (start time, machine, job).  At its turn a job must, in this order,
//   unknown_machine       have a machine in [0, n_machines);
//   start_before_release  start at or after its release time;
//   no_progress           end after it starts: start + processing_time > start in double arithmetic;
//   capacity_exceeded     fit beside the jobs that hold amounts at its start, those of this instant with a lower index
//                         included, in every resource (the lowest resource that does not is named).
// The first job that fails is the violation.  A start that is no finite number has no place in time: the lowest such
// job comes before everything else.
//
// O(n log n + n * R) time; memory: 8 bytes a job, and 48 bytes and R amounts for each job of the fullest machine.
// Not for preemptive schedules or tasks that share jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "schedcore/base/types.hpp"

namespace schedcore {

enum class ViolationKind : std::uint8_t {
  start_not_finite,
  unknown_machine,
  start_before_release,
  no_progress,
  capacity_exceeded,
};

struct Violation {
  ViolationKind kind = ViolationKind::start_not_finite;
  std::size_t job = 0;
  std::int64_t machine = 0;  // as the schedule says, also where there is no such machine
  Time instant = 0;          // the start time of `job`
  std::size_t resource = 0;  // capacity_exceeded only
  Amount excess = 0;         // capacity_exceeded only: usage with `job` minus capacity, positive
};

// The first violation, or nothing if the schedule is feasible.  start_time and machine have jobs.n_jobs() entries;
// amounts lie in [0, 2^53]; processing times are positive and finite.  jobs.weight is not read.
[[nodiscard]] std::optional<Violation> find_first_violation(const JobsView& jobs, const MachinesView& machines,
                                                            std::span<const Time> start_time,
                                                            std::span<const std::int64_t> machine);

}  // namespace schedcore
