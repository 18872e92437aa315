#include "schedcore/validation/slot_validator.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "schedcore/base/errors.hpp"
#include "schedcore/exact/wide.hpp"
#include "schedcore/model/latest_ends.hpp"

namespace schedcore {
namespace {

// What one task has left, and the cores that it holds since an instant.
class TaskWork {
 public:
  TaskWork(Amount cores, Amount believed_cores, Amount work)
      : cores_(cores), believed_cores_(believed_cores), left_(work) {}

  [[nodiscard]] Amount held() const { return held_; }
  [[nodiscard]] Amount left() const { return left_; }
  void hold(Amount more) { held_ += more; }

  struct Excess {
    Slot instant;
    Amount cores;
  };
  // Works off the slots up to `now`, and says where the first of them gives more than the task may use.
  std::optional<Excess> advance(Slot now) {
    const Slot length = now - since_;
    const Slot from = std::exchange(since_, now);
    if (held_ == 0 || length == 0) return std::nullopt;
    // ceil(R d^ / d) < held  <=>  R <= floor((held - 1) d / d^), so slots are allowed while more is left than that.
    const Amount too_little =
        cores_ == believed_cores_
            ? held_ - 1
            : static_cast<Amount>(multiply_words(static_cast<std::uint64_t>(held_ - 1), static_cast<std::uint64_t>(cores_)) /
                                  static_cast<UInt128>(believed_cores_));
    const Amount progress = std::min(held_, cores_);
    const Slot n_allowed = left_ > too_little ? (left_ - too_little + progress - 1) / progress : 0;
    if (length <= n_allowed) {
      left_ = std::max<Amount>(0, left_ - progress * length);
      return std::nullopt;
    }
    const Amount left = std::exchange(left_, 0);
    return Excess{from + n_allowed, held_ - limit(std::max<Amount>(0, left - progress * n_allowed))};
  }

 private:
  [[nodiscard]] Amount limit(Amount left) const {
    if (cores_ == believed_cores_) return std::min(cores_, left);
    const UInt128 scaled = multiply_words(static_cast<std::uint64_t>(left), static_cast<std::uint64_t>(believed_cores_));
    const auto rounded_up = (scaled + static_cast<UInt128>(cores_ - 1)) / static_cast<UInt128>(cores_);
    return std::min(believed_cores_, static_cast<Amount>(rounded_up));  // left <= d p, so the quotient is below 2^63
  }

  Amount cores_;
  Amount believed_cores_;
  Amount left_;      // core-slots, at since_
  Amount held_ = 0;  // from since_ on
  Slot since_ = 0;
};

class SlotSweep {
 public:
  SlotSweep(const SlotTasksView& tasks, const MachinesView& machines, const SlotPiecesView& pieces)
      : tasks_(tasks), machines_(machines), pieces_(pieces), free_(machines.capacity.begin(), machines.capacity.end()) {
    work_.reserve(tasks.n_rows());
    for (std::size_t row = 0; row < tasks.n_rows(); ++row) {
      work_.emplace_back(tasks.cores_of(row), tasks.believed_demand_of(row)[0], tasks.work_of(row));
    }
    if (tasks.has_tasks()) {
      unfinished_maps_.assign(tasks.map_tasks.begin(), tasks.map_tasks.end());
      running_maps_.assign(tasks.n_jobs(), 0);
    }
  }

  [[nodiscard]] std::optional<SlotViolation> run(bool complete) {
    for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
      if (!is_slot_boundary(pieces_.start[piece]) || !is_slot_boundary(pieces_.end[piece])) {
        return found(SlotViolationKind::time_not_integer, piece);
      }
    }
    require_order();
    for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
      if (const auto violation = check_place(piece)) return violation;
      end_pieces(pieces_.start_of(piece));
      if (const auto violation = check_task(piece)) return violation;
      if (const auto violation = take(piece)) return violation;
    }
    end_pieces(std::numeric_limits<Slot>::max());
    if (excess_) return excess_;
    return complete ? find_missing() : std::nullopt;
  }

