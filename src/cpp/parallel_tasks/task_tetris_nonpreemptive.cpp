#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "schedcore/index/fit.hpp"
#include "schedcore/parallel_tasks/task_tetris.hpp"
#include "task_arrivals.hpp"
#include "task_tetris_scores.hpp"

#include "schedcore/parallel_tasks/machine_room.hpp"

namespace schedcore {
namespace {

// The waiting tasks with their demands side by side, for one scan after the other; in no order.
class WaitingTasks {
 public:
  explicit WaitingTasks(const ParallelTasksView& tasks) : tasks_(tasks) {}

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::size_t task_at(std::size_t place) const { return entries_[place].task; }
  // As ParallelTasksView::placement_on; without a search, which misses the cache, for tasks that may run everywhere or
  // on one machine only.
  [[nodiscard]] std::size_t placement_at(std::size_t place, std::size_t machine) const {
    const Entry& entry = entries_[place];
    if (entry.is_everywhere) return entry.first_placement + machine;
    if (entry.only_machine == kNoMachine) return tasks_.placement_on(entry.task, machine);
    return entry.only_machine == machine ? entry.first_placement : kNoPlacement;
  }
  [[nodiscard]] std::span<const Amount> demand_at(std::size_t place) const {
    return std::span(demand_).subspan(place * tasks_.n_resources(), tasks_.n_resources());
  }
  void push(std::size_t task) {
    const std::size_t first = tasks_.first_placement(task);
    const std::size_t n_placements = tasks_.first_placement(task + 1) - first;
    entries_.push_back({task, first, n_placements == 1 ? tasks_.machine_of(first) : kNoMachine,
                        n_placements == tasks_.n_machines()});
    const auto demand = tasks_.demand_of(task);
    demand_.insert(demand_.end(), demand.begin(), demand.end());
  }
  // Takes out what stands at these places, which become those of others.
  void remove(std::vector<std::size_t>& places) {
    std::ranges::sort(places, std::greater());
    for (const std::size_t place : places) {
      const auto last = demand_at(size() - 1);
      std::copy(last.begin(), last.end(), demand_.begin() + static_cast<std::ptrdiff_t>(place * last.size()));
      entries_[place] = entries_.back();
      entries_.pop_back();
      demand_.resize(demand_.size() - tasks_.n_resources());
    }
    places.clear();
  }

 private:
  struct Entry {
    std::size_t task = 0;
    std::size_t first_placement = 0;
    std::size_t only_machine = kNoMachine;  // unless there are several
    bool is_everywhere = false;
  };

  ParallelTasksView tasks_;
  std::vector<Entry> entries_;
  std::vector<Amount> demand_;  // of each entry, row-major
};

class NonpreemptiveRun {
 public:
  NonpreemptiveRun(const ParallelTasksView& tasks, const TaskTetrisScoring& scoring)
      : tasks_(tasks), scores_(tasks, scoring), arrivals_(tasks), waiting_(tasks), room_(tasks.machines) {}

  [[nodiscard]] std::vector<TaskPiece> run(Monitor* monitor) {
    pieces_.reserve(tasks_.n_tasks());
    for (;;) {
      now_ = arrivals_.next_time();
      if (!running_.empty()) now_ = std::min(now_, running_.top().first);
      if (now_ == kNever) return std::move(pieces_);
      scores_are_ready_ = false;
      complete_tasks();
      const std::size_t n_old = waiting_.size();
      while (arrivals_.next_time() == now_) arrive(arrivals_.take());
      if (waiting_.size() > n_old) {
        offer_all_machines(n_old);
      } else {
        for (const std::size_t machine : freed_) offer(machine, 0);
      }
      freed_.clear();
      waiting_.remove(started_);
      if (monitor != nullptr) monitor->poll(pieces_.size(), tasks_.n_tasks());
    }
  }

 private:
  struct Candidate {
    double score = 0;
    std::size_t task = 0;
    std::size_t place = 0;  // in waiting_
    std::size_t placement = 0;
  };
  // The order of a heap, whose top is the largest: by score, ties to the lower row.
  static bool comes_later(const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score < b.score : a.task > b.task;
  }

