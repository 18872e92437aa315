#include "schedcore/engine/told_promises.hpp"

#include <algorithm>

namespace schedcore {

void PromiseBreakers::note(const RecordedEvent& event, const DecidedState& before) {
  for (const JobColumns& job : event.arrivals) other_jobs.push_back(job.id);
  for (const RecordedChange& change : event.changes) {
    const auto machine = static_cast<std::uint32_t>(change.subject);
    switch (change.kind) {
      case ChangeKind::fail: failed.push_back(machine); break;
      case ChangeKind::close:
      case ChangeKind::remove: closed.push_back(machine); break;
      case ChangeKind::announce: out.push_back(machine); break;
      case ChangeKind::adopt: any_adopted = true; break;
      case ChangeKind::set_time:
        if (before.runs(change.subject)) {
          any_late = true;
          break;
        }
        [[fallthrough]];
      case ChangeKind::set_machines: other_jobs.push_back(change.subject); break;
      default: break;
    }
  }
}

// A job whose weight has changed may be in another slot.
std::optional<JobSlot> ToldPromises::slot_of(const Told& told, const DecidedState& state, const PromiseBreakers& breakers) {
  if (state.jobs().generation(told.job) == told.generation) return told.job;
  if (!state.knows(told.id) || std::ranges::find(breakers.other_jobs, told.id) != breakers.other_jobs.end()) return std::nullopt;
  return state.slot_of(told.id);
}

BrokenBy ToldPromises::cause_of(std::span<const std::uint32_t> machines, const PromiseBreakers& breakers) {
  const auto is_among = [&](const std::vector<std::uint32_t>& changed) {
    return std::ranges::any_of(changed, [&](std::uint32_t machine) { return std::ranges::binary_search(machines, machine); });
  };
  if (is_among(breakers.failed)) return BrokenBy::failure;
  if (is_among(breakers.closed)) return BrokenBy::closed;
  if (is_among(breakers.out)) return BrokenBy::outage;
  if (breakers.any_late) return BrokenBy::late;
  return breakers.any_adopted ? BrokenBy::adopted : BrokenBy::order;
}

std::vector<BrokenPromise> ToldPromises::broken(const DecidedState& state, const IdPlacements& plan,
                                                const PromiseBreakers& breakers) const {
  std::vector<BrokenPromise> found;
  if (told_.empty()) return found;
  const JobTable& jobs = state.jobs();
  std::vector<Time> start_of(jobs.n_slots(), kNever);
  for (const IdPlacement& placed : plan) start_of[state.slot_of(placed.id)] = placed.start_time;
  for (std::size_t k = 0; k < told_.size(); ++k) {
    const Told& told = told_[k];
    const std::optional<JobSlot> job = slot_of(told, state, breakers);
    if (!job || jobs.state(*job) == JobState::held) continue;
    const bool runs = jobs.state(*job) == JobState::running;
    const Time expected = runs ? jobs.start_time(*job) : start_of[*job];
    if (expected <= told.start) continue;
    const std::size_t end = k + 1 < told_.size() ? told_[k + 1].first_machine : machines_.size();
    const auto machines = std::span(machines_).subspan(told.first_machine, end - told.first_machine);
    found.push_back({told.id, told.start, expected, cause_of(machines, breakers)});
  }
  return found;
}

void ToldPromises::tell(const DecidedState& state, const IdPlacements& plan) {
  told_.clear();
  machines_.clear();
  std::size_t next_tasks = 0;
  for (const IdPlacement& placed : plan) {
    const JobSlot job = state.slot_of(placed.id);
    const std::size_t first = machines_.size();
    told_.push_back({placed.id, job, state.jobs().generation(job), placed.start_time, first});
    if (plan.tasks.empty()) machines_.push_back(static_cast<std::uint32_t>(placed.machine));
    for (; next_tasks < plan.tasks.size() && plan.tasks[next_tasks].id == placed.id; ++next_tasks) {
      machines_.push_back(static_cast<std::uint32_t>(plan.tasks[next_tasks].machine));
    }
    std::ranges::sort(machines_.begin() + static_cast<std::ptrdiff_t>(first), machines_.end());
  }
}

}  // namespace schedcore
