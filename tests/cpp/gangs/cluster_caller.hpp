// The outside world of a scheduler embedded in a cluster, driven by bytes: jobs of several tasks, exclusive ones, and ones that
// may use some machines; completions early and late; machines that join, are removed, have more or less than before, fail and
// come back, or are closed and opened; outages, cancellations, holds, jobs that are requeued or adopted, and others of which
// something else is said; with an accounting of its own.  What SchedulerCaller is for single tasks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/interrupted_scheduler.hpp"
#include "gangs/cluster_makers.hpp"
#include "schedcore/engine/cluster_columns.hpp"
#include "schedcore/index/eligibility.hpp"

namespace schedcore::testing {

class ClusterCaller {
 public:
  using Start = std::tuple<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>, Time>;  // id, places, time
  static constexpr std::size_t kResources = 2;

  ClusterCaller(std::size_t n_machines, const ClusterMaker& maker, KillRule rule)
      : takes_gangs_(maker.takes_gangs),
        rule_(rule),
        capacity_(initial_capacity(n_machines)),
        free_(capacity_),
        scheduler_(capacity_, kResources,
                   [maker, rule] {
                     if (!maker.plain) return SchedulerParts{maker.for_clusters(), nullptr, rule};
                     return SchedulerParts{maker.plain(), maker.for_clusters(), rule};
                   },
                   labels(n_machines), {{kLabels[0]}, {kLabels[1]}}),
        machines_(n_machines) {
    for (std::size_t machine = 0; machine < n_machines; ++machine) machines_[machine].label = machine % 2;
  }

  // Plays the bytes, one event after the other, then mends everything and lets it end.  Returns every decided start.  With
  // `through_snapshots` the scheduler is copied and written and read again, and every decision undone once before it stands.
  std::vector<Start> play(std::span<const std::uint8_t> bytes, bool through_snapshots) {
    bytes_ = bytes;
    is_interrupted_ = through_snapshots;
    while (!bytes_.empty()) {
      if (is_interrupted_) scheduler_.reborn();
      event();
      if (is_interrupted_) wrong_calls();
    }
    for (std::int64_t machine = 0; machine < n_machines(); ++machine) {
      if (is_removed(machine)) continue;
      repair(machine, now_);
      open(machine, now_);
    }
    // What is there now may be too small for what came when there was more.
    for (int n = 0; n < 8; ++n) join(n % 2 == 0 ? 0 : 1, {16, 8}, now_);
    while (!held_.empty()) release(*held_.begin(), now_);
    decide(now_);
    for (int idle = 0; !waiting_.empty() || !running_.empty(); ++idle) {
      require(idle < 10000, "some job never starts");
      const Time next = running_.empty() ? std::max(now_, wakeup_ < kNever ? wakeup_ : now_ + 1) : now_ + 1;
      while (!running_.empty()) complete(running_.begin()->first, next);
      decide(next);
    }
    return history_;
  }

 private:
  struct Job {
    std::vector<Amount> demand;
    std::int64_t n_tasks = 1;
    std::int64_t spread = 0;
    bool is_exclusive = false;
    std::int64_t label = kAnywhere;  // of the machines that it may use
  };
  struct Machine {
    std::int64_t label = 0;
    bool has_failed = false;
    bool is_closed = false;
    bool is_removed = false;
    std::set<std::int64_t> jobs;
    std::vector<Outage> outages;
  };
  struct Run {
    Job job;
    std::vector<std::pair<std::int64_t, std::int64_t>> places;
    bool says_where_next = false;  // it may use other machines when it runs again
    std::int64_t label_next = kAnywhere;
  };

  static constexpr std::int64_t kAnywhere = -1;
  static constexpr const char* kLabels[] = {"even", "odd"};

  static std::vector<std::int64_t> labels(std::size_t n_machines) {
    std::vector<std::int64_t> all(n_machines);
    for (std::size_t machine = 0; machine < n_machines; ++machine) all[machine] = machine % 2 == 0 ? 0 : 1;
    return all;
  }
  static std::vector<Amount> initial_capacity(std::size_t n_machines) {
    std::vector<Amount> all;
    for (std::size_t machine = 0; machine < n_machines; ++machine) {
      all.push_back(machine % 3 == 2 ? 16 : 8);
      all.push_back(8);
    }
    return all;
  }
  [[nodiscard]] std::int64_t n_machines() const { return static_cast<std::int64_t>(machines_.size()); }
  [[nodiscard]] bool is_removed(std::int64_t machine) const {
    return machines_[static_cast<std::size_t>(machine)].is_removed;
  }

