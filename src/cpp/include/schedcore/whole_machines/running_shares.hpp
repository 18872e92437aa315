// What running jobs hold of every machine, and how that becomes free as they end.
//
// `RunningShares` is the present.  A `Release` takes runs away group by group: the first group ends a width of 30 s behind
// the first end, rounded up, that touches the machines in question, and every further one is as much wider as the runs ahead
// make it.  So the further one looks ahead, the fewer instants there are.  A Release costs O(n) once and O(size) for each
// run that it takes away; nothing is summed up anew from group to group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedcore/whole_machines/cycle_columns.hpp"
#include "schedcore/whole_machines/machine_set.hpp"

namespace schedcore {

// Of one machine.
struct HeldShare {
  std::uint32_t machine = 0;
  std::int64_t processors = 0;
  std::int64_t memory = 0;
};

class RunningShares {
 public:
  RunningShares(std::size_t n_machines, const CycleRuns& runs);

  // It runs from now on.
  void start(Seconds end, std::span<const HeldShare> shares);

  [[nodiscard]] std::span<const std::int64_t> processors() const { return processors_; }
  [[nodiscard]] std::span<const std::int64_t> memory() const { return memory_; }

 private:
  friend class Release;
  struct Run {
    Seconds end = 0;
    Seconds likely_end = 0;
    std::size_t first = 0;  // share
    std::size_t last = 0;   // the one behind
  };

  std::vector<Run> runs_;  // by end; equal ones as they came
  std::vector<HeldShare> shares_;
  std::vector<std::int64_t> processors_;  // of each machine, by all runs
  std::vector<std::int64_t> memory_;
};

class Release {
 public:
  // The running shares and the machines in question outlive it.
  Release(const RunningShares& running, const MachineSet& machines, Seconds growth);

  // The last run of a group.
  struct Last {
    Seconds end = 0;  // ascending from group to group, and never above likely_end
    Seconds likely_end = 0;
  };

  // Takes away the next group.  Nothing if no run was left that touches the machines.
  std::optional<Last> next_group();
  // Of each machine in question, by the runs that are left; of others it means nothing.
  [[nodiscard]] std::span<const std::int64_t> processors() const { return processors_; }
  [[nodiscard]] std::span<const std::int64_t> memory() const { return memory_; }

 private:
  [[nodiscard]] bool touches(const RunningShares::Run& run) const;
  void widen(Seconds end);

  static constexpr Seconds kFirstWidth = 30;

  const RunningShares& running_;
  const MachineSet& machines_;
  Seconds growth_;
  std::size_t next_ = 0;  // run
  std::optional<Seconds> base_;
  Seconds width_ = kFirstWidth;
  std::vector<std::int64_t> processors_;
  std::vector<std::int64_t> memory_;
};

}  // namespace schedcore