 private:
  [[nodiscard]] SlotViolation found(SlotViolationKind kind, std::size_t piece, std::int64_t excess = 0,
                                    std::size_t resource = 0) const {
    return {kind,   pieces_.job[piece], pieces_.task[piece], pieces_.machine[piece], pieces_.start[piece], resource,
            excess};
  }
  [[nodiscard]] std::size_t row_of(std::size_t piece) const {
    return tasks_.row_of(static_cast<std::size_t>(pieces_.job[piece]), pieces_.task[piece]);
  }
  void require_order() const {
    const auto key = [this](std::size_t piece) {
      return std::tuple(pieces_.start[piece], pieces_.job[piece], pieces_.task[piece], pieces_.machine[piece]);
    };
    for (std::size_t piece = 1; piece < pieces_.size(); ++piece) {
      if (key(piece) < key(piece - 1)) {
        throw InvalidInstanceError("pieces must be sorted by start, job, task and machine");
      }
    }
  }

  // What can be said of the piece alone.
  [[nodiscard]] std::optional<SlotViolation> check_place(std::size_t piece) const {
    const auto job = static_cast<std::size_t>(pieces_.job[piece]);  // negative numbers become huge ones
    if (job >= tasks_.n_jobs()) return found(SlotViolationKind::unknown_job, piece);
    if (!tasks_.has_task(job, pieces_.task[piece])) return found(SlotViolationKind::unknown_task, piece);
    if (static_cast<std::size_t>(pieces_.machine[piece]) >= machines_.n_machines) {
      return found(SlotViolationKind::unknown_machine, piece);
    }
    const Slot start = pieces_.start_of(piece);
    if (pieces_.end_of(piece) <= start) return found(SlotViolationKind::no_progress, piece);
    if (pieces_.cores[piece] < 1) return found(SlotViolationKind::no_cores, piece);
    const Slot release = tasks_.release_time[job];
    if (start < release) return found(SlotViolationKind::start_before_release, piece, release - start);
    return std::nullopt;
  }

  // Against the pieces of the same job that were visited before.
  [[nodiscard]] std::optional<SlotViolation> check_task(std::size_t piece) const {
    const auto job = static_cast<std::size_t>(pieces_.job[piece]);
    const auto machine = static_cast<std::size_t>(pieces_.machine[piece]);
    const std::size_t row = row_of(piece);
    if (tasks_.is_reduce(job, pieces_.task[piece]) && (unfinished_maps_[job] > 0 || running_maps_[job] > 0)) {
      return found(SlotViolationKind::reduce_before_map, piece);
    }
    const Slot start = pieces_.start_of(piece);
    const Slot busy_until = busy_.find(row, machine);
    if (busy_until > start) {
      return found(SlotViolationKind::piece_overlaps, piece, std::min(busy_until, pieces_.end_of(piece)) - start);
    }
    const Amount room = tasks_.believed_demand_of(row)[0] - work_[row].held();
    if (pieces_.cores[piece] > room) {
      return found(SlotViolationKind::demand_exceeded, piece, pieces_.cores[piece] - room);
    }
    return std::nullopt;
  }

  // Against the machine; what the piece holds is then taken.
  [[nodiscard]] std::optional<SlotViolation> take(std::size_t piece) {
    const std::size_t row = row_of(piece);
    const Slot start = pieces_.start_of(piece);
    const std::span<Amount> free = free_of(piece);
    for (std::size_t resource = 0; resource < free.size(); ++resource) {
      const Amount amount = amount_of(piece, resource);
      if (amount > free[resource]) {
        return found(SlotViolationKind::capacity_exceeded, piece, amount - free[resource], resource);
      }
    }
    for (std::size_t resource = 0; resource < free.size(); ++resource) free[resource] -= amount_of(piece, resource);
    advance(row, piece, start);
    work_[row].hold(pieces_.cores[piece]);
    count_running_map(piece, 1);
    busy_.raise(row, static_cast<std::size_t>(pieces_.machine[piece]), pieces_.end_of(piece),
                [start](std::size_t, Slot end) { return end > start; });
    ends_.push({pieces_.end_of(piece), piece});
    return std::nullopt;
  }