  std::uint8_t take() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }

  // A byte of how far time goes and how many jobs arrive, one of completions, one of what else happens, and six an arrival.
  void event() {
    const std::uint8_t what = take();
    const Time now = now_ + 0.5 * (what % 8);
    const std::uint8_t ending = take();
    std::size_t position = 0;
    std::vector<std::int64_t> completed;
    for (const auto& [id, run] : running_) {
      if ((ending >> (position++ % 8) & 1) != 0) completed.push_back(id);
    }
    for (const std::int64_t id : completed) complete(id, now);
    change(now);
    for (int n = what / 8 % 4; n > 0; --n) arrive(now);
    decide(now);
  }

  void arrive(Time now) {
    const Time processing_time = 1 + 0.25 * (take() % 64);
    const double weight = 1 + take() % 16;
    Job job;
    job.demand = {take() % 9, take() % 5};
    if (job.demand[0] + job.demand[1] == 0) job.demand[0] = 1;
    const std::uint8_t how = take();
    const std::uint8_t where = take();
    if (takes_gangs_) {
      job.n_tasks = 1 + how % 4;
      job.spread = how / 4 % 4 == 0 ? 1 + how / 16 % 2 : 0;
      job.is_exclusive = how / 64 == 3;
    }
    if (where % 4 < 2) job.label = where % 4;
    const Constraints constraints(scheduler_->machine_table());
    const Time checkpoint = where / 4 % 3;
    const Time restart = where / 16 % 2;
    const JobsView view{{}, {&processing_time, 1}, {&weight, 1}, job.demand, kResources};
    ClusterColumns columns;
    columns.n_tasks = {&job.n_tasks, 1};
    columns.max_tasks = {&job.spread, 1};
    columns.exclusive = {&job.is_exclusive, 1};
    columns.eligibility = {&job.label, 1};
    columns.constraints = constraints.all;
    columns.checkpoint_interval = {&checkpoint, 1};
    columns.restart_cost = {&restart, 1};
    try {
      const std::int64_t id = scheduler_->submit(view, {}, {}, now, columns).front();
      waiting_.emplace(id, std::move(job));
    } catch (const InfeasibleError&) {
      // It has more tasks than the whole cluster takes.
    }
  }

  // Of each label.
  struct Constraints {
    explicit Constraints(const MachineTable& table) : all{table.where(kLabels[0]), table.where(kLabels[1])} {}
    std::vector<Constraint> all;
  };

  void change(Time now) {
    const std::uint8_t kind = take();
    if (kind >= 232) return change_machines(kind - 232, now);
    const auto chosen = [&](const auto& among) {
      auto found = among.begin();
      std::advance(found, kind / 8 % among.size());
      return found;
    };
    const std::int64_t machine = kind / 8 % n_machines();
    if (is_removed(machine) && kind % 8 > 3) return wrong_machine(machine, now);
    switch (kind % 8) {
      case 0:
        if (!waiting_.empty()) cancel(chosen(waiting_)->first, now);
        break;
      case 1:
        if (!running_.empty()) cancel(chosen(running_)->first, now);
        break;
      case 2:
        if (kind >= 192) {
          adopt(machine, kind, now);
        } else if (!waiting_.empty()) hold(chosen(waiting_)->first, now);
        break;
      case 3:
        if (!held_.empty()) release(*chosen(held_), now);
        break;
      case 4:
        if (kind < 128) {
          fail(machine, now);
        } else {
          close(machine, static_cast<RunsOnClosed>(kind / 32 % 4 % 3), now);
        }
        break;
      case 5:
        if (kind < 128) {
          repair(machine, now);
        } else {
          open(machine, now);
        }
        break;
      case 6: announce(machine, {now + kind / 64, now + kind / 64 + 1 + kind / 32 % 2}, now); break;
      default:
        if (kind >= 128) {
          if (!waiting_.empty()) update(chosen(waiting_)->first, kind, now);
          if (!running_.empty()) update(chosen(running_)->first, kind, now);
        } else if (!running_.empty()) {
          requeue(chosen(running_)->first, now);
        }
    }
  }

