// What changes when a caller says something else of jobs that are there.
#include <algorithm>

#include "schedcore/engine/engine.hpp"
#include "schedcore/engine/job_checks.hpp"

namespace schedcore {

void Engine::say_more(JobSlot job, const JobUpdate& update) {
  if (update.weight) jobs_.set_weight(job, *update.weight);
  if (update.priority) jobs_.set_priority(job, *update.priority);
  if (update.says_where) jobs_.set_eligibility(job, update.eligibility, update.constraint);
}

// What was said of a run that has been cut since may be too short for a job that waits.
void Engine::update_unknown(JobSlot job, const JobUpdate& update) {
  say_more(job, update);
  if (update.remaining_time && can_start_late(now_, *update.remaining_time)) jobs_.set_run_estimate(job, *update.remaining_time);
}

// The machines that it runs on stay its own; where it may run counts when it waits again.
void Engine::update_running(JobSlot job, const JobUpdate& update) {
  say_more(job, update);
  if (!update.remaining_time && !update.run_estimate) return;
  rescheduled_.push_back({job, jobs_.processing_time(job)});
  jobs_.set_run_estimate(
      job, update.run_estimate ? *update.run_estimate : (now_ - jobs_.start_time(job)) + *update.remaining_time);
}

// The policy knows it as it was, so it goes on in another slot.
void Engine::update_waiting(const JobUpdate& update, bool is_held_now) {
  const bool is_other_job = update.remaining_time || update.says_where;
  if (!is_other_job && !is_held_now && !policy_->heeds_weights()) {
    update_unknown(update.job, update);
    return;
  }
  const JobSlot slot = jobs_.add_copy(update.job);
  update_unknown(slot, update);
  moved_.push_back({update.job, slot});
  if (awaited_.waits(jobs_.id(slot))) static_cast<void>(awaited_.arrive(jobs_.id(slot), slot));
  if (is_held_now) {
    jobs_.set_held(slot);
    return;
  }
  if (!is_other_job) {
    reweighed_.push_back(moved_.back());
    return;
  }
  withdrawn_.push_back(update.job);
  released_.push_back(slot);
}

// Of a job that has ended at this instant nothing is left to be said.
void Engine::update(const JobUpdate& update, std::span<const JobSlot> held) {
  const JobSlot job = update.job;
  switch (jobs_.state(job)) {
    case JobState::running:
      if (running_.contains(job)) update_running(job, update);
      return;
    case JobState::held: {
      const auto by_id = [&](JobSlot each) { return jobs_.id(each); };
      const bool is_held_now = std::ranges::binary_search(held, jobs_.id(job), {}, by_id);
      if (is_held_now) {
        update_waiting(update, true);
      } else {
        update_unknown(job, update);
      }
      return;
    }
    case JobState::submitted: {
      // Of one that was killed just now the policy hears after this.
      const bool is_killed_now = std::ranges::find(killed_, job, &Completion::job) != killed_.end() ||
                                 std::ranges::find(lost_, job) != lost_.end();
      if (is_killed_now) {
        update_unknown(job, update);
      } else {
        update_waiting(update, false);
      }
      return;
    }
    case JobState::awaiting: update_unknown(job, update); return;
    case JobState::reserved: update_unknown(job, update); serve_again(job); return;
    case JobState::planned:
    case JobState::free_slot: return;
  }
}

}  // namespace schedcore