  // Pieces that end at or before `now` give back what they hold.
  void end_pieces(Slot now) {
    while (!ends_.empty() && ends_.top().first <= now) {
      const auto [end, piece] = ends_.top();
      ends_.pop();
      const std::span<Amount> free = free_of(piece);
      for (std::size_t resource = 0; resource < free.size(); ++resource) free[resource] += amount_of(piece, resource);
      advance(row_of(piece), piece, end);
      work_[row_of(piece)].hold(-pieces_.cores[piece]);
      count_running_map(piece, -1);
    }
  }

  [[nodiscard]] std::span<Amount> free_of(std::size_t piece) {
    const auto machine = static_cast<std::size_t>(pieces_.machine[piece]);
    return std::span(free_).subspan(machine * machines_.n_resources, machines_.n_resources);
  }
  // Pieces of a job never share a machine, so each holds the other resources once.
  [[nodiscard]] Amount amount_of(std::size_t piece, std::size_t resource) const {
    return resource == 0 ? pieces_.cores[piece] : tasks_.believed_demand_of(row_of(piece))[resource];
  }

  // Follows the work of the piece's task, the row given, up to `now`.
  void advance(std::size_t row, std::size_t piece, Slot now) {
    const bool was_unfinished = work_[row].left() > 0;
    const auto excess = work_[row].advance(now);
    if (was_unfinished && work_[row].left() == 0 && tasks_.has_tasks() && !is_reduce(piece)) {
      --unfinished_maps_[static_cast<std::size_t>(pieces_.job[piece])];
    }
    if (!excess) return;
    const SlotViolation violation{SlotViolationKind::work_exceeded,           pieces_.job[piece], pieces_.task[piece], -1,
                                  static_cast<Time>(excess->instant), 0, excess->cores};
    const auto order = [](const SlotViolation& v) { return std::tuple(v.instant, v.job, v.task); };
    if (!excess_ || order(violation) < order(*excess_)) excess_ = violation;
  }

  [[nodiscard]] bool is_reduce(std::size_t piece) const {
    return tasks_.is_reduce(static_cast<std::size_t>(pieces_.job[piece]), pieces_.task[piece]);
  }
  void count_running_map(std::size_t piece, std::int64_t change) {
    if (tasks_.has_tasks() && !is_reduce(piece)) running_maps_[static_cast<std::size_t>(pieces_.job[piece])] += change;
  }

  [[nodiscard]] std::optional<SlotViolation> find_missing() const {
    for (std::size_t job = 0; job < tasks_.n_jobs(); ++job) {
      for (std::size_t row = tasks_.first_row(job); row < tasks_.end_row(job); ++row) {
        if (work_[row].left() == 0) continue;
        const auto task = tasks_.has_tasks() ? static_cast<std::int64_t>(row - tasks_.first_row(job)) : -1;
        return SlotViolation{SlotViolationKind::work_missing, static_cast<std::int64_t>(job), task, -1, 0, 0,
                             work_[row].left()};
      }
    }
    return std::nullopt;
  }

  const SlotTasksView& tasks_;
  const MachinesView& machines_;
  const SlotPiecesView& pieces_;
  std::vector<Amount> free_;  // of each machine, row-major by resource
  std::vector<TaskWork> work_;
  std::vector<std::int64_t> unfinished_maps_, running_maps_;  // of each job: map tasks with work left, and their pieces
  LatestEnds busy_;
  using End = std::pair<Slot, std::size_t>;  // of a piece that runs
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::optional<SlotViolation> excess_;  // the first work_exceeded so far
};

}  // namespace

std::optional<SlotViolation> find_first_slot_violation(const SlotTasksView& tasks, const MachinesView& machines,
                                                       const SlotPiecesView& pieces, bool complete) {
  return SlotSweep(tasks, machines, pieces).run(complete);
}

}  // namespace schedcore
