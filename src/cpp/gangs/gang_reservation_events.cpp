// What an event does to the plan of a GangReservationPolicy, before anything is decided.
#include <algorithm>
#include <limits>

#include "schedcore/gangs/gang_reservation_policy.hpp"
#include "schedcore/gangs/plan_of_gangs.hpp"

namespace schedcore {

void GangReservationPolicy::take_up(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  for (const Completion& completion : event.completed) end_run(completion.job, false, jobs);
  for (const Completion& killed : event.killed) end_run(killed.job, true, jobs);
  for (const Completion& cancelled : event.cancelled) {
    if (!event.is_called_off(cancelled.job)) end_run(cancelled.job, true, jobs);
  }
  if (!event.lowered.empty()) {
    extend_overruns(jobs, event.rescheduled);
    void_reservations(event, turn);
    void_overfull(event.lowered, turn.availability());
  }
  if (!event.reserved.empty()) {
    extend_overruns(jobs, event.rescheduled);
    void_reservations(event, turn);
    for (const std::uint32_t machine : event.reserved) take_up_machine(machine, turn.availability());
    void_overfull(event.reserved, turn.availability());
  }
  // More of a machine that is down makes no room.
  passes_.is_due |= std::ranges::any_of(event.raised, [&](std::uint32_t machine) { return !turn.availability().is_down(machine); });
  for (const JobSlot job : event.called_off) end_run(job, true, jobs);
  for (const JobSlot job : event.adopted) adopt(job, jobs);
  for (const Rescheduled& each : event.rescheduled) reschedule(each.job, jobs);
  extend_overruns(jobs);
  for (const auto& [before, after] : event.reweighed) reweigh(before, after, jobs);
  for (const JobSlot job : event.withdrawn) {
    if (of(job).is_reserved()) give_up(of(job));
    unreserved_.erase(of(job).entry);
    dequeue(of(job));
  }
  if (!event.changed_machines.empty()) void_reservations(event, turn);
  for (const std::uint32_t machine : event.changed_machines) take_up_machine(machine, turn.availability());
  for (const std::uint32_t machine : event.unreserved) {
    const TaskPlace place{machine, 1};
    note_given_back(now_, kNever, {&place, 1});
    passes_.is_due = true;
  }
  // A job may run into an outage that was announced after its start, or go on where its machine is closed.
  // Or it may take longer than it said, or run where nobody knew of it.
  const bool may_strain = !event.changed_machines.empty() || !event.rescheduled.empty() || !event.adopted.empty();
  if (may_strain && plan_.is_negative_somewhere()) is_strained_ = true;
  keys_.note_arrivals(event, jobs);
  for (const JobSlot job : event.arrived) {
    if (job < waiting_.size()) waiting_[job] = {};
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
  if (is_cut || now_ < end) passes_.is_due = true;
  if (now_ >= end) return;
  plan_.vacate({chosen_, now_, end}, jobs.demand(job), jobs.shape(job).is_exclusive);
  note_given_back(now_, end, chosen_);
}

// A job that runs already; reservations that it meets stand.
void GangReservationPolicy::adopt(JobSlot job, const JobTable& jobs) {
  const Time end = rounded_up(jobs.expected_end(job), limits_.resolution);
  ends_.insert(job, end);
  chosen_.clear();
  jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) { chosen_.push_back({machine, n_tasks}); });
  std::ranges::sort(chosen_, {}, &TaskPlace::machine);
  plan_.occupy({chosen_, now_, end}, jobs.demand(job), jobs.shape(job).is_exclusive);
}

// A running job says another end than before.
void GangReservationPolicy::reschedule(JobSlot job, const JobTable& jobs) {
  const Time before = ends_.reschedule(job, jobs);
  const Time after = ends_.end_of(job);
  chosen_.clear();
  jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) { chosen_.push_back({machine, n_tasks}); });
  if (before < after) {
    plan_.occupy({chosen_, std::max(before, now_), after}, jobs.demand(job), jobs.shape(job).is_exclusive);
  } else if (after < before) {
    plan_.vacate({chosen_, after, before}, jobs.demand(job), jobs.shape(job).is_exclusive);
    if (now_ < before) note_given_back(std::max(after, now_), before, chosen_);
    passes_.is_due = true;
  }
}

