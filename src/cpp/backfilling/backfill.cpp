#include "schedcore/backfilling/backfill.hpp"

#include <algorithm>

#include "schedcore/index/fit.hpp"

namespace schedcore {

bool BackfillPolicy::takes(const OrderRule& order) {
  if (order.is_by_arrival()) return true;
  if (order.ties_by_id) return false;
  if (order.source == OrderRule::Source::formula) return !counts_the_wait(order.formula);
  if (order.source != OrderRule::Source::key) return false;
  return order.key == PriorityRule::sjf || order.key == PriorityRule::svf || order.key == PriorityRule::sdf;
}

void BackfillPolicy::attach(const MachinesView& machines) {
  if (!queue_.is_by_arrival()) keys_.attach(machines);
  load_ = PlannedLoad(machines, limits_.resolution, overtaking_ == Overtaking::protected_head);
  scan_ = BackfillScan(machines, selection_);
  extra_.assign(machines.n_resources, 0);
}

Commitments BackfillPolicy::commitments(const Cluster& cluster) const {
  Commitments commitments;
  load_.commit(commitments, cluster);
  commitments.last_run = last_run_;
  commitments.first_release = keys_.first_release();
  return commitments;
}

void BackfillPolicy::decide(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const Time now = event.now;
  for (const Completion& completion : event.completed) {
    load_.complete(completion.job, completion.machine, now, jobs);
    freed_.insert(completion.machine);
    forget_shadow();
  }
  load_.extend_overruns(now, jobs, [&](std::uint32_t /*machine*/) { forget_shadow(); });
  if (queue_.empty() && !event.arrived.empty()) told_is_current_ = false;
  if (queue_.is_by_arrival()) {
    for (const JobSlot job : event.arrived) queue_.push(job, jobs);
  } else {
    take_up_arrivals(event, jobs);
  }
  start_first(event, turn);
  wakeup_ = kNever;
  if (queue_.empty() || overtaking_ == Overtaking::never) {
    freed_.clear();
    told_.reset();
    return;
  }
  const Time next_run = last_run_ + limits_.interval;
  if (now >= next_run) {
    overtake(now, turn);
    last_run_ = now;
  } else {
    wakeup_ = next_run;  // a run is owed
  }
  if (turn.tells_plan()) find_told_shadow(jobs);
}

void BackfillPolicy::take_up_arrivals(const Event& event, const JobTable& jobs) {
  keys_.note_arrivals(event, jobs);
  for (const JobSlot job : event.arrived) {
    const Priority place = place_of(job, jobs);
    // It is the head, and the last one is not protected any more.
    if (!queue_.empty() && place < queue_.place_of_head(jobs)) forget_shadow();
    scan_.set_place(job, place);
    queue_.push(job, place, jobs);
  }
}

// The last word of the key is 0, as for all orders that are taken.
Priority BackfillPolicy::place_of(JobSlot job, const JobTable& jobs) {
  const QueueOrder order = keys_.place(job, jobs);
  return {order.high, order.middle, order.release, order.id};
}

void BackfillPolicy::start(JobSlot job, std::size_t machine, Time now, Turn& turn) {
  turn.start(job, machine);
  load_.start(job, machine, now, turn.jobs());
}

void BackfillPolicy::start_heads(Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  while (!queue_.empty()) {
    const JobSlot head = queue_.head(jobs);
    const std::size_t machine = turn.machines().first_fit(jobs.demand(head), 0, jobs.eligibility(head));
    if (machine == kNoMachine) return;
    start_from_queue(head, queue_.head_is_shown(), machine, now, turn);
  }
}

void BackfillPolicy::start_from_queue(JobSlot job, bool is_shown, std::size_t machine, Time now, Turn& turn) {
  if (is_shown) scan_.erase(job, turn.jobs());
  start(job, machine, now, turn);
  queue_.remove(is_shown);
  forget_shadow();
}

void BackfillPolicy::overtake(Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  fresh_.clear();
  while (queue_.n_shown() < std::min<std::uint64_t>(queue_.size(), limits_.queue_depth)) {
    fresh_.push_back(queue_.show_next(jobs));
  }
  // Where a head was protected there may be room now that it was kept from.
  if (shadow_ && !shadow_is_current_) freed_.insert(shadow_->machine);
  machines_ = freed_.take();
  if (!queue_.is_by_arrival()) {
    // They stand anywhere among the others.
    BackfillScan::add_machines_with_room(fresh_, turn, machines_);
    insert_fresh(jobs);
  }

  // A shadow is looked up, and several machines are scored, only for jobs that might overtake; shadows that are to be told
  // are looked up in any case.
  const bool looks_first = overtaking_ == Overtaking::protected_head || selection_.rule != SelectionRule::first_fit;
  if (looks_first && !keeps_shadows_ && !something_fits(turn)) {
    insert_fresh(jobs);
    return;
  }
  protect_head(now, turn);
  scan_.overtake(
      machines_, fresh_, now, turn, [&](Time end) { return rounded_up(end, limits_.resolution); },
      [&](std::uint32_t machine, std::span<const Amount> demand) { return latest_end(machine, demand); },
      [&](JobSlot job, std::uint32_t machine) { start_overtaking(job, machine, now, turn); });
}

void BackfillPolicy::insert_fresh(const JobTable& jobs) {
  for (const JobSlot job : fresh_) scan_.insert(job, jobs);
  fresh_.clear();
}

bool BackfillPolicy::something_fits(const Turn& turn) const {
  const MachineIndex& machines = turn.machines();
  const JobTable& jobs = turn.jobs();
  const auto fits_somewhere = [&](JobSlot job) {
    return machines.first_fit(jobs.demand(job), 0, jobs.eligibility(job)) != kNoMachine;
  };
  return std::any_of(machines_.begin(), machines_.end(),
                     [&](std::uint32_t machine) { return scan_.any_fits(machines.free(machine), machine); }) ||
         std::any_of(fresh_.begin(), fresh_.end(), fits_somewhere);
}

BackfillPolicy::Shadow BackfillPolicy::shadow_of(JobSlot head, const JobTable& jobs) const {
  const auto demand = jobs.demand(head);
  const Eligibility& eligibility = jobs.eligibility(head);
  Shadow shadow{kNever, 0};
  const auto& timelines = load_.timelines();
  for (std::uint32_t machine = 0; machine < timelines.size(); ++machine) {
    if (!eligibility.allows(machine)) continue;
    const Time time = timelines[machine].room_for_good(demand);
    if (time < shadow.time) shadow = {time, machine};
  }
  return shadow;
}

// Apart from the shadow that decides, whose changes say where room may have appeared.
void BackfillPolicy::find_told_shadow(const JobTable& jobs) {
  if (told_is_current_) return;
  told_is_current_ = true;
  told_.reset();
  if (overtaking_ != Overtaking::protected_head || queue_.empty()) return;
  const JobSlot head = protected_job(jobs);
  const Shadow shadow = shadow_is_current_ ? *shadow_ : shadow_of(head, jobs);
  if (shadow.time < kNever) told_ = Placement{head, shadow.machine, shadow.time};
}

std::vector<Placement> BackfillPolicy::reserved(const JobTable& /*jobs*/, Time now) const {
  const bool is_protected = told_ && told_->start_time <= now + limits_.window;
  return is_protected ? std::vector{*told_} : std::vector<Placement>();
}

void BackfillPolicy::look_up_shadow(JobSlot head, const JobTable& jobs) {
  const auto demand_of_head = jobs.demand(head);
  shadow_ = shadow_of(head, jobs);
  shadow_is_current_ = true;
  if (shadow_->time < kNever) {
    load_.timelines()[shadow_->machine].free_at(shadow_->time, extra_);
    for (std::size_t k = 0; k < demand_of_head.size(); ++k) extra_[k] -= demand_of_head[k];
  }
}

void BackfillPolicy::protect_head(Time now, Turn& turn) {
  head_is_protected_ = false;
  if (overtaking_ != Overtaking::protected_head) return;
  const JobSlot head = protected_job(turn.jobs());
  if (!shadow_is_current_) look_up_shadow(head, turn.jobs());
  // There is no shadow at the end of the clock, beyond which jobs would have to end.
  head_is_protected_ = shadow_->time < kNever && shadow_->time <= now + limits_.window;
  if (keeps_shadows_ && head_is_protected_) {
    shadows_.push_back({now, turn.jobs().id(head), shadow_->time, shadow_->machine});
  }
}

Time BackfillPolicy::latest_end(std::uint32_t machine, std::span<const Amount> demand) const {
  if (!head_is_protected_ || machine != shadow_->machine || fits(demand, extra_)) return kNever;
  return shadow_->time;
}

void BackfillPolicy::start_overtaking(JobSlot job, std::uint32_t machine, Time now, Turn& turn) {
  start(job, machine, now, turn);
  queue_.remove(true);
  if (!head_is_protected_) {
    forget_shadow();
  } else if (machine == shadow_->machine && load_.end_of(job) > shadow_->time) {
    // It outlasts the shadow, so it takes from what the head leaves free.
    const auto demand = turn.jobs().demand(job);
    for (std::size_t k = 0; k < demand.size(); ++k) extra_[k] -= demand[k];
  }
}

}  // namespace schedcore
