// Slotted preemptive scheduling: what the kernels of this family read, and how they hand on who runs where.
//
// Slot t = 1, 2, 3, ... is the interval [t - 1, t).  A job released at a may run from slot a + 1 on.  Resource 0 of jobs
// and machines is cores; the others are held in full on every machine on which the job runs in a slot: memory, and
// whatever behaves like it.  A job may run on fewer cores than it asks for, and on several machines at once.
//
// A row is the position of a job among those that are active in a slot, in ascending order of their index, so that ties
// by row are ties by job.  The boundary has checked: release times are at least 0, processing times at least 1, every
// job asks for 1 to all cores, and its volume (processing time x cores) is below 2^53, so that doubles hold it exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

using Slot = std::int64_t;

inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);
// Times of schedules are doubles, which hold every slot up to this one.
inline constexpr Slot kLastExactSlot = Slot{1} << 53;

// The cores of one row on one machine in one slot; lists of pieces are sorted by (row, machine).
struct CorePiece {
  std::uint32_t row;
  std::uint32_t machine;
  Amount cores;
  friend bool operator==(const CorePiece&, const CorePiece&) = default;
};

// One row a job; demands are row-major (n_jobs, n_resources).
struct SlotJobs {
  std::span<const Slot> release_time;
  std::span<const Slot> processing_time;
  std::span<const Amount> demand;
  std::span<const Amount> estimated_demand;  // what decisions believe; empty where that is the truth
  std::size_t n_resources = 0;
  std::span<const double> weight{};  // finite, at least 0; empty where all are alike, or no decision reads it

  [[nodiscard]] std::size_t n_jobs() const { return processing_time.size(); }
  [[nodiscard]] std::span<const Amount> demand_of(std::size_t job) const {
    return demand.subspan(job * n_resources, n_resources);
  }
  [[nodiscard]] std::span<const Amount> believed_demand_of(std::size_t job) const {
    return (estimated_demand.empty() ? demand : estimated_demand).subspan(job * n_resources, n_resources);
  }
};

// Throws UnsupportedError for a slot after kLastExactSlot, in which something would run.
void require_exact(Slot slot);

// The cores of each machine, its first resource.
[[nodiscard]] std::vector<Amount> cores_of(MachinesView machines);

}  // namespace schedcore
