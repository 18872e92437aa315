// What happens to an engine's cluster beside arrivals and completions: machines that fail, come back or are taken out of
// service, jobs that are killed, cancelled or held; and jobs that hold more than one task's demand on one machine.
#include <algorithm>
#include <string>
#include <utility>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/number_text.hpp"
#include "schedcore/engine/engine.hpp"
#include "schedcore/engine/job_checks.hpp"

namespace schedcore {

std::span<const Amount> Engine::held_on(std::size_t machine, JobSlot job, Amount n_tasks) {
  const auto capacity = capacity_of(machine);
  const auto demand = jobs_.demand(job);
  held_.assign(capacity.begin(), capacity.end());
  if (jobs_.shape(job).is_exclusive) return held_;
  for (std::size_t k = 0; k < demand.size(); ++k) held_[k] = n_tasks * demand[k];
  return held_;
}

void Engine::hand_over_to(std::unique_ptr<Policy> policy) {
  unattached_ = policy->clone();
  policy->attach({capacity_, machines_.n_machines(), n_resources_});
  Cluster all = cluster();
  all.machines = {capacity_, machines_.n_machines(), n_resources_};
  policy->take_over(policy_->commitments(all), all);
  policy_ = std::move(policy);
  are_limits_void_ = true;
  // What was planned is the new policy's to keep, as its own reservations.
  for (const PlanEntry& entry : plan_) jobs_.set_submitted(entry.job);
  plan_.clear();
  timelines_.clear();
}

void Engine::announce(std::span<const AnnouncedOutage> outages) {
  for (const AnnouncedOutage& outage : outages) {
    availability_.announce(outage, machines_.n_machines());
    changed_machines_.push_back(outage.machine);
  }
}

// The machine has other failures or outages than before.
void Engine::settle_block(std::uint32_t machine, bool was_blocked) {
  const bool is_blocked = availability_.is_blocked(machine);
  if (is_blocked && !was_blocked) machines_.acquire(machine, capacity_of(machine));
  if (was_blocked && !is_blocked) machines_.release(machine, capacity_of(machine));
  changed_machines_.push_back(machine);
}

void Engine::pass_outages_to(Time now) {
  availability_.pass_to(now, [&](std::uint32_t machine, bool was_blocked) { settle_block(machine, was_blocked); });
}

void Engine::start(JobSlot job, std::span<const TaskPlace> places) {
  const JobShape& shape = jobs_.shape(job);
  if (shape.is_plain() && places.size() == 1) {
    start(job, places.front().machine);
    return;
  }
  const auto refuse = [&](const std::string& because) {
    throw PolicyError("job " + std::to_string(jobs_.id(job)) + " was started at " + number_text(now_) + because);
  };
  if (jobs_.state(job) != JobState::submitted) refuse(" twice");
  check_duration(jobs_.id(job), now_, jobs_.processing_time(job));
  Amount n_placed = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const TaskPlace& place = places[i];
    const std::string on_machine = " on machine " + std::to_string(number_of(place.machine));
    const auto free = machines_.free(place.machine);
    const auto capacity = capacity_of(place.machine);
    if (place.n_tasks < 1 || place.n_tasks > std::min(shape.spread, shape.n_tasks - n_placed)) {
      refuse(on_machine + " with " + std::to_string(place.n_tasks) + " tasks");
    }
    n_placed += place.n_tasks;
    if (!jobs_.eligibility(job).allows(place.machine)) refuse(on_machine + ", which it may not use");
    // A machine that is named twice has no room left the second time, or is not empty any more.
    if (tasks_that_fit(jobs_.demand(job), free) < place.n_tasks) refuse(on_machine + ", where it does not fit");
    if (shape.is_exclusive && !std::ranges::equal(free, capacity)) refuse(on_machine + ", where others run");
    machines_.acquire(place.machine, held_on(place.machine, job, place.n_tasks));
  }
  if (n_placed != shape.n_tasks) refuse(" with " + std::to_string(n_placed) + " tasks");
  ++n_started_;
  jobs_.set_running(job, places, now_);
  running_.insert(job);
  jobs_.note_begin(job, now_);
  if (availability_.any_limits()) take_limits(job);
  starts_->push_back({job, places.front().machine, now_});
}

void Engine::release_places(JobSlot job) {
  jobs_.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) {
    machines_.release(machine, held_on(machine, job, n_tasks));
  });
}

// A running job ends, whatever becomes of it.
void Engine::stop(JobSlot job) {
  if (jobs_.names_reservation(job)) {
    stop_inside(job);
    return;
  }
  give_back_limits(job);
  if (jobs_.shape(job).is_plain()) {
    complete(job);
    return;
  }
  running_.erase(job);
  jobs_.note_end(job, now_);
  release_places(job);
}

