// The waiting jobs that may overtake, and the scan that starts them: on the machines given, while a job fits and ends in
// time, the one that the selection prefers starts.
//
// When a job must end depends on its demand and machine alone: the caller's `latest_end(machine, demand)`, kNever where
// any end will do, and after a start on one machine it may change there only.  First fit then gives the same schedule
// machine by machine as job by job, and a scored selection asks again only for machines that changed or lost their best.
//
// Jobs of equal demand that may use the same machines are a class; of each the first in queue order (where estimates
// count: the one with the least) that ends in time is the candidate.  Cost of a start: one search of the classes that fit
// (see waiting_index.hpp), with O(K) and `latest_end` for each of them under a scored selection, and O(n) for a class of n
// jobs that score 0 whatever their estimates; over several machines O(M) more.  A job overtakes on machines that it may
// use; where all may use all of them that costs nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "schedcore/backfilling/selection.hpp"
#include "schedcore/engine/policy.hpp"
#include "schedcore/index/waiting_index.hpp"

namespace schedcore {

class BackfillScan {
 public:
  BackfillScan() = default;
  BackfillScan(const MachinesView& machines, Selection selection)
      : selection_(selection), scores_(machines, selection), waiting_(machines.n_resources) {}

  // Where the queue is in an order of keys: of every job, before it is inserted.
  void set_place(JobSlot job, const Priority& place) {
    if (job >= places_.size()) places_.resize(job + std::size_t{1});
    places_[job] = place;
  }
  void insert(JobSlot job, const JobTable& jobs) {
    waiting_.push({order(job, jobs), job}, jobs.demand(job), jobs.processing_time(job), jobs.eligibility(job));
  }
  void erase(JobSlot job, const JobTable& jobs) {
    waiting_.erase(waiting_.leaf_of(jobs.demand(job), jobs.eligibility(job)), order(job, jobs));
  }
  void check_invariants() const { waiting_.check_invariants(); }
  // Whether some job fits that may use the machine, whenever it ends.
  [[nodiscard]] bool any_fits(std::span<const Amount> free, std::size_t machine) const {
    return waiting_.any_fits(free, machine);
  }

  // Lets jobs overtake: start(job, machine) is called, and must start the job there, for one job after another, and they
  // leave the scan.  `machines` are those with room that was not there when the scan last ended, in increasing order;
  // `fresh` are jobs to be added, in queue order and behind all others.  `planned_end(end)` is when a job that ends at
  // `end` counts as ended; it must not decrease in `end`.
  template <class PlannedEnd, class LatestEnd, class Start>
  void overtake(std::vector<std::uint32_t>& machines, std::span<const JobSlot> fresh, Time now, Turn& turn,
                const PlannedEnd& planned_end, const LatestEnd& latest_end, const Start& start) {
    const JobTable& jobs = turn.jobs();
    if (selection_.rule != SelectionRule::first_fit) {
      add_machines_with_room(fresh, turn, machines);
      for (const JobSlot job : fresh) {
        insert(job, jobs);
        step(turn);
      }
      run_scored(machines, now, turn, planned_end, latest_end, start);
      return;
    }
    run_in_order(machines, now, turn, planned_end, latest_end, start);
    for (const JobSlot job : fresh) {
      const auto demand = jobs.demand(job);
      const Time end = planned_end(now + jobs.processing_time(job));
      const Eligibility& eligibility = jobs.eligibility(job);
      std::size_t machine = turn.machines().first_fit(demand, 0, eligibility);
      while (machine != kNoMachine && end > latest_end(static_cast<std::uint32_t>(machine), demand)) {
        machine = turn.machines().first_fit(demand, machine + 1, eligibility);
      }
      if (machine == kNoMachine) {
        insert(job, jobs);
      } else {
        start(job, static_cast<std::uint32_t>(machine));
      }
      step(turn);
    }
  }

  // Machines that may have room for one of these jobs come to the others, in increasing order.
  static void add_machines_with_room(std::span<const JobSlot> fresh, const Turn& turn,
                                     std::vector<std::uint32_t>& machines) {
    if (fresh.empty()) return;
    const auto first = turn.jobs().demand(fresh.front());
    std::vector<Amount> least(first.begin(), first.end());
    for (const JobSlot job : fresh) {
      const auto demand = turn.jobs().demand(job);
      for (std::size_t k = 0; k < least.size(); ++k) least[k] = std::min(least[k], demand[k]);
    }
    for (std::size_t machine = turn.machines().first_fit(least); machine != kNoMachine;
         machine = turn.machines().first_fit(least, machine + 1)) {
      machines.push_back(static_cast<std::uint32_t>(machine));
    }
    std::sort(machines.begin(), machines.end());
    machines.erase(std::unique(machines.begin(), machines.end()), machines.end());
  }

