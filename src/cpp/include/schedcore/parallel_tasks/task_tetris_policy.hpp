// Tetris for parallel tasks without preemption: as task_tetris.hpp says, but what has started runs to its end.
//
// At every event, machine by machine in the order of their index, the waiting tasks that may run there and fit are tried
// in the order of their score (task_tetris_scores.hpp) descending, then of their id; each one that still fits starts.
// Scores do not change within an event.  A running task that outlives its processing time has nothing left, in a score.
//
// An event looks at the machines on which a task has completed, and at those with room for what has just arrived, because
//     a task that waits after an event does not fit, then, on any machine that it may use: each machine was offered all
//     tasks that waited at its turn, what it refused did not fit, and the room on it only shrank during the rest of the
//     event.  Until something completes on a machine, it fits none of these tasks.
// Cost: for each of these machines a search for the classes of equal demands that fit (waiting_index.hpp), and the score of
// every task in them, times a logarithm.  If none fits, no score is computed; else the second terms cost
// O(unfinished jobs), because the sums behind them are kept up to date.  Memory O(R) a task.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "schedcore/engine/machine_offers.hpp"
#include "schedcore/engine/policy.hpp"
#include "schedcore/index/waiting_index.hpp"
#include "schedcore/parallel_tasks/task_tetris_scores.hpp"

namespace schedcore {

class TaskTetrisPolicy final : public Policy {
 public:
  TaskTetrisPolicy(const TaskTetrisScoring& scoring, double remote_penalty)
      : scoring_(scoring), remote_penalty_(remote_penalty) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override;
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void check_invariants() const override { waiting_.check_invariants(); }
  void attach(const MachinesView& machines) override;
  [[nodiscard]] bool heeds_placements() const override { return true; }
  void decide(const Event& event, Turn& turn) override;

 private:
  using Index = WaitingIndex<ClassHeap>;

  struct Candidate {
    double score = 0;
    std::int64_t id = 0;
    JobSlot task = 0;
    Index::Leaf leaf = 0;
  };
  // The order of a heap, whose top is the largest: by score, ties to the lower id.
  static bool comes_later(const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score < b.score : a.id > b.id;
  }

  void arrive(JobSlot task, const JobTable& jobs);
  void prepare_scores(Time now, const JobTable& jobs);
  // Starts what it can on the machine.
  void offer(std::size_t machine, Time now, Turn& turn);
  void collect(std::size_t machine, Time now, const Turn& turn);

  TaskTetrisScoring scoring_;
  double remote_penalty_;
  TaskTetrisScores scores_;
  Index waiting_;
  std::set<std::pair<Time, JobSlot>> ends_;  // of the running tasks that have something left
  MachineOffers offers_;

  // Scratch of one event.
  bool scores_are_ready_ = false;
  std::vector<Candidate> candidates_;
  std::vector<Index::Leaf> touched_;  // classes with jobs that have started
};

}  // namespace schedcore
