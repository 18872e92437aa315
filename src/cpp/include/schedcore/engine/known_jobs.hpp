// Which slot a job is in, by its id.
//
// A job whose slot is its id, as in a simulation, takes a byte; others an entry of a table.  O(1).  A value.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "schedcore/engine/job_table.hpp"

namespace schedcore {

class KnownJobs {
 public:
  // In place of the slot that it was in, if it was.
  void add(JobSlot job, const JobTable& jobs) {
    if (is_known_.size() < jobs.n_slots()) is_known_.resize(jobs.n_slots());
    is_known_[job] = true;
    const std::int64_t id = jobs.id(job);
    if (static_cast<std::int64_t>(job) != id) {
      slot_of_[id] = job;
    } else if (!slot_of_.empty()) {
      slot_of_.erase(id);
    }
  }
  // Nothing where the job is in another slot.
  void remove(JobSlot job, const JobTable& jobs) {
    if (job >= is_known_.size()) return;
    is_known_[job] = false;
    const auto known = slot_of_.find(jobs.id(job));
    if (known != slot_of_.end() && known->second == job) slot_of_.erase(known);
  }
  [[nodiscard]] std::optional<JobSlot> slot_of(std::int64_t id, const JobTable& jobs) const {
    if (!slot_of_.empty()) {
      const auto known = slot_of_.find(id);
      if (known != slot_of_.end()) return known->second;
    }
    if (id < 0 || static_cast<std::uint64_t>(id) >= is_known_.size()) return std::nullopt;
    const auto job = static_cast<JobSlot>(id);
    if (!is_known_[job] || jobs.id(job) != id) return std::nullopt;
    return job;
  }

 private:
  std::vector<std::uint8_t> is_known_;  // by slot
  std::unordered_map<std::int64_t, JobSlot> slot_of_;
};

}  // namespace schedcore