  void change_machines(std::uint8_t how, Time now) {
    const std::int64_t machine = how % n_machines();
    if (how < 10) return join(how % 2, {4 + how, how}, now);
    if (is_removed(machine)) return wrong_machine(machine, now);
    if (how >= 20) return remove(machine, static_cast<RunsOnClosed>(how % 3), now);
    const std::vector<Amount> capacity{3 * (how - 10), how - 10};
    scheduler_->set_capacity(machine, capacity, now);
    resize(machine, capacity);
  }

  void join(std::int64_t label, const std::vector<Amount>& capacity, Time now) {
    const std::vector<std::vector<std::string>> sets{{kLabels[label]}};
    const std::int64_t set = 0;
    const std::vector<std::int64_t> given = scheduler_->add_machines({{capacity, 1, kResources}, {}, {&set, 1}, sets}, now);
    require(given == std::vector{n_machines()}, "a machine that joins has another number than the next");
    machines_.emplace_back().label = label;
    capacity_.insert(capacity_.end(), capacity.begin(), capacity.end());
    free_.insert(free_.end(), capacity.begin(), capacity.end());
  }
  void remove(std::int64_t machine, RunsOnClosed runs, Time now) {
    expect_killed(machine, runs, scheduler_->remove_machines(std::vector{machine}, runs, now));
    machines_[static_cast<std::size_t>(machine)].is_removed = true;
  }
  void resize(std::int64_t machine, const std::vector<Amount>& capacity) {
    const std::size_t first = static_cast<std::size_t>(machine) * kResources;
    for (std::size_t r = 0; r < kResources; ++r) {
      free_[first + r] += capacity[r] - capacity_[first + r];
      capacity_[first + r] = capacity[r];
    }
  }
  void wrong_machine(std::int64_t machine, Time now) {
    scheduler_.refused([&] { scheduler_->set_capacity(machine, std::vector<Amount>{1, 1}, now); });
    scheduler_.refused([&] { scheduler_->open_machines(std::vector{machine}, now); });
  }

  // A small job that runs already, where there is room as far as is known before anything starts now.
  void adopt(std::int64_t machine, std::uint8_t how, Time now) {
    const auto m = static_cast<std::size_t>(machine);
    if (is_removed(machine) || machines_[m].has_failed || free_[m * kResources] < 1) return;
    if (std::ranges::any_of(machines_[m].jobs, [&](std::int64_t id) { return running_.at(id).job.is_exclusive; })) return;
    Job job;
    job.demand = {1, 0};
    const Time processing_time = 2 + how % 8;
    const Time start_time = std::max(0.0, now - how % 4);
    const Time release_time = 0;
    const double weight = 1;
    const std::size_t first_place[] = {0, 1};
    const TaskPlace place{static_cast<std::uint32_t>(machine), 1};
    const JobsView view{{}, {&processing_time, 1}, {&weight, 1}, job.demand, kResources};
    const std::int64_t id =
        scheduler_->adopt(view, {}, {}, now, {}, {{&release_time, 1}, {&start_time, 1}, first_place, {&place, 1}}).front();
    Run run{std::move(job), {{machine, 1}}};
    take_from(run, id, 1);
    running_.emplace(id, std::move(run));
  }

  // Of a running job, where it may run counts when it runs again.
  void update(std::int64_t id, std::uint8_t how, Time now) {
    const std::vector ids{id};
    const std::vector remaining_time{2 + 0.25 * (how % 32)};
    const std::vector weight{1.0 + how % 16};
    const std::int64_t label = how / 32 % 4 == 0 ? 0 : kAnywhere;
    const Constraints constraints(scheduler_->machine_table());
    ClusterColumns columns;
    columns.eligibility = {&label, 1};
    columns.constraints = constraints.all;
    Job& job = waiting_.contains(id) ? waiting_.at(id) : running_.at(id).job;
    const bool says_where = how / 8 % 2 == 0;
    try {
      scheduler_->update({ids, remaining_time, weight, says_where ? &columns : nullptr}, now);
      if (!says_where) return;
      if (running_.contains(id)) {
        running_.at(id).says_where_next = true;
        running_.at(id).label_next = label;
      } else {
        job.label = label;
      }
    } catch (const InfeasibleError&) {
      // It has more tasks than these machines take.
    }
  }

