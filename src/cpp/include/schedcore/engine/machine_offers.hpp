// Which machines an event can matter to, in index order: those where a job completed and those with room for an arrival
// that may start.  A job that waited before the event may start on no other machine, so nothing else has to be looked
// at; where that does not hold (a bound has loosened, a plan is overdue) the policy asks for all machines.
//
// Of the arrivals that may use some machines only, a heap knows who fits on the next machine first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/engine/policy.hpp"

namespace schedcore {

// All jobs that wait since this event, in order of id: those that have arrived, were killed, or are held no longer.
inline void come_to_wait(const Event& event, const JobTable& jobs, std::vector<JobSlot>& slots) {
  slots.assign(event.arrived.begin(), event.arrived.end());
  for (const Completion& killed : event.killed) slots.push_back(killed.job);
  slots.insert(slots.end(), event.released.begin(), event.released.end());
  std::ranges::sort(slots, {}, [&](JobSlot job) { return jobs.id(job); });
}

class MachineOffers {
 public:
  // Calls offer(machine, only_fresh) in increasing order of the machines; offer starts what it wants there through `turn`
  // and returns whether every machine behind it has to be looked at, as `all` does from the first one on.  `fresh` are the
  // arrivals that may start: one that may not would lead to every machine with room for it, in vain.  Where nothing but
  // one of them can start, only_fresh is true.  O(R log M) a machine looked at beyond what offer costs; an arrival that may
  // use k machines only adds O(R) for each of them that has no room, and a logarithm for each that has.  Where all that
  // is more than looking at every machine for kMany arrivals, every machine is looked at.
  template <class Offer>
  void run(const Event& event, Turn& turn, bool all, const Offer& offer) {
    if (!event.is_disturbed()) {
      run(event.completed, event.arrived, turn, all, offer);
      return;
    }
    freed_.assign(event.completed.begin(), event.completed.end());
    freed_.insert(freed_.end(), event.killed.begin(), event.killed.end());
    freed_.insert(freed_.end(), event.cancelled.begin(), event.cancelled.end());
    for (const std::uint32_t machine : event.changed_machines) freed_.push_back({0, machine});
    come_to_wait(event, turn.jobs(), waits_since_now_);
    run(freed_, waits_since_now_, turn, all, offer);
  }
  // The same for an event that brings nothing else.
  template <class Offer>
  void run(std::span<const Completion> completed, std::span<const JobSlot> fresh, Turn& turn, bool all,
           const Offer& offer) {
    const std::size_t n_machines = turn.machines().n_machines();
    completed_.clear();
    for (const Completion& completion : completed) completed_.push_back(completion.machine);
    std::sort(completed_.begin(), completed_.end());
    fresh_.clear();
    restricted_.clear();
    if (!all && !fresh.empty()) all = !note_fresh(fresh, turn);
    auto next_completed = completed_.begin();
    for (std::size_t from = 0; from < n_machines;) {
      if (all) {
        offer(from++, false);
        continue;
      }
      while (next_completed != completed_.end() && *next_completed < from) ++next_completed;
      const std::size_t freed = next_completed == completed_.end() ? n_machines : *next_completed;
      const bool any_fresh = !fresh_.empty() || !restricted_.empty();
      const std::size_t machine = any_fresh ? std::min(freed, next_for_fresh(turn, from)) : freed;
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
    std::size_t next = 0;
    JobSlot job = 0;
  };
  static bool comes_later(const Restricted& a, const Restricted& b) { return a.next > b.next; }

  // Returns false, and remembers none, if they are too many to be tracked.
  bool note_fresh(std::span<const JobSlot> fresh, const Turn& turn) {
    const JobTable& jobs = turn.jobs();
    if (!jobs.any_placed()) {  // as below, without a look at each of them
      if (fresh.size() > kMany) return false;
      fresh_.insert(fresh_.end(), fresh.begin(), fresh.end());
      return true;
    }
    std::size_t left = kMany * turn.machines().n_machines();  // looks at a machine for an arrival
    for (const JobSlot job : fresh) {
      const Eligibility& eligibility = jobs.eligibility(job);
      const bool is_everywhere = eligibility.is_everywhere();
      const std::size_t n_looks = is_everywhere ? turn.machines().n_machines() : eligibility.machines().size();
      if (n_looks > left) {
        fresh_.clear();
        restricted_.clear();
        return false;
      }
      left -= n_looks;
      if (is_everywhere) {
        fresh_.push_back(job);
      } else {
        track({0, job}, 0, turn);
      }
    }
    return true;
  }

  // Puts it on the heap, unless it fits nowhere from machine `from` on.
  void track(Restricted arrival, std::size_t from, const Turn& turn) {
    const JobTable& jobs = turn.jobs();
    arrival.next = turn.machines().first_fit(jobs.demand(arrival.job), from, jobs.eligibility(arrival.job));
    if (arrival.next == kNoMachine) return;
    restricted_.push_back(arrival);
    std::push_heap(restricted_.begin(), restricted_.end(), comes_later);
  }

  // The first machine from `from` on that may have room for an arrival that has not started, or kNoMachine.  Machines
  // behind the one that was offered last are as they were before.
  std::size_t next_for_fresh(const Turn& turn, std::size_t from) {
    const std::size_t next = next_for_anywhere(turn, from);
    // Nobody starts on a machine before the first where it fits, because room only shrinks meanwhile.
    while (!restricted_.empty() && restricted_.front().next < from) {
      std::pop_heap(restricted_.begin(), restricted_.end(), comes_later);
      const Restricted first = restricted_.back();
      restricted_.pop_back();
      if (turn.jobs().state(first.job) != JobState::running) track(first, from, turn);
    }
    return restricted_.empty() ? next : std::min(next, restricted_.front().next);
  }

  // The same for those that may use every machine, by their least demands together.
  std::size_t next_for_anywhere(const Turn& turn, std::size_t from) {
    const JobTable& jobs = turn.jobs();
    std::erase_if(fresh_, [&](JobSlot job) { return jobs.state(job) == JobState::running; });
    if (fresh_.empty()) return kNoMachine;
    const auto first = jobs.demand(fresh_.front());
    if (fresh_.size() == 1) return turn.machines().first_fit(first, from);
    least_demand_.assign(first.begin(), first.end());
    for (const JobSlot job : fresh_) {
      const auto demand = jobs.demand(job);
      for (std::size_t r = 0; r < demand.size(); ++r) least_demand_[r] = std::min(least_demand_[r], demand[r]);
    }
    return turn.machines().first_fit(least_demand_, from);
  }

  // Scratch of one event, kept to save allocations; holds nothing between events.
  std::vector<Completion> freed_;         // on machines with room that was not there before
  std::vector<JobSlot> waits_since_now_;
  std::vector<std::uint32_t> completed_;
  std::vector<JobSlot> fresh_;  // that may use every machine
  std::vector<Restricted> restricted_;  // a heap, the next machine at the front
  std::vector<Amount> least_demand_;
};

}  // namespace schedcore