void GangReservationPolicy::extend_overruns(const JobTable& jobs, std::span<const Rescheduled> not_yet) {
  const bool was_strained = is_strained_;
  ends_.extend_overruns(now_, jobs, not_yet, [&](JobSlot job, Time end) {
    chosen_.clear();
    jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) { chosen_.push_back({machine, n_tasks}); });
    plan_.occupy({chosen_, now_, end}, jobs.demand(job), jobs.shape(job).is_exclusive);
    is_strained_ = true;
  });
  // A reservation that starts late, because others do or because the caller comes late, may reach into the next ones.
  const bool has_overdue = !due_.empty() && due_.begin()->start < now_;
  is_strained_ = has_overdue || (is_strained_ && plan_.is_negative_somewhere());
  if (is_strained_ || !was_strained) return;
  // What was known of the plan was not kept meanwhile.
  kinds_.clear();
  note_all_given_back();
}

// Those with a task on a machine that has failed, or that would meet an outage that is announced now.
void GangReservationPolicy::void_reservations(const Event& event, const Turn& turn) {
  const auto is_void = [&](const Waiting& each) {
    // One that is late would start now.
    const Time start = std::max(each.start, now_);
    const Time end = each.start < now_ ? end_of(each.entry, now_) : each.end;
    return std::ranges::any_of(each.places, [&](const TaskPlace& place) {
      if (turn.availability().is_down(place.machine)) return true;
      return std::ranges::any_of(event.announced, [&](const AnnouncedOutage& outage) {
        return outage.machine == place.machine && outage.span.begin < end && start < outage.span.end;
      });
    });
  };
  for (const JobSlot job : holders()) {
    if (is_void(of(job))) give_up(of(job));
  }
}

// Those that meet, on a machine that has less than before, an instant at which more is taken of it than it has, or whose tasks
// there are more than it can hold.  In an outage there is nothing, whatever is taken.
void GangReservationPolicy::void_overfull(std::span<const std::uint32_t> lowered, const Availability& availability) {
  const auto is_overfull = [&](std::uint32_t machine, Time from, Time to) {
    for (const Outage& outage : availability.outages(machine)) {
      if (from < std::min(outage.begin, to) && plan_.is_negative_on(machine, from, std::min(outage.begin, to))) return true;
      from = std::max(from, outage.end);
    }
    return from < to && plan_.is_negative_on(machine, from, to);
  };
  for (auto each = due_.begin(); each != due_.end() && each->start < now_; ++each) {
    Waiting& late = of(each->job);
    lift(late);
    late.end = std::min(end_of(late.entry, now_), std::numeric_limits<Time>::max());
    lay(late);
  }
  const auto is_void = [&](const Waiting& each) {
    const Time start = std::max(each.start, now_);
    return std::ranges::any_of(each.places, [&](const TaskPlace& place) {
      return std::ranges::binary_search(lowered, place.machine) &&
             (is_overfull(place.machine, start, each.end) ||
              classes_.room(each.entry.job_class, place.machine, classes_.capacity(place.machine).data()) < place.n_tasks);
    });
  };
  std::vector<JobSlot> voided;
  for (const JobSlot job : holders()) {
    if (is_void(of(job))) voided.push_back(job);
  }
  for (const JobSlot job : voided) give_up(of(job));
}

void GangReservationPolicy::take_up_machine(std::uint32_t machine, const Availability& availability) {
  const auto capacity = classes_.capacity(machine);
  const auto outages = availability.outages(machine);
  const std::vector<TaskPlace> place{{machine, 1}};
  const auto amounts_of = [&](const Taken& each) { return each.amounts.empty() ? capacity : std::span<const Amount>(each.amounts); };
  for (const Taken& each : taken_[machine]) {
    plan_.vacate({place, each.from, each.to}, amounts_of(each), each.amounts.empty());
  }
  const bool is_down = availability.is_down(machine);
  taken_[machine] = availability.taken(machine, now_);
  for (const Taken& each : taken_[machine]) {
    plan_.occupy({place, each.from, each.to}, amounts_of(each), each.amounts.empty());
  }
  if (is_down_[machine] && !is_down) {
    passes_.is_due = true;
    note_given_back(now_, kNever, place);
  }
  is_down_[machine] = is_down;
  const bool is_lost = is_down || (!outages.empty() && outages.front().begin <= now_ && outages.front().end == kNever);
  const std::vector<Amount> nothing(capacity.size());
  ever_free_.set_free(machine, is_lost ? std::span<const Amount>(nothing) : capacity);
}

