#include "schedcore/parallel_tasks/join_shortest_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "parallel_tasks/task_makers.hpp"
#include "schedcore/parallel_tasks/task_simulation.hpp"

namespace schedcore {
namespace {

std::vector<TaskPiece> join_shortest_queue(const ParallelTasksView& tasks) {
  return simulate_tasks(tasks, std::make_unique<JoinShortestQueuePolicy>(tasks.remote_penalty), nullptr);
}

// The definition of the header, with plain lists and every queue searched from the front.
std::vector<TaskPiece> literal_policy(const PlainInstance& plain) {
  const std::size_t n_machines = plain.capacity.size();
  std::vector<std::vector<std::size_t>> local(n_machines);
  std::vector<std::size_t> remote;
  std::vector<TaskPiece> pieces;
  std::vector<bool> has_arrived(plain.release_time.size(), false);
  const auto free_at = [&](std::size_t i, Time now) {
    std::vector<Amount> free = plain.capacity[i];
    for (const TaskPiece& piece : pieces) {
      if (piece.machine != i || piece.end <= now) continue;
      for (std::size_t r = 0; r < free.size(); ++r) free[r] -= plain.tasks[piece.task].demand[r];
    }
    return free;
  };
  const auto start_one = [&](std::vector<std::size_t>& queue, std::size_t i, Time now) {
    const std::vector<Amount> free = free_at(i, now);
    for (std::size_t place = 0; place < queue.size(); ++place) {
      const PlainTask& task = plain.tasks[queue[place]];
      bool starts = task.time.contains(i);
      for (std::size_t r = 0; r < free.size(); ++r) starts = starts && task.demand[r] <= free[r];
      if (!starts) continue;
      pieces.push_back({queue[place], i, now, now + static_cast<Time>(task.time.at(i))});
      queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(place));
      return true;
    }
    return false;
  };
  for (Time now = 0; pieces.size() < plain.tasks.size(); ++now) {  // all times are integers
    for (std::size_t t = 0; t < plain.tasks.size(); ++t) {
      const PlainTask& task = plain.tasks[t];
      if (plain.release_time[task.job] != now) continue;
      std::vector<std::size_t>* shortest = nullptr;
      for (const std::size_t i : task.local) {
        if (shortest == nullptr || local[i].size() < shortest->size()) shortest = &local[i];
      }
      const bool has_remote = task.local.size() < task.time.size();
      if (has_remote && (shortest == nullptr || remote.size() < shortest->size())) shortest = &remote;
      shortest->push_back(t);
    }
    for (std::size_t i = 0; i < n_machines; ++i) {
      for (bool starts = true; starts;) {
        const bool prefers_local =
            plain.penalty * static_cast<double>(local[i].size()) >= static_cast<double>(remote.size());
        starts = prefers_local ? start_one(local[i], i, now) || start_one(remote, i, now)
                               : start_one(remote, i, now) || start_one(local[i], i, now);
      }
    }
  }
  return pieces;
}

TEST(JoinShortestQueue, ReproducesTheWorkedExample) {
  // Queues: Q_0 = {00, 02}, Q_R = {01}, Q_1 = {10, 11}.
  const std::vector<TaskPiece> expected = {{0, 0, 0, 2}, {3, 1, 0, 3}, {4, 1, 0, 2}, {2, 0, 2, 4}, {1, 1, 3, 9}};
  EXPECT_EQ(join_shortest_queue(columns_of(two_jobs_with_local_machines()).view()), expected);
}

TEST(JoinShortestQueue, ComparesLengthsWithThePenaltyExactly) {
  // 1.5 * 2 >= 3 is a tie and goes to the local queue; 1.5 - 2^-52 is less, though the product rounds to 3 - 2^-51.
  std::vector<PlainTask> tasks(5, PlainTask{0, {1}, {{0, 1}}, {0}});
  for (std::size_t t : {0u, 1u, 2u}) {
    tasks[t].local.clear();
    tasks[t].demand = {2};
  }
  PlainInstance plain{{1}, {0}, tasks, {{2}}, 1.5};
  EXPECT_EQ(join_shortest_queue(columns_of(plain).view()).front().task, 3u);
  plain.penalty = 1.5 - 0x1p-52;
  EXPECT_EQ(join_shortest_queue(columns_of(plain).view()).front().task, 0u);
}

TEST(JoinShortestQueue, EqualsTheLiteralPolicyOnRandomInstances) {
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    const PlainInstance plain = random_instance(random);
    ASSERT_EQ(join_shortest_queue(columns_of(plain).view()), literal_policy(plain)) << round;
  }
}

TEST(JoinShortestQueue, NeedsNoJobs) {
  EXPECT_TRUE(join_shortest_queue(columns_of({{}, {}, {}, {{1}}, 1}).view()).empty());
}

}  // namespace
}  // namespace schedcore