  void complete_tasks() {
    for (; !running_.empty() && running_.top().first == now_; running_.pop()) {
      const TaskPiece& piece = pieces_[running_.top().second];
      room_.give(piece.machine, tasks_.demand_of(piece.task));
      scores_.complete(piece.task);
      freed_.push_back(piece.machine);
    }
    std::ranges::sort(freed_);
    freed_.erase(std::unique(freed_.begin(), freed_.end()), freed_.end());
  }
  void arrive(std::size_t job) {
    scores_.arrive(job);
    for (std::size_t task = scores_.first_task(job); task < scores_.first_task(job + 1); ++task) waiting_.push(task);
  }

  // Tasks from n_old on have just arrived; the others can use freed machines only.
  void offer_all_machines(std::size_t n_old) {
    auto freed = freed_.begin();
    for (std::size_t machine = 0; machine < tasks_.n_machines(); ++machine) {
      const bool is_freed = freed != freed_.end() && *freed == machine;
      if (is_freed) ++freed;
      offer(machine, is_freed ? 0 : n_old);
    }
  }

  // Starts what it can of the tasks that wait at `first` and behind.
  void offer(std::size_t machine, std::size_t first) {
    collect(machine, first);
    std::ranges::make_heap(candidates_, comes_later);
    while (!candidates_.empty()) {
      std::ranges::pop_heap(candidates_, comes_later);
      const Candidate best = candidates_.back();
      candidates_.pop_back();
      if (!room_.fits(machine, tasks_.demand_of(best.task))) {
        // What fits now is a heap again, whose top will start: so no start pays for more than one such pass.
        std::erase_if(candidates_,
                      [&](const Candidate& c) { return !room_.fits(machine, tasks_.demand_of(c.task)); });
        std::ranges::make_heap(candidates_, comes_later);
        continue;
      }
      start(best, machine);
    }
  }
  void collect(std::size_t machine, std::size_t first) {
    candidates_.clear();
    const auto free = room_.free_of(machine);
    for (std::size_t place = first; place < waiting_.size(); ++place) {
      if (!fits(waiting_.demand_at(place), free)) continue;
      const std::size_t task = waiting_.task_at(place);
      if (runs_[task]) continue;
      const std::size_t placement = waiting_.placement_at(place, machine);
      if (placement == kNoPlacement) continue;
      if (!std::exchange(scores_are_ready_, true)) scores_.prepare(now_);
      const double score = scores_.score(task, scores_.alignment(task, machine), tasks_.placement_local[placement]);
      candidates_.push_back({score, task, place, placement});
    }
  }
  void start(const Candidate& chosen, std::size_t machine) {
    const Time end = now_ + static_cast<Time>(tasks_.placement_time[chosen.placement]);
    room_.take(machine, tasks_.demand_of(chosen.task));
    scores_.start(chosen.task, end);
    running_.push({end, pieces_.size()});
    pieces_.push_back({chosen.task, machine, now_, end});
    runs_[chosen.task] = true;
    started_.push_back(chosen.place);
  }

  ParallelTasksView tasks_;
  TaskTetrisScores scores_;
  TaskArrivals arrivals_;
  WaitingTasks waiting_;  // and those that started in this event, until its end
  MachineRoom room_;
  std::vector<char> runs_ = std::vector<char>(tasks_.n_tasks(), 0);  // whether a task has started

  using Completion = std::pair<Time, std::size_t>;  // when, and which of pieces_
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>> running_;
  std::vector<TaskPiece> pieces_;

  // Of the current event.
  Time now_ = 0;
  bool scores_are_ready_ = false;
  std::vector<std::size_t> freed_;    // machines, ascending
  std::vector<std::size_t> started_;  // places in waiting_
  std::vector<Candidate> candidates_;
};

}  // namespace

std::vector<TaskPiece> task_tetris_nonpreemptive(const ParallelTasksView& tasks, const TaskTetrisScoring& scoring,
                                                 Monitor* monitor) {
  return NonpreemptiveRun(tasks, scoring).run(monitor);
}

}  // namespace schedcore
