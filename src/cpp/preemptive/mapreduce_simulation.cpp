#include "schedcore/preemptive/mapreduce_simulation.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "mapreduce_phases.hpp"
#include "mapreduce_placement.hpp"
#include "schedcore/preemptive/slot_rates.hpp"

namespace schedcore {
namespace {

constexpr Slot kLongestRecursion = 4096;  // slots without a look at the monitor

class MapReduceSimulation {
 public:
  MapReduceSimulation(const MapReduceJobs& jobs, std::span<const Amount> capacity, const MapReduceRules& rules,
               Monitor* monitor)
      : jobs_(jobs),
        rules_(rules),
        monitor_(monitor),
        total_(std::accumulate(capacity.begin(), capacity.end(), Amount{0})),
        arrivals_(jobs.release_time),
        phases_(jobs, rules),
        placement_(jobs, capacity, rules) {}

  MapReduceOutcome run() {
    outcome_.completion_time.assign(jobs_.n_jobs(), std::numeric_limits<double>::infinity());
    outcome_.map_completion_time = outcome_.completion_time;
    std::uint64_t n_finished = 0;
    for (Slot slot = 1; slot <= rules_.max_slots;) {
      if (monitor_ != nullptr) monitor_->poll(n_finished, jobs_.n_jobs());
      phases_.add(arrivals_.take(slot), slot);
      if (phases_.size() == 0) {
        if (arrivals_.next_release() == kNoSlot) break;
        slot = arrivals_.next_release() + 1;
        continue;
      }
      const Slot n_slots = serve(slot);
      slot += n_slots;
      n_finished += phases_.finish(slot - 1, outcome_);
    }
    outcome_.pieces.finish();
    return std::move(outcome_);
  }

 private:
  bool is_ocorp() const { return rules_.order == MapReduceOrder::ocorp; }
  bool is_strict() const { return is_ocorp() && !rules_.work_conserving; }

  // Decides on `slot`, and on those after it in which every task gets the same; works them off.  Returns how many.
  Slot serve(Slot slot) {
    require_exact(slot);
    const bool everyone = assign(slot);
    Slot n_slots = spread();
    if (!amounts_last(everyone)) n_slots = 1;
    n_slots = std::min(n_slots, std::min(rules_.max_slots, kLastExactSlot) - slot + 1);
    if (arrivals_.next_release() != kNoSlot) n_slots = std::min(n_slots, arrivals_.next_release() - slot + 1);
    if (is_ocorp()) n_slots = iterate(slot, n_slots);
    for (std::size_t row = 0; row < phases_.size(); ++row) {
      const std::span<const TaskCores> all(shares_);
      phases_.work(row, all.subspan(share_start_[row], share_start_[row + 1] - share_start_[row]), n_slots);
    }
    placement_.place(slot, n_slots, running_, outcome_.pieces);
    return n_slots;
  }

  // The recursion over up to `n_slots` slots; returns how many.
  Slot iterate(Slot slot, Slot n_slots) {
    bool changing = true;
    for (Slot passed = 0; passed < n_slots; ++passed) {
      if (passed == kLongestRecursion) return passed;
      if (rules_.record_multipliers) phases_.record(slot + passed, outcome_);
      if (changing) changing = phases_.update(slot + passed, cores_);
      if (!changing && !rules_.record_multipliers) break;
    }
    return n_slots;
  }

  // The cores of every phase; whether each gets all it can use.
  bool assign(Slot slot) {
    limit_.resize(phases_.size());
    Amount left = total_;
    for (std::size_t row = 0; row < phases_.size(); ++row) {
      limit_[row] = phases_.tasks(row).limit();
      left -= std::min(limit_[row], left + 1);
    }
    cut_ = kNoRow;
    if (left >= 0 && !is_strict()) {
      cores_ = limit_;
      return true;
    }
    phases_.keys(slot, key_);
    if (is_strict()) {
      for (std::size_t row = 0; row < phases_.size(); ++row)
        if (!(key_[row] < 0)) limit_[row] = 0;
    }
    cut_ = rates_.assign(key_, limit_, total_, cores_);
    return false;
  }

  // Whether the phases get the same amounts again as long as their tasks can use the same: no order is asked for, or it
  // stays.  By remaining work or time the phases that are served only move forward; but one of them that gets a part of
  // what it can use may overtake another (by time in the last bits of a key at most).
  bool amounts_last(bool everyone) const {
    switch (rules_.order) {
      case MapReduceOrder::ocorp:
        return everyone;
      case MapReduceOrder::srpt:
      case MapReduceOrder::srvf:
        return cut_ == kNoRow;
      default:
        return true;
    }
  }

  // From the cores of phases to those of tasks; for how many slots they are right if the former stay.
  Slot spread() {
    shares_.clear();
    share_start_.assign(1, 0);
    Slot n_slots = std::numeric_limits<Slot>::max();
    for (std::size_t row = 0; row < phases_.size(); ++row) {
      if (cores_[row] > 0) {
        const PhaseTasks::Share share = phases_.tasks(row).spread(cores_[row], shares_);
        n_slots = std::min(n_slots, share.n_slots);
        for (std::size_t k = share_start_.back(); k < shares_.size(); ++k) {
          running_.job.push_back(phases_.job(row));
          running_.task.push_back(phases_.first_task(row) + shares_[k].task);
          running_.cores.push_back(shares_[k].cores);
          running_.demand.push_back(phases_.cores(row));
        }
        if (share.has_cut) running_.cut = running_.size() - 1;
      }
      share_start_.push_back(shares_.size());
    }
    return n_slots;
  }

  const MapReduceJobs& jobs_;
  const MapReduceRules& rules_;
  Monitor* monitor_;
  Amount total_;
  SlotArrivals arrivals_;
  MapReducePhases phases_;
  MapReducePlacement placement_;
  SlotRates rates_;
  MapReduceOutcome outcome_;
  // Of the slot at hand, by row of phases_.
  std::vector<Amount> limit_, cores_;
  std::vector<double> key_;
  std::size_t cut_ = kNoRow;
  std::vector<TaskCores> shares_;
  std::vector<std::size_t> share_start_;
  RunningTasks running_;
};

}  // namespace

MapReduceOutcome run_mapreduce(const MapReduceJobs& jobs, std::span<const Amount> capacity,
                               const MapReduceRules& rules, Monitor* monitor) {
  return MapReduceSimulation(jobs, capacity, rules, monitor).run();
}

}  // namespace schedcore
