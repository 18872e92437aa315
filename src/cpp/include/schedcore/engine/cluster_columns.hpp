// What the jobs of a workload say beside their usual columns: how many tasks, where they may run, what kills cost them.
//
// Views; they own nothing.  O(1) to read a job.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "schedcore/base/types.hpp"
#include "schedcore/engine/job_placements.hpp"
#include "schedcore/engine/machine_table.hpp"
#include "schedcore/index/eligibility.hpp"
#include "schedcore/site/party_columns.hpp"

namespace schedcore {

// Every column may be empty, for what is the same as of an ordinary job.
struct ClusterColumns {
  std::span<const Amount> n_tasks = {};
  std::span<const Amount> max_tasks = {};         // on one machine; 0 for any number
  std::span<const bool> exclusive = {};
  std::span<const std::int64_t> eligibility = {};  // number of a set, or a constraint; -1 for every machine
  std::span<const Eligibility> sets = {};
  std::span<const Constraint> constraints = {};    // in place of sets
  std::span<const Time> checkpoint_interval = {};  // 0 for none
  std::span<const Time> restart_cost = {};
  std::int64_t reservation = JobPlacements::kNoReservation;  // that all of them name
  PartyColumns parties = {};

  [[nodiscard]] JobShape shape(std::size_t job) const;
  [[nodiscard]] Eligibility eligibility_of(std::size_t job) const;
  [[nodiscard]] std::shared_ptr<const std::string> constraint_of(std::size_t job) const;
  // Whether `placements_of` is plain for all.
  [[nodiscard]] bool is_plain() const {
    return n_tasks.empty() && max_tasks.empty() && exclusive.empty() && eligibility.empty() && checkpoint_interval.empty() &&
           reservation == JobPlacements::kNoReservation;
  }
  // All of it, but to whom the job belongs and for whom it waits.
  [[nodiscard]] JobPlacements placements_of(std::size_t job) const;
  // Null where it says nothing.
  [[nodiscard]] std::shared_ptr<const JobBelongings> belongings_of(std::size_t job) const;
};

}  // namespace schedcore