void Engine::kill(JobSlot job, KillRule rule, std::vector<KilledJob>& killed) {
  if (!running_.contains(job)) return;  // it has ended at this instant
  const Completion ended{job, jobs_.machine(job)};
  const Time run_length = now_ - jobs_.start_time(job);
  stop(job);
  killed.push_back({job, rule == KillRule::drop});
  if (rule == KillRule::drop) {
    cancelled_.push_back(ended);
    return;
  }
  if (rule == KillRule::checkpoint) jobs_.save_work(job, run_length);
  jobs_.set_submitted(job);
  killed_.push_back(ended);
}

void Engine::cancel(JobSlot job) {
  if (running_.contains(job)) {
    cancelled_.push_back({job, jobs_.machine(job)});
    called_off_.push_back(job);
    stop(job);
    return;
  }
  if (waits_no_longer(job)) return;
  const JobState state = jobs_.state(job);
  if (state == JobState::reserved) {
    wait_inside_no_longer(job);
    jobs_.set_held(job);  // its reservation may be over at this instant, too
  }
  if (state == JobState::submitted || state == JobState::planned) withdrawn_.push_back(job);
  awaited_.forget(jobs_.id(job));
}

void Engine::preempt(JobSlot job) {
  const Time start = jobs_.start_time(job);
  if (!running_.contains(job) || !(start < now_)) {
    throw PolicyError("job " + std::to_string(jobs_.id(job)) + " was preempted at " + number_text(now_) + ", when it did not run before");
  }
  stop(job);
  const bool is_dropped = preempt_rule_ == KillRule::drop;
  preempted_.push_back({job, is_dropped});
  if (is_dropped) {
    ended_outside_.push_back(jobs_.id(job));
    return;
  }
  if (preempt_rule_ == KillRule::checkpoint) jobs_.save_work(job, now_ - start);
  jobs_.set_submitted(job);
  jobs_.note_preempted(job, now_);
}

void Engine::adopt(const AdoptedJob& adopted, std::vector<KilledJob>& killed) {
  const JobSlot job = adopted.job;
  const auto is_lost = [&](const TaskPlace& place) { return availability_.has_failed(place.machine); };
  if (std::ranges::any_of(adopted.places, is_lost)) {
    const bool is_dropped = kill_rule_ == KillRule::drop;
    killed.push_back({job, is_dropped});
    lost_.push_back(job);
    if (!is_dropped) released_.push_back(job);
    return;
  }
  for (const TaskPlace& place : adopted.places) {
    machines_.acquire(place.machine, held_on(place.machine, job, place.n_tasks));
  }
  ++n_started_;
  jobs_.set_running(job, adopted.places, adopted.start_time);
  running_.insert(job);
  jobs_.note_begin(job, now_);
  adopted_.push_back(job);
  are_limits_void_ = true;
}

// Of a job that was killed at this very instant: for the policy it has ended, and does not wait again.
bool Engine::waits_no_longer(JobSlot job) {
  const auto killed_now = std::ranges::find(killed_, job, &Completion::job);
  if (killed_now == killed_.end()) return false;
  cancelled_.push_back(*killed_now);
  killed_.erase(killed_now);
  return true;
}

// The running jobs with a task on one of these machines, in order of id.
std::vector<JobSlot> Engine::running_on(const std::vector<bool>& machines) const {
  std::vector<JobSlot> found;
  running_.for_each([&](JobSlot job) {
    bool is_there = false;
    jobs_.for_each_place(job, [&](std::uint32_t machine, Amount /*n_tasks*/) { is_there |= machines[machine]; });
    if (is_there) found.push_back(job);
  });
  std::ranges::sort(found, {}, [&](JobSlot job) { return jobs_.id(job); });
  return found;
}

void Engine::take_up_failures(std::span<const std::uint32_t> failed, std::vector<KilledJob>& killed) {
  if (failed.empty()) return;
  std::vector<bool> fails(machines_.n_machines());
  for (const std::uint32_t machine : failed) fails[machine] = true;
  for (const JobSlot job : running_on(fails)) kill(job, kill_rule_, killed);
  for (const std::uint32_t machine : failed) {
    if (availability_.has_failed(machine)) continue;
    change_block(machine, [&] { availability_.fail(machine, machines_.n_machines()); });
  }
}

void Engine::take_up_closings(std::span<const ClosedMachine> closed, std::vector<KilledJob>& killed) {
  if (closed.empty()) return;
  for (const RunsOnClosed runs : {RunsOnClosed::requeue, RunsOnClosed::drop}) {
    std::vector<bool> kills(machines_.n_machines());
    bool any = false;
    for (const ClosedMachine& each : closed) {
      if (each.runs == runs) any = kills[each.machine] = true;
    }
    if (!any) continue;
    KillRule rule = KillRule::drop;
    if (runs == RunsOnClosed::requeue) rule = kill_rule_ == KillRule::drop ? KillRule::requeue : kill_rule_;
    for (const JobSlot job : running_on(kills)) kill(job, rule, killed);
  }
  for (const ClosedMachine& each : closed) {
    if (each.is_removed) lose_shares(each.machine);
    change_block(each.machine, [&] {
      if (each.is_removed) {
        availability_.remove(each.machine, machines_.n_machines());
      } else {
        availability_.close(each.machine, machines_.n_machines());
      }
    });
  }
}