  void cancel(std::int64_t id, Time now) {
    scheduler_->cancel(std::vector{id}, now);
    waiting_.erase(id);
    held_.erase(id);
    if (running_.contains(id)) end(id);
  }
  void hold(std::int64_t id, Time now) {
    if (held_.contains(id)) return;
    scheduler_->hold(std::vector{id}, now);
    held_.insert(id);
  }
  void release(std::int64_t id, Time now) {
    scheduler_->release(std::vector{id}, now);
    held_.erase(id);
  }
  void requeue(std::int64_t id, Time now) {
    scheduler_->requeue(std::vector{id}, now);
    kill(id, rule_ == KillRule::drop);
  }
  void fail(std::int64_t machine, Time now) {
    const std::vector<std::int64_t> killed = scheduler_->fail_machines(std::vector{machine}, now);
    Machine& failed = machines_[static_cast<std::size_t>(machine)];
    const std::vector<std::int64_t> expected(failed.jobs.begin(), failed.jobs.end());
    require(killed == expected, "a failure kills others than those that run there");
    failed.has_failed = true;
    for (const std::int64_t id : expected) kill(id, rule_ == KillRule::drop);
  }
  void close(std::int64_t machine, RunsOnClosed runs, Time now) {
    expect_killed(machine, runs, scheduler_->close_machines(std::vector{machine}, runs, now));
    machines_[static_cast<std::size_t>(machine)].is_closed = true;
  }
  void expect_killed(std::int64_t machine, RunsOnClosed runs, const std::vector<std::int64_t>& killed) {
    const Machine& closed = machines_[static_cast<std::size_t>(machine)];
    std::vector<std::int64_t> expected(closed.jobs.begin(), closed.jobs.end());
    if (runs == RunsOnClosed::finish) expected.clear();
    require(killed == expected, "closing a machine kills others than those that run there");
    for (const std::int64_t id : expected) kill(id, runs == RunsOnClosed::drop);
  }
  void open(std::int64_t machine, Time now) {
    scheduler_->open_machines(std::vector{machine}, now);
    machines_[static_cast<std::size_t>(machine)].is_closed = false;
  }
  void repair(std::int64_t machine, Time now) {
    scheduler_->repair_machines(std::vector{machine}, now);
    machines_[static_cast<std::size_t>(machine)].has_failed = false;
  }
  void announce(std::int64_t machine, const Outage& span, Time now) {
    scheduler_->announce_outage(machine, span, now);
    machines_[static_cast<std::size_t>(machine)].outages.push_back(span);
  }
  void complete(std::int64_t id, Time now) {
    scheduler_->complete(std::vector{id}, now);
    end(id);
  }
  void kill(std::int64_t id, bool is_dropped) {
    Job job = end(id);
    if (!is_dropped) waiting_.emplace(id, std::move(job));
  }

  Job end(std::int64_t id) {
    Run run = std::move(running_.at(id));
    running_.erase(id);
    take_from(run, id, -1);
    if (run.says_where_next) run.job.label = run.label_next;
    return std::move(run.job);
  }

  void take_from(const Run& run, std::int64_t id, Amount sign) {
    for (const auto& [machine, n_tasks] : run.places) {
      const auto m = static_cast<std::size_t>(machine);
      for (std::size_t r = 0; r < kResources; ++r) free_[m * kResources + r] -= sign * n_tasks * run.job.demand[r];
      if (sign > 0) {
        machines_[m].jobs.insert(id);
      } else {
        machines_[m].jobs.erase(id);
      }
    }
  }

  void decide(Time now) {
    if (is_interrupted_) scheduler_.undone_decision(now);
    const Decision decision = scheduler_->advance(now, nullptr);
    now_ = now;
    wakeup_ = decision.next_wakeup;
    require(wakeup_ > now, "the next wake-up lies in the past");
    for (const IdPlacement& start : decision.starts) {
      require(start.start_time == now, "a start is not now");
      require(waiting_.contains(start.id) && !held_.contains(start.id), "a job starts that does not wait");
      Run run{std::move(waiting_.at(start.id)), {}};
      waiting_.erase(start.id);
      for (const IdTasks& tasks : decision.starts.tasks) {
        if (tasks.id == start.id) run.places.emplace_back(tasks.machine, tasks.n_tasks);
      }
      if (decision.starts.tasks.empty()) run.places.emplace_back(start.machine, 1);
      history_.emplace_back(start.id, run.places, now);
      check_start(run);
      take_from(run, start.id, 1);
      running_.emplace(start.id, std::move(run));
    }
    for (const auto& [id, run] : running_) check(run);
    require(scheduler_->n_running() == running_.size(), "n_running");
    require(scheduler_->n_waiting() == waiting_.size(), "n_waiting");
  }

