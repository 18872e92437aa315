// The outside world of an embedded scheduler, driven by bytes: arrivals, some of which may use some machines only and take
// another time on each, completions early and late, wrong calls, copies and snapshots, with an accounting of free amounts
// of its own.  Shared by engine_test.cpp and the engine's fuzzer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/interrupted_scheduler.hpp"
#include "schedcore/engine/online_scheduler.hpp"
#include "schedcore/online/best_fit_execution.hpp"
#include "schedcore/online/cluster_mris.hpp"
#include "schedcore/online/cluster_mris_dynamic.hpp"
#include "schedcore/online/mris.hpp"
#include "schedcore/online/mris_dynamic.hpp"
#include "schedcore/online/priority_queue.hpp"
#include "schedcore/online/tetris.hpp"
#include "schedcore/parallel_tasks/join_shortest_queue.hpp"
#include "schedcore/parallel_tasks/task_tetris_policy.hpp"

namespace schedcore::testing {

using PolicyMaker = std::function<std::unique_ptr<Policy>()>;

inline MrisOptions mris_options(bool opportunistic, bool replan, MrisPlacement placement = MrisPlacement::scan) {
  MrisOptions options;
  options.opportunistic = opportunistic;
  options.replan = replan;
  options.placement = placement;
  options.patience = 2;
  return options;
}

template <class Form>
PolicyMaker mris_maker(const MrisOptions& options) {
  return [options] { return std::make_unique<Form>(options); };
}

inline MrisOptions with_busy_periods(MrisOptions options) {
  options.origin_is_busy = true;
  return options;
}

inline const std::vector<std::pair<std::string, PolicyMaker>>& policy_makers() {
  static const std::vector<std::pair<std::string, PolicyMaker>> makers{
      {"pq", [] { return std::make_unique<PriorityQueuePolicy>(PriorityRule::wsvf); }},
      {"ca_pq", [] { return std::make_unique<PriorityQueuePolicy>(PriorityRule::wsjf, 1000.0); }},
      {"tetris", [] { return std::make_unique<TetrisPolicy>(TetrisMode::inverse, false); }},
      {"tetris_plus", [] { return std::make_unique<TetrisPolicy>(TetrisMode::plus, false); }},
      {"bf_exec", [] { return std::make_unique<BestFitExecutionPolicy>(false); }},
      {"mris", mris_maker<MrisPolicy>(mris_options(false, false))},
      {"mris_list", mris_maker<MrisPolicy>(mris_options(false, false, MrisPlacement::list))},
      {"mris_early", mris_maker<MrisPolicy>(mris_options(true, false, MrisPlacement::nobackfill))},
      {"mris_again", mris_maker<MrisPolicy>(mris_options(true, true))},
      {"mris_dynamic", mris_maker<MrisDynamicPolicy>(mris_options(false, false))},
      {"mris_dynamic_early", mris_maker<MrisDynamicPolicy>(mris_options(true, false))},
      {"mris_again_busy", mris_maker<MrisPolicy>(with_busy_periods(mris_options(true, true)))},
      {"mris_dynamic_busy", mris_maker<MrisDynamicPolicy>(with_busy_periods(mris_options(true, false)))},
      {"cluster_mris", mris_maker<ClusterMrisPolicy>(mris_options(true, true))},
      {"cluster_mris_busy", mris_maker<ClusterMrisPolicy>(with_busy_periods(mris_options(true, false)))},
      {"cluster_mris_dynamic", mris_maker<ClusterMrisDynamicPolicy>(mris_options(true, false))},
      {"jsq_mw", [] { return std::make_unique<JoinShortestQueuePolicy>(1.5); }},
      {"task_tetris", [] { return std::make_unique<TaskTetrisPolicy>(TaskTetrisScoring{}, 1.5); }},
  };
  return makers;
}

class SchedulerCaller {
 public:
  using Start = std::tuple<std::int64_t, std::int64_t, Time>;  // id, machine, start time
  static constexpr std::size_t kResources = 2;
  static constexpr Amount kCapacity = 16;

