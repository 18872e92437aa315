// Overtaking under a selection that scores: which of the jobs that fit beside the head's reservation starts first, and where.
#include <algorithm>

#include "schedcore/gangs/gang_queue_policy.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {

// Of a job that is in the queue, or of one that is not yet and whose order none there has.
bool GangQueuePolicy::is_in_scan(const QueueOrder& order) const {
  return n_in_scan_ > 0 && !(queue_.nth(n_in_scan_ - 1).order < order);
}

// Before the job is put into the queue.
void GangQueuePolicy::join_scan(const GangEntry& entry, const JobTable& jobs) {
  if (!is_in_scan(entry.order)) return;  // those behind are shown in the next run
  scan_.insert(entry.job, jobs);
  new_in_scan_.push_back(entry.job);
  ++n_in_scan_;
}

// While it is in the queue.
void GangQueuePolicy::leave_scan(JobSlot job, const JobTable& jobs) {
  if (!is_in_scan(entry_of(job).order)) return;
  scan_.erase(job, jobs);
  --n_in_scan_;
}

void GangQueuePolicy::show_to_scan(const JobTable& jobs) {
  const std::size_t n_shown = std::min<std::uint64_t>(queue_.size(), limits_.queue_depth);
  while (n_in_scan_ > n_shown) scan_.erase(queue_.nth(--n_in_scan_).job, jobs);
  for (; n_in_scan_ < n_shown; ++n_in_scan_) {
    const JobSlot job = queue_.nth(n_in_scan_).job;
    scan_.insert(job, jobs);
    new_in_scan_.push_back(job);
  }
}

// Where the queue is in an order of its own, or limits hold jobs, the scan is made for each run, of those who may start in
// it.
void GangQueuePolicy::overtake_selected_under_rules(Turn& turn) {
  const JobTable& jobs = turn.jobs();
  find_head(turn);
  std::vector<JobSlot> candidates;
  const auto look_at = [&](const GangEntry& entry) {
    if ((last_shown_ && *last_shown_ < entry.order) || is_passed_over(entry)) return;
    if (turn.machines().first_fit(jobs.demand(entry.job), 0, jobs.eligibility(entry.job)) == kNoMachine) return;
    candidates.push_back(entry.job);
  };
  if (runs_for_all(turn)) {
    queue_.for_each(look_at);
  } else {
    take_up_fresh(turn);
    for (const JobSlot job : fresh_) look_at(entry_of(job));
  }
  fresh_.clear();
  begin_run(turn);
  if (candidates.empty() && !keeps_shadows_) return;
  protect_head(turn);
  scan_.run_once(
      candidates, now_, turn, [&](Time end) { return rounded_up(end, limits_.resolution); },
      [&](std::uint32_t machine, std::span<const Amount> demand) { return latest_end(machine, demand); },
      [&](JobSlot job) { return !is_passed_over(entry_of(job)); },
      [&](JobSlot job, std::uint32_t machine) {
        places_.assign(1, {machine, 1});
        start_on_places(GangEntry(entry_of(job)), turn);
      });
}

void GangQueuePolicy::overtake_selected(Turn& turn) {
  if (scans_anew(turn.jobs())) {
    overtake_selected_under_rules(turn);
    return;
  }
  show_to_scan(turn.jobs());
  find_head(turn);
  room_appeared_ = false;
  // Where another job was protected, or this one at another instant, there may be room now that others were kept from.
  const bool is_protected_as_before = protection_is_current_ && head_ && protected_id_ == turn.jobs().id(head_->job);
  if (overtaking_ == Overtaking::protected_head && protection_.is_on() && !is_protected_as_before) {
    freed_.insert(protection_.first_machine());
  }
  std::vector<std::uint32_t> machines = freed_.take();
  std::erase_if(new_in_scan_, [&](JobSlot job) { return turn.jobs().state(job) != JobState::submitted; });
  BackfillScan::add_machines_with_room(new_in_scan_, turn, machines);
  new_in_scan_.clear();
  const bool any = keeps_shadows_ || std::ranges::any_of(machines, [&](std::uint32_t machine) {
                     return scan_.any_fits(turn.machines().free(machine), machine);
                   });
  if (!any) return;
  protect_head(turn);
  scan_.run_scored(
      machines, now_, turn, [&](Time end) { return rounded_up(end, limits_.resolution); },
      [&](std::uint32_t machine, std::span<const Amount> demand) { return latest_end(machine, demand); },
      [&](JobSlot job, std::uint32_t machine) {
        --n_in_scan_;
        places_.assign(1, {machine, 1});
        start_on_places(GangEntry(entry_of(job)), turn);
      });
}

// Of a job that has room on the machine now.
Time GangQueuePolicy::latest_end(std::uint32_t machine, std::span<const Amount> demand) {
  if (!head_is_protected_) return now_free_.kept_until(machine, demand);
  RoomCounts& beside = protection_.beside(now_free_);
  if (fits(demand.data(), beside.free(machine), demand.size())) return beside.kept_until(machine, demand);
  return std::min(now_free_.kept_until(machine, demand), protection_.start());
}

}  // namespace schedcore
