// What a site rules in a GangQueuePolicy: priorities that move, limits that hold jobs, and jobs that end others.
#include <algorithm>
#include <limits>

#include "schedcore/gangs/gang_queue_policy.hpp"

namespace schedcore {

// Before anything of the event.
void GangQueuePolicy::take_up_site(const JobTable& jobs) {
  if (rule_.source == OrderRule::Source::multifactor && seen_version_ != site_->version()) put_in_order(jobs);
}

void GangQueuePolicy::put_in_order(const JobTable& jobs) {
  seen_version_ = site_->version();
  if (queue_.empty()) return;
  std::vector<GangEntry> entries;
  entries.reserve(queue_.size());
  queue_.for_each([&](const GangEntry& entry) {
    entries.push_back(entry);
    entries.back().order = jobs.queue_order(entry.job, rule_, scale_);
  });
  const auto by_order = [](const GangEntry& entry) { return entry.order; };
  if (!std::ranges::is_sorted(entries, {}, by_order)) {
    std::ranges::sort(entries, {}, by_order);
    room_appeared_ = true;  // beside another head
  }
  queue_.assign(entries);
  std::vector<std::vector<GangEntry>> of_class(queue_of_class_.size());
  for (const GangEntry& entry : entries) {
    entries_[entry.job].order = entry.order;
    of_class[entry.job_class].push_back(entry);
  }
  for (const Class of : active_) queue_of_class_[of].assign(of_class[of]);
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

// What is free as if a running job had ended, or with -1 as it is.
void GangQueuePolicy::lend(JobSlot job, Amount times, const Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const auto demand = jobs.demand(job);
  const bool is_exclusive = jobs.shape(job).is_exclusive;
  const bool outlasts = protects_head() && head_is_protected_ && ends_.end_of(job) > protection_.start();
  std::vector<Amount> held(demand.size());
  jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) {
    const auto capacity = classes_.capacity(machine);
    std::vector<Amount>& lent = lent_[machine];
    lent.resize(demand.size());
    for (std::size_t k = 0; k < demand.size(); ++k) {
      held[k] = times * (is_exclusive ? capacity[k] : n_tasks * demand[k]);
      lent[k] += held[k];
    }
    std::vector<Amount> free(lent);
    const auto now = turn.machines().free(machine);
    for (std::size_t k = 0; k < free.size(); ++k) free[k] += now[k];
    for (Amount& amount : held) amount = -amount;
    if (outlasts) protection_.note_outlasting(machine, held);
    refresh(machine, free);
  });
}

bool GangQueuePolicy::make_room_for(const GangEntry& entry, Turn& turn) {
  if (!may_preempt(entry.job_class)) return false;
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

void GangQueuePolicy::end_for_another(const Victim& victim, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const JobSlot job = victim.job;
  const bool outlasts = protects_head() && head_is_protected_ && ends_.end_of(job) > protection_.start();
  std::vector<Amount> held(row_.size());
  std::vector<TaskPlace> places;
  jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) { places.push_back({machine, n_tasks}); });
  if (protects_head()) ends_.erase(job);
  if (!head_is_protected_) protection_is_current_ = false;
  turn.preempt(job);
  for (const auto& [machine, n_tasks] : places) {
    const auto capacity = classes_.capacity(machine);
    const auto demand = jobs.demand(job);
    for (std::size_t k = 0; k < held.size(); ++k) {
      held[k] = -(jobs.shape(job).is_exclusive ? capacity[k] : n_tasks * demand[k]);
    }
    if (outlasts) protection_.note_outlasting(machine, held);
    refresh(machine, turn);
    note_room_on(machine);
  }
  forget_victim(job);
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
