#include "schedcore/parallel_tasks/preemptive_list.hpp"

#include <algorithm>
#include <cstddef>

#include "schedcore/parallel_tasks/fitting_list.hpp"

namespace schedcore {
namespace {

// One machine with the tasks that are listed for it.
class MachineRun {
 public:
  MachineRun(const ParallelTasksView& tasks, std::size_t machine, std::span<const std::size_t> own,
             std::span<std::int64_t> remaining, std::vector<TaskPiece>& pieces)
      : tasks_(tasks),
        machine_(machine),
        own_(own),
        remaining_(remaining),
        pieces_(pieces),
        waiting_(demands(tasks, own), tasks.n_resources()) {
    const auto capacity = tasks.machines.capacity_of(machine);
    free_.assign(capacity.begin(), capacity.end());
  }

  void run(WholePeriod period, Monitor* monitor) {
    std::int64_t now = period.start;
    std::size_t first_change = 0;  // what stands before it in the list runs on
    std::uint64_t n_done = 0;
    while (now < period.end) {
      choose(first_change, now);
      if (running_.empty()) return;  // every task fits the empty machine, so none is left
      now = period.end;
      for (const Running& task : running_) now = std::min(now, task.end);
      first_change = end_completed(now, n_done);
      if (monitor != nullptr) monitor->poll(n_done, own_.size());
    }
    for (const Running& task : running_) stop(task, now);
  }

 private:
  struct Running {
    std::size_t position = 0;  // in the list of this machine
    std::int64_t start = 0;    // of the current piece
    std::int64_t end = 0;      // unless it is stopped
  };

  static std::vector<Amount> demands(const ParallelTasksView& tasks, std::span<const std::size_t> own) {
    std::vector<Amount> rows;
    rows.reserve(own.size() * tasks.n_resources());
    for (const std::size_t task : own) {
      const auto demand = tasks.demand_of(task);
      rows.insert(rows.end(), demand.begin(), demand.end());
    }
    return rows;
  }

  // Scans the list from `first`; running tasks from there on are chosen again, stopped, or made to wait.
  void choose(std::size_t first, std::int64_t now) {
    const auto tail = std::lower_bound(running_.begin(), running_.end(), first,
                                       [](const Running& task, std::size_t position) { return task.position < position; });
    before_.assign(tail, running_.end());
    running_.erase(tail, running_.end());
    for (const Running& task : before_) give(task.position);
    auto old = before_.begin();
    for (std::size_t p = waiting_.first_fitting(first, free_); p < own_.size();
         p = waiting_.first_fitting(p + 1, free_)) {
      take(p);
      while (old != before_.end() && old->position < p) stop(*old++, now);
      const bool runs_on = old != before_.end() && old->position == p;
      running_.push_back(runs_on ? *old++ : Running{p, now, now + remaining_[own_[p]]});
    }
    while (old != before_.end()) stop(*old++, now);
  }

  // Ends the tasks that are complete; returns the first of their positions, or n_tasks.
  std::size_t end_completed(std::int64_t now, std::uint64_t& n_done) {
    std::size_t first = own_.size();
    std::erase_if(running_, [&](const Running& task) {
      if (task.end != now) return false;
      stop(task, now);
      give(task.position);
      waiting_.remove(task.position);
      first = std::min(first, task.position);
      ++n_done;
      return true;
    });
    return first;
  }

  void stop(const Running& task, std::int64_t now) {
    const std::size_t row = own_[task.position];
    remaining_[row] = task.end - now;
    pieces_.push_back({row, machine_, static_cast<Time>(task.start), static_cast<Time>(now)});
  }
  void take(std::size_t position) {
    const auto demand = tasks_.demand_of(own_[position]);
    for (std::size_t r = 0; r < free_.size(); ++r) free_[r] -= demand[r];
  }
  void give(std::size_t position) {
    const auto demand = tasks_.demand_of(own_[position]);
    for (std::size_t r = 0; r < free_.size(); ++r) free_[r] += demand[r];
  }

  const ParallelTasksView& tasks_;
  std::size_t machine_;
  std::span<const std::size_t> own_;  // task rows in list order
  std::span<std::int64_t> remaining_;
  std::vector<TaskPiece>& pieces_;
  FittingList waiting_;           // the tasks that are not complete, running or not
  std::vector<Amount> free_;      // beside the running tasks
  std::vector<Running> running_;  // by position
  std::vector<Running> before_;   // those that ran before the scan, from where it began
};

}  // namespace

void preemptive_list_schedule(const ParallelTasksView& tasks, std::span<const std::size_t> list,
                              std::span<std::int64_t> remaining, WholePeriod period, std::vector<TaskPiece>& pieces,
                              Monitor* monitor) {
  std::vector<std::vector<std::size_t>> on_machine(tasks.n_machines());
  for (const std::size_t task : list) on_machine[tasks.machine_of(tasks.first_placement(task))].push_back(task);
  for (std::size_t machine = 0; machine < on_machine.size(); ++machine) {
    if (on_machine[machine].empty()) continue;
    MachineRun(tasks, machine, on_machine[machine], remaining, pieces).run(period, monitor);
  }
}

}  // namespace schedcore
