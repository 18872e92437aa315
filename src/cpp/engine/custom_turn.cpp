#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/number_text.hpp"
#include "schedcore/engine/custom_policy.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {

JobSlot CustomTurn::job_of(std::int64_t id) const {
  const auto found = policy_.known_.slot_of(id, turn_.jobs());
  if (!found) throw PolicyError("job " + std::to_string(id) + " neither waits nor runs");
  return *found;
}

bool CustomTurn::knows(JobSlot job) const {
  return policy_.known_.slot_of(id(job), turn_.jobs()) == job;
}

// Of jobs in order of id, whatever their slots.
bool CustomTurn::is_among(std::span<const JobSlot> jobs, JobSlot job) const {
  return std::ranges::binary_search(jobs, id(job), {}, [&](JobSlot other) { return id(other); });
}

// As it was when the turn began.
std::vector<std::int64_t> CustomTurn::waiting() const {
  const JobTable& jobs = turn_.jobs();
  std::vector<JobSlot> slots = policy_.waiting_.all();
  slots.insert(slots.end(), started_.begin(), started_.end());
  const auto by_arrival = [&](JobSlot job) { return std::pair(jobs.release_time(job), jobs.id(job)); };
  if (!started_.empty()) std::ranges::sort(slots, {}, by_arrival);
  std::vector<std::int64_t> all(slots.size());
  std::ranges::transform(slots, all.begin(), [&](JobSlot job) { return jobs.id(job); });
  return all;
}

std::vector<std::int64_t> CustomTurn::cancelled() const {
  std::vector<std::int64_t> all;
  for (const Completion& ended : event_.cancelled) all.push_back(id(ended.job));
  for (const JobSlot job : event_.withdrawn) {
    if (!is_held(job) && !is_among(event_.released, job)) all.push_back(id(job));
  }
  return all;
}

