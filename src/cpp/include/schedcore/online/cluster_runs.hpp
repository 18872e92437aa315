// What runs on a cluster and until when by what it says, and what is free over time beside that, outages, failures and
// whatever else its user reserves: the ground that plans for jobs of one task stand on.
//
// One ResourceTimeline a machine.  An outage, or a failure from now on without end, takes the whole machine; what jobs hold
// there meanwhile makes amounts negative, and nothing fits.  A job that outlives what it says is expected to take as long
// again from the first event on that shows it.
//
// Cost: R log k a job and change; has_place O(1) while no machine is down and no outage is without end, else a look at
// every machine that the job may use.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "schedcore/engine/cluster.hpp"
#include "schedcore/engine/policy.hpp"
#include "schedcore/index/resource_timeline.hpp"

namespace schedcore {

class ClusterRuns {
 public:
  ClusterRuns() = default;
  explicit ClusterRuns(const MachinesView& machines);

  [[nodiscard]] std::span<const Amount> capacity_of(std::size_t machine) const {
    return {capacity_.data() + machine * n_resources_, n_resources_};
  }
  // To be told the instant of every event first.
  void pass_to(Time now) { now_ = now; }
  // A job starts now; its place in the timeline is taken until then.
  void begin(JobSlot job, Time end);
  // A job runs already.
  void adopt(JobSlot job, const JobTable& jobs);
  // Its run is over; what was taken of the timeline beyond now is free.  Returns whether it ended before it said.
  bool end(JobSlot job, const JobTable& jobs);
  // A running job says another end than before, which is after now.
  void reschedule(JobSlot job, const JobTable& jobs);
  // Gives those that should have ended their estimates once more: the old ones to those that are to be rescheduled after this.
  void extend_overruns(const JobTable& jobs, std::span<const Rescheduled> not_yet = {});
  // The machine has failed, come back, or has other outages than before.
  void take_up_machine(std::uint32_t machine, const Availability& availability);

  // What lies before now counts as over; `to` may be kNever.
  void occupy(std::uint32_t machine, Time from, Time to, std::span<const Amount> demand) {
    change(machine, from, to, demand, true);
  }
  void vacate(std::uint32_t machine, Time from, Time to, std::span<const Amount> demand) {
    change(machine, from, to, demand, false);
  }

  [[nodiscard]] std::vector<ResourceTimeline>& timelines() { return timelines_; }
  [[nodiscard]] const std::vector<ResourceTimeline>& timelines() const { return timelines_; }
  // Of running jobs, as it is expected now.
  [[nodiscard]] std::size_t n_running() const { return ends_.size(); }
  [[nodiscard]] Time latest_end() const { return ends_.empty() ? 0 : ends_.rbegin()->first; }
  // What the running jobs have said at their start; 0 if none runs.
  [[nodiscard]] Time latest_promise() const { return promises_.empty() ? 0 : promises_.rbegin()->first; }
  // Whether there is an instant at which the job fits, by what is known and reserved now.
  [[nodiscard]] bool has_place(JobSlot job, const JobTable& jobs, const Availability& availability) const;

  // Of running jobs, in a cluster where nothing is known yet: those that are late are extended with the next event.
  void take_over(const Cluster& cluster);
  // When the running jobs are expected to end.
  void write(SnapshotWriter& archive) const;
  void read(SnapshotReader& archive);

 private:
  void change(std::uint32_t machine, Time from, Time to, std::span<const Amount> demand, bool takes);
  void insert(JobSlot job, Time end, Time promise);
  void take_up_availability(const Cluster& cluster);

  std::size_t n_resources_ = 0;
  Time now_ = 0;
  std::vector<Amount> capacity_;  // row-major
  std::vector<ResourceTimeline> timelines_;
  std::vector<std::vector<Taken>> taken_;  // by machine: what the timeline shows of outages, failures and reservations
  std::size_t n_down_ = 0;
  std::vector<bool> is_down_;
  std::set<std::pair<Time, JobSlot>> ends_;      // of the running jobs
  std::set<std::pair<Time, JobSlot>> promises_;  // of the running jobs, as they were at their start
  std::vector<Time> end_;                        // by slot; kNever for those that do not run
  std::vector<Time> promise_;                    // by slot
};

}  // namespace schedcore
