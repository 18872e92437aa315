#include "schedcore/engine/continuation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "schedcore/base/errors.hpp"
#include "schedcore/engine/simulation.hpp"

namespace schedcore {

std::vector<Time> Continuation::first_starts(std::span<const std::int64_t> ids, Future& future,
                                             const std::atomic<bool>& stop, Monitor* monitor) const {
  DecidedState state(state_);
  state.keep_plan_to_itself();
  std::vector<Time> found(ids.size(), kNever);
  std::unordered_map<std::int64_t, std::size_t> asked;
  std::vector<std::size_t> first_asked;  // of those about the same job
  for (std::size_t i = 0; i < ids.size(); ++i) first_asked.push_back(asked.try_emplace(ids[i], i).first->second);

  // With runs that were cut short; of each job the last one lasts.
  using End = std::tuple<Time, std::int64_t, std::uint64_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  std::unordered_map<std::int64_t, std::uint64_t> run_of;
  std::uint64_t n_runs = 0;
  const auto run_until = [&](Time end, Time start, std::int64_t id) {
    run_of[id] = ++n_runs;
    ends.emplace(std::max(end, std::nextafter(start, kNever)), id, n_runs);
  };
  const auto lasts = [&](const End& end) {
    const auto run = run_of.find(std::get<1>(end));
    return run != run_of.end() && run->second == std::get<2>(end);
  };
  const JobTable& jobs = state.jobs();
  for (const JobSlot job : state.running()) {
    const Time estimate = jobs.processing_time_on(job, jobs.machine(job));
    const Time end = future.end_of_running(jobs.id(job), jobs.start_time(job), estimate, state.expected_end(job), state.now());
    run_until(end, state.now(), jobs.id(job));
  }

  std::vector<std::int64_t> completed;
  std::vector<RecordedChange> released;
  auto release = releases_.begin();
  EventOutcome outcome;
  IdleWakeups idle;
  while (!asked.empty()) {
    if (stop.load(std::memory_order_relaxed)) return {};
    if (monitor != nullptr) monitor->poll(0, 0);
    while (!ends.empty() && !lasts(ends.top())) ends.pop();
    const Time end = ends.empty() ? kNever : std::get<0>(ends.top());
    Time next = std::min(end, state.next_wakeup());
    if (release != releases_.end()) next = std::min(next, release->at);
    const Time arrival = future.next_arrival(next);
    next = std::min(next, arrival);
    if (next == kNever) break;
    completed.clear();
    for (; !ends.empty() && std::get<0>(ends.top()) == next; ends.pop()) {
      if (lasts(ends.top())) completed.push_back(std::get<1>(ends.top()));
    }
    released.clear();
    for (; release != releases_.end() && release->at <= next; ++release) {
      if (!state.knows(release->id) || state.job_state(release->id) != JobState::held) continue;  // it has left
      released.push_back({.kind = ChangeKind::release, .subject = release->id});
    }
    RecordedEvent event = arrival == next ? future.arrivals() : RecordedEvent{};
    event.now = next;
    event.completions = completed;
    event.changes = released;
    outcome = {};
    const bool is_end = state.availability().next_end() <= next;  // of an outage or a reservation
    try {
      state.apply(event, nullptr, outcome);
    } catch (const InvalidInstanceError&) {
      break;  // the end of what the clock can tell
    }
    const bool is_idle = completed.empty() && released.empty() && arrival != next && !is_end && outcome.starts.empty();
    const bool is_anything_to_come = !ends.empty() || release != releases_.end() || state.availability().next_end() < kNever;
    if (future.may_leave_jobs() && !is_anything_to_come) {
      if (idle.are_in_vain(is_idle)) break;
    } else {
      idle.note(is_idle, next);
    }
    for (const std::int64_t id : completed) run_of.erase(id);
    for (const std::int64_t id : outcome.preempted) run_of.erase(id);
    for (const std::int64_t id : outcome.left) asked.erase(id);  // it never starts
    for (const IdPlacement& start : outcome.starts) {
      const JobSlot job = state.slot_of(start.id);
      const Time length = future.length(start.id, jobs.processing_time_on(job, jobs.machine(job)));
      run_until(next + length, next, start.id);
      if (const auto question = asked.find(start.id); question != asked.end()) {
        found[question->second] = next;
        asked.erase(question);
      }
    }
  }
  for (std::size_t i = 0; i < ids.size(); ++i) found[i] = found[first_asked[i]];
  return found;
}

}  // namespace schedcore
