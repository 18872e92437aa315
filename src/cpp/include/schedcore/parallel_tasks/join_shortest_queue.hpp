// JSQ-MW: tasks join the shortest queue, machines serve the queue of the largest weight ([Shafiee2020], baselines).
//
// Every machine i has a queue Q_i of tasks that are local to it; one queue Q_R holds tasks for other than their local
// machines.  The length of a queue is the number of tasks that wait in it.  Its order is that of the arrivals, and of the
// ids where tasks arrive at one instant, be it in several events.  Equal instants are one event:
//   arrivals    in order of id: a task joins the shortest among the queues of its local machines and, if it may run on a
//               machine that is not local, Q_R; ties: local first, then lowest index;
//   service     machines in the order of their index, each as often as it can: it prefers Q_i if
//               penalty * |Q_i| >= |Q_R|, otherwise Q_R, and starts the first task of the preferred queue that may run
//               on it and fits; if there is none, of the other queue.  Tasks run to their end.  Weights do not count.
// Completions free their amounts first.  All comparisons are exact, penalty * |Q_i| with its rounding error included.
//
// What a machine has refused still does not fit until something completes on it, because its room only shrinks in
// between.  So an event looks at the machines on which something completed, and at those where a new task fits.
// Cost: O(local machines) to route a task, and two searches of a WaitingIndex for each start and each machine looked at.
// Memory O(M + n R) for n waiting tasks; the queue of a machine takes some kilobytes while something waits in it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "schedcore/engine/machine_offers.hpp"
#include "schedcore/engine/policy.hpp"
#include "schedcore/index/waiting_index.hpp"

namespace schedcore {

class JoinShortestQueuePolicy final : public Policy {
 public:
  // `remote_penalty` is at least 1.
  explicit JoinShortestQueuePolicy(double remote_penalty) : remote_penalty_(remote_penalty) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override;
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void check_invariants() const override;
  void attach(const MachinesView& machines) override;
  [[nodiscard]] bool heeds_placements() const override { return true; }
  void decide(const Event& event, Turn& turn) override;

 private:
  using Queue = WaitingIndex<ClassHeap>;

  [[nodiscard]] std::size_t n_machines() const { return local_.size(); }
  // Where a task is queued: the number of a machine, or n_machines() for Q_R.
  [[nodiscard]] std::size_t shortest_queue(JobSlot task, const JobTable& jobs) const;
  [[nodiscard]] std::size_t length(std::size_t machine) const { return local_[machine] ? local_[machine]->size() : 0; }
  void push(JobSlot task, std::size_t queue, const JobTable& jobs);
  void route(std::span<const JobSlot> arrived, const Turn& turn);
  void put_away(std::size_t machine);
  void serve(std::size_t machine, Turn& turn);
  [[nodiscard]] bool start_one(Queue& queue, std::size_t machine, Turn& turn);

  static constexpr std::size_t kSpare = 64;

  double remote_penalty_;
  std::size_t n_resources_ = 0;
  std::vector<std::optional<Queue>> local_;  // of each machine; none where nothing waits
  std::vector<Queue> spare_;                 // emptied queues for those to come; a few
  std::optional<Queue> remote_;
  std::vector<std::size_t> queue_of_;  // of each waiting task, by slot
  MachineOffers offers_;

  // Scratch of one event: where completions or new local tasks make a start possible, and the new tasks of Q_R.
  std::vector<Completion> touched_;
  std::vector<JobSlot> fresh_;
};

}  // namespace schedcore