  // What `overtake` does under a scored selection with jobs that are in the scan, wherever in the queue they stand.
  template <class PlannedEnd, class LatestEnd, class Start>
  void run_scored(std::span<const std::uint32_t> machines, Time now, Turn& turn, const PlannedEnd& planned_end,
                  const LatestEnd& latest_end, const Start& start) {
    run_scored(machines, now, turn, planned_end, latest_end, [](JobSlot /*job*/) { return true; }, start);
  }

  // The same for these jobs, which stand in the queue in this order, on all machines; the scan is empty before and after.
  // `may_still(job)` is asked before a job starts: one that other starts keep from it waits on, whatever follows.
  template <class PlannedEnd, class LatestEnd, class MayStill, class Start>
  void run_once(std::span<const JobSlot> in_order, Time now, Turn& turn, const PlannedEnd& planned_end,
                const LatestEnd& latest_end, const MayStill& may_still, const Start& start) {
    std::vector<std::uint32_t> machines;
    add_machines_with_room(in_order, turn, machines);
    std::vector<bool> is_there(in_order.size(), true);
    is_ranked_ = true;
    for (std::size_t rank = 0; rank < in_order.size(); ++rank) {
      if (in_order[rank] >= rank_.size()) rank_.resize(in_order[rank] + std::size_t{1});
      rank_[in_order[rank]] = rank;
      insert(in_order[rank], turn.jobs());
    }
    const auto leaves = [&](JobSlot job) { is_there[rank_[job]] = false; };
    const auto stays = [&](JobSlot job) {
      const bool may = may_still(job);
      if (!may) leaves(job);
      return may;
    };
    run_scored(machines, now, turn, planned_end, latest_end, stays, [&](JobSlot job, std::uint32_t machine) {
      leaves(job);
      start(job, machine);
    });
    for (std::size_t rank = 0; rank < in_order.size(); ++rank) {
      if (is_there[rank]) erase(in_order[rank], turn.jobs());
    }
    is_ranked_ = false;
  }

 private:
  template <class PlannedEnd, class LatestEnd, class MayStill, class Start>
  void run_scored(std::span<const std::uint32_t> machines, Time now, Turn& turn, const PlannedEnd& planned_end,
                  const LatestEnd& latest_end, const MayStill& may_still, const Start& start) {
    best_.resize(machines.size());
    for (std::size_t i = 0; i < machines.size(); ++i) best_[i] = best_on(machines[i], now, turn, planned_end, latest_end);
    const auto free_of = [&](std::uint32_t machine) { return turn.machines().free(machine); };
    for (;;) {
      std::size_t chosen = best_.size();
      for (std::size_t i = 0; i < best_.size(); ++i) {
        if (!best_[i]) continue;
        if (chosen == best_.size() || comes_before(*best_[i], *best_[chosen], turn.jobs(), free_of)) chosen = i;
      }
      if (chosen == best_.size()) return;
      const JobSlot job = best_[chosen]->job.job;
      const bool starts = may_still(job);
      erase(job, turn.jobs());
      if (starts) start(job, machines[chosen]);
      for (std::size_t i = 0; i < best_.size(); ++i) {
        if ((starts && i == chosen) || (best_[i] && best_[i]->job.job == job)) {
          best_[i] = best_on(machines[i], now, turn, planned_end, latest_end);
        }
      }
      turn.poll();
    }
  }

  using Index = WaitingIndex<CostQueue>;
  struct Candidate {
    ScoredPair pair;
    WaitingJob job;
  };

  [[nodiscard]] Priority position(JobSlot job, const JobTable& jobs) const {
    if (!is_ranked_ && places_.empty()) return number_priority(jobs.release_time(job), jobs.id(job));
    return is_ranked_ ? Priority{rank_[job], 0, 0, jobs.id(job)} : places_[job];
  }
  // In which a class offers its jobs: by position, after the estimate where that is part of the score.  (The middle word of a
  // position is part of a product of estimate and demand, which jobs of one class and one estimate have in common.)
  [[nodiscard]] Priority order(JobSlot job, const JobTable& jobs) const {
    Priority order = position(job, jobs);
    if (selection_.heeds_estimates()) {
      order.middle = order.high;
      order.high = number_rank(jobs.processing_time(job));
    }
    return order;
  }

  template <class PlannedEnd, class LatestEnd, class Start>
  void run_in_order(std::span<const std::uint32_t> machines, Time now, Turn& turn, const PlannedEnd& planned_end,
                    const LatestEnd& latest_end, const Start& start) {
    for (const std::uint32_t machine : machines) {
      while (const auto found = first_on(machine, now, turn, planned_end, latest_end)) {
        waiting_.erase(found.leaf, found.job.priority);
        start(found.job.job, machine);
      }
    }
  }

  // Until when a job of the class must end on the machine; nothing if no job of the class does.
  template <class PlannedEnd, class LatestEnd>
  [[nodiscard]] std::optional<Time> limit_of_class(Index::Leaf leaf, std::uint32_t machine, Time now,
                                                   const PlannedEnd& planned_end, const LatestEnd& latest_end) const {
    const Time limit = latest_end(machine, waiting_.demand(leaf));
    if (planned_end(now + waiting_.least_cost_of(leaf)) > limit) return std::nullopt;
    return limit;
  }

