// The active phases of a MapReduce run: one for each released, unfinished job, in ascending order of jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/preemptive/mapreduce_simulation.hpp"
#include "schedcore/preemptive/phase_tasks.hpp"
#include "schedcore/preemptive/slot_calendar.hpp"

namespace schedcore {

class MapReducePhases {
 public:
  MapReducePhases(const MapReduceJobs& jobs, const MapReduceRules& rules) : jobs_(jobs), rules_(rules) {}

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] std::uint32_t job(std::size_t row) const { return rows_.jobs()[row]; }
  [[nodiscard]] const PhaseTasks& tasks(std::size_t row) const { return at(row).tasks; }
  // Cores that a task of the phase asks for.
  [[nodiscard]] Amount cores(std::size_t row) const { return at(row).cores; }
  // Number, within the job, of the first task of the phase.
  [[nodiscard]] std::uint32_t first_task(std::size_t row) const { return at(row).first_task; }

  // Map phases of jobs that may run in `slot` for the first time.
  void add(std::span<const std::uint32_t> jobs, Slot slot);

  // What orders the phases in `slot`.  O(phases).  Throws UnsupportedError where multipliers could exceed a double.
  void keys(Slot slot, std::vector<double>& key) const;

  // The multipliers after a slot in which the phases got `cores`; whether they could change in another such slot.
  // O(phases).
  bool update(Slot slot, std::span<const Amount> cores);
  void record(Slot slot, MapReduceOutcome& outcome) const;

  // Works off what a phase got in each of `n_slots` slots; `shares` as `PhaseTasks::spread` told them.
  void work(std::size_t row, std::span<const TaskCores> shares, Slot n_slots) {
    pool_[place_[row]].tasks.work(shares.data(), shares.size(), n_slots);
  }
  // After work up to the end of `slot`: jobs whose map tasks are all done turn to their reduce tasks, those without
  // anything left leave.  Returns how many left.
  std::size_t finish(Slot slot, MapReduceOutcome& outcome);

 private:
  struct Active {
    PhaseTasks tasks;
    std::uint32_t first_task = 0;
    Amount cores = 1;
    double n_tasks = 1;
    double multiplier = 0;
    double target = 0;    // r
    double constant = 0;  // P^k
    double divisor = 1;   // 2 n p
  };
  [[nodiscard]] const Active& at(std::size_t row) const { return pool_[place_[row]]; }
  [[nodiscard]] bool is_map(std::size_t row) const { return at(row).first_task == 0; }
  [[nodiscard]] bool has_reduce(std::size_t job) const { return jobs_.reduce.tasks[job] > 0; }
  [[nodiscard]] Amount volume(const MapReduceJobs::Phases& phase, std::size_t job) const {
    return phase.tasks[job] > 0 ? phase.tasks[job] * phase.cores[job] * phase.time[job] : 0;
  }
  void begin(Active& active, std::size_t job, bool map, Slot slot);
  [[nodiscard]] double key(std::size_t row, Slot slot) const;
  void check_range(Slot slot) const;

  const MapReduceJobs& jobs_;
  const MapReduceRules& rules_;
  ActiveRows rows_;
  std::vector<std::uint32_t> place_;  // of each row in pool_
  std::vector<Active> pool_;
  std::vector<std::uint32_t> free_places_;
  std::vector<std::uint32_t> leaving_;
  double largest_first_ = 0;     // of all multipliers that phases began with
  double largest_constant_ = 0;  // of all P^k
};

}  // namespace schedcore
