#include "schedcore/backfilling/reservations.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "schedcore/backfilling/plan_of_timelines.hpp"
#include "schedcore/engine/job_checks.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {

void ReservationPolicy::attach(const MachinesView& machines) {
  load_ = PlannedLoad(machines, limits_.resolution, true);
  bounds_ = FitBounds(machines.n_machines, machines.n_resources, limits_.resolution);
  released_room_ = ReleasedRoom(machines.n_machines, machines.n_resources);
  scan_ = BackfillScan(machines, selection_);
  scores_ = SelectionScores(machines, selection_);
}

Commitments ReservationPolicy::commitments(const Cluster& cluster) const {
  Commitments commitments;
  load_.commit(commitments, cluster);
  for (const Entry* entry : queue_.reserved_entries()) {
    commitments.reservations.push_back({entry->job, entry->start, entry->end, entry->machine});
  }
  commitments.last_run = is_put_off_ ? -kNever : last_run_;
  commitments.has_given_back = passes_.is_due || passes_.is_under_way;
  return commitments;
}

void ReservationPolicy::decide(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const Time now = event.now;
  for (const Completion& completion : event.completed) {
    const Time end = load_.complete(completion.job, completion.machine, now, jobs);
    if (end != kNever) {
      note_release(completion.machine, now, end, now);
      passes_.is_due = true;
    }
    note_freed(completion.machine);
  }
  load_.extend_overruns(now, jobs, [&](std::uint32_t /*machine*/) { is_strained_ = true; });
  if (is_strained_) {
    released_room_.forget();
    watch_strain(now);
  }
  for (const JobSlot job : event.arrived) queue_.push(job, jobs.processing_time(job));

  if (queue_.n_reserved() == 0) {
    released_room_.clear();
    passes_.is_under_way = false;
  }
  const Time next_run = last_run_ + limits_.interval;
  const bool runs = is_put_off_ || now >= next_run;
  looks_.begin_decision();
  is_put_off_ = false;
  // Who was searched for may have a place by now.
  if (now > last_run_ || !event.is_empty()) next_search_ = 0;
  if (!queue_.empty() && runs) {
    end_of_looks_ = queue_.position_after(limits_.queue_depth);
    is_put_off_ = !compress(now, turn) || !reserve_for_others(now, turn);
    if (!is_put_off_ && !protects_all()) overtake(now, turn);
    last_run_ = now;
  } else {
    start_due(now, turn);
    start_heads(now, turn);
  }
  if (turn.tells_plan()) queue_.put_in_order();
  wakeup_ = queue_.next_start(now);
  run_is_owed_ = !runs && !queue_.empty();
  if (run_is_owed_) wakeup_ = std::min(wakeup_, next_run);
  is_put_off_ = is_put_off_ && !queue_.empty();
  if (is_put_off_) wakeup_ = now;
}

std::vector<Placement> ReservationPolicy::reserved(const JobTable& jobs, Time now) const {
  if (!is_strained_) return queue_.placements();
  const std::vector<const Entry*> reserved = queue_.reserved_entries();
  std::vector<ResourceTimeline> expected = load_.timelines();  // of running jobs alone, then with the places found so far
  for (const Entry* entry : reserved) {
    if (entry->end <= now) continue;
    expected[entry->machine].release(std::max(entry->start, now), entry->end, jobs.demand(entry->job));
  }
  std::vector<Placement> placements;
  placements.reserve(reserved.size());
  for (const Entry* entry : reserved) {
    ResourceTimeline& machine = expected[entry->machine];
    const auto demand = jobs.demand(entry->job);
    const Time estimate = jobs.processing_time(entry->job);
    Time start = std::max(entry->start, now);
    if (machine.first_shortage(start, demand) < bounds_.planned_end(estimate, start, now)) {
      start = bounds_.first_start(entry->job_class, start, kNever, now, machine);
    }
    // Beyond the end of the clock nothing can be told apart.
    const Time end = start < kNever ? bounds_.planned_end(estimate, start, now) : kNever;
    if (end < kNever) machine.reserve(start, end, demand);
    placements.push_back({entry->job, entry->machine, start});
  }
  const auto by_start = [](const Placement& a, const Placement& b) { return a.start_time < b.start_time; };
  std::stable_sort(placements.begin(), placements.end(), by_start);
  return placements;
}