  void check(const Run& run) const {
    std::int64_t n_tasks = 0;
    for (const auto& [machine, n_here] : run.places) {
      const Machine& here = machines_[static_cast<std::size_t>(machine)];
      n_tasks += n_here;
      require(run.job.spread == 0 || n_here <= run.job.spread, "too many tasks on one machine");
      require(run.job.label == kAnywhere || run.job.label == here.label, "a job on a machine that it may not use");
      require(!here.has_failed, "a job on a machine that has failed");
      require(!run.job.is_exclusive || here.jobs.size() == 1, "an exclusive job is not alone");
    }
    require(n_tasks == run.job.n_tasks, "another number of tasks");
  }

  // What has started may run into an outage that was announced later, but nothing starts in one.
  void check_start(const Run& run) const {
    for (const auto& [machine, n_here] : run.places) {
      const auto m = static_cast<std::size_t>(machine);
      require(!machines_[m].is_closed && !machines_[m].is_removed, "a job starts on a machine that is closed");
      for (std::size_t r = 0; r < kResources; ++r) {
        require(run.job.demand[r] == 0 || free_[m * kResources + r] >= n_here * run.job.demand[r], "a machine is overfull");
      }
      const std::vector<Outage>& outages = machines_[static_cast<std::size_t>(machine)].outages;
      require(std::ranges::none_of(outages, [&](const Outage& span) { return span.begin <= now_ && now_ < span.end; }),
              "a job starts in an outage");
    }
  }

  void wrong_calls() {
    const std::int64_t unknown = 1 << 30;
    scheduler_.refused([&] { scheduler_->set_capacity(unknown, std::vector<Amount>{1, 1}, now_); });
    scheduler_.refused([&] { scheduler_->set_capacity(n_machines() - 1, std::vector<Amount>{1, -1}, now_); });
    scheduler_.refused([&] { scheduler_->cancel(std::vector{unknown}, now_); });
    scheduler_.refused([&] { scheduler_->requeue(std::vector{unknown}, now_); });
    scheduler_.refused([&] { static_cast<void>(scheduler_->fail_machines(std::vector{n_machines()}, now_)); });
    scheduler_.refused([&] { scheduler_->announce_outage(n_machines() - 1, {now_, now_}, now_); });
    if (!takes_gangs_) {
      scheduler_.refused<UnsupportedError>([&] {
        const Time processing_time = 1;
        const double weight = 1;
        const std::vector<Amount> demand{1, 1};
        const Amount n_tasks = 2;
        ClusterColumns columns;
        columns.n_tasks = {&n_tasks, 1};
        static_cast<void>(
            scheduler_->submit({{}, {&processing_time, 1}, {&weight, 1}, demand, kResources}, {}, {}, now_, columns));
      });
    }
    if (!running_.empty()) {
      scheduler_.refused([&] { scheduler_->hold(std::vector{running_.begin()->first}, now_); });
    }
    if (!waiting_.empty()) {
      scheduler_.refused([&] { scheduler_->requeue(std::vector{waiting_.begin()->first}, now_); });
    }
  }

  bool takes_gangs_;
  KillRule rule_;
  std::vector<Amount> capacity_;
  std::vector<Amount> free_;
  InterruptedScheduler scheduler_;
  std::vector<Machine> machines_;
  std::map<std::int64_t, Job> waiting_;  // held ones, too
  std::set<std::int64_t> held_;
  std::map<std::int64_t, Run> running_;
  std::vector<Start> history_;
  std::span<const std::uint8_t> bytes_;
  bool is_interrupted_ = false;
  Time now_ = 0;
  Time wakeup_ = kNever;
};

}  // namespace schedcore::testing
