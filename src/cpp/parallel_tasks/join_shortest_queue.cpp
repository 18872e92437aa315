#include "schedcore/parallel_tasks/join_shortest_queue.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "schedcore/exact/double_double.hpp"
#include "schedcore/parallel_tasks/fitting_queue.hpp"
#include "schedcore/parallel_tasks/machine_room.hpp"
#include "task_arrivals.hpp"

namespace schedcore {
namespace {

// factor * a >= b, exactly, for lengths up to 2^53.
bool product_is_at_least(double factor, std::size_t a, std::size_t b) {
  const auto [product, error] = two_product(factor, static_cast<double>(a));
  const auto bound = static_cast<double>(b);
  return product != bound ? product > bound : error >= 0;  // rounding is monotone: only equality hides an error
}

class JoinShortestQueueRun {
 public:
  explicit JoinShortestQueueRun(const ParallelTasksView& tasks)
      : tasks_(tasks),
        arrivals_(tasks),
        room_(tasks.machines),
        remote_(tasks.n_resources()),
        machines_(tasks.n_machines(), Machine(tasks.n_resources())) {}

  [[nodiscard]] std::vector<TaskPiece> run(Monitor* monitor) {
    pieces_.reserve(tasks_.n_tasks());
    for (;;) {
      now_ = arrivals_.next_time();
      if (!running_.empty()) now_ = std::min(now_, running_.top().first);
      if (now_ == kNever) return std::move(pieces_);
      complete_tasks();
      if (arrivals_.next_time() == now_) {
        while (arrivals_.next_time() == now_) route_job(arrivals_.take());
        for (std::size_t machine = 0; machine < tasks_.n_machines(); ++machine) serve(machine);
      } else {
        for (const std::size_t machine : freed_) serve(machine);
      }
      if (monitor != nullptr) monitor->poll(pieces_.size(), tasks_.n_tasks());
    }
  }

 private:
  struct Machine {
    explicit Machine(std::size_t n_resources) : local(n_resources) {}
    FittingQueue local;
    // No task before these places may start here, because it may not run here or does not fit.
    std::size_t local_seen = 0;
    std::size_t remote_seen = 0;
  };

  void complete_tasks() {
    freed_.clear();
    for (; !running_.empty() && running_.top().first == now_; running_.pop()) {
      const TaskPiece& piece = pieces_[running_.top().second];
      room_.give(piece.machine, tasks_.demand_of(piece.task));
      machines_[piece.machine].local_seen = 0;
      machines_[piece.machine].remote_seen = 0;
      freed_.push_back(piece.machine);
    }
    std::ranges::sort(freed_);
    freed_.erase(std::unique(freed_.begin(), freed_.end()), freed_.end());
  }

  void route_job(std::size_t job) {
    const auto& of = tasks_.task_job;
    const auto [first, last] = std::equal_range(of.begin(), of.end(), static_cast<std::int64_t>(job));
    for (auto task = first; task != last; ++task) route(static_cast<std::size_t>(task - of.begin()));
  }
  void route(std::size_t task) {
    FittingQueue* shortest = nullptr;
    bool has_remote = false;
    for (std::size_t p = tasks_.first_placement(task); p < tasks_.first_placement(task + 1); ++p) {
      if (!tasks_.placement_local[p]) {
        has_remote = true;
        continue;
      }
      FittingQueue& local = machines_[tasks_.machine_of(p)].local;
      if (shortest == nullptr || local.size() < shortest->size()) shortest = &local;
    }
    if (has_remote && (shortest == nullptr || remote_.size() < shortest->size())) shortest = &remote_;
    shortest->push(task, tasks_.demand_of(task));
  }

  void serve(std::size_t i) {
    Machine& machine = machines_[i];
    for (;;) {
      const bool prefers_local = product_is_at_least(tasks_.remote_penalty, machine.local.size(), remote_.size());
      if (prefers_local) {
        if (!start_one(i, machine.local, machine.local_seen) && !start_one(i, remote_, machine.remote_seen)) return;
      } else {
        if (!start_one(i, remote_, machine.remote_seen) && !start_one(i, machine.local, machine.local_seen)) return;
      }
    }
  }
  // Starts the first task of the queue that may run on machine i and fits; looks from `seen` on, which it moves.
  [[nodiscard]] bool start_one(std::size_t i, FittingQueue& queue, std::size_t& seen) {
    while (seen < queue.end()) {
      const std::size_t place = queue.next_fitting(seen, room_.free_of(i));
      if (place == FittingQueue::kNoPlace) {
        seen = queue.end();
        return false;
      }
      seen = place + 1;
      const std::size_t task = queue.task_at(place);
      const std::size_t placement = tasks_.placement_on(task, i);
      if (placement == kNoPlacement) continue;
      queue.remove(place);
      const Time end = now_ + static_cast<Time>(tasks_.placement_time[placement]);
      room_.take(i, tasks_.demand_of(task));
      running_.push({end, pieces_.size()});
      pieces_.push_back({task, i, now_, end});
      return true;
    }
    return false;
  }

  ParallelTasksView tasks_;
  TaskArrivals arrivals_;
  MachineRoom room_;
  FittingQueue remote_;
  std::vector<Machine> machines_;
  using Completion = std::pair<Time, std::size_t>;  // when, and which of pieces_
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>> running_;
  std::vector<TaskPiece> pieces_;
  std::vector<std::size_t> freed_;  // machines, ascending
  Time now_ = 0;
};

}  // namespace

std::vector<TaskPiece> join_shortest_queue(const ParallelTasksView& tasks, Monitor* monitor) {
  return JoinShortestQueueRun(tasks).run(monitor);
}

}  // namespace schedcore
