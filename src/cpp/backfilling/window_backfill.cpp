#include "schedcore/backfilling/window_backfill.hpp"

#include <algorithm>
#include <string>

#include "schedcore/base/errors.hpp"

namespace schedcore {

void WindowBackfillPolicy::attach(const MachinesView& machines) {
  BackfillPolicy::attach(machines);
  if (options_.primary >= machines.n_resources) {
    throw InvalidInstanceError("primary = " + std::to_string(options_.primary) + " is no resource: there are " +
                               std::to_string(machines.n_resources));
  }
  search_ = WindowSearch(machines, options_.primary, options_.trade, options_.work);
}

void WindowBackfillPolicy::start_first(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  for (const JobSlot job : event.arrived) {
    if (job >= n_passes_.size()) n_passes_.resize(job + std::size_t{1});
    n_passes_[job] = 0;
  }
  if (event.is_empty()) return;
  window_.clear();
  queue_.for_each_first(options_.size, jobs,
                        [&](JobSlot job, bool is_shown) { window_.push_back({job, is_shown}); });
  const std::optional<JobSlot> blocked_before = blocked_;
  start_those_due(event.now, turn);
  if (blocked_ != blocked_before) forget_shadow();
  if (blocked_) return;
  start_chosen(event.now, turn);
  start_heads(event.now, turn);
}

void WindowBackfillPolicy::start_those_due(Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  blocked_.reset();
  std::size_t n_left = 0;
  for (const Entry& entry : window_) {
    if (blocked_ || !is_due(entry.job)) {
      window_[n_left++] = entry;
      continue;
    }
    const std::size_t machine = turn.machines().first_fit(jobs.demand(entry.job), 0, jobs.eligibility(entry.job));
    if (machine == kNoMachine) {
      blocked_ = entry.job;
      window_[n_left++] = entry;
    } else {
      start_from_queue(entry.job, entry.is_shown, machine, now, turn);
      ++counts_.n_forced;
    }
  }
  window_.resize(n_left);
}

void WindowBackfillPolicy::start_chosen(Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const auto machine_for = [&](JobSlot job) {
    return turn.machines().first_fit(jobs.demand(job), 0, jobs.eligibility(job));
  };
  candidates_.clear();
  place_of_.clear();
  for (std::size_t place = 0; place < window_.size(); ++place) {
    const JobSlot job = window_[place].job;
    if (machine_for(job) == kNoMachine) continue;
    candidates_.push_back({jobs.demand(job), jobs.eligibility(job)});
    place_of_.push_back(place);
  }
  if (candidates_.empty()) return;
  const WindowChoice choice = search_.choose(candidates_, turn.machines(), [&] { turn.poll(); });
  if (candidates_.size() > 1) ++counts_.n_choices;
  if (choice.is_cut) {
    ++counts_.n_cut;
    turn.tell_shortened("window: " + std::to_string(candidates_.size()) + " jobs, not all of their sets");
  }
  for (const Entry& entry : window_) ++n_passes_[entry.job];
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (((choice.set >> i) & 1) == 0) continue;
    const Entry& entry = window_[place_of_[i]];
    start_from_queue(entry.job, entry.is_shown, machine_for(entry.job), now, turn);
  }
}

}  // namespace schedcore
