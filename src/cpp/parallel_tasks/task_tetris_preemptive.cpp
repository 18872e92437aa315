#include <algorithm>
#include <cstdint>
#include <utility>

#include "schedcore/parallel_tasks/task_tetris.hpp"
#include "task_arrivals.hpp"

#include "schedcore/parallel_tasks/machine_room.hpp"

namespace schedcore {
namespace {

class PreemptiveRun {
 public:
  PreemptiveRun(const ParallelTasksView& tasks, const TaskTetrisScoring& scoring)
      : tasks_(tasks),
        scores_(tasks.machines, scoring, tasks.remote_penalty),
        arrivals_(tasks),
        room_(tasks.machines),
        machines_(tasks.n_machines()),
        tasks_state_(tasks.n_tasks()) {}

  [[nodiscard]] std::vector<TaskPiece> run(Monitor* monitor) {
    pieces_.reserve(tasks_.n_tasks());
    for (;;) {
      now_ = arrivals_.next_time();
      for (const Machine& machine : machines_) now_ = std::min(now_, machine.next_end);
      if (now_ == kNever) return std::move(pieces_);
      for (Machine& machine : machines_) {
        if (machine.next_end == now_) complete_tasks(machine);
      }
      while (arrivals_.next_time() == now_) arrive(arrivals_.take());
      scores_.prepare(now_);
      for (std::size_t i = 0; i < machines_.size(); ++i) {
        if (!machines_[i].candidates.empty()) fill(i);
      }
      if (monitor != nullptr) monitor->poll(n_complete_, tasks_.n_tasks());
    }
  }

 private:
  struct Candidate {
    double score = 0;
    double alignment = 0;
    std::uint32_t task = 0;
    bool is_local = false;
  };
  struct Machine {
    // Arrived tasks that may run here: unfinished, and started on no other machine, when `fill` has just looked at
    // them; in the order of their scores then, with what has arrived since behind.
    std::vector<Candidate> candidates;
    Time next_end = kNever;
  };
  struct TaskState {
    std::size_t machine = kNoMachine;  // where it first ran
    Time start = 0;                    // of its current piece
    Time end = kNever;                 // of its current piece; kNever while it does not run
    bool is_complete = false;
  };

  static bool comes_before(const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score > b.score : a.task < b.task;
  }

  void complete_tasks(Machine& machine) {
    for (const Candidate& candidate : machine.candidates) {
      TaskState& state = tasks_state_[candidate.task];
      if (state.end != now_) continue;
      end_piece(candidate.task);
      state.is_complete = true;
      scores_.complete(candidate.task, tasks_.demand_of(candidate.task));
      ++n_complete_;
    }
  }
  void arrive(std::size_t job) {
    for (std::size_t task = tasks_.first_task(job); task < tasks_.first_task(job + 1); ++task) {
      const auto demand = tasks_.demand_of(task);
      scores_.arrive(task, static_cast<std::int64_t>(job), tasks_.weight[job], demand, tasks_.shortest_time(task));
      for (std::size_t p = tasks_.first_placement(task); p < tasks_.first_placement(task + 1); ++p) {
        const std::size_t machine = tasks_.machine_of(p);
        machines_[machine].candidates.push_back({0, scores_.alignment(demand, machine), static_cast<std::uint32_t>(task),
                                                 tasks_.placement_local[p]});
      }
    }
  }

  // Runs what fits of the candidates of machine i, best score first.
  void fill(std::size_t i) {
    Machine& machine = machines_[i];
    std::erase_if(machine.candidates, [&](const Candidate& candidate) {
      const TaskState& state = tasks_state_[candidate.task];
      return state.is_complete || (state.machine != kNoMachine && state.machine != i);
    });
    for (Candidate& candidate : machine.candidates) {
      candidate.score = scores_.score(candidate.task, candidate.alignment, candidate.is_local);
    }
    repair_order(machine.candidates);
    room_.clear(i);
    machine.next_end = kNever;
    for (const Candidate& candidate : machine.candidates) {
      TaskState& state = tasks_state_[candidate.task];
      const auto demand = tasks_.demand_of(candidate.task);
      if (room_.fits(i, demand)) {
        room_.take(i, demand);
        if (state.end == kNever) start(candidate.task, i);
        machine.next_end = std::min(machine.next_end, state.end);
      } else if (state.end != kNever) {
        scores_.stop(candidate.task, demand, state.end - now_);
        end_piece(candidate.task);
      }
    }
  }
  // Insertion sort, because the order is nearly right, and a general one once that turns out to be wrong.
  static void repair_order(std::vector<Candidate>& candidates) {
    std::size_t n_moves = 0;
    for (std::size_t k = 1; k < candidates.size(); ++k) {
      const Candidate own = candidates[k];
      std::size_t hole = k;
      for (; hole > 0 && comes_before(own, candidates[hole - 1]); --hole) candidates[hole] = candidates[hole - 1];
      candidates[hole] = own;
      n_moves += k - hole;
      if (n_moves > kMovesOfASort * candidates.size()) {
        std::ranges::sort(candidates, comes_before);
        return;
      }
    }
  }

  void start(std::size_t task, std::size_t machine) {
    TaskState& state = tasks_state_[task];
    Time remaining = scores_.remaining_of_stopped(task);
    if (state.machine == kNoMachine) {
      state.machine = machine;
      remaining = static_cast<Time>(tasks_.placement_time[tasks_.placement_on(task, machine)]);
    }
    state.start = now_;
    state.end = now_ + remaining;
    scores_.start(task, tasks_.demand_of(task), state.end);
  }
  // A remainder may be so short that it is lost in start + remainder: then the piece is empty.
  void end_piece(std::size_t task) {
    TaskState& state = tasks_state_[task];
    if (now_ > state.start) pieces_.push_back({task, state.machine, state.start, now_});
    state.end = kNever;
  }

  static constexpr std::size_t kMovesOfASort = 8;

  ParallelTasksView tasks_;
  TaskTetrisScores scores_;
  TaskArrivals arrivals_;
  MachineRoom room_;
  std::vector<Machine> machines_;
  std::vector<TaskState> tasks_state_;
  std::vector<TaskPiece> pieces_;
  std::size_t n_complete_ = 0;
  Time now_ = 0;
};

}  // namespace

std::vector<TaskPiece> task_tetris_preemptive(const ParallelTasksView& tasks, const TaskTetrisScoring& scoring,
                                              Monitor* monitor) {
  return PreemptiveRun(tasks, scoring).run(monitor);
}

}  // namespace schedcore
