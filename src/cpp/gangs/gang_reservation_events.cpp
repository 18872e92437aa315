// What an event does to the plan of a GangReservationPolicy, before anything is decided.
#include <algorithm>

#include "schedcore/gangs/gang_reservation_policy.hpp"

namespace schedcore {

void GangReservationPolicy::take_up(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  for (const Completion& completion : event.completed) end_run(completion.job, false, jobs);
  for (const Completion& killed : event.killed) end_run(killed.job, true, jobs);
  for (const Completion& cancelled : event.cancelled) end_run(cancelled.job, true, jobs);
  extend_overruns(jobs);
  for (const JobSlot job : event.withdrawn) {
    if (of(job).is_reserved()) give_up(of(job));
    dequeue(of(job));
  }
  if (!event.changed_machines.empty()) void_reservations(event, turn);
  for (const std::uint32_t machine : event.changed_machines) take_up_machine(machine, turn.availability());
  for (const JobSlot job : event.arrived) {
    if (job >= waiting_.size()) waiting_.resize(job + std::size_t{1});
    waiting_[job] = {};
    waiting_[job].entry.order = number_priority(jobs.release_time(job), jobs.id(job));
    enqueue(job, jobs);
  }
  for (const Completion& killed : event.killed) enqueue(killed.job, jobs);
  for (const JobSlot job : event.released) enqueue(job, jobs);
}

void GangReservationPolicy::end_run(JobSlot job, bool is_cut, const JobTable& jobs) {
  const Time end = ends_.end_of(job);
  ends_.erase(job);
  chosen_.clear();
  jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) { chosen_.push_back({machine, n_tasks}); });
  if (is_cut || now_ < end) released_ = true;
  if (now_ >= end) return;
  plan_.vacate(chosen_, now_, end, jobs.demand(job), jobs.shape(job).is_exclusive);
  given_back_.note(now_, end, chosen_);
}

void GangReservationPolicy::extend_overruns(const JobTable& jobs) {
  ends_.extend_overruns(now_, jobs, [&](JobSlot job, Time end) {
    chosen_.clear();
    jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) { chosen_.push_back({machine, n_tasks}); });
    plan_.occupy(chosen_, now_, end, jobs.demand(job), jobs.shape(job).is_exclusive);
    is_strained_ = true;
  });
  if (!is_strained_) return;
  const bool has_overdue = !due_.empty() && due_.begin()->start < now_;
  is_strained_ = has_overdue || plan_.is_negative_somewhere();
  if (is_strained_) return;
  // What was known of the plan was not kept meanwhile.
  kinds_.clear();
  given_back_.note_all();
}

// Those with a task on a machine that has failed, or that would meet an outage that is announced now.
void GangReservationPolicy::void_reservations(const Event& event, const Turn& turn) {
  const auto is_void = [&](const Waiting& each) {
    return std::ranges::any_of(each.places, [&](const TaskPlace& place) {
      if (turn.availability().is_down(place.machine)) return true;
      return std::ranges::any_of(event.announced, [&](const AnnouncedOutage& outage) {
        return outage.machine == place.machine && outage.span.begin < each.end &&
               std::max(each.start, now_) < outage.span.end;
      });
    });
  };
  for (const JobSlot job : holders()) {
    if (is_void(of(job))) give_up(of(job));
  }
}

void GangReservationPolicy::take_up_machine(std::uint32_t machine, const Availability& availability) {
  const auto capacity = classes_.capacity(machine);
  const auto outages = availability.outages(machine);
  const std::vector<TaskPlace> place{{machine, 1}};
  for (const Outage& span : blocked_[machine]) plan_.vacate(place, span.begin, span.end, capacity, true);
  blocked_[machine].clear();
  const bool is_down = availability.is_down(machine);
  if (is_down) {
    blocked_[machine].push_back({now_, kNever});
  } else {
    blocked_[machine].assign(outages.begin(), outages.end());
  }
  for (const Outage& span : blocked_[machine]) plan_.occupy(place, span.begin, span.end, capacity, true);
  if (is_down_[machine] && !is_down) {
    released_ = true;
    given_back_.note(now_, kNever, place);
  }
  is_down_[machine] = is_down;
  const bool is_lost = is_down || (!outages.empty() && outages.front().begin <= now_ && outages.front().end == kNever);
  const std::vector<Amount> nothing(capacity.size());
  ever_free_.set_free(machine, is_lost ? std::span<const Amount>(nothing) : capacity);
}

void GangReservationPolicy::enqueue(JobSlot job, const JobTable& jobs) {
  Waiting& waiting = of(job);
  const JobShape& shape = jobs.shape(job);
  waiting.entry = {waiting.entry.order, shape.n_tasks, jobs.processing_time(job), job,
                   classes_.add(jobs.demand(job), jobs.eligibility(job), shape)};
  waiting.waits = true;
  queue_.insert(waiting.entry);
  unreserved_.emplace(waiting.entry.order, job);
}

// Of a job without a reservation.
void GangReservationPolicy::dequeue(Waiting& waiting) {
  queue_.erase(waiting.entry.order);
  unreserved_.erase(waiting.entry.order);
  classes_.remove(waiting.entry.job_class);
  waiting.waits = false;
}

// What it holds is taken out of the plan; somebody else may use it.
void GangReservationPolicy::give_up(Waiting& waiting) {
  lift(waiting);
  given_back_.note(std::max(waiting.start, now_), waiting.end, waiting.places);
  due_.erase({waiting.start, waiting.entry.order, waiting.entry.job});
  waiting.start = waiting.end = kNever;
  waiting.places.clear();
  unreserved_.emplace(waiting.entry.order, waiting.entry.job);
  released_ = true;
}

}  // namespace schedcore
