#include "schedcore/parallel_tasks/task_tetris.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "parallel_tasks/task_makers.hpp"
#include "schedcore/parallel_tasks/task_simulation.hpp"
#include "schedcore/parallel_tasks/task_tetris_policy.hpp"

namespace schedcore {
namespace {

std::vector<TaskPiece> task_tetris_nonpreemptive(const ParallelTasksView& tasks, const TaskTetrisScoring& scoring,
                                                 Monitor* monitor) {
  return simulate_tasks(tasks, std::make_unique<TaskTetrisPolicy>(scoring, tasks.remote_penalty), monitor);
}

bool by_time(const TaskPiece& a, const TaskPiece& b) {
  return std::tuple(a.start, a.task, a.machine) < std::tuple(b.start, b.task, b.machine);
}

// The definition of the header, unit step by unit step (all times are integers): at every event everything is summed,
// scored and sorted anew.
class LiteralTetris {
 public:
  LiteralTetris(const PlainInstance& plain, TaskTetrisScoring scoring, bool preempts)
      : plain_(plain), scoring_(scoring), preempts_(preempts), tasks_(plain.tasks.size()) {
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (const auto& [machine, time] : plain.tasks[t].time) least = std::min(least, time);
      tasks_[t].remaining = least;
    }
  }

  std::vector<TaskPiece> run() {
    for (std::int64_t now = 0; std::ranges::any_of(tasks_, [](const State& s) { return s.remaining > 0; }); ++now) {
      bool is_event = std::ranges::count(plain_.release_time, static_cast<Time>(now)) > 0;
      for (State& state : tasks_) {
        if (state.runs && --state.remaining == 0) {
          state.runs = false;
          is_event = true;
        }
      }
      if (is_event) decide(now);
      for (std::size_t t = 0; t < tasks_.size(); ++t) {
        if (tasks_[t].runs) extend_piece(t, static_cast<Time>(now));
      }
    }
    std::ranges::sort(pieces_, by_time);
    return pieces_;
  }

 private:
  struct State {
    std::int64_t remaining = 0;
    std::size_t machine = kNoMachine;
    bool runs = false;
  };

  void extend_piece(std::size_t t, Time now) {
    for (TaskPiece& piece : pieces_) {
      if (piece.task == t && piece.end == now) {
        piece.end = now + 1;
        return;
      }
    }
    pieces_.push_back({t, tasks_[t].machine, now, now + 1});
  }
  [[nodiscard]] bool is_active(std::size_t t, std::int64_t now) const {
    return tasks_[t].remaining > 0 && plain_.release_time[plain_.tasks[t].job] <= static_cast<Time>(now);
  }
  void decide(std::int64_t now) {
    const std::size_t n_resources = plain_.capacity[0].size();
    std::vector<double> largest(n_resources, 0);
    for (const auto& row : plain_.capacity) {
      for (std::size_t r = 0; r < n_resources; ++r) largest[r] = std::max(largest[r], static_cast<double>(row[r]));
    }
    std::vector<std::vector<Amount>> volume(plain_.weight.size(), std::vector<Amount>(n_resources, 0));
    std::vector<Amount> total_volume(n_resources, 0), total_demand(n_resources, 0);
    double n_tasks = 0, n_jobs = 0;
    std::vector<bool> counted(plain_.weight.size(), false);
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      if (!is_active(t, now)) continue;
      const std::size_t job = plain_.tasks[t].job;
      for (std::size_t r = 0; r < n_resources; ++r) {
        volume[job][r] += plain_.tasks[t].demand[r] * tasks_[t].remaining;
        total_volume[r] += plain_.tasks[t].demand[r] * tasks_[t].remaining;
        total_demand[r] += plain_.tasks[t].demand[r];
      }
      ++n_tasks;
      if (!counted[job]) ++n_jobs;
      counted[job] = true;
    }
    double mean_size = 0, mean_volume = 0;
    for (std::size_t r = 0; r < n_resources; ++r) {
      mean_size += static_cast<double>(total_demand[r]) / (largest[r] * n_tasks);
      mean_volume += static_cast<double>(total_volume[r]) / (largest[r] * n_jobs);
    }
    const auto score = [&](std::size_t t, std::size_t i) {
      const PlainTask& task = plain_.tasks[t];
      double fit = 0, left = 0;
      for (std::size_t r = 0; r < n_resources; ++r) {
        fit += static_cast<double>(task.demand[r]) / static_cast<double>(plain_.capacity[i][r]);
        left += static_cast<double>(volume[task.job][r]) / largest[r];
      }
      const double second = scoring_.is_balanced ? mean_size * mean_volume / left : 1 / (scoring_.e * left);
      const double sum = plain_.weight[task.job] * (fit + second);
      if (std::ranges::count(task.local, i) > 0) return sum;
      return scoring_.divides_by_penalty ? sum / plain_.penalty : sum * 0.9;
    };
    if (preempts_) {
      for (State& state : tasks_) state.runs = false;
    }
    for (std::size_t i = 0; i < plain_.capacity.size(); ++i) {
      std::vector<Amount> free = plain_.capacity[i];
      std::vector<std::pair<double, std::size_t>> candidates;
      for (std::size_t t = 0; t < tasks_.size(); ++t) {
        const bool runs_here = tasks_[t].runs && tasks_[t].machine == i;
        for (std::size_t r = 0; runs_here && r < n_resources; ++r) free[r] -= plain_.tasks[t].demand[r];
        const bool may_run = plain_.tasks[t].time.contains(i) &&
                             (tasks_[t].machine == kNoMachine || tasks_[t].machine == i);
        if (is_active(t, now) && !tasks_[t].runs && may_run) candidates.push_back({-score(t, i), t});
      }
      std::ranges::sort(candidates);
      for (const auto& [key, t] : candidates) {
        const auto& demand = plain_.tasks[t].demand;
        bool starts = true;
        for (std::size_t r = 0; r < n_resources; ++r) starts = starts && demand[r] <= free[r];
        if (!starts) continue;
        for (std::size_t r = 0; r < n_resources; ++r) free[r] -= demand[r];
        if (tasks_[t].machine == kNoMachine) tasks_[t].remaining = plain_.tasks[t].time.at(i);
        tasks_[t].machine = i;
        tasks_[t].runs = true;
      }
    }
  }

