// Small parallel-task instances for tests, made task by task.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "schedcore/model/parallel_tasks.hpp"

namespace schedcore {

class ParallelTaskMaker {
 public:
  ParallelTaskMaker(std::size_t n_resources, std::vector<Amount> capacity)
      : n_resources_(n_resources), capacity_(std::move(capacity)) {}

  std::size_t n_machines() const { return capacity_.size() / n_resources_; }
  std::size_t n_tasks() const { return task_job_.size(); }
  Amount capacity(std::size_t machine, std::size_t resource = 0) const {
    return capacity_[machine * n_resources_ + resource];
  }

  void job(double weight, Time release_time = 0) {
    weight_.push_back(weight);
    release_time_.push_back(release_time);
  }
  void set_remote_penalty(double penalty) { remote_penalty_ = penalty; }
  // A task of the last job; placements are (machine, processing time), machines ascending, `local` some of them.
  void task(const std::vector<Amount>& demand, const std::vector<std::pair<std::int64_t, std::int64_t>>& placements,
            const std::vector<std::size_t>& local = {}) {
    task_job_.push_back(static_cast<std::int64_t>(weight_.size()) - 1);
    demand_.insert(demand_.end(), demand.begin(), demand.end());
    for (const auto& [machine, time] : placements) {
      placement_machine_.push_back(machine);
      placement_time_.push_back(time);
    }
    const auto before = static_cast<std::size_t>(placement_start_.back()), now = placement_machine_.size();
    auto flags = std::make_unique<bool[]>(now);
    std::copy_n(local_.get(), before, flags.get());
    for (std::size_t p = before; p < now; ++p) {
      flags[p] = std::count(local.begin(), local.end(), static_cast<std::size_t>(placement_machine_[p])) > 0;
    }
    local_ = std::move(flags);
    placement_start_.push_back(static_cast<std::int64_t>(now));
  }
  // Valid until something is added.
  [[nodiscard]] ParallelTasksView view() const {
    return {weight_,
            release_time_,
            task_job_,
            demand_,
            placement_start_,
            placement_machine_,
            placement_time_,
            {local_.get(), placement_machine_.size()},
            {capacity_, n_machines(), n_resources_},
            remote_penalty_};
  }

 private:
  std::size_t n_resources_;
  std::vector<Amount> capacity_;
  std::vector<double> weight_;
  std::vector<Time> release_time_;
  std::vector<std::int64_t> task_job_;
  std::vector<Amount> demand_;
  std::vector<std::int64_t> placement_start_{0};
  std::vector<std::int64_t> placement_machine_;
  std::vector<std::int64_t> placement_time_;
  std::unique_ptr<bool[]> local_;  // of each placement, as a contiguous row of bool
  double remote_penalty_ = 1;
};

// Jobs of up to three tasks that each may run on some of the machines; the tasks fit there.
inline ParallelTaskMaker random_parallel_tasks(std::mt19937_64& random, std::size_t n_jobs, std::size_t n_machines,
                                               std::size_t n_resources, bool one_machine_each = false) {
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  std::vector<Amount> capacity(n_machines * n_resources);
  for (Amount& amount : capacity) amount = draw(8, 12);
  ParallelTaskMaker made(n_resources, capacity);
  for (std::size_t job = 0; job < n_jobs; ++job) {
    made.job(static_cast<double>(draw(1, 5)));
    for (std::int64_t k = draw(1, 3); k > 0; --k) {
      std::vector<Amount> demand(n_resources);
      for (Amount& amount : demand) amount = draw(1, 8);
      std::vector<std::pair<std::int64_t, std::int64_t>> placements;
      const std::int64_t certain = draw(0, static_cast<std::int64_t>(n_machines) - 1);
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(n_machines); ++i) {
        if (i == certain || (!one_machine_each && draw(0, 1) == 0)) placements.emplace_back(i, draw(1, 9));
      }
      made.task(demand, placements);
    }
  }
  return made;
}

// Whether no machine is overfull and no task runs twice at once, compared bit for bit.  O(n^2).
inline bool is_feasible(const ParallelTasksView& tasks, const std::vector<TaskPiece>& pieces) {
  for (const TaskPiece& at : pieces) {
    if (!(at.start < at.end) || at.start < tasks.release_time[tasks.job_of(at.task)]) return false;
    std::vector<Amount> used(tasks.n_resources());
    int own = 0;
    for (const TaskPiece& other : pieces) {
      if (other.start > at.start || other.end <= at.start) continue;
      own += other.task == at.task ? 1 : 0;
      if (other.machine != at.machine) continue;
      for (std::size_t l = 0; l < used.size(); ++l) used[l] += tasks.demand_of(other.task)[l];
    }
    const auto capacity = tasks.machines.capacity_of(at.machine);
    if (own != 1 || !std::equal(used.begin(), used.end(), capacity.begin(), std::less_equal<>())) return false;
  }
  return true;
}

}  // namespace schedcore
