// The event-driven core of every online non-preemptive policy: one event at a time, in simulation and embedded.
//
// `advance(now, ...)` applies all completions of the instant, then all arrivals, starts the planned jobs that are due
// and fit (in plan order), lets the policy decide once, and starts what the policy planned for this very instant.
// It reports the starts in the order in which they were made.  `next_wakeup()` is the next instant at which something
// may start without an arrival or completion.
//
// A planned start that does not fit when it is due (a job outlived its processing time) waits, in plan order, for
// the first instant at which it fits.  A job that ends early frees its resources at once, and the plan stays.
// The event itself costs O(R log M) a job and, for planning policies, O(R log k) for the timeline; the policy's own cost
// comes on top.  Copyable; a snapshot holds everything that cannot be derived, the policy's state included.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "schedcore/engine/job_set.hpp"
#include "schedcore/engine/policy.hpp"

namespace schedcore {

class Engine {
 public:
  Engine(const MachinesView& machines, std::unique_ptr<Policy> policy);
  Engine(const Engine& other);
  Engine& operator=(const Engine&) = delete;
  Engine(Engine&&) noexcept = default;
  ~Engine() = default;

  [[nodiscard]] JobTable& jobs() { return jobs_; }
  [[nodiscard]] const JobTable& jobs() const { return jobs_; }
  [[nodiscard]] const MachineIndex& machines() const { return machines_; }
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] const Policy& policy() const { return *policy_; }
  [[nodiscard]] Policy& policy() { return *policy_; }

  // `completed` and `arrived` list slots in order of increasing id; `starts` receives what starts now.
  void advance(Time now, std::span<const JobSlot> completed, std::span<const JobSlot> arrived,
               std::vector<Placement>& starts);
  [[nodiscard]] Time next_wakeup() const;
  // Planned jobs that have not started, in plan order (planned start, then order of planning).
  [[nodiscard]] std::vector<Placement> planned() const;

  // Watches the computation from now on; `total` is the number of jobs to start.
  void watch(Monitor* monitor, std::uint64_t total) {
    monitor_ = monitor;
    total_ = total;
  }
  void poll() {
    if (monitor_ != nullptr) monitor_->poll(n_started_, total_);
  }

  // A snapshot between events (engine_snapshot.cpp): the jobs, who runs where and the plan, then what the policy remembers.
  // Reading is for an engine that has seen no event; free amounts, timelines and indexes are built again.  Whatever the
  // bytes, they are read as a state that keeps every invariant, or are an InvalidInstanceError.
  void write(SnapshotWriter& archive) const;
  void read(SnapshotReader& archive);

  // Throws std::logic_error unless free amounts, timelines and the policy's indexes are those of `other`, which was read
  // from a snapshot of this engine, and every structure keeps its own invariants.
  void check_against(const Engine& other) const;

 private:
  friend class Turn;
  struct PlanEntry {
    Time start_time = 0;
    std::uint64_t order = 0;
    JobSlot job = 0;
    friend bool operator<(const PlanEntry& a, const PlanEntry& b) {
      return std::tie(a.start_time, a.order) < std::tie(b.start_time, b.order);
    }
  };

  [[nodiscard]] Cluster cluster() const;
  [[nodiscard]] std::vector<RunningJob> running() const;
  void read_jobs(SnapshotReader& archive);
  void complete(JobSlot job);
  void start(JobSlot job, std::size_t machine);
  void start_due();
  void plan(const Placement& placement);
  void unplan(JobSlot job);
  [[nodiscard]] bool has_overdue() const { return !plan_.empty() && plan_.begin()->start_time < now_; }

  std::size_t n_resources_ = 0;
  Time now_ = 0;
  std::uint64_t n_started_ = 0;
  JobTable jobs_;
  MachineIndex machines_;
  std::vector<std::uint32_t> preference_;  // all machines, the preferred ones first
  JobSet running_;
  std::vector<ResourceTimeline> timelines_;  // empty unless the policy plans
  std::set<PlanEntry> plan_;
  std::uint64_t plan_counter_ = 0;
  std::unique_ptr<Policy> policy_;

  // Invariant, which reading a snapshot builds on: from now_ on a timeline shows every running and every planned job on
  // [start, start + processing_time), and nothing else.

  // Of the event under way; between events they point to what may be gone.  The event is kept, because only three of its
  // fields differ from one to the next.
  Event event_;
  std::vector<Placement>* starts_ = nullptr;
  std::vector<Completion> completions_;

  Monitor* monitor_ = nullptr;
  std::uint64_t total_ = 0;
};

}  // namespace schedcore