void Engine::take_up(const Happenings& happenings, std::vector<KilledJob>& killed) {
  take_up_capacities(happenings);
  for (const std::uint32_t machine : happenings.repaired) {
    if (!availability_.has_failed(machine)) continue;
    change_block(machine, [&] { availability_.repair(machine); });
  }
  for (const std::uint32_t machine : happenings.opened) {
    if (!availability_.is_closed(machine)) continue;
    change_block(machine, [&] { availability_.open(machine); });
  }
  pass_outages_to(now_);
  pass_reservations_to(now_, happenings.unreserved);
  for (const JobSlot job : happenings.completed) {
    completions_.push_back({job, jobs_.machine(job)});
    stop(job);
  }
  take_up_failures(happenings.failed, killed);
  take_up_closings(happenings.closed, killed);
  if (!happenings.announced.empty()) {
    for (const AnnouncedOutage& outage : happenings.announced) {
      availability_.announce(outage, machines_.n_machines());
      changed_machines_.push_back(outage.machine);
    }
    pass_outages_to(now_);
  }
  for (const AdvanceReservation& each : happenings.reserved) reserve(each);
  std::ranges::sort(reserved_);
  for (const JobSlot job : happenings.requeued) kill(job, kill_rule_, killed);
  for (const JobSlot job : happenings.cancelled) cancel(job);
  for (const AdoptedJob& each : happenings.adopted) adopt(each, killed);
  for (const JobSlot job : happenings.held) {
    // One that has started since the record was made runs on.
    const JobState state = jobs_.state(job);
    const bool is_known = state == JobState::submitted || state == JobState::planned;
    if (!is_known && state != JobState::reserved && state != JobState::awaiting) continue;
    if (state == JobState::reserved) {
      wait_inside_no_longer(job);
    } else if (is_known && !waits_no_longer(job)) {
      withdrawn_.push_back(job);
    }
    jobs_.set_held(job);
  }
  for (const JobUpdate& each : happenings.updated) update(each, happenings.held);
  for (const JobSlot job : happenings.released) {
    // What was held at this instant, too, may have been updated in between.
    const auto moved = std::ranges::find(moved_, job, &Reweighed::before);
    const JobSlot slot = moved == moved_.end() ? job : moved->after;
    if (jobs_.state(slot) != JobState::held) continue;
    if (awaited_.waits(jobs_.id(slot))) {
      jobs_.set_awaiting(slot);
    } else {
      wait_from_now(slot);
    }
  }
  settle_awaited(happenings, killed);
  settle_inside();
  refresh_limits();
  const auto by_id = [&](const Completion& ended) { return jobs_.id(ended.job); };
  std::ranges::sort(killed_, {}, by_id);
  std::ranges::sort(cancelled_, {}, by_id);
  std::ranges::sort(called_off_);
  for (auto* listed : {&withdrawn_, &released_}) std::ranges::sort(*listed, {}, [&](JobSlot job) { return jobs_.id(job); });
  std::ranges::sort(changed_machines_);
  changed_machines_.erase(std::unique(changed_machines_.begin(), changed_machines_.end()), changed_machines_.end());
}

void Engine::advance(const Happenings& happenings, std::vector<Placement>& starts, std::vector<KilledJob>& killed) {
  now_ = happenings.now;
  starts_ = &starts;
  completions_.clear();
  moved_.clear();
  left_.clear();
  preempted_.clear();
  lost_.clear();
  left_reservation_.clear();
  for (const JobSlot job : happenings.named) jobs_.set_reserved(job);  // before a policy is told who waits
  if (jobs_.has_site()) jobs_.site()->pass_to(now_);
  take_up(happenings, killed);
  if (!plan_.empty()) start_due();
  event_.now = now_;
  event_.completed = completions_;
  event_.arrived = arrived_;
  event_.killed = killed_;
  event_.cancelled = cancelled_;
  event_.called_off = called_off_;
  event_.withdrawn = withdrawn_;
  event_.released = released_;
  event_.reweighed = reweighed_;
  event_.adopted = adopted_;
  event_.rescheduled = rescheduled_;
  event_.changed_machines = changed_machines_;
  event_.raised = raised_;
  event_.lowered = lowered_;
  event_.announced = happenings.announced;
  event_.reserved = reserved_;
  event_.unreserved = unreserved_;
  Turn turn(*this);
  policy_->decide(event_, turn);
  if (!plan_.empty()) start_due();
  serve_reservations();
  event_ = {};
  killed_.clear();
  cancelled_.clear();
  called_off_.clear();
  withdrawn_.clear();
  released_.clear();
  reweighed_.clear();
  rescheduled_.clear();
  adopted_.clear();
  changed_machines_.clear();
  raised_.clear();
  lowered_.clear();
  reserved_.clear();
  unreserved_.clear();
  starts_ = nullptr;
}

}  // namespace schedcore