void ReservationPolicy::note_release(std::size_t machine, Time from, Time to, Time now) {
  bounds_.note_release(machine, from, to);
  if (options_.compression != Compression::none) {
    released_room_.note_release(static_cast<std::uint32_t>(machine), from, to, PlanOfTimelines(bounds_, load_.timelines(), now));
  }
  note_freed(machine);
}

void ReservationPolicy::watch_strain(Time now) {
  const std::size_t n_resources = timeline(0).n_resources();
  std::vector<Amount> least(n_resources);
  const auto is_negative = [&](ResourceTimeline& each) {
    each.forget_before(now);
    each.range_min(now, kNever, least);
    return std::any_of(least.begin(), least.end(), [](Amount amount) { return amount < 0; });
  };
  is_strained_ = queue_.has_overdue() || std::any_of(load_.timelines().begin(), load_.timelines().end(), is_negative);
}

void ReservationPolicy::record(const Entry& entry, Time now, const JobTable& jobs) {
  if (keeps_records_) records_.push_back({jobs.id(entry.job), now, entry.start, entry.machine});
}

void ReservationPolicy::reserve(Entry& entry, const Fit& fit, Time now, const JobTable& jobs) {
  const Time end = bounds_.planned_end(jobs.processing_time(entry.job), fit.time, now);
  check_planned_end(jobs.id(entry.job), fit.time, end, limits_.resolution);
  queue_.reserve(entry, fit.time, end, fit.machine);
  released_room_.note_taken(fit.machine, fit.time, end);
  lay(entry, now, jobs);
}

void ReservationPolicy::lift(const Entry& entry, Time now, const JobTable& jobs) {
  if (entry.end > now) timeline(entry.machine).release(std::max(entry.start, now), entry.end, jobs.demand(entry.job));
}

void ReservationPolicy::lay(const Entry& entry, Time now, const JobTable& jobs) {
  if (entry.end > now) timeline(entry.machine).reserve(std::max(entry.start, now), entry.end, jobs.demand(entry.job));
}

void ReservationPolicy::move(Entry& entry, const Fit& fit, Time now, const JobTable& jobs) {
  const Entry old = entry;
  lift(old, now, jobs);
  reserve(entry, fit, now, jobs);
  const Time from = old.machine == entry.machine ? std::max(old.start, entry.end) : old.start;
  if (std::max(from, now) < old.end) note_release(old.machine, std::max(from, now), old.end, now);
}

void ReservationPolicy::finish_start(Entry& entry, Turn& turn) {
  turn.start(entry.job, entry.machine);
  load_.start_reserved(entry.job, entry.end, turn.jobs());
  if (entry.job_class != FitBounds::kNoClass) bounds_.remove(entry.job_class);
  queue_.remove(entry);
}

void ReservationPolicy::start_if_it_fits(Entry& entry, Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  const bool it_fits = fits(jobs.demand(entry.job), turn.machines().free(entry.machine));
  if (entry.start < now || !it_fits) {
    // Others run late, or the caller is.  It keeps its place, which moves along with the time.
    lift(entry, now, jobs);
    entry.end = bounds_.overdue_end(jobs.processing_time(entry.job), now);
    lay(entry, now, jobs);
    released_room_.note_overfull(entry.end);
  }
  if (it_fits) {
    if (entry.start < now && keeps_records_) records_.push_back({jobs.id(entry.job), now, now, entry.machine});
    finish_start(entry, turn);
  } else {
    is_strained_ = true;
    queue_.keep_overdue(entry);
  }
}

void ReservationPolicy::start_now(Entry& entry, std::uint32_t machine, Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  entry.machine = machine;
  entry.end = bounds_.planned_end(jobs.processing_time(entry.job), now, now);
  check_planned_end(jobs.id(entry.job), now, entry.end, limits_.resolution);
  timeline(machine).reserve(now, entry.end, jobs.demand(entry.job));
  finish_start(entry, turn);
}

std::size_t ReservationPolicy::machine_with_room(JobSlot job, Time now, Time end, const Turn& turn) {
  const auto demand = turn.jobs().demand(job);
  const Eligibility& eligibility = turn.jobs().eligibility(job);
  std::size_t machine = turn.machines().first_fit(demand, 0, eligibility);
  while (machine != kNoMachine && timeline(machine).first_shortage(now, demand) < end) {
    machine = turn.machines().first_fit(demand, machine + 1, eligibility);
  }
  return machine;
}

