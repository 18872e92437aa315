#include "schedcore/validation/task_validator.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include "schedcore/base/time_sort.hpp"
#include "schedcore/exact/natural.hpp"

namespace schedcore {
namespace {

constexpr double kTolerance = 1e-9;

bool is_exact_integer(Time time) { return std::abs(time) <= 9007199254740992.0 && std::trunc(time) == time; }

// By how much times may differ and still count as equal, and how much of a task may be missing.
class Tolerance {
 public:
  Tolerance(const ParallelTasksView& tasks, const TaskPiecesView& pieces)
      : is_exact_(std::ranges::all_of(pieces.start, is_exact_integer) &&
                  std::ranges::all_of(pieces.end, is_exact_integer) &&
                  std::ranges::all_of(tasks.release_time, is_exact_integer)) {}

  [[nodiscard]] bool is_exact() const { return is_exact_; }
  [[nodiscard]] Time at(Time time) const { return is_exact_ ? 0 : kTolerance * (1 + time); }
  // The instant at which a piece begins to hold its demand.
  [[nodiscard]] Time holds_from(Time start) const { return start + at(start); }

 private:
  bool is_exact_;
};

// What the pieces of one task add up to: the sum of length / processing time.
class ProcessedShare {
 public:
  void clear() { parts_.clear(); }
  void add(std::int64_t processing_time, Time length) { parts_.push_back({processing_time, length}); }
  // To be called between the last `add` and the questions.
  void merge_equal_processing_times() {
    std::ranges::stable_sort(parts_, {}, &Part::processing_time);
    std::size_t n_kept = 1;
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      if (parts_[i].processing_time == parts_[n_kept - 1].processing_time) {
        parts_[n_kept - 1].length += parts_[i].length;
      } else {
        parts_[n_kept++] = parts_[i];
      }
    }
    parts_.resize(n_kept);
  }
  // The share minus 1, rounded.
  [[nodiscard]] double excess() const {
    double share = 0;
    for (const auto& [processing_time, length] : parts_) share += length / static_cast<double>(processing_time);
    return share - 1;
  }
  // Whether the share is 1, for lengths that are integers and add up to at most 2^53.
  [[nodiscard]] bool is_one() const {
    if (parts_.size() == 1) return parts_[0].length == static_cast<double>(parts_[0].processing_time);
    Natural numerator(0);
    Natural denominator(1);
    for (const auto& [processing_time, length] : parts_) {
      const Natural time(static_cast<std::uint64_t>(processing_time));
      numerator = numerator * time + denominator * Natural(static_cast<std::uint64_t>(length));
      denominator = denominator * time;
    }
    return numerator == denominator;
  }
  [[nodiscard]] double shortest_processing_time() const { return static_cast<double>(parts_[0].processing_time); }

 private:
  struct Part {
    std::int64_t processing_time = 0;
    Time length = 0;
  };
  std::vector<Part> parts_;  // not empty where a question is asked; processing times ascend and differ then
};

class TaskSweep {
 public:
  TaskSweep(const ParallelTasksView& tasks, const TaskPiecesView& pieces, TaskScheduleKind kind)
      : tasks_(tasks), pieces_(pieces), kind_(kind), tolerance_(tasks, pieces), first_task_(tasks.n_jobs() + 1, 0) {
    for (std::size_t task = 0; task < tasks.n_tasks(); ++task) ++first_task_[tasks.job_of(task) + 1];
    std::partial_sum(first_task_.begin(), first_task_.end(), first_task_.begin());
  }

  [[nodiscard]] std::optional<TaskViolation> run() {
    for (std::size_t row = 0; row < pieces_.size(); ++row) {
      if (!std::isfinite(pieces_.start[row]) || !std::isfinite(pieces_.end[row])) {
        return found(TaskViolationKind::time_not_finite, row);
      }
    }
    sort_pieces();
    states_.assign(tasks_.n_tasks(), {});
    usage_.assign(tasks_.n_machines() * tasks_.n_resources(), 0);
    task_of_.resize(pieces_.size());
    for (const std::size_t row : order_) {
      if (const auto violation = check_place(row)) return violation;
      if (const auto violation = check_task(row)) return violation;
      if (const auto violation = take(row)) return violation;
    }
    return check_processing();
  }

