#include "schedcore/parallel_tasks/fraction_schedule.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "schedcore/base/errors.hpp"
#include "schedcore/parallel_tasks/fitting_list.hpp"
#include "schedcore/parallel_tasks/machine_room.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::uint64_t kEventsPerPoll = 1 << 10;
constexpr FineTime kLatest = std::numeric_limits<FineTime>::max();

[[noreturn]] void refuse_long_schedule() {
  throw UnsupportedError(
      "the schedule of task fractions reaches 2**63 units of 1e-9, which is 9223372036 units of time; "
      "use a coarser unit");
}

enum class State : std::uint8_t { waiting, running, suspended, complete };

// A fraction; everywhere below fractions are called by their position in the list.
struct Listed {
  std::size_t input = 0;
  std::size_t task = 0;
  std::size_t machine = 0;
  std::size_t interval = 0;
  std::size_t place = 0;  // in the list of its machine
  FineTime remaining = 0;
  FineTime started = 0;
  State state = State::waiting;

  [[nodiscard]] FineTime end() const { return started + remaining; }
};

// Positions grouped by task or machine, ascending within a group.
class Groups {
 public:
  template <class KeyOf>
  Groups(std::size_t n_groups, std::size_t n, const KeyOf& key_of) : first_(n_groups + 1), member_(n) {
    for (std::size_t position = 0; position < n; ++position) ++first_[key_of(position) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t position = 0; position < n; ++position) member_[next[key_of(position)]++] = position;
  }
  [[nodiscard]] std::span<const std::size_t> of(std::size_t group) const {
    return std::span(member_).subspan(first_[group], first_[group + 1] - first_[group]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::size_t> member_;
};

std::vector<Listed> list_of(const ParallelTasksView& tasks, std::span<const IntervalFraction> fractions) {
  std::vector<Listed> list(fractions.size());
  for (std::size_t f = 0; f < fractions.size(); ++f) {
    const IntervalFraction& given = fractions[f];
    const std::size_t placement = tasks.placement_on(given.task, given.machine);
    assert(given.units > 0 && placement != kNoPlacement);
    const std::int64_t time = tasks.placement_time[placement];
    if (time > kLatest / given.units) refuse_long_schedule();
    list[f] = {f, given.task, given.machine, given.interval, 0, given.units * time, 0, State::waiting};
  }
  std::sort(list.begin(), list.end(), [](const Listed& a, const Listed& b) {
    return std::tie(a.interval, a.task, a.machine) < std::tie(b.interval, b.task, b.machine);
  });
  return list;
}

class FractionScheduler {
 public:
  FractionScheduler(const ParallelTasksView& tasks, std::span<const IntervalFraction> fractions,
                    std::size_t n_intervals)
      : tasks_(tasks),
        list_(list_of(tasks, fractions)),
        of_task_(tasks.n_tasks(), list_.size(), [this](std::size_t f) { return list_[f].task; }),
        of_machine_(tasks.n_machines(), list_.size(), [this](std::size_t f) { return list_[f].machine; }),
        room_(tasks.machines),
        machine_(tasks.n_machines()),
        runner_(tasks.n_tasks(), kNone),
        n_waiting_(n_intervals) {
    for (std::size_t i = 0; i < tasks.n_machines(); ++i) {
      const auto own = of_machine_.of(i);
      std::vector<Amount> demand;
      for (std::size_t place = 0; place < own.size(); ++place) {
        list_[own[place]].place = place;
        const auto amounts = demand_of(own[place]);
        demand.insert(demand.end(), amounts.begin(), amounts.end());
      }
      machine_[i].startable = FittingList(demand, tasks.n_resources());
    }
    for (const Listed& fraction : list_) ++n_waiting_[fraction.interval];
    schedule_.tau.assign(n_intervals, 0);
  }

  FractionSchedule run(Monitor* monitor) {
    std::uint64_t n_complete = 0;
    raise_lowest_interval();
    for (std::size_t i = 0; i < machine_.size(); ++i) open(i, 0);
    for (std::uint64_t event = 0;; ++event) {
      if (monitor != nullptr && event % kEventsPerPoll == 0) monitor->poll(n_complete, list_.size());
      scan();
      if (completions_.empty()) break;
      now_ = completions_.top().first;
      raise_lowest_interval();
      complete_all_of_now();
      n_complete += completed_.size();
      for (const std::size_t f : completed_) follow_up(f);
    }
    assert(n_complete == list_.size());
    for (std::size_t l = 1; l < schedule_.tau.size(); ++l) {
      schedule_.tau[l] = std::max(schedule_.tau[l], schedule_.tau[l - 1]);
    }
    std::sort(schedule_.pieces.begin(), schedule_.pieces.end(), [this](const FractionPiece& a, const FractionPiece& b) {
      return std::tie(a.start, list_[a.fraction].task) < std::tie(b.start, list_[b.fraction].task);
    });
    for (FractionPiece& piece : schedule_.pieces) piece.fraction = list_[piece.fraction].input;
    return std::move(schedule_);
  }

 private:
  struct Machine {
    FittingList startable{{}, 1};        // of its list: what is unfinished and may still be stopped
    std::vector<std::size_t> stoppable;  // running above lowest_interval_, in no order
    bool is_open = false;
  };
  // What the scan does at a position: start the fraction, for which an opened machine has room, or open its machine
  // from there, because the fraction lost its task to one further up, or may find its task idle where it was busy.
  struct Turn {
    std::size_t fraction;
    bool opens;

    friend auto operator<=>(const Turn&, const Turn&) = default;
  };
  using Completion = std::pair<FineTime, std::size_t>;

  [[nodiscard]] std::span<const Amount> demand_of(std::size_t f) const { return tasks_.demand_of(list_[f].task); }
  [[nodiscard]] bool may_be_stopped(std::size_t f) const { return list_[f].interval > lowest_interval_; }

  void raise_lowest_interval() {
    const std::size_t before = lowest_interval_;
    std::size_t lowest = before;
    while (lowest < n_waiting_.size() && n_waiting_[lowest] == 0) ++lowest;
    if (lowest == before || lowest == n_waiting_.size()) return;
    lowest_interval_ = lowest;
    for (Machine& machine : machine_) {
      std::erase_if(machine.stoppable, [&](std::size_t f) {
        if (may_be_stopped(f)) return false;
        machine.startable.remove(list_[f].place);
        return true;
      });
    }
  }

  // Entries of the queue whose fraction was stopped are void.
  void complete_all_of_now() {
    completed_.clear();
    for (; !completions_.empty() && completions_.top().first == now_; completions_.pop()) {
      const std::size_t f = completions_.top().second;
      Listed& fraction = list_[f];
      if (fraction.state != State::running || fraction.end() != now_) continue;
      fraction.state = State::complete;
      completed_.push_back(f);
      schedule_.pieces.push_back({f, fraction.started, now_});
      schedule_.tau[fraction.interval] = now_;
      room_.give(fraction.machine, demand_of(f));
      runner_[fraction.task] = kNone;
      if (may_be_stopped(f)) {
        machine_[fraction.machine].startable.remove(fraction.place);
        std::erase(machine_[fraction.machine].stoppable, f);
      }
    }
  }

  void follow_up(std::size_t completed) {
    open(list_[completed].machine, 0);
    for (const std::size_t other : of_task_.of(list_[completed].task)) {
      if (list_[other].state == State::waiting) turns_.push({other, true});
    }
  }

  // Stops what may be stopped on the machine from position `from` on, for the scan to decide anew.
  void open(std::size_t machine_index, std::size_t from) {
    Machine& machine = machine_[machine_index];
    if (machine.is_open) return;
    machine.is_open = true;
    opened_.push_back(machine_index);
    std::erase_if(machine.stoppable, [&](std::size_t f) {
      if (f < from) return false;
      suspend(f);
      return true;
    });
    const auto own = of_machine_.of(machine_index);
    const auto first = std::lower_bound(own.begin(), own.end(), from);
    push_next_turn(machine_index, static_cast<std::size_t>(first - own.begin()));
  }

  void suspend(std::size_t f) {
    Listed& fraction = list_[f];
    fraction.state = State::suspended;
    suspended_.push_back(f);
    room_.give(fraction.machine, demand_of(f));
    if (runner_[fraction.task] == f) runner_[fraction.task] = kNone;
    for (const std::size_t other : of_task_.of(fraction.task)) {
      if (other > f && list_[other].state == State::waiting) turns_.push({other, true});
    }
  }

  void push_next_turn(std::size_t machine_index, std::size_t place) {
    const auto own = of_machine_.of(machine_index);
    place = machine_[machine_index].startable.first_fitting(place, room_.free_of(machine_index));
    if (place < own.size()) turns_.push({own[place], false});
  }

  // Takes turns in list order; what it decides at a position depends on lower positions alone.
  void scan() {
    while (!turns_.empty()) {
      const Turn turn = turns_.top();
      turns_.pop();
      const Listed& fraction = list_[turn.fraction];
      const std::size_t runner = runner_[fraction.task];
      // A runner further down the list that may be stopped has not started yet, as the scan sees it.
      const bool is_busy = runner != kNone && (!may_be_stopped(runner) || runner < turn.fraction);
      if (turn.opens) {
        if (!is_busy || fraction.state == State::running) open(fraction.machine, turn.fraction);
      } else {
        if (!is_busy) start(turn.fraction);
        push_next_turn(fraction.machine, fraction.place + 1);
      }
    }
    settle();
  }

  void start(std::size_t f) {
    Listed& fraction = list_[f];
    Machine& machine = machine_[fraction.machine];
    room_.take(fraction.machine, demand_of(f));
    if (runner_[fraction.task] != kNone) turns_.push({runner_[fraction.task], true});
    runner_[fraction.task] = f;
    if (may_be_stopped(f)) {
      machine.stoppable.push_back(f);
    } else {
      machine.startable.remove(fraction.place);
    }
    if (fraction.state == State::waiting) {
      if (fraction.remaining > kLatest - now_) refuse_long_schedule();
      fraction.started = now_;
      completions_.push({fraction.end(), f});
      --n_waiting_[fraction.interval];
    }
    fraction.state = State::running;
  }

  // What was suspended and did not start again is stopped.
  void settle() {
    for (const std::size_t f : suspended_) {
      Listed& fraction = list_[f];
      if (fraction.state != State::suspended) continue;
      fraction.state = State::waiting;
      fraction.remaining = fraction.end() - now_;
      schedule_.pieces.push_back({f, fraction.started, now_});
      ++n_waiting_[fraction.interval];
    }
    suspended_.clear();
    for (const std::size_t i : opened_) machine_[i].is_open = false;
    opened_.clear();
  }

  const ParallelTasksView& tasks_;
  std::vector<Listed> list_;
  Groups of_task_, of_machine_;
  MachineRoom room_;
  std::vector<Machine> machine_;
  std::vector<std::size_t> runner_;      // of each task: its running fraction, kNone if it is idle
  std::vector<std::uint64_t> n_waiting_;  // fractions of each interval that neither run nor are complete
  std::size_t lowest_interval_ = 0;      // the lowest with waiting fractions, at the last event that had any
  FineTime now_ = 0;
  // Earliest first; an entry counts if its fraction runs and ends then.
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>> completions_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  std::vector<std::size_t> completed_, suspended_, opened_;  // in the current event
  FractionSchedule schedule_;
};

}  // namespace

FractionSchedule fraction_schedule(const ParallelTasksView& tasks, std::span<const IntervalFraction> fractions,
                                   std::size_t n_intervals, Monitor* monitor) {
  return FractionScheduler(tasks, fractions, n_intervals).run(monitor);
}

}  // namespace schedcore
