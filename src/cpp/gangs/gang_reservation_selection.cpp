// What a selection that scores decides beside reservations: who overtakes where the first few jobs hold one, and where all
// do, who starts first in room that was given back.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "schedcore/gangs/gang_reservation_policy.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {

void GangReservationPolicy::overtake_selected(Turn& turn) {
  const JobTable& jobs = turn.jobs();
  std::vector<const GangEntry*> shown;
  unreserved_.for_each([&](const GangEntry& entry) {
    if (!is_shown(entry) || is_limited(entry)) return;
    if (turn.machines().first_fit(jobs.demand(entry.job), 0, jobs.eligibility(entry.job)) == kNoMachine) return;
    shown.push_back(&of(entry.job).entry);
  });
  const auto by_order = [](const GangEntry* entry) -> const QueueOrder& { return entry->order; };
  std::ranges::sort(shown, {}, by_order);  // as they are, but for those in lines
  std::vector<JobSlot> candidates;
  for (const GangEntry* entry : shown) candidates.push_back(entry->job);
  scan_.run_once(
      candidates, now_, turn,
      [&](Time end) { return std::max(rounded_up(end, limits_.resolution), std::nextafter(now_, kNever)); },
      [&](std::uint32_t machine, std::span<const Amount> demand) { return plan_.first_shortage(machine, demand); },
      [&](JobSlot job) { return !is_limited(of(job).entry); },
      [&](JobSlot job, std::uint32_t machine) {
        chosen_.assign(1, {machine, 1});
        put(of(job), now_, chosen_, {}, turn);
      });
}

// Of a job that holds a reservation later than now, unless others run late.
bool GangReservationPolicy::may_start_now(Waiting& waiting, std::uint32_t machine) {
  const GangEntry& entry = waiting.entry;
  if (!classes_.allows(entry.job_class, machine)) return false;
  const Time end = plan_.planned_end(entry.estimate, now_);
  if (machine != waiting.places.front().machine) return plan_.room_on(machine, entry, now_, end, classes_) > 0;
  if (!is_strained_) {
    // From its start on it holds room for itself.
    return plan_.room_on(machine, entry, now_, std::min(end, waiting.start), classes_) > 0;
  }
  lift(waiting);
  const bool fits_now = plan_.room_on(machine, entry, now_, end, classes_) > 0;
  lay(waiting);
  return fits_now;
}

void GangReservationPolicy::start_selected(Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const MachineIndex& machines = turn.machines();
  const auto free_of = [&](std::uint32_t machine) { return machines.free(machine); };
  for (;;) {
    Waiting* chosen = nullptr;
    ScoredPair best;
    const std::vector<JobSlot> all = holders();
    for (std::uint32_t machine = 0; machine < machines.n_machines(); ++machine) {
      scores_.look_at(machine, machines.free(machine));
      for (const JobSlot job : all) {
        Waiting& waiting = of(job);
        if (is_limited(waiting.entry) || !fits(jobs.demand(job), machines.free(machine))) continue;
        const ScoredPair pair = scores_.score(jobs.demand(job), waiting.entry.estimate);
        if (chosen != nullptr) {
          const std::weak_ordering order = scores_.compare(pair, best, free_of);
          if (order == std::weak_ordering::greater) continue;
          const bool is_first =
              std::tie(waiting.entry.order, machine) < std::tie(chosen->entry.order, best.machine);
          if (order == std::weak_ordering::equivalent && !is_first) continue;
        }
        if (!may_start_now(waiting, machine)) continue;
        chosen = &waiting;
        best = pair;
      }
      turn.poll();
    }
    if (chosen == nullptr) return;
    ++counts_.moves;
    lift(*chosen);
    note_given_back(std::max(chosen->start, now_), chosen->end, chosen->places);
    chosen_.assign(1, {best.machine, 1});
    put(*chosen, now_, chosen_, {}, turn);
  }
}

}  // namespace schedcore
