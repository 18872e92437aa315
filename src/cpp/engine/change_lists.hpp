// The changes of one event as the engine takes them, sorted out by kind.
//
// Cost: O(n log n) for n changes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedcore/engine/engine.hpp"

namespace schedcore {

struct ChangeLists {
  std::vector<ResizedMachine> resized;  // in the order of the records
  std::vector<std::uint32_t> repaired;
  std::vector<std::uint32_t> opened;
  std::vector<std::uint32_t> failed;
  std::vector<ClosedMachine> closed;
  std::vector<AnnouncedOutage> announced;
  std::vector<std::int64_t> unreserved;
  std::vector<AdvanceReservation> reserved;
  std::vector<JobSlot> named;
  std::vector<JobSlot> requeued;
  std::vector<JobSlot> cancelled;
  std::vector<TaskPlace> places;   // of the jobs that are adopted
  std::vector<AdoptedJob> adopted;
  std::vector<JobUpdate> updated;  // in the order of the records
  std::vector<JobSlot> held;
  std::vector<JobSlot> released;

  // Of one job the last that was said of each thing.
  template <class IdOf>
  void merge_updates(const IdOf& id_of) {
    std::ranges::stable_sort(updated, {}, [&](const JobUpdate& update) { return id_of(update.job); });
    std::size_t n_merged = 0;
    for (JobUpdate& update : updated) {
      if (n_merged == 0 || updated[n_merged - 1].job != update.job) {
        if (&updated[n_merged] != &update) updated[n_merged] = std::move(update);
        ++n_merged;
        continue;
      }
      JobUpdate& merged = updated[n_merged - 1];
      if (update.remaining_time) merged.remaining_time = update.remaining_time;
      if (update.weight) merged.weight = update.weight;
      if (!update.says_where) continue;
      merged.says_where = true;
      merged.eligibility = std::move(update.eligibility);
      merged.constraint = std::move(update.constraint);
    }
    updated.resize(n_merged);
  }

  // One that was made at this instant was never there.
  void cancel_reservation(std::int64_t number, const AdvanceReservations& known) {
    if (std::erase_if(reserved, [&](const AdvanceReservation& each) { return each.number == number; }) > 0) return;
    if (known.all().contains(number)) unreserved.push_back(number);
  }

  // Of one machine what was said last.
  void merge_resized() {
    std::ranges::stable_sort(resized, {}, &ResizedMachine::machine);
    std::size_t n_merged = 0;
    for (ResizedMachine& each : resized) {
      const bool is_same = n_merged > 0 && resized[n_merged - 1].machine == each.machine;
      each.joins |= is_same && resized[n_merged - 1].joins;
      if (is_same) --n_merged;
      if (&resized[n_merged] != &each) resized[n_merged] = std::move(each);
      ++n_merged;
    }
    resized.resize(n_merged);
  }

  template <class IdOf>
  void sort(const IdOf& id_of) {
    merge_resized();
    for (auto* machines : {&repaired, &opened, &failed}) std::ranges::sort(*machines);
    std::ranges::sort(closed, {}, &ClosedMachine::machine);
    merge_updates(id_of);
    for (auto* jobs : {&requeued, &cancelled, &held, &released}) {
      std::ranges::sort(*jobs, {}, id_of);
      jobs->erase(std::unique(jobs->begin(), jobs->end()), jobs->end());
    }
  }
};

}  // namespace schedcore
