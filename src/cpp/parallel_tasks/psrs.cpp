#include "schedcore/parallel_tasks/psrs.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "schedcore/index/fit.hpp"
#include "schedcore/parallel_tasks/planned_usage.hpp"
#include "schedcore/parallel_tasks/smith_ratio.hpp"

namespace schedcore {
namespace {

constexpr Ticks kNoArrival = kMaxInt128;

Time latest_end(const ParallelTasksView& tasks, std::span<const std::size_t> own) {
  Time release = 0, work = 0;
  for (const std::size_t task : own) {
    release = std::max(release, tasks.release_time[tasks.job_of(task)]);
    work += static_cast<Time>(tasks.placement_time[tasks.first_placement(task)]);
  }
  return release + work;
}

std::vector<Time> release_times(const ParallelTasksView& tasks, std::span<const std::size_t> own) {
  std::vector<Time> times(own.size());
  std::transform(own.begin(), own.end(), times.begin(),
                 [&](std::size_t task) { return tasks.release_time[tasks.job_of(task)]; });
  return times;
}

// Pieces of tasks, in ticks; those that touch become one.
class PieceRecord {
 public:
  PieceRecord(const TickScale& scale, std::size_t machine, std::vector<TaskPiece>& pieces)
      : scale_(scale), machine_(machine), pieces_(pieces) {}

  struct Open {
    Ticks start = 0;
    Ticks end = 0;  // nothing is open if it is `start`
  };
  void add(std::size_t task, Open& open, Ticks start, Ticks end) {
    if (open.start < open.end && open.end == start) {
      open.end = end;
      return;
    }
    close(task, open);
    open = {start, end};
  }
  void close(std::size_t task, Open& open) {
    if (open.start == open.end) return;
    const Time start = scale_.time(open.start), end = scale_.time(open.end);
    if (start < end) pieces_.push_back({task, machine_, start, end});
    open.start = open.end;
  }

 private:
  const TickScale& scale_;
  std::size_t machine_;
  std::vector<TaskPiece>& pieces_;
};

class MachinePlan {
 public:
  // `own`: the tasks of the machine by release time, then row.
  MachinePlan(const ParallelTasksView& tasks, std::size_t machine, std::span<const std::size_t> own, PositiveFraction v,
              PsrsOutcome& outcome, std::uint64_t& n_complete, Monitor* monitor)
      : tasks_(tasks),
        own_(own),
        capacity_(tasks.machines.capacity_of(machine)),
        scale_(release_times(tasks, own), latest_end(tasks, own), v),
        order_(tasks, machine),
        usage_(tasks.n_resources()),
        record_(scale_, machine, outcome.pieces),
        n_rounded_waits_(outcome.n_rounded_waits),
        n_complete_(n_complete),
        monitor_(monitor) {
    half_.resize(capacity_.size());
    std::transform(capacity_.begin(), capacity_.end(), half_.begin(), [](Amount whole) { return whole / 2; });
  }

  void run() {
    std::size_t arrived = 0;
    while (arrived < own_.size() || !waiting_.empty()) {
      if (waiting_.empty()) now_ = release(arrived);
      for (; arrived < own_.size() && release(arrived) == now_; ++arrived) {
        make_wait(own_[arrived], length(arrived), {});
      }
      const Ticks next = arrived < own_.size() ? release(arrived) : kNoArrival;
      plan(next);
      carry_out(next);
      now_ = next;
      if (monitor_ != nullptr) monitor_->poll(n_complete_, tasks_.n_tasks());
    }
  }

 private:
  struct Waiting {
    SmithRatio ratio;
    PieceRecord::Open open;  // what the record has of it
  };
  struct Planned {
    std::size_t task = 0;
    Ticks start = 0, end = 0;  // the rest of it, in one piece: what comes before has been recorded
    PieceRecord::Open open;
  };

  [[nodiscard]] Ticks release(std::size_t i) const { return scale_.ticks(tasks_.release_time[tasks_.job_of(own_[i])]); }
  [[nodiscard]] Ticks length(std::size_t i) const {
    return scale_.ticks(tasks_.placement_time[tasks_.first_placement(own_[i])]);
  }
  [[nodiscard]] auto later() const {
    return [this](const Waiting& a, const Waiting& b) { return order_.before(b.ratio, a.ratio); };
  }
  void make_wait(std::size_t task, Ticks remaining, PieceRecord::Open open) {
    waiting_.push_back({order_.ratio(task, remaining), open});
    std::push_heap(waiting_.begin(), waiting_.end(), later());
  }

