// What a planning pass is given, as plain columns, and what it answers.
//
// Times are whole seconds from 0 to 2^53, amounts from 0 to 2^53; processors of a machine and counts are at most 2^31, so
// that no sum below overflows.  `check_cycle` says so of all columns; nothing else in this room looks again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace schedcore {

using Seconds = std::int64_t;

// In the order in which machines are neighbours.
struct CycleMachines {
  std::vector<std::int64_t> processors;
  std::vector<std::int64_t> memory;
  std::vector<std::int64_t> weight;
  std::vector<std::uint8_t> is_up;

  [[nodiscard]] std::size_t size() const { return processors.size(); }
};

// Set i: machine[offset[i]] .. machine[offset[i + 1] - 1].
struct MachineLists {
  std::vector<std::int64_t> offset{0};
  std::vector<std::int64_t> machine;

  [[nodiscard]] std::size_t size() const { return offset.size() - 1; }
};

// What runs.  `end` is announced and orders the runs; `likely_end`, when what a run holds counts as free, is later where a
// run is over its time.  A machine stands once in a run.
struct CycleRuns {
  std::vector<Seconds> end;
  std::vector<Seconds> likely_end;
  std::vector<std::int64_t> offset{0};
  std::vector<std::int64_t> machine;
  std::vector<std::int64_t> processors;
  std::vector<std::int64_t> memory;

  [[nodiscard]] std::size_t size() const { return end.size(); }
};

// How a job asks for memory: not at all, of each machine, for each processor, or for all of a machine that nobody else may
// have any of.
enum class MemoryKind : std::uint8_t { none, machine, processor, whole };

// Which machines are taken among those that suffice; see machine_choice.hpp.
enum class MachineOrder : std::uint8_t { consecutive, first, last, busy, spread };

// Jobs that wait, in the order in which they are looked at.  Sets are rows of the lists; -1 stands for all machines
// (partition), all of the partition (eligible), none (required, reservation, array).
struct CycleRequests {
  std::vector<Seconds> limit;
  std::vector<std::int64_t> min_machines, max_machines;
  std::vector<std::int64_t> n_tasks, processors_per_task;
  std::vector<std::int64_t> tasks_per_machine;  // 0: not said
  std::vector<std::int64_t> least_processors;   // of every machine
  std::vector<std::int64_t> memory_kind, memory;
  std::vector<std::uint8_t> is_exclusive;
  std::vector<std::int64_t> partition, eligible, required;
  std::vector<std::int64_t> reservation;
  std::vector<std::int64_t> n_copies;  // tasks of an array, planned one after the other
  std::vector<std::int64_t> array;     // one without a plan bars later ones of the same number
  std::vector<std::uint8_t> may_wait;  // or it starts now, or not at all
  std::vector<std::int64_t> selection;

  [[nodiscard]] std::size_t size() const { return limit.size(); }
};

// Advance reservations of machines.
struct CycleReservations {
  std::vector<Seconds> start, end;
  std::vector<std::int64_t> machines;         // a set
  std::vector<std::uint8_t> takes_all;        // no job runs meanwhile, wherever
  std::vector<std::uint8_t> is_maintenance;   // nor does one of which it has the whole partition
  std::vector<std::uint8_t> is_flexible;      // its own jobs may use any machine

  [[nodiscard]] std::size_t size() const { return start.size(); }
};

struct CycleSettings {
  Seconds now = 0;
  Seconds window = 86400;
  Seconds resolution = 60;
  std::int64_t depth = 500;           // so many jobs for which a place is looked for
  std::int64_t most_intervals = 1000; // so many insertions into the list of intervals
  Seconds growth = 0;                 // of groups of ends; 0: they double
};

// What became of a request.
enum class CycleOutcome : std::uint8_t {
  planned,
  after_window,  // its start is known, but so late that it holds nothing
  never_fits,
  window,        // every instant up to the end of the list was tried
  dead_end,      // no instant follows that would be tried
  reservation,   // its reservation has not begun, or is over; or others leave no instant
  now_only,
  array,         // barred by an earlier request of its array
  limit,         // depth or most_intervals
};

inline constexpr Seconds kNotPlanned = -1;

struct CyclePlan {
  std::vector<Seconds> start;  // of the last copy that was planned; kNotPlanned if one found nothing
  std::vector<CycleOutcome> outcome;
  MachineLists machines;  // ascending; a row for each request
  std::int64_t n_tried = 0;
  std::int64_t n_inserted = 0;
};

// Throws InvalidInstanceError, which names the row, the value and the bound.  O(size of the columns).
void check_cycle(const CycleMachines& machines, const MachineLists& sets, const CycleRuns& runs, const CycleRequests& requests,
                 const CycleReservations& reservations, const CycleSettings& settings);

}  // namespace schedcore
