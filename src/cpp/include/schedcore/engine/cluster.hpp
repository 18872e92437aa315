// What a snapshot says of jobs and machines before the policy's own part: who waits, who is planned, who runs.
//
// A policy writes what it remembers of these jobs in the order given here, and builds the rest again from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "schedcore/base/archive.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/engine/availability.hpp"
#include "schedcore/engine/job_table.hpp"
#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {

struct Cluster {
  const JobTable& jobs;
  MachinesView machines;         // their capacities; without machines while a snapshot is written
  std::span<const Amount> free;  // of every machine, row-major
  Time now = 0;                  // the last instant that was decided
  std::uint64_t n_started = 0;   // in all, of which some may have completed
  std::vector<JobSlot> waiting;  // arrived, neither planned nor running, in order of id
  std::vector<JobSlot> planned;  // in plan order
  std::vector<JobSlot> running;  // in order of id, those inside reservations apart
  std::vector<JobSlot> held;     // in order of id
  const Availability* availability = nullptr;  // of the machines

  [[nodiscard]] std::span<const Amount> free_on(std::size_t machine) const {
    return free.subspan(machine * jobs.n_resources(), jobs.n_resources());
  }
};

// What a job takes of a machine on [start, end); end may be kNever.
struct Occupation {
  Time start = 0;
  Time end = 0;
  std::uint32_t machine = 0;
  JobSlot job = 0;
};

// What is free on every machine from `now` on beside these occupations; where jobs run late it may be negative.  O(R) a
// machine, and for n occupations O(n log n + R n).  Throws InvalidInstanceError where amounts leave the range that
// timelines count in.
[[nodiscard]] std::vector<ResourceTimeline> timelines_beside(const Cluster& cluster, std::vector<Occupation> occupations);

// Refuses the snapshot unless every job of `expected` is listed once and no other.
void require_each_once(std::vector<JobSlot> listed, const std::vector<JobSlot>& expected, std::string_view what);

// Refuses the snapshot where a job is twice on one machine.
void require_different_machines(const SnapshotReader& archive, std::vector<TaskPlace> places);

}  // namespace schedcore
