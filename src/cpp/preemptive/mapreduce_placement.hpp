// Where the tasks that run in a slot get their cores, and the record of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedcore/preemptive/mapreduce_simulation.hpp"
#include "schedcore/preemptive/place_by_latency.hpp"
#include "schedcore/preemptive/slot_packing.hpp"
#include "schedcore/preemptive/piece_recorder.hpp"

namespace schedcore {

// The tasks that run in a slot, ascending by (job, task).
struct RunningTasks {
  std::vector<std::uint32_t> job;
  std::vector<std::uint32_t> task;  // number within the job
  std::vector<Amount> cores;        // given
  std::vector<Amount> demand;       // asked for
  std::size_t cut = kNoRow;         // the one that got less than it can use

  [[nodiscard]] std::size_t size() const { return job.size(); }
  void clear();
  friend bool operator==(const RunningTasks&, const RunningTasks&) = default;
};

class MapReducePlacement {
 public:
  MapReducePlacement(const MapReduceJobs& jobs, std::span<const Amount> capacity, const MapReduceRules& rules);

  // Places `running` in the slots slot, ..., slot + n_slots - 1; afterwards `running` is empty.  Slots come in ascending
  // order.  O(tasks) if the same tasks had the same cores in the slot before.
  void place(Slot slot, Slot n_slots, RunningTasks& running, PieceRecorder& recorder);

 private:
  void pack(const RunningTasks& running);
  void place_near(const RunningTasks& running);
  // Fills kept_ with pieces_ of those tasks that run again, by their new rows.
  void keep_previous(const RunningTasks& running);

  bool sticky_;
  SlotPacking packing_;
  std::optional<LatencyPlacement> latency_;
  std::vector<std::uint32_t> task_start_;  // row of each job's first task among all tasks; for latencies alone
  Slot next_slot_ = 0;                     // the slot after the last one with tasks
  RunningTasks previous_;                  // what ran in it
  std::vector<CorePiece> pieces_;          // and where; rows of previous_
  std::vector<CorePiece> kept_;
  std::vector<std::uint32_t> task_row_;
  std::vector<SlotPiece> recorded_;
};

}  // namespace schedcore