 private:
  struct TaskState {
    Time last_end = -kNever;
    std::size_t last_row = 0;  // the piece that has it
    std::size_t machine = kNoMachine;
  };

  [[nodiscard]] TaskViolation found(TaskViolationKind kind, std::size_t row, double measure = 0) const {
    return {kind, pieces_.job[row], pieces_.task[row], pieces_.machine[row], pieces_.start[row], 0, 0, measure};
  }

  // The order of the visits, and the ends of all pieces that hold something.
  void sort_pieces() {
    const auto key = [this](std::size_t row) {
      return std::tuple(pieces_.start[row], pieces_.job[row], pieces_.task[row], pieces_.machine[row], row);
    };
    order_.resize(pieces_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (!std::ranges::is_sorted(order_, {}, key)) std::ranges::sort(order_, {}, key);
    for (std::size_t row = 0; row < pieces_.size(); ++row) {
      if (holds(row)) ends_.push_back({pieces_.end[row], row});
    }
    TimeSorter().sort(ends_);
  }
  [[nodiscard]] bool holds(std::size_t row) const {
    return pieces_.end[row] > tolerance_.holds_from(pieces_.start[row]);
  }

  // What can be said of the piece alone.
  [[nodiscard]] std::optional<TaskViolation> check_place(std::size_t row) {
    const auto job = static_cast<std::size_t>(pieces_.job[row]);  // negative numbers become huge ones
    if (job >= tasks_.n_jobs()) return found(TaskViolationKind::unknown_job, row);
    const auto number = static_cast<std::size_t>(pieces_.task[row]);
    if (number >= first_task_[job + 1] - first_task_[job]) return found(TaskViolationKind::unknown_task, row);
    const auto machine = static_cast<std::size_t>(pieces_.machine[row]);
    if (machine >= tasks_.n_machines()) return found(TaskViolationKind::unknown_machine, row);
    task_of_[row] = first_task_[job] + number;
    if (tasks_.placement_on(task_of_[row], machine) == kNoPlacement) {
      return found(TaskViolationKind::machine_not_allowed, row);
    }
    const Time start = pieces_.start[row];
    if (!(pieces_.end[row] > start)) return found(TaskViolationKind::no_progress, row);
    const Time release = tasks_.release_time[job];
    if (tolerance_.holds_from(start) < release) {
      return found(TaskViolationKind::start_before_release, row, release - start);
    }
    return std::nullopt;
  }

  // Against the pieces of the same task that were visited before.
  [[nodiscard]] std::optional<TaskViolation> check_task(std::size_t row) {
    TaskState& state = states_[task_of_[row]];
    const Time start = pieces_.start[row];
    const Time end = pieces_.end[row];
    const auto machine = static_cast<std::size_t>(pieces_.machine[row]);
    if (holds(row) && state.last_end > tolerance_.holds_from(start)) {
      return found(TaskViolationKind::task_overlaps_itself, row, std::min(state.last_end, end) - start);
    }
    const bool is_first = state.machine == kNoMachine;
    if (kind_ != TaskScheduleKind::migrate && !is_first && machine != state.machine) {
      return found(TaskViolationKind::task_migrated, row);
    }
    if (kind_ == TaskScheduleKind::nonpreempt && !is_first) return found(TaskViolationKind::task_interrupted, row);
    if (is_first) state.machine = machine;
    if (end > state.last_end) {
      state.last_end = end;
      state.last_row = row;
    }
    return std::nullopt;
  }

  // Frees what has ended, then adds the demand of the piece.  int64 cannot overflow: usage_ never exceeds a capacity
  // before this call, because the first excess ends the sweep, so a sum is at most one capacity plus one demand, 2^54.
  [[nodiscard]] std::optional<TaskViolation> take(std::size_t row) {
    const Time from = tolerance_.holds_from(pieces_.start[row]);
    for (; n_ended_ < ends_.size() && ends_[n_ended_].instant <= from; ++n_ended_) {
      const std::size_t ended = ends_[n_ended_].index;
      Amount* const usage = usage_of(ended);
      const auto demand = tasks_.demand_of(task_of_[ended]);
      for (std::size_t resource = 0; resource < demand.size(); ++resource) usage[resource] -= demand[resource];
    }
    if (!holds(row)) return std::nullopt;
    Amount* const usage = usage_of(row);
    const auto demand = tasks_.demand_of(task_of_[row]);
    const auto capacity = tasks_.machines.capacity_of(static_cast<std::size_t>(pieces_.machine[row]));
    for (std::size_t resource = 0; resource < demand.size(); ++resource) {
      usage[resource] += demand[resource];
      if (usage[resource] > capacity[resource]) {
        TaskViolation violation = found(TaskViolationKind::capacity_exceeded, row);
        violation.resource = resource;
        violation.units = usage[resource] - capacity[resource];
        return violation;
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] Amount* usage_of(std::size_t row) {
    return usage_.data() + static_cast<std::size_t>(pieces_.machine[row]) * tasks_.n_resources();
  }

  [[nodiscard]] std::optional<TaskViolation> check_processing() const {
    std::vector<std::size_t> by_task(order_);
    std::ranges::stable_sort(by_task, {}, [this](std::size_t row) { return task_of_[row]; });
    ProcessedShare share;
    std::size_t next = 0;
    for (std::size_t task = 0; task < tasks_.n_tasks(); ++task) {
      const std::size_t job = tasks_.job_of(task);
      const auto number = static_cast<std::int64_t>(task - first_task_[job]);
      if (next == by_task.size() || task_of_[by_task[next]] != task) {
        return TaskViolation{TaskViolationKind::task_missing, static_cast<std::int64_t>(job), number, -1, 0, 0, 0, 0};
      }
      share.clear();
      for (; next < by_task.size() && task_of_[by_task[next]] == task; ++next) {
        const std::size_t row = by_task[next];
        const auto placement = tasks_.placement_on(task, static_cast<std::size_t>(pieces_.machine[row]));
        share.add(tasks_.placement_time[placement], pieces_.end[row] - pieces_.start[row]);
      }
      share.merge_equal_processing_times();
      if (!is_complete(share, states_[task].last_end)) {
        TaskViolation violation = found(TaskViolationKind::wrong_processing, states_[task].last_row, share.excess());
        violation.instant = states_[task].last_end;
        return violation;
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] bool is_complete(const ProcessedShare& share, Time last_end) const {
    if (tolerance_.is_exact()) return share.is_one();
    return std::abs(share.excess()) * share.shortest_processing_time() <= tolerance_.at(last_end);
  }

  ParallelTasksView tasks_;
  TaskPiecesView pieces_;
  TaskScheduleKind kind_;
  Tolerance tolerance_;
  std::vector<std::size_t> first_task_;  // of each job, then n_tasks
  std::vector<std::size_t> order_;       // rows in the order of their visits
  std::vector<TimedIndex> ends_;         // of the pieces that hold something; sorted
  std::size_t n_ended_ = 0;              // the first so many of ends_ have been freed
  std::vector<std::size_t> task_of_;     // of each row that was visited
  std::vector<TaskState> states_;        // what the visited pieces of each task say
  std::vector<Amount> usage_;            // of the pieces that hold amounts now, row-major; at most the capacity
};

}  // namespace

std::optional<TaskViolation> find_first_task_violation(const ParallelTasksView& tasks, const TaskPiecesView& pieces,
                                                       TaskScheduleKind kind) {
  assert(pieces.task.size() == pieces.size() && pieces.machine.size() == pieces.size());
  assert(pieces.start.size() == pieces.size() && pieces.end.size() == pieces.size());
  return TaskSweep(tasks, pieces, kind).run();
}

}  // namespace schedcore
