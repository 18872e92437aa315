// Which machines an event can matter to, in index order: those where a job completed and those with room for an arrival
// that may start.  A job that waited before the event may start on no other machine, so nothing else has to be looked
// at; where that does not hold (a bound has loosened, a plan is overdue) the policy asks for all machines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/engine/policy.hpp"

namespace schedcore {

class MachineOffers {
 public:
  // Calls offer(machine, only_fresh) in increasing order of the machines; offer starts what it wants there through `turn`
  // and returns whether every machine behind it has to be looked at, as `all` does from the first one on.  `fresh` are the
  // arrivals that may start: one that may not would lead to every machine with room for it, in vain.  Where nothing but
  // one of them can start, only_fresh is true.  O(R log M) a machine looked at beyond what offer costs; an arrival that may
  // use k machines only adds O(R) for each of them that has no room, once.
  template <class Offer>
  void run(std::span<const Completion> completed, std::span<const JobSlot> fresh, Turn& turn, bool all,
           const Offer& offer) {
    const std::size_t n_machines = turn.machines().n_machines();
    completed_.clear();
    for (const Completion& completion : completed) completed_.push_back(completion.machine);
    std::sort(completed_.begin(), completed_.end());
    all = all || fresh.size() > kMany;
    note_fresh(all ? std::span<const JobSlot>() : fresh, turn);
    auto next_completed = completed_.begin();
    for (std::size_t from = 0; from < n_machines;) {
      if (all) {
        offer(from++, false);
        continue;
      }
      while (next_completed != completed_.end() && *next_completed < from) ++next_completed;
      const std::size_t freed = next_completed == completed_.end() ? n_machines : *next_completed;
      const std::size_t machine = std::min(freed, next_for_fresh(turn, from));
      if (machine >= n_machines) return;
      all = offer(machine, machine != freed);
      from = machine + 1;
    }
  }

 private:
  // With more new arrivals than this, asking every machine is cheaper than tracking them.
  static constexpr std::size_t kMany = 64;

  // An arrival that may use some machines only, and the first of those that are still to come where it fits.
  struct Restricted {
    JobSlot job = 0;
    std::size_t next = 0;
  };

  void note_fresh(std::span<const JobSlot> fresh, const Turn& turn) {
    const JobTable& jobs = turn.jobs();
    fresh_.clear();
    restricted_.clear();
    for (const JobSlot job : fresh) {
      const Eligibility& eligibility = jobs.eligibility(job);
      if (eligibility.is_everywhere()) {
        fresh_.push_back(job);
      } else {
        restricted_.push_back({job, turn.machines().first_fit(jobs.demand(job), 0, eligibility)});
      }
    }
  }

  // The first machine from `from` on that may have room for an arrival that has not started, or kNoMachine.  Machines
  // behind the one that was offered last are as they were before.
  std::size_t next_for_fresh(const Turn& turn, std::size_t from) {
    const JobTable& jobs = turn.jobs();
    const MachineIndex& machines = turn.machines();
    std::size_t next = kNoMachine;
    if (drop_started(turn)) next = machines.first_fit(least_demand_, from);
    std::erase_if(restricted_, [&](const Restricted& each) { return jobs.state(each.job) == JobState::running; });
    for (Restricted& each : restricted_) {
      if (each.next < from) each.next = machines.first_fit(jobs.demand(each.job), from, jobs.eligibility(each.job));
      next = std::min(next, each.next);
    }
    return next;
  }

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
  std::vector<JobSlot> fresh_;  // that may use every machine
  std::vector<Restricted> restricted_;
  std::vector<Amount> least_demand_;
};

}  // namespace schedcore