  // Plans tasks from now_ on, until one would start at `next` or later.
  void plan(Ticks next) {
    planned_.clear();
    start_what_fits();
    if (waiting_.empty()) return;
    std::vector<PlannedUsage::Running> running;
    for (const Planned& task : planned_) running.push_back({task.end, tasks_.demand_of(task.task)});
    usage_.begin(now_, std::move(running));
    std::vector<Amount> limit(capacity_.size());
    while (!waiting_.empty()) {
      const SmithRatio& first = waiting_.front().ratio;
      const auto demand = tasks_.demand_of(first.task);
      bool wide = false;
      for (std::size_t r = 0; r < limit.size(); ++r) {
        limit[r] = capacity_[r] - demand[r];
        wide |= limit[r] < demand[r];
      }
      const Ticks room = usage_.first_within(limit);
      if (wide) {
        const Ticks half_free = usage_.first_within(half_);
        const auto [wait, rounded] = scale_.divided(first.remaining);
        n_rounded_waits_ += rounded ? 1 : 0;
        if (room - half_free >= wait) {
          if (half_free + wait >= next) return;
          interrupt(half_free + wait);
          continue;
        }
      }
      if (room >= next) return;
      usage_.add(room, room + first.remaining, demand);
      plan_first_at(room);
      if (monitor_ != nullptr) monitor_->poll(n_complete_, tasks_.n_tasks());
    }
  }

  // The tasks at the head of the list that fit beside each other start now: nobody can be interrupted by them.
  void start_what_fits() {
    std::vector<Amount> available(capacity_.begin(), capacity_.end());
    while (!waiting_.empty()) {
      const auto demand = tasks_.demand_of(waiting_.front().ratio.task);
      if (!fits(demand, available)) return;
      for (std::size_t r = 0; r < available.size(); ++r) available[r] -= demand[r];
      plan_first_at(now_);
    }
  }

  void plan_first_at(Ticks start) {
    std::pop_heap(waiting_.begin(), waiting_.end(), later());
    const Waiting& first = waiting_.back();
    planned_.push_back({first.ratio.task, start, start + first.ratio.remaining, first.open});
    waiting_.pop_back();
  }

  // The first waiting task runs alone from `start` on; everything that is planned goes on after it.
  void interrupt(Ticks start) {
    const Ticks duration = waiting_.front().ratio.remaining;
    std::size_t kept = 0;
    for (Planned& task : planned_) {
      if (task.end <= start) {
        complete(task);
        continue;
      }
      if (task.start < start) {
        record_.add(task.task, task.open, task.start, start);
        task.start = start;
      }
      task.start += duration;
      task.end += duration;
      planned_[kept++] = task;
    }
    planned_.resize(kept);
    usage_.interrupt(start, duration, tasks_.demand_of(waiting_.front().ratio.task));
    plan_first_at(start);
  }

  void complete(Planned& task) {
    record_.add(task.task, task.open, task.start, task.end);
    record_.close(task.task, task.open);
    ++n_complete_;
  }

  // Records the plan up to `next`; what is left of it waits again.
  void carry_out(Ticks next) {
    for (Planned& task : planned_) {
      if (task.end <= next) {
        complete(task);
        continue;
      }
      if (task.start < next) record_.add(task.task, task.open, task.start, next);
      make_wait(task.task, task.end - std::max(task.start, next), task.open);
    }
  }

  const ParallelTasksView& tasks_;
  std::span<const std::size_t> own_;
  std::span<const Amount> capacity_;
  std::vector<Amount> half_;
  TickScale scale_;
  SmithOrder order_;
  PlannedUsage usage_;
  PieceRecord record_;
  std::uint64_t& n_rounded_waits_;
  std::uint64_t& n_complete_;  // tasks of all machines
  Monitor* monitor_;
  Ticks now_ = 0;
  std::vector<Waiting> waiting_;  // a heap: the largest ratio at the front
  std::vector<Planned> planned_;  // what has not been recorded yet, in the order of planning
};

}  // namespace

PsrsOutcome psrs(const ParallelTasksView& tasks, PositiveFraction v, Monitor* monitor) {
  std::vector<std::vector<std::size_t>> on_machine(tasks.n_machines());
  for (std::size_t task = 0; task < tasks.n_tasks(); ++task) {
    on_machine[tasks.machine_of(tasks.first_placement(task))].push_back(task);
  }
  PsrsOutcome outcome;
  std::uint64_t n_complete = 0;
  for (std::size_t machine = 0; machine < on_machine.size(); ++machine) {
    std::vector<std::size_t>& own = on_machine[machine];
    if (own.empty()) continue;
    std::stable_sort(own.begin(), own.end(), [&](std::size_t a, std::size_t b) {
      return tasks.release_time[tasks.job_of(a)] < tasks.release_time[tasks.job_of(b)];
    });
    MachinePlan(tasks, machine, own, v, outcome, n_complete, monitor).run();
  }
  return outcome;
}

}  // namespace schedcore
