// What jobs bring beside their columns: where a job may run, over how many machines it spreads, and what is saved of its
// work; of the tasks of parallel jobs also how long each takes on each machine, and which machines are local to it.  A job
// that brings nothing is one task, may run everywhere, takes the same time everywhere, and is local everywhere.
//
// A value.  Times and localities are read where they lie: in the caller's arrays, or in memory of the job's own that its
// copies share (`owner`), so that no job keeps the memory of another.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "schedcore/base/archive.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/index/eligibility.hpp"
#include "schedcore/index/job_shape.hpp"
#include "schedcore/site/job_belongings.hpp"

namespace schedcore {

// Times and localities of one job, in order of its allowed machines.
struct PlacementRow {
  explicit PlacementRow(std::size_t n_allowed) : time(n_allowed), local(std::make_unique<bool[]>(n_allowed)) {}

  // With the set of machines, which few others share.
  [[nodiscard]] std::size_t n_bytes() const {
    return sizeof(*this) + time.size() * (sizeof(std::int64_t) + sizeof(bool) + sizeof(std::uint32_t));
  }

  std::vector<std::int64_t> time;
  std::unique_ptr<bool[]> local;
};

struct JobPlacements {
  static constexpr std::int64_t kAlone = -1;
  static constexpr std::int64_t kNoReservation = -1;

  Eligibility eligibility;
  std::shared_ptr<const std::string> constraint;  // that allows these machines (machine_table.hpp); null for none
  const std::int64_t* time = nullptr;  // on each allowed machine, at least 1; null for the job's processing time
  const bool* local = nullptr;         // of each allowed machine; null if all are
  std::int64_t group = kAlone;         // tasks of one job have the same number
  std::shared_ptr<const PlacementRow> owner;  // of the times and localities, unless the caller keeps them
  JobShape shape;
  Time checkpoint_interval = 0;  // 0 if no work is saved
  Time restart_cost = 0;         // of a run that resumes saved work
  std::int64_t reservation = kNoReservation;  // the one that it names (advance_reservations.hpp)
  std::shared_ptr<const JobBelongings> belongings;  // null where it says nothing of them

  // Whether it says nothing.
  [[nodiscard]] bool is_plain() const {
    return eligibility.is_everywhere() && !constraint && says_only_where() && is_one_task() && reservation == kNoReservation &&
           !belongings;
  }
  // Whether it says nothing of times, of localities and of other jobs.
  [[nodiscard]] bool says_only_where() const { return !time && !local && group == kAlone; }
  // Whether it says nothing of several tasks and of saved work.
  [[nodiscard]] bool is_one_task() const { return shape.is_plain() && checkpoint_interval == 0; }
  [[nodiscard]] std::size_t n_owned_bytes() const { return owner ? owner->n_bytes() : 0; }
  [[nodiscard]] bool waits_for_others() const { return belongings && !belongings->awaited.empty(); }
  // The least of the times, or `processing_time` if it is the same everywhere.
  [[nodiscard]] Time shortest_time(Time processing_time, std::size_t n_machines) const;
};

// The placements of many jobs, row by row: those of job k are start[k] .. start[k + 1] - 1, machines ascending.
struct PlacementsView {
  std::span<const std::int64_t> start;
  std::span<const std::int64_t> machine;
  std::span<const std::int64_t> time;
  std::span<const bool> local;
  std::span<const std::int64_t> group;

  [[nodiscard]] std::size_t n_jobs() const { return group.size(); }
  [[nodiscard]] std::size_t first(std::size_t job) const { return static_cast<std::size_t>(start[job]); }
  [[nodiscard]] std::size_t count(std::size_t job) const { return static_cast<std::size_t>(start[job + 1] - start[job]); }
  // What the table of jobs keeps of it; the arrays must live as long.  O(its placements).
  [[nodiscard]] JobPlacements of(std::size_t job, std::size_t n_machines, EligibilitySets& sets) const;
};

// The same, each with memory of its own.
[[nodiscard]] std::vector<JobPlacements> copied_placements(const PlacementsView& placements, std::size_t n_machines,
                                                           EligibilitySets& sets);

// In a snapshot.  What is read is checked by itself; whether the job fits where it may run is the reader's to check.  What
// a constraint allows is not written, but looked up by whoever reads.
void write_eligibility(SnapshotWriter& archive, const Eligibility& eligibility);
[[nodiscard]] Eligibility read_eligibility(SnapshotReader& archive, std::size_t n_machines, EligibilitySets& sets);
void write_constraint(SnapshotWriter& archive, const std::shared_ptr<const std::string>& constraint, const Eligibility& eligibility);
void read_constraint(SnapshotReader& archive, std::size_t n_machines, EligibilitySets& sets,
                     std::shared_ptr<const std::string>& constraint, Eligibility& eligibility);
void write_placements(SnapshotWriter& archive, const JobPlacements& placements, std::size_t n_machines);
[[nodiscard]] JobPlacements read_placements(SnapshotReader& archive, std::size_t n_machines, EligibilitySets& sets);

}  // namespace schedcore