FitBounds::Fit ReservationPolicy::first_place(Entry& entry, const Fit& beyond, Time now, const Turn& turn) {
  if (entry.job_class == FitBounds::kNoClass) {
    const JobTable& jobs = turn.jobs();
    const Time estimate = jobs.processing_time(entry.job);
    // Many jobs start when they arrive, and it takes no class to see that they can.
    const std::size_t machine = machine_with_room(entry.job, now, bounds_.planned_end(estimate, now, now), turn);
    if (machine != kNoMachine) return {now, static_cast<std::uint32_t>(machine)};
    entry.job_class = bounds_.add(jobs.demand(entry.job), estimate, jobs.eligibility(entry.job));
  }
  return bounds_.earliest(entry.job_class, now, beyond, load_.timelines());
}

void ReservationPolicy::start_due(Time now, Turn& turn) {
  for (Entry* entry : queue_.take_due(now)) start_if_it_fits(*entry, now, turn);
}

void ReservationPolicy::start_overdue(Time now, Turn& turn) {
  for (Entry* entry : queue_.take_due(now)) {
    if (entry->start < now) {
      start_if_it_fits(*entry, now, turn);
    } else {
      queue_.keep_overdue(*entry);
    }
  }
}

void ReservationPolicy::start_heads(Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  while (!queue_.empty()) {
    Entry& head = queue_.entries().front();
    const Time end = bounds_.planned_end(jobs.processing_time(head.job), now, now);
    if (head.is_reserved()) lift(head, now, jobs);
    const std::size_t machine = machine_with_room(head.job, now, end, turn);
    if (head.is_reserved()) lay(head, now, jobs);
    if (machine == kNoMachine) return;
    const Fit fit{now, static_cast<std::uint32_t>(machine)};
    if (head.is_in_scan) scan_.erase(head.job, jobs);
    if (head.is_reserved()) {
      move(head, fit, now, jobs);
      record(head, now, jobs);
      finish_start(head, turn);
    } else {
      start_now(head, fit.machine, now, turn);
    }
  }
}

bool ReservationPolicy::reserve_for_others(Time now, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  // Beyond the window jobs stay without a reservation between others that hold one.
  const bool from_head = limits_.window != kNever;
  const Fit beyond = from_head ? Fit{std::nextafter(now + limits_.window, kNever), 0} : Fit{};
  const ReservationQueue::Position first = from_head ? std::exchange(next_search_, 0) : next_unreserved_;
  const std::uint64_t n_steps = CountedLooks::search(load_.timelines().size());
  const std::span<Entry> entries = queue_.entries_from(first);
  for (Entry& entry : entries) {
    if (queue_.n_reserved() >= options_.protected_jobs || entry.position >= end_of_looks_) return true;
    if (entry.waits) {
      if (entry.is_reserved()) continue;
      if (!looks_.may_look(turn.budget(), n_steps)) {
        const auto is_left = [&](const Entry& each) {
          return each.position >= entry.position && each.position < end_of_looks_ && each.waits && !each.is_reserved();
        };
        turn.tell_shortened("reservations: " + std::to_string(std::ranges::count_if(entries, is_left)) + " jobs put off");
        if (from_head) next_search_ = entry.position;
        return false;
      }
      const Fit fit = first_place(entry, beyond, now, turn);
      turn.poll();
      if (from_head && !(fit < beyond)) continue;
      if (entry.is_in_scan) scan_.erase(entry.job, jobs);
      entry.is_in_scan = false;
      if (fit.time <= now) {
        start_now(entry, fit.machine, now, turn);
      } else {
        reserve(entry, fit, now, jobs);
        record(entry, now, jobs);
      }
    }
    if (!from_head) next_unreserved_ = entry.position + 1;
  }
  return true;
}

void ReservationPolicy::overtake(Time now, Turn& turn) {
  std::vector<JobSlot> fresh;
  for (Entry& entry : queue_.entries_from(next_unscanned_)) {
    if (entry.position >= end_of_looks_) break;
    next_unscanned_ = entry.position + 1;
    if (!entry.waits || entry.is_reserved()) continue;
    entry.is_in_scan = true;
    fresh.push_back(entry.job);
  }
  std::vector<std::uint32_t> machines = freed_.take();
  scan_.overtake(
      machines, fresh, now, turn, [&](Time end) { return rounded_up(end, limits_.resolution); },
      [&](std::uint32_t machine, std::span<const Amount> demand) { return timeline(machine).first_shortage(now, demand); },
      [&](JobSlot job, std::uint32_t machine) { start_now(queue_.of_job(job), machine, now, turn); });
}

}  // namespace schedcore
