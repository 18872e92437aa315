// PRIORITY-QUEUE and COLLECT-ALL-PQ: at every event, waiting jobs in priority order start on the lowest machine with room.
//
// Source: Fan and Liang, ICPP 2024, sections 4 and 5.2.  One pass over the queue is enough, since a start never makes
// room, and visiting machine by machine gives the same schedule as visiting job by job; so an event costs one search of
// the waiting jobs for every start and one more for every machine with a completion.
#pragma once

#include <optional>

#include "schedcore/engine/policy.hpp"
#include "schedcore/index/waiting_index.hpp"
#include "schedcore/engine/machine_offers.hpp"

namespace schedcore {

class PriorityQueuePolicy final : public Policy {
 public:
  // Without `last_release_time` this is PQ; with it nothing starts before it (CA-PQ), and a later job is refused.
  explicit PriorityQueuePolicy(PriorityRule rule, std::optional<Time> last_release_time = {})
      : rule_(rule), collect_until_(last_release_time) {}

  [[nodiscard]] std::unique_ptr<Policy> clone() const override;
  void write(SnapshotWriter& archive) const override;
  void read(SnapshotReader& archive) override;
  void check_invariants() const override { waiting_.check_invariants(); }
  void attach(const MachinesView& machines) override;
  void check_job(const JobColumns& job, Time now) const override;
  [[nodiscard]] bool heeds_placements() const override { return true; }
  void decide(const Event& event, Turn& turn) override;
  [[nodiscard]] Time next_wakeup() const override;

 private:
  PriorityRule rule_;
  std::optional<Time> collect_until_;
  bool collecting_ = false;
  DemandScale scale_;
  WaitingIndex<ClassHeap> waiting_;
  MachineOffers offers_;
};

}  // namespace schedcore
