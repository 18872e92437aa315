// What advance reservations that are to come leave to the jobs that are not inside.
//
// A machine's limits are made of its reservations and of the jobs that run there.  A job that starts, ends or is late changes
// those of its machines; whatever changes reservations, capacities or the policy has all of them made anew.
#include <map>
#include <set>
#include <utility>

#include "schedcore/engine/engine.hpp"

namespace schedcore {

// What the job takes of the limits of its machines until `before`, it takes until `after`.
void Engine::move_limits(JobSlot job, Time before, Time after, bool notes) {
  jobs_.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) {
    const auto limits = availability_.limits(machine);
    if (limits.empty()) return;
    if (notes) limits_before_.try_emplace(machine, limits.begin(), limits.end());
    availability_.move_limits(machine, before, after, held_on(machine, job, n_tasks));
  });
}

// A job has started that is not inside.
void Engine::take_limits(JobSlot job) {
  bool is_limited = false;
  jobs_.for_each_place(job, [&](std::uint32_t machine, Amount) { is_limited |= !availability_.limits(machine).empty(); });
  if (!is_limited) return;
  const Time end = rounded_up(now_ + jobs_.processing_time_on(job, jobs_.machine(job)), policy_->resolution());
  move_limits(job, -kNever, end, false);
  limited_runs_.set(job, end);
}

// It runs no longer.
void Engine::give_back_limits(JobSlot job) {
  const Time end = limited_runs_.end_of(job);
  if (end == kNever) return;
  limited_runs_.erase(job);
  if (!are_limits_void_) move_limits(job, end, -kNever, true);
}

// By what the policy, or else its caller, expects at this event, in which a job may turn out to be late.
Time Engine::planned_end(JobSlot job, bool is_new) const {
  const Time resolution = policy_->resolution();
  Time end = kNever;
  if (is_new) {
    end = rounded_up(jobs_.expected_end(job), resolution);
  } else {
    end = policy_->planned_end(job);
    if (end == kNever) end = rounded_up(run_ends_ != nullptr ? run_ends_->end_of(job) : jobs_.expected_end(job), resolution);
  }
  return end > now_ ? end : renewed_end(now_, jobs_.processing_time_on(job, jobs_.machine(job)), resolution);
}

void Engine::refresh_limits() {
  if (!availability_.any_limits() && availability_.reservations().next_begin() == kNever) {
    are_limits_void_ = true;
    if (!limited_runs_.empty()) limited_runs_.clear();
    return;
  }
  if (std::exchange(are_limits_void_, false)) {
    make_limits_anew();
    return;
  }
  const auto ask = [&](JobSlot job, bool is_new) {
    const Time before = limited_runs_.end_of(job);
    if (before == kNever) return;
    const Time end = planned_end(job, is_new);
    if (end == before) return;
    move_limits(job, before, end, true);
    limited_runs_.set(job, end);
  };
  for (const JobSlot job : limited_runs_.to_ask(now_)) ask(job, false);
  for (const Rescheduled& each : rescheduled_) ask(each.job, true);
  for (const auto& [machine, before] : limits_before_) {
    if (!std::ranges::equal(availability_.limits(machine), before)) changed_machines_.push_back(machine);
  }
  limits_before_.clear();
}

// Of every machine with a reservation to come: what is free there at its begin, and at that of each other one.
void Engine::make_limits_anew() {
  for (auto& [machine, rows] : limits_before_) availability_.set_limits(machine, std::move(rows));
  limits_before_.clear();
  limited_runs_.clear();
  const AdvanceReservations& reservations = availability_.reservations();
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> number_of(machines_.n_machines(), kNone);
  std::vector<std::pair<std::uint32_t, std::vector<RoomLimit>>> limits;
  std::set<Time> begins;                        // to come, on a machine
  std::map<Time, std::vector<Amount>> changes;  // of what is reserved of a machine, by the instants at which it changes
  reservations.for_each_machine_to_come([&](std::uint32_t machine) {
    changes.clear();
    reservations.for_each_on(machine, [&](const AdvanceReservations::Entry& entry, std::size_t share) {
      const AdvanceReservation& reservation = entry.reservation;
      std::vector<Amount>& begin = changes.try_emplace(reservation.begin, n_resources_).first->second;
      std::vector<Amount>& end = changes.try_emplace(reservation.end, n_resources_).first->second;
      for (std::size_t k = 0; k < n_resources_; ++k) {
        begin[k] += reservation.shares[share].amounts[k];
        end[k] -= reservation.shares[share].amounts[k];
      }
      if (!entry.has_begun) begins.insert(reservation.begin);
    });
    number_of[machine] = static_cast<std::uint32_t>(limits.size());
    auto& [on, rows] = limits.emplace_back(machine, std::vector<RoomLimit>());
    const auto capacity = capacity_of(machine);
    std::vector<Amount> left(capacity.begin(), capacity.end());
    for (const auto& [time, change] : changes) {
      for (std::size_t k = 0; k < n_resources_; ++k) left[k] -= change[k];
      if (begins.contains(time)) rows.push_back({time, left});
    }
    begins.clear();
  });
  std::vector<bool> is_new(adopted_.empty() && rescheduled_.empty() ? 0 : jobs_.n_slots());  // for the policy, or says another end
  for (const JobSlot job : adopted_) is_new[job] = true;
  for (const Rescheduled& each : rescheduled_) is_new[each.job] = true;
  running_.for_each([&](JobSlot job) {
    if (jobs_.names_reservation(job)) return;
    Time end = 0;
    jobs_.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) {
      if (number_of[machine] == kNone) return;
      if (end == 0) {
        end = planned_end(job, !is_new.empty() && is_new[job]);
        limited_runs_.set(job, end);
      }
      const auto held = held_on(machine, job, n_tasks);
      for (RoomLimit& limit : limits[number_of[machine]].second) {
        if (limit.from >= end) return;
        for (std::size_t k = 0; k < n_resources_; ++k) limit.row[k] -= held[k];
      }
    });
  });
  for (const std::uint32_t machine : availability_.limited_machines()) {
    if (number_of[machine] == kNone && availability_.set_limits(machine, {})) changed_machines_.push_back(machine);
  }
  for (auto& [machine, rows] : limits) {
    if (availability_.set_limits(machine, std::move(rows))) changed_machines_.push_back(machine);
  }
}

}  // namespace schedcore