  PlainInstance plain_;
  TaskTetrisScoring scoring_;
  bool preempts_;
  std::vector<State> tasks_;
  std::vector<TaskPiece> pieces_;
};

std::vector<TaskPiece> sorted(std::vector<TaskPiece> pieces) {
  std::ranges::sort(pieces, by_time);
  return pieces;
}

TEST(TaskTetris, ReproducesTheExampleOnOneMachine) {
  // Scores at time 0: 23.9, 11.5, 10.3, 1.5.
  const PlainInstance plain{{40, 12, 8, 1},
                            {0, 0, 0, 0},
                            {{0, {4}, {{0, 10}}, {0}},
                             {1, {3}, {{0, 4}}, {0}},
                             {2, {8}, {{0, 2}}, {0}},
                             {3, {2}, {{0, 3}}, {0}}},
                            {{10}},
                            1};
  const ParallelTaskMaker columns = columns_of(plain);
  const std::vector<TaskPiece> expected = {{0, 0, 0, 10}, {1, 0, 0, 4}, {3, 0, 0, 3}, {2, 0, 10, 12}};
  EXPECT_EQ(sorted(task_tetris_preemptive(columns.view(), {}, nullptr)), expected);
  EXPECT_EQ(sorted(task_tetris_nonpreemptive(columns.view(), {}, nullptr)), expected);
}

TEST(TaskTetris, ReproducesTheExampleWithPlacement) {
  const ParallelTaskMaker columns = columns_of(two_jobs_with_local_machines());
  const std::vector<TaskPiece> expected = {{0, 0, 0, 2}, {2, 1, 0, 4}, {3, 1, 0, 3}, {4, 0, 0, 4}, {1, 0, 2, 5}};
  EXPECT_EQ(sorted(task_tetris_nonpreemptive(columns.view(), {}, nullptr)), expected);
}

TEST(TaskTetris, EqualsTheLiteralPolicyOnRandomInstances) {
  std::mt19937 random(7);
  int n_interrupted = 0;
  for (int round = 0; round < 3000; ++round) {
    const PlainInstance plain = random_instance(random);
    const ParallelTaskMaker columns = columns_of(plain);
    const TaskTetrisScoring scoring{round % 3 != 0, 0.25 * (1 + round % 7), round % 2 == 0};
    const auto preemptive = sorted(task_tetris_preemptive(columns.view(), scoring, nullptr));
    ASSERT_EQ(preemptive, LiteralTetris(plain, scoring, true).run()) << round;
    n_interrupted += preemptive.size() > plain.tasks.size() ? 1 : 0;
    ASSERT_EQ(sorted(task_tetris_nonpreemptive(columns.view(), scoring, nullptr)),
              LiteralTetris(plain, scoring, false).run())
        << round;
  }
  EXPECT_GT(n_interrupted, 300);
}

TEST(TaskTetris, SchedulesArrivalsAtQuartersAsWithAllTimesFourfold) {
  std::mt19937 random(8);
  for (int round = 0; round < 500; ++round) {
    PlainInstance quarters = random_instance(random);
    PlainInstance whole = quarters;
    for (Time& time : quarters.release_time) time /= 4;
    for (PlainTask& task : whole.tasks) {
      for (auto& [machine, time] : task.time) time *= 4;
    }
    for (const bool preempts : {true, false}) {
      const auto policy = preempts ? task_tetris_preemptive : task_tetris_nonpreemptive;
      auto pieces = sorted(policy(columns_of(quarters).view(), {}, nullptr));
      for (TaskPiece& piece : pieces) {
        piece.start *= 4;
        piece.end *= 4;
      }
      ASSERT_EQ(pieces, LiteralTetris(whole, {}, preempts).run()) << round;
    }
  }
}

TEST(TaskTetris, RunsOnAtAnEventThatDoesNotInterruptIt) {
  // 0.7 - 0.3 rounds, and a completion computed anew at 0.7 would differ from 0.3 + 1.
  const PlainInstance plain{{1, 1}, {0.3, 0.7}, {{0, {1}, {{0, 1}}, {0}}, {1, {1}, {{0, 1}}, {0}}}, {{2}}, 1};
  const std::vector<TaskPiece> expected = {{0, 0, 0.3, 0.3 + 1.0}, {1, 0, 0.7, 0.7 + 1.0}};
  EXPECT_EQ(sorted(task_tetris_preemptive(columns_of(plain).view(), {}, nullptr)), expected);
}

TEST(TaskTetris, NeedsNoJobs) {
  const ParallelTaskMaker columns = columns_of({{}, {}, {}, {{1}}, 1});
  EXPECT_TRUE(task_tetris_preemptive(columns.view(), {}, nullptr).empty());
  EXPECT_TRUE(task_tetris_nonpreemptive(columns.view(), {}, nullptr).empty());
}

}  // namespace
}  // namespace schedcore
