#include "mapreduce_placement.hpp"

#include <utility>

namespace schedcore {

void RunningTasks::clear() {
  job.clear();
  task.clear();
  cores.clear();
  demand.clear();
  cut = kNoRow;
}

MapReducePlacement::MapReducePlacement(const MapReduceJobs& jobs, std::span<const Amount> capacity,
                                       const MapReduceRules& rules)
    : sticky_(rules.sticky), packing_(capacity) {
  if (rules.latency.empty()) return;
  latency_.emplace(capacity, rules.latency);
  task_start_.reserve(jobs.n_jobs());
  std::uint32_t start = 0;
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job) {
    task_start_.push_back(start);
    start += static_cast<std::uint32_t>(jobs.map.tasks[job] + jobs.reduce.tasks[job]);
  }
}

void MapReducePlacement::place(Slot slot, Slot n_slots, RunningTasks& running, PieceRecorder& recorder) {
  if (running.size() == 0) return;
  if (slot != next_slot_) {
    previous_.clear();
    pieces_.clear();
  }
  if (running == previous_) {
    recorder.extend(n_slots);
  } else {
    if (latency_) {
      place_near(running);
    } else {
      pack(running);
    }
    recorded_.clear();
    for (const CorePiece& piece : pieces_)
      recorded_.push_back({running.job[piece.row], running.task[piece.row], piece.machine, piece.cores});
    recorder.record(slot, recorded_);
    recorder.extend(n_slots - 1);
    std::swap(previous_, running);
  }
  running.clear();
  next_slot_ = slot + n_slots;
}

void MapReducePlacement::pack(const RunningTasks& running) {
  kept_.clear();
  if (sticky_) keep_previous(running);
  packing_.pack(running.cores, running.cut, kept_, pieces_);
}

void MapReducePlacement::place_near(const RunningTasks& running) {
  task_row_.resize(running.size());
  for (std::size_t row = 0; row < running.size(); ++row)
    task_row_[row] = task_start_[running.job[row]] + running.task[row];
  latency_->place(task_row_, running.demand, running.cores, pieces_);
}

void MapReducePlacement::keep_previous(const RunningTasks& running) {
  std::size_t row = 0;
  for (const CorePiece& piece : pieces_) {
    const std::pair before(previous_.job[piece.row], previous_.task[piece.row]);
    while (row < running.size() && std::pair(running.job[row], running.task[row]) < before) ++row;
    if (row < running.size() && std::pair(running.job[row], running.task[row]) == before)
      kept_.push_back({static_cast<std::uint32_t>(row), piece.machine, piece.cores});
  }
}

}  // namespace schedcore