// Of a policy that has seen no event: running jobs, with the ends that are known, outages and failures.
void GangReservationPolicy::take_up_all(const Cluster& cluster) {
  const JobTable& jobs = cluster.jobs;
  now_ = cluster.now;
  plan_.pass_to(now_);
  waiting_.resize(jobs.n_slots());
  for (const JobSlot job : cluster.running) {
    chosen_.clear();
    jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) { chosen_.push_back({machine, n_tasks}); });
    plan_.occupy({chosen_, now_, ends_.end_of(job)}, jobs.demand(job), jobs.shape(job).is_exclusive);
  }
  if (cluster.availability->any()) {
    for (std::uint32_t machine = 0; machine < cluster.machines.n_machines; ++machine) {
      take_up_machine(machine, *cluster.availability);
    }
  }
  for (const JobSlot job : cluster.waiting) enqueue(job, jobs);
}

void GangReservationPolicy::take_reservation(JobSlot job, Time start, Time end, std::span<const TaskPlace> places) {
  Waiting& waiting = of(job);
  waiting.start = start;
  waiting.end = end;
  waiting.places.assign(places.begin(), places.end());
  waiting.forget_room(now_);
  unreserved_.erase(waiting.entry);
  due_.insert({start, waiting.entry.order, job});
  lay(waiting);
}

void GangReservationPolicy::take_over(const Commitments& commitments, const Cluster& cluster) {
  last_run_ = commitments.last_run;
  passes_.is_due = commitments.has_given_back;
  ends_.take_over(commitments);
  keys_.take_over(commitments.first_release, cluster);
  take_up_all(cluster);
  for (const Commitments::Reservation& reservation : commitments.reservations) {
    const TaskPlace place{reservation.machine, 1};
    take_reservation(reservation.job, reservation.start, reservation.end, {&place, 1});
  }
  note_all_given_back();
  is_strained_ = (!due_.empty() && due_.begin()->start <= now_) || plan_.is_negative_somewhere();
}

void GangReservationPolicy::enqueue(JobSlot job, const JobTable& jobs) {
  if (job >= waiting_.size()) waiting_.resize(jobs.n_slots());
  Waiting& waiting = of(job);
  const JobShape& shape = jobs.shape(job);
  waiting.entry = {keys_.place(job, jobs), shape.n_tasks, jobs.processing_time(job), job,
                   classes_.add(jobs.demand(job), jobs.eligibility(job), shape, jobs.level(job)),
                   LimitedQueue::profile_of(job, jobs)};
  waiting.waits = true;
  queue_.insert(waiting.entry);
  unreserved_.insert(waiting.entry);
}

// Of a job that is not among those without a reservation.
void GangReservationPolicy::dequeue(Waiting& waiting) {
  queue_.erase(waiting.entry.order);
  classes_.remove(waiting.entry.job_class);
  waiting.waits = false;
}

void GangReservationPolicy::note_given_back(Time from, Time to, std::span<const TaskPlace> places) {
  given_back_.note(from, to, places);
  if (!compresses()) return;
  const PlanOfGangs plan(plan_, classes_);
  for (const TaskPlace& place : places) released_room_.note_release(place.machine, from, to, plan);
}

void GangReservationPolicy::note_all_given_back() {
  given_back_.note_all();
  released_room_.forget();
}

// What it holds is taken out of the plan; somebody else may use it.
void GangReservationPolicy::give_up(Waiting& waiting) {
  give_up_quietly(waiting);
  passes_.is_due = true;
}

void GangReservationPolicy::give_up_quietly(Waiting& waiting) {
  lift(waiting);
  note_given_back(std::max(waiting.start, now_), waiting.end, waiting.places);
  due_.erase({waiting.start, waiting.entry.order, waiting.entry.job});
  waiting.start = waiting.end = kNever;
  waiting.places.clear();
  unreserved_.insert(waiting.entry);
}

}  // namespace schedcore
