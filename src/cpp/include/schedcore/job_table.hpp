// The jobs that an engine knows, in columns by slot, and what became of them.
//
// In a simulation a slot is the job's index.  In an embedded engine slots are reused once a job has completed, and
// `id` (the caller's number) takes the place of the index in every tie.  `id(slot)` is unique among live slots.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/class_queue.hpp"
#include "schedcore/demand_scale.hpp"
#include "schedcore/priority.hpp"
#include "schedcore/types.hpp"

namespace schedcore {

enum class JobState : std::uint8_t { free_slot, submitted, planned, running };

// What a policy may know of one job.
struct JobColumns {
  Time release_time = 0;
  Time processing_time = 0;
  double weight = 1;
  double custom_key = 0;  // read by PriorityRule::custom alone
  std::int64_t id = 0;
};

class JobTable {
 public:
  JobTable() = default;
  explicit JobTable(std::size_t n_resources) : n_resources_(n_resources) {}

  // All jobs of an instance at once: slot = id = index.  `custom_key` may be empty.
  void assign(const JobsView& jobs, std::span<const double> custom_key);
  [[nodiscard]] JobSlot add(const JobColumns& columns, std::span<const Amount> demand);
  void remove(JobSlot slot);

  [[nodiscard]] std::size_t n_resources() const { return n_resources_; }
  [[nodiscard]] std::size_t n_slots() const { return columns_.size(); }
  [[nodiscard]] Time release_time(JobSlot slot) const { return columns_[slot].release_time; }
  [[nodiscard]] Time processing_time(JobSlot slot) const { return columns_[slot].processing_time; }
  [[nodiscard]] double weight(JobSlot slot) const { return columns_[slot].weight; }
  [[nodiscard]] std::int64_t id(JobSlot slot) const { return columns_[slot].id; }
  [[nodiscard]] std::span<const Amount> demand(JobSlot slot) const {
    return {demand_.data() + slot * n_resources_, n_resources_};
  }
  [[nodiscard]] JobState state(JobSlot slot) const { return progress_[slot].state; }
  [[nodiscard]] std::uint32_t machine(JobSlot slot) const { return progress_[slot].machine; }
  // Start time of a running job, planned start of a planned one.
  [[nodiscard]] Time start_time(JobSlot slot) const { return progress_[slot].start_time; }
  // Counts the jobs that have used this slot: (slot, generation) names a job for ever.
  [[nodiscard]] std::uint32_t generation(JobSlot slot) const { return generation_[slot]; }
  [[nodiscard]] std::uint64_t plan_order(JobSlot slot) const { return progress_[slot].plan_order; }

  void set_planned(JobSlot slot, std::uint32_t machine, Time start, std::uint64_t order) {
    progress_[slot] = {start, order, machine, JobState::planned};
  }
  void set_running(JobSlot slot, std::uint32_t machine, Time start) {
    progress_[slot] = {start, 0, machine, JobState::running};
  }
  void set_submitted(JobSlot slot) { progress_[slot] = {}; }

  [[nodiscard]] Priority priority(JobSlot slot, PriorityRule rule, const DemandScale& scale) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(n_resources_, columns_, demand_, progress_, generation_, free_);
  }

 private:
  struct Progress {
    Time start_time = 0;
    std::uint64_t plan_order = 0;
    std::uint32_t machine = 0;
    JobState state = JobState::submitted;
  };

  std::size_t n_resources_ = 0;
  std::vector<JobColumns> columns_;
  std::vector<Amount> demand_;  // row-major
  std::vector<Progress> progress_;
  std::vector<std::uint32_t> generation_;
  std::vector<JobSlot> free_;
};

}  // namespace schedcore
