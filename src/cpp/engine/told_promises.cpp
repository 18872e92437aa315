#include "schedcore/engine/told_promises.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace schedcore {

void PromiseBreakers::note(const RecordedEvent& event, const DecidedState& before, const EventOutcome& outcome_before) {
  for (const JobColumns& job : event.arrivals) other_jobs.push_back(job.id);
  const auto note_other = [&](std::int64_t id) {
    // One that has started has had what it was promised, or has not.
    if (std::ranges::find(outcome_before.starts.jobs, id, &IdPlacement::id) == outcome_before.starts.jobs.end()) {
      other_jobs.push_back(id);
    }
  };
  std::unordered_map<std::uint32_t, const std::vector<Amount>*> capacity_of;  // that was said last
  for (const RecordedChange& change : event.changes) {
    const auto machine = static_cast<std::uint32_t>(change.subject);
    switch (change.kind) {
      case ChangeKind::fail: failed.push_back(machine); break;
      case ChangeKind::close:
      case ChangeKind::remove: closed.push_back(machine); break;
      case ChangeKind::set_capacity: capacity_of[machine] = change.capacity.get(); break;
      case ChangeKind::announce: out.push_back(machine); break;
      case ChangeKind::reserve:
        for (const ReservedShare& share : change.reservation->shares) reserved.push_back(share.machine);
        break;
      case ChangeKind::adopt: any_adopted = true; break;
      case ChangeKind::set_time:
        if (before.runs(change.subject)) {
          any_late |= event.now + change.span.begin > before.expected_end(before.slot_of(change.subject));
        }
        note_other(change.subject);
        break;
      case ChangeKind::set_machines:
      case ChangeKind::hold: note_other(change.subject); break;
      default: break;
    }
  }
  for (const auto& [machine, capacity] : capacity_of) {
    if (!std::ranges::equal(*capacity, before.capacity_of(machine), std::ranges::greater_equal())) lowered.push_back(machine);
  }
}

// A job whose weight has changed may be in another slot.
std::optional<JobSlot> ToldPromises::slot_of(const Told& told, const DecidedState& state) {
  if (state.jobs().generation(told.job) == told.generation) return told.job;
  if (!state.knows(told.id)) return std::nullopt;
  return state.slot_of(told.id);
}

BrokenBy ToldPromises::cause_of(std::span<const std::uint32_t> machines, const PromiseBreakers& breakers) {
  const auto is_among = [&](const std::vector<std::uint32_t>& changed) {
    return std::ranges::any_of(changed, [&](std::uint32_t machine) { return std::ranges::binary_search(machines, machine); });
  };
  if (is_among(breakers.failed)) return BrokenBy::failure;
  if (is_among(breakers.closed)) return BrokenBy::closed;
  if (is_among(breakers.lowered)) return BrokenBy::capacity;
  if (is_among(breakers.out)) return BrokenBy::outage;
  if (is_among(breakers.reserved)) return BrokenBy::reservation;
  if (breakers.any_late) return BrokenBy::late;
  return breakers.any_adopted ? BrokenBy::adopted : BrokenBy::order;
}

std::vector<BrokenPromise> ToldPromises::broken(const ToldPromises& now, const EventOutcome& outcome,
                                                const DecidedState& state, const PromiseBreakers& breakers) const {
  std::vector<BrokenPromise> found;
  if (told_.empty() || told_ == now.told_) return found;
  const JobTable& jobs = state.jobs();
  std::vector<std::int64_t> others = breakers.other_jobs;
  std::ranges::sort(others);
  // What was killed since has perhaps started when it was to, whatever it does now.
  std::unordered_map<std::int64_t, Time> first_start;
  if (!outcome.killed.empty() || !outcome.preempted.empty()) {
    for (const IdPlacement& start : outcome.starts) first_start.try_emplace(start.id, start.start_time);
  }
  for (std::size_t k = 0; k < told_.size(); ++k) {
    const Told& told = told_[k];
    // Most are kept, and a look at two rows tells.
    const bool is_there = jobs.generation(told.job) == told.generation;
    if (first_start.empty() && is_there && now.planned_start(told.job) <= told.start) continue;
    const std::optional<JobSlot> job = slot_of(told, state);
    if (!job || jobs.state(*job) == JobState::held || jobs.state(*job) == JobState::awaiting) continue;
    const auto started = first_start.find(told.id);
    Time expected = jobs.state(*job) == JobState::running ? jobs.start_time(*job) : now.planned_start(*job);
    if (started != first_start.end()) expected = started->second;
    if (expected <= told.start || std::ranges::binary_search(others, told.id)) continue;
    const std::size_t end = k + 1 < told_.size() ? told_[k + 1].first_machine : machines_.size();
    const auto machines = std::span(machines_).subspan(told.first_machine, end - told.first_machine);
    found.push_back({told.id, told.start, expected, cause_of(machines, breakers)});
  }
  return found;
}

void ToldPromises::note(const DecidedState& state, const IdPlacements& plan, std::span<const JobSlot> slots) {
  for (const Told& told : told_) planned_start_[told.job] = kNever;
  told_.clear();
  machines_.clear();
  if (plan.size() > 0) planned_start_.resize(state.jobs().n_slots(), kNever);
  told_.reserve(plan.size());
  machines_.reserve(plan.size());
  std::size_t next_tasks = 0;
  for (std::size_t k = 0; k < plan.size(); ++k) {
    const IdPlacement& placed = plan[k];
    const std::size_t first = machines_.size();
    told_.push_back({placed.id, slots[k], state.jobs().generation(slots[k]), placed.start_time, first});
    planned_start_[slots[k]] = placed.start_time;
    if (plan.tasks.empty()) machines_.push_back(static_cast<std::uint32_t>(placed.machine));
    for (; next_tasks < plan.tasks.size() && plan.tasks[next_tasks].id == placed.id; ++next_tasks) {
      machines_.push_back(static_cast<std::uint32_t>(plan.tasks[next_tasks].machine));
    }
    if (machines_.size() > first + 1) std::ranges::sort(machines_.begin() + static_cast<std::ptrdiff_t>(first), machines_.end());
  }
}

}  // namespace schedcore