  // The first job of the class that ends by the limit, which is that of the class.
  template <class PlannedEnd>
  [[nodiscard]] const WaitingJob* first_of_class(Index::Leaf leaf, Time limit, Time now,
                                                 const PlannedEnd& planned_end) const {
    const auto& queue = waiting_.queue(leaf);
    if (limit == kNever) return &queue.top();
    return queue.first_where([&](double estimate) { return planned_end(now + estimate) <= limit; });
  }

  // Of the jobs of the class that end by the limit, of which there is one, the first by position: where estimates are part
  // of a score that is 0 without them.
  template <class PlannedEnd>
  [[nodiscard]] const WaitingJob& earliest_of_class(Index::Leaf leaf, Time limit, Time now, const JobTable& jobs,
                                                    const PlannedEnd& planned_end) const {
    const WaitingJob* earliest = nullptr;
    waiting_.queue(leaf).for_each([&](const WaitingJob& job, double estimate) {
      if (planned_end(now + estimate) > limit) return;
      if (earliest == nullptr || position(job.job, jobs) < position(earliest->job, jobs)) earliest = &job;
    });
    return *earliest;
  }

  template <class PlannedEnd, class LatestEnd>
  [[nodiscard]] Index::Found first_on(std::uint32_t machine, Time now, Turn& turn, const PlannedEnd& planned_end,
                                      const LatestEnd& latest_end) const {
    const auto offer = [&](Index::Leaf leaf) -> const WaitingJob* {
      const auto limit = limit_of_class(leaf, machine, now, planned_end, latest_end);
      return limit ? first_of_class(leaf, *limit, now, planned_end) : nullptr;
    };
    return waiting_.first_offer(turn.machines().free(machine), offer, AnyCost(), machine);
  }

  template <class PlannedEnd, class LatestEnd>
  [[nodiscard]] std::optional<Candidate> best_on(std::uint32_t machine, Time now, Turn& turn, const PlannedEnd& planned_end,
                                                 const LatestEnd& latest_end) {
    std::optional<Candidate> best;
    std::uint32_t n_classes = 0;
    step(turn);
    const auto free = turn.machines().free(machine);
    const auto free_of = [&](std::uint32_t) { return free; };
    scores_.look_at(machine, free);
    const auto look = [&](Index::Leaf leaf) {
      if (++n_classes % kPollInterval == 0) turn.poll();
      const auto limit = limit_of_class(leaf, machine, now, planned_end, latest_end);
      if (!limit) return;
      // The least estimate is that of the candidate where it is part of the score.  Most classes are out of the question by
      // their score, and a look at a queue is a wait for memory.
      ScoredPair pair = scores_.score(waiting_.demand(leaf), waiting_.least_cost_of(leaf));
      if (best && scores_.is_clearly_worse(pair, best->pair)) return;
      const JobTable& jobs = turn.jobs();
      const WaitingJob& job = scores_.is_zero(pair) ? earliest_of_class(leaf, *limit, now, jobs, planned_end)
                                                    : *first_of_class(leaf, *limit, now, planned_end);
      pair.demand = jobs.demand(job.job);  // the job's own row: a leaf may move
      const Candidate candidate{pair, job};
      if (!best || comes_before(candidate, *best, jobs, free_of)) best = candidate;
    };
    waiting_.for_each_fitting_class(free, look, machine);
    return best;
  }

  template <class FreeOf>
  [[nodiscard]] bool comes_before(const Candidate& a, const Candidate& b, const JobTable& jobs,
                                  const FreeOf& free_of) const {
    const std::weak_ordering by_score = scores_.compare(a.pair, b.pair, free_of);
    if (by_score != std::weak_ordering::equivalent) return by_score == std::weak_ordering::less;
    const Priority position_a = position(a.job.job, jobs);
    const Priority position_b = position(b.job.job, jobs);
    return std::tie(position_a, a.pair.machine) < std::tie(position_b, b.pair.machine);
  }

  static constexpr std::uint32_t kPollInterval = 256;

  void step(Turn& turn) {
    if (++n_steps_ % kPollInterval == 0) turn.poll();
  }

  Selection selection_;
  SelectionScores scores_;
  Index waiting_;
  bool is_ranked_ = false;           // while a run is made that has ranks; otherwise jobs are in order of arrival, or of places
  std::vector<std::uint64_t> rank_;  // by slot: in the queue, of the jobs of that run
  std::vector<Priority> places_;     // by slot, in the queue; empty where that is in order of arrival
  std::uint32_t n_steps_ = 0;
  std::vector<std::optional<Candidate>> best_;  // scratch of one run, by position of the machine
};

}  // namespace schedcore