// A waiting job in another slot is withdrawn and released.
std::vector<std::int64_t> CustomTurn::updated() const {
  std::vector<std::int64_t> all;
  for (const JobSlot job : event_.released) {
    if (is_among(event_.withdrawn, job)) all.push_back(id(job));
  }
  for (const Reweighed& each : event_.reweighed) all.push_back(id(each.after));
  for (const Rescheduled& each : event_.rescheduled) all.push_back(id(each.job));
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<std::int64_t> CustomTurn::ids(TurnList list) const {
  std::vector<std::int64_t> all;
  const auto chosen = [&](std::span<const JobSlot> jobs, const auto& is_chosen) {
    for (const JobSlot job : jobs) {
      if (is_chosen(job)) all.push_back(id(job));
    }
    return all;
  };
  const auto ended = [&](std::span<const Completion> jobs) {
    for (const Completion& each : jobs) all.push_back(id(each.job));
    return all;
  };
  const auto numbers = [&](std::span<const std::uint32_t> machines) {
    for (const std::uint32_t machine : machines) all.push_back(number_of(machine));
    return all;
  };
  switch (list) {
    case TurnList::waiting: return waiting();
    case TurnList::running:
      for (const RunningJob& each : turn_.running()) all.push_back(id(each.job));
      return all;
    case TurnList::machines: return numbers(machines());
    case TurnList::arrived: return chosen(event_.arrived, [&](JobSlot job) { return knows(job); });
    case TurnList::completed: return ended(event_.completed);
    case TurnList::killed: return ended(event_.killed);
    case TurnList::cancelled: return cancelled();
    case TurnList::held:
      return chosen(event_.withdrawn, [&](JobSlot job) { return is_held(job) && !is_among(event_.released, job); });
    case TurnList::released:
      return chosen(event_.released, [&](JobSlot job) { return !is_among(event_.withdrawn, job); });
    case TurnList::updated: return updated();
    case TurnList::adopted: return chosen(event_.adopted, [](JobSlot /*job*/) { return true; });
    case TurnList::machines_changed:
      static_cast<void>(numbers(event_.changed_machines));
      std::ranges::sort(all);
      return all;
  }
  return all;
}

std::vector<std::uint32_t> CustomTurn::machines() const {
  std::vector<std::uint32_t> all;
  for (std::uint32_t machine = 0; machine < turn_.machines().n_machines(); ++machine) {
    if (!turn_.availability().is_removed(machine)) all.push_back(machine);
  }
  if (!std::ranges::is_sorted(all, {}, [&](std::uint32_t machine) { return number_of(machine); })) {
    std::ranges::sort(all, {}, [&](std::uint32_t machine) { return number_of(machine); });
  }
  return all;
}

// Until when so many of its tasks that have room on the machine keep it.
Time CustomTurn::room_until(JobSlot job, std::size_t machine, Amount n_tasks) const {
  const Availability& availability = turn_.availability();
  if (!availability.any_limits()) return availability.usable_until(machine);
  const bool is_exclusive = turn_.jobs().shape(job).is_exclusive;
  const auto held = is_exclusive ? capacity_of(machine) : turn_.jobs().demand(job);
  std::vector<Amount> all(held.begin(), held.end());
  if (!is_exclusive && n_tasks > 1) {
    for (Amount& amount : all) amount *= n_tasks;
  }
  return availability.has_room_until(machine, all);
}

bool CustomTurn::has_room(JobSlot job, std::size_t machine) const {
  const JobTable& jobs = turn_.jobs();
  const Availability& availability = turn_.availability();
  if (availability.is_blocked(machine) || !jobs.eligibility(job).allows(machine)) return false;
  if (room_until(job, machine, 1) < now() + jobs.processing_time_on(job, machine)) return false;
  const auto free = turn_.machines().free(machine);
  return schedcore::fits(jobs.demand(job), free) && (!jobs.shape(job).is_exclusive || std::ranges::equal(free, capacity_of(machine)));
}

Amount CustomTurn::tasks_with_room(JobSlot job, std::size_t machine) const {
  const JobTable& jobs = turn_.jobs();
  const JobShape& shape = jobs.shape(job);
  const auto demand = jobs.demand(job);
  Amount n_tasks = std::min({shape.spread, shape.n_tasks, tasks_that_fit(demand, turn_.machines().free(machine))});
  if (shape.is_exclusive) return n_tasks;
  const Time end = now() + jobs.processing_time_on(job, machine);
  for (const RoomLimit& limit : turn_.availability().limits(static_cast<std::uint32_t>(machine))) {
    if (limit.from < end) n_tasks = std::min(n_tasks, tasks_that_fit(demand, limit.row));
  }
  return n_tasks;
}

std::optional<std::uint32_t> CustomTurn::first_with_room(JobSlot job, std::size_t from) const {
  if (!waits(job)) return std::nullopt;
  const JobTable& jobs = turn_.jobs();
  for (std::size_t machine = from; machine < turn_.machines().n_machines(); ++machine) {
    machine = turn_.machines().first_fit(jobs.demand(job), machine, jobs.eligibility(job));
    if (machine == kNoMachine) return std::nullopt;
    if (has_room(job, machine)) return static_cast<std::uint32_t>(machine);
  }
  return std::nullopt;
}

std::vector<std::uint32_t> CustomTurn::machines_with_room(std::int64_t id) const {
  const JobSlot job = job_of(id);
  std::vector<std::uint32_t> found;
  while (const auto machine = first_with_room(job, found.empty() ? 0 : found.back() + 1)) found.push_back(*machine);
  return found;
}

std::vector<std::int64_t> CustomTurn::fits(std::int64_t id) const {
  std::vector<std::int64_t> numbers;
  for (const std::uint32_t machine : machines_with_room(id)) numbers.push_back(number_of(machine));
  return numbers;
}

std::vector<Amount> CustomTurn::room(std::int64_t id) const {
  std::vector<Amount> n_tasks;
  for (const std::uint32_t machine : machines_with_room(id)) n_tasks.push_back(tasks_with_room(job_of(id), machine));
  return n_tasks;
}

std::optional<std::int64_t> CustomTurn::first_fit(std::int64_t id) const {
  const auto machine = first_with_room(job_of(id));
  return machine ? std::optional(number_of(*machine)) : std::nullopt;
}

void CustomTurn::start(std::int64_t id, std::span<const NumberedPlace> places) {
  const JobSlot job = job_of(id);
  const JobTable& jobs = turn_.jobs();
  const auto refuse = [&](const std::string& because) {
    throw PolicyError("job " + std::to_string(id) + " was started at " + number_text(now()) + because);
  };
  if (!waits(job)) refuse(", but it does not wait");
  const JobShape& shape = jobs.shape(job);
  places_.clear();
  Amount n_tasks = 0;
  for (const NumberedPlace& place : places) {
    const auto refuse_there = [&](const std::string& because) {
      refuse(" on machine " + std::to_string(place.machine) + because);
    };
    const auto known = turn_.machine_of(place.machine);
    if (!known || turn_.availability().is_removed(*known)) refuse_there(", which is not there");
    const std::uint32_t machine = *known;
    const auto is_named = [&](const TaskPlace& other) { return other.machine == machine; };
    if (std::ranges::any_of(places_, is_named)) refuse_there(", which is named twice");
    if (!jobs.eligibility(job).allows(machine)) refuse_there(", which it may not use");
    if (turn_.availability().is_blocked(machine)) refuse_there(", which is down");
    const Time end = now() + jobs.processing_time_on(job, machine);
    if (const Time until = turn_.availability().usable_until(machine); until < end) {
      refuse_there(", where it would run into the outage at " + number_text(until));
    }
    const auto check_reservations = [&](Amount n_here) {
      const Time until = room_until(job, machine, n_here);
      if (until < end) refuse_there(", where it would run into the reservation at " + number_text(until));
    };
    check_reservations(1);
    if (place.n_tasks < 1 || place.n_tasks > std::min(shape.spread, shape.n_tasks - n_tasks)) {
      refuse_there(" with " + std::to_string(place.n_tasks) + " tasks; it has " + std::to_string(shape.n_tasks) + " in all");
    }
    if (!has_room(job, machine) ||
        (place.n_tasks > 1 && tasks_that_fit(jobs.demand(job), turn_.machines().free(machine)) < place.n_tasks)) {
      refuse_there(", where it does not fit");
    }
    check_reservations(place.n_tasks);
    n_tasks += place.n_tasks;
    places_.push_back({machine, place.n_tasks});
  }
  if (n_tasks != shape.n_tasks) {
    refuse(" with " + std::to_string(n_tasks) + " of its " + std::to_string(shape.n_tasks) + " tasks");
  }
  turn_.start(job, places_);
  policy_.waiting_.erase(job, jobs);
  started_.push_back(job);
  policy_.free_rows_.follow(job, *this);
}

void CustomTurn::wake(Time at) {
  if (!std::isfinite(at) || at <= now()) {
    throw PolicyError("wake(" + number_text(at) + ") at " + number_text(now()) + ": no finite instant to come");
  }
  policy_.wakeups_.insert(at);
}

}  // namespace schedcore
