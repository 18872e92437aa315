// What a site rules in a GangQueuePolicy: priorities that move, limits that hold jobs, and jobs that end others.
#include <algorithm>

#include "schedcore/gangs/gang_queue_policy.hpp"

namespace schedcore {

// Before anything of the event.
void GangQueuePolicy::put_in_order(const JobTable& jobs) {
  const auto new_order = [&](const GangEntry& entry) {
    return entry_of(entry.job).order = keys_.renewed(entry.order, entry.job, jobs);
  };
  if (queue_.reorder(new_order)) room_appeared_ = true;  // beside another head
  limited_.reorder([&](const GangEntry& entry) { return entry_of(entry.job).order; });
  for (const Class of : active_) {
    queue_of_class_[of].reorder([&](const GangEntry& entry) { return entry_of(entry.job).order; });
  }
}

std::optional<GangEntry> GangQueuePolicy::next_candidate(const std::optional<QueueOrder>& after) {
  const auto may_be_one = [&](const GangEntry& entry) { return !was_preempted(entry); };
  const auto next = queue_.find_first(after ? queue_.behind(*after) : GangQueue::Position(), may_be_one);
  if (!next) return std::nullopt;
  // As a rule no limit holds the very next one.
  if (!is_limited(queue_.at(*next))) return queue_.at(*next);
  if (!keeps_lines_) queue_.for_each([&](const GangEntry& entry) { limited_.insert(entry); });
  keeps_lines_ = true;
  const auto whichever = [](const auto&... /*job*/) { return true; };
  return limited_.find(after, limit_use(), classes_, whichever, whichever, may_be_one);
}

void GangQueuePolicy::note_victim(JobSlot job, const JobTable& jobs) {
  if (!site_->is_preemptible(job)) return;
  const Victim victim{site_->level(job), jobs.start_time(job), jobs.id(job), job};
  victims_.insert(victim);
  victim_of_[job] = victim;
}

void GangQueuePolicy::forget_victim(JobSlot job) {
  const auto found = victim_of_.find(job);
  if (found == victim_of_.end()) return;
  victims_.erase(found->second);
  victim_of_.erase(found);
}

// Of a running job.
bool GangQueuePolicy::outlasts_reservation(JobSlot job) const {
  return head_is_protected_ && ends_.end_of(job) > protection_.start();
}

// What is free as if a running job had ended, or with -1 as it is.
void GangQueuePolicy::lend(JobSlot job, Amount times, const Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const bool outlasts = outlasts_reservation(job);
  jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) {
    const std::vector<Amount> held = held_on({machine, n_tasks}, job, jobs);
    const auto now = turn.machines().free(machine);
    std::vector<Amount>& lent = lent_[machine];
    lent.resize(held.size());
    std::vector<Amount> free(now.begin(), now.end());
    for (std::size_t k = 0; k < held.size(); ++k) free[k] += lent[k] += times * held[k];
    if (outlasts) protection_.note_outlasting(machine, held, -times);
    refresh(machine, free);
  });
}

bool GangQueuePolicy::make_room_for(const GangEntry& entry, Turn& turn) {
  if (!may_preempt(entry.job_class) || is_hopeless(entry.job_class, entry.n_tasks, entry.estimate)) return false;
  turn.poll();
  const JobTable& jobs = turn.jobs();
  const std::int64_t level = site_->level(entry.job);
  std::vector<Victim> taken;
  bool suffices = false;
  for (const Victim& victim : victims_) {
    if (victim.level >= level) break;
    bool is_in_the_way = false;
    jobs.for_each_place(victim.job, [&](std::uint32_t machine, Amount /*n_tasks*/) {
      is_in_the_way |= classes_.allows(entry.job_class, machine);
    });
    if (victim.start == now_ || !is_in_the_way) continue;
    taken.push_back(victim);
    lend(victim.job, 1, turn);
    suffices = may_start(entry);
    if (suffices) break;
  }
  if (!suffices) note_hopeless(entry);
  std::vector<Victim> needed;
  for (auto victim = taken.rbegin(); victim != taken.rend(); ++victim) {
    lend(victim->job, -1, turn);
    if (!suffices || may_start(entry)) continue;
    lend(victim->job, 1, turn);
    needed.push_back(*victim);
  }
  for (const Victim& victim : needed) {
    lend(victim.job, -1, turn);
    end_for_another(victim, turn);
  }
  lent_.clear();
  return suffices;
}

// Of a job for which all that it may end are lent.  What is free with them grows only where others are ended in between.
void GangQueuePolicy::note_hopeless(const GangEntry& entry) {
  // Too little room whenever it ends, or only beside what is reserved or taken out of service later.
  const bool is_for_any_time = now_free_.count(entry.job_class, classes_) < entry.n_tasks;
  const std::pair least(entry.n_tasks, is_for_any_time ? 0 : entry.estimate);
  const auto [found, is_new] = hopeless_.try_emplace(entry.job_class, least);
  if (!is_new) found->second = std::min(found->second, least);
}

void GangQueuePolicy::end_for_another(const Victim& victim, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const JobSlot job = victim.job;
  const bool outlasts = outlasts_reservation(job);
  std::vector<TaskPlace> places;
  jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) { places.push_back({machine, n_tasks}); });
  if (protects_head()) ends_.erase(job);
  if (!head_is_protected_) protection_is_current_ = false;
  turn.preempt(job);
  for (const TaskPlace& place : places) {
    if (outlasts) protection_.note_outlasting(place.machine, held_on(place, job, jobs), -1);
    refresh(place.machine, turn);
  }
  forget_victim(job);
  hopeless_.clear();
  preempted_.push_back(job);
}

// They wait from the next event on.
void GangQueuePolicy::take_back_preempted(Turn& turn) {
  const JobTable& jobs = turn.jobs();
  for (const JobSlot job : preempted_) {
    if (jobs.state(job) == JobState::submitted) enqueue(job, jobs);
  }
  preempted_.clear();
  room_appeared_ = true;
  if (!queue_.empty()) await_next(turn);
}

}  // namespace schedcore