  SchedulerCaller(std::size_t n_machines, PolicyMaker maker)
      : heeds_placements_(maker()->heeds_placements()),
        scheduler_(std::vector<Amount>(n_machines * kResources, kCapacity), kResources,
                   [maker = std::move(maker)] { return SchedulerParts{maker()}; }),
        free_(n_machines * kResources, kCapacity) {}

  // Plays the bytes, one event after the other, then lets everything end.  Returns every decided start.  With
  // `through_snapshots` the scheduler is copied and written and read again, and every decision undone once before it stands.
  std::vector<Start> play(std::span<const std::uint8_t> bytes, bool through_snapshots) {
    bytes_ = bytes;
    undoes_decisions_ = through_snapshots;
    while (!bytes_.empty()) {
      if (through_snapshots) scheduler_.reborn();
      event();
      if (through_snapshots) wrong_calls();
    }
    for (int idle = 0; !waiting_.empty() || !running_.empty(); ++idle) {
      require(idle < 10000, "some job never starts");
      for (const auto& [id, machine] : running_) completing_.push_back(id);
      apply(completing_.empty() ? std::max(now_, wakeup_ < kNever ? wakeup_ : now_ + 1) : now_ + 1);
    }
    return history_;
  }

 private:
  std::uint8_t take() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }

  // One byte: how far time goes, how many jobs arrive; then a byte of completions and four bytes an arrival, or more where
  // the policy heeds where jobs may run.
  void event() {
    const std::uint8_t what = take();
    const Time now = now_ + 0.5 * (what % 8);
    const std::uint8_t ending = take();
    std::size_t position = 0;
    for (const auto& [id, machine] : running_) {
      if ((ending >> (position++ % 8) & 1) != 0) completing_.push_back(id);
    }
    for (int n = what / 8 % 4; n > 0; --n) {
      Time processing_time = 1 + 0.25 * (take() % 64);
      const double weight = 1 + take() % 16;
      std::vector<Amount> demand{take() % (kCapacity + 1), take() % (kCapacity + 1)};
      if (demand[0] + demand[1] == 0) demand[0] = 1;
      const JobsView job{{}, {&processing_time, 1}, {&weight, 1}, demand, kResources};
      std::vector<std::int64_t> ids;
      if (what >= 128) ids.push_back(next_id_ += 1 + what % 5);
      const Placed placed = heeds_placements_ ? take_placed() : Placed();
      if (!placed.time.empty()) processing_time = static_cast<Time>(*std::ranges::min_element(placed.time));
      const auto given = scheduler_->submit(job, {}, ids, now, placed.view());
      require(ids.empty() || given == ids, "submit renames a job");
      next_id_ = std::max(next_id_, given.front());
      waiting_[given.front()] = {std::move(demand), placed.machine};
    }
    apply(now);
  }

  // Where one job may run; nothing of it in most cases.
  struct Placed {
    static constexpr std::size_t kMost = 8;

    [[nodiscard]] PlacementsView view() const {
      if (machine.empty()) return {};
      return {start, machine, time, {local.data(), machine.size()}, group};
    }

    std::vector<std::int64_t> start, machine, time, group{0};
    std::array<bool, kMost> local{};
  };

  // A byte of machines, and for each of them one of its time and locality.
  Placed take_placed() {
    Placed placed;
    const std::uint8_t mask = take();
    const std::size_t n_machines = std::min(scheduler_.machines().machines.n_machines, Placed::kMost);
    if (mask < 64) return placed;
    for (std::size_t machine = 0; machine < n_machines; ++machine) {
      if ((mask >> machine & 1) == 0 && !(placed.machine.empty() && machine + 1 == n_machines)) continue;
      const std::uint8_t how = take();
      placed.local[placed.machine.size()] = how % 2 == 0;
      placed.machine.push_back(static_cast<std::int64_t>(machine));
      placed.time.push_back(1 + how / 2 % 16);
    }
    placed.start = {0, static_cast<std::int64_t>(placed.machine.size())};
    return placed;
  }

