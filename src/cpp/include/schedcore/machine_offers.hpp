// Which machines an event can matter to, in index order: those where a job completed and those with room for a new
// arrival.  A job that waited before the event fits on no other machine, so nothing else has to be looked at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedcore/policy.hpp"

namespace schedcore {

class MachineOffers {
 public:
  // Calls offer(machine) in increasing order; offer starts what it wants on that machine through `turn`.
  // `all` looks at every machine.  O(R log M) a machine looked at beyond what offer costs.
  template <class Offer>
  void run(const Event& event, Turn& turn, bool all, const Offer& offer) {
    const std::size_t n_machines = turn.machines().n_machines();
    if (all || event.arrived.size() > kMany) {
      for (std::size_t machine = 0; machine < n_machines; ++machine) offer(machine);
      return;
    }
    completed_.clear();
    for (const Completion& completion : event.completed) completed_.push_back(completion.machine);
    std::sort(completed_.begin(), completed_.end());
    fresh_.assign(event.arrived.begin(), event.arrived.end());
    auto next_completed = completed_.begin();
    for (std::size_t from = 0; from < n_machines;) {
      while (next_completed != completed_.end() && *next_completed < from) ++next_completed;
      std::size_t machine = next_completed == completed_.end() ? n_machines : *next_completed;
      if (drop_started(turn)) machine = std::min(machine, turn.machines().first_fit(least_demand_, from));
      if (machine >= n_machines) return;
      offer(machine);
      from = machine + 1;
    }
  }

 private:
  // With more new arrivals than this, asking every machine is cheaper than tracking them.
  static constexpr std::size_t kMany = 64;

  // Forgets arrivals that have started and takes the minima of the rest; false if none is left.
  bool drop_started(const Turn& turn) {
    const JobTable& jobs = turn.jobs();
    std::erase_if(fresh_, [&](JobSlot job) { return jobs.state(job) == JobState::running; });
    if (fresh_.empty()) return false;
    const auto first = jobs.demand(fresh_.front());
    least_demand_.assign(first.begin(), first.end());
    for (const JobSlot job : fresh_) {
      const auto demand = jobs.demand(job);
      for (std::size_t r = 0; r < demand.size(); ++r) least_demand_[r] = std::min(least_demand_[r], demand[r]);
    }
    return true;
  }

  // Scratch of one event, kept to save allocations; holds nothing between events.
  std::vector<std::uint32_t> completed_;
  std::vector<JobSlot> fresh_;
  std::vector<Amount> least_demand_;
};

}  // namespace schedcore