  void apply(Time now) {
    scheduler_->complete(completing_, now);
    for (const std::int64_t id : completing_) {
      const auto& [machine, demand] = running_.at(id);
      for (std::size_t r = 0; r < kResources; ++r) free_[machine * kResources + r] += demand[r];
      running_.erase(id);
    }
    completing_.clear();
    if (undoes_decisions_) scheduler_.undone_decision(now);
    const Decision decision = scheduler_->advance(now, nullptr);
    now_ = now;
    wakeup_ = decision.next_wakeup;
    require(wakeup_ > now, "the next wake-up lies in the past");
    for (const IdPlacement& start : decision.starts) {
      require(start.start_time == now, "a start is not now");
      const auto job = waiting_.find(start.id);
      require(job != waiting_.end(), "a job starts that does not wait");
      const auto machine = static_cast<std::size_t>(start.machine);
      auto& [demand, allowed] = job->second;
      require(allowed.empty() || std::ranges::find(allowed, start.machine) != allowed.end(),
              "a job starts on a machine that it may not use");
      for (std::size_t r = 0; r < kResources; ++r) {
        Amount& left = free_.at(machine * kResources + r);
        left -= demand[r];
        require(left >= 0, "a machine is overfull");
      }
      running_.insert({start.id, {machine, std::move(demand)}});
      waiting_.erase(job);
      history_.emplace_back(start.id, start.machine, start.start_time);
    }
    for (const IdPlacement& planned : decision.plan) {
      require(planned.start_time >= now, "a planned start lies in the past");
      const auto job = waiting_.find(planned.id);
      require(job != waiting_.end(), "a job is planned that does not wait");
      bool fits = true;
      for (std::size_t r = 0; r < kResources; ++r) {
        fits &= job->second.demand[r] <= free_.at(static_cast<std::size_t>(planned.machine) * kResources + r);
      }
      require(planned.start_time > now || !fits, "a planned job is due and fits, and waits");
    }
    require(scheduler_->n_running() == running_.size(), "n_running");
    require(scheduler_->n_waiting() == waiting_.size(), "n_waiting");
  }

  void wrong_calls() {
    const std::int64_t unknown = next_id_ + 1;
    scheduler_.refused([&] { scheduler_->complete(std::vector{unknown}, now_); });
    if (now_ > 0) scheduler_.refused([&] { static_cast<void>(scheduler_->advance(now_ - 0.25, nullptr)); });
    if (!running_.empty()) {
      const std::int64_t id = running_.begin()->first;
      scheduler_.refused([&] { scheduler_->complete(std::vector{id, id}, now_); });
    }
    if (waiting_.empty()) return;
    const std::int64_t id = waiting_.begin()->first;
    scheduler_.refused([&] { scheduler_->complete(std::vector{id}, now_); });
    const Time processing_time = 1;
    const double weight = 1;
    const std::vector<Amount> demand{1, 1};
    const JobsView job{{}, {&processing_time, 1}, {&weight, 1}, demand, kResources};
    scheduler_.refused([&] { static_cast<void>(scheduler_->submit(job, {}, std::vector{id}, now_)); });
  }

  struct RunningJob {
    std::size_t machine = 0;
    std::vector<Amount> demand;
  };

  struct WaitingJob {
    std::vector<Amount> demand;
    std::vector<std::int64_t> machines;  // that it may use; empty for all
  };

  bool heeds_placements_ = false;
  InterruptedScheduler scheduler_;
  std::vector<Amount> free_;
  std::map<std::int64_t, WaitingJob> waiting_;
  std::map<std::int64_t, RunningJob> running_;
  std::vector<std::int64_t> completing_;
  std::vector<Start> history_;
  std::span<const std::uint8_t> bytes_;
  bool undoes_decisions_ = false;
  Time now_ = 0;
  Time wakeup_ = kNever;
  std::int64_t next_id_ = -1;
};

}  // namespace schedcore::testing
