// What advance reservations take of machines, what they leave to others, and the jobs that run inside them.
#include <algorithm>
#include <map>
#include <utility>

#include "schedcore/engine/engine.hpp"
#include "schedcore/engine/job_checks.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {
namespace {

constexpr double kMostHeld = 1.0e17;  // of a resource by the jobs inside on one machine; far below where sums would overflow

}  // namespace

void Engine::change_shares(const AdvanceReservations::Entry& entry, bool takes) {
  for (const ReservedShare& share : entry.reservation.shares) {
    changed_machines_.push_back(share.machine);
    if (!entry.has_begun) continue;
    if (takes) {
      machines_.acquire(share.machine, share.amounts);
    } else {
      machines_.release(share.machine, share.amounts);
    }
  }
}

void Engine::reserve(const AdvanceReservation& reservation) {
  AdvanceReservations& reservations = availability_.change_reservations(machines_.n_machines());
  AdvanceReservation known = reservation;
  std::erase_if(known.shares, [&](const ReservedShare& share) { return availability_.is_removed(share.machine); });
  AdvanceReservations::Entry& entry = reservations.add(std::move(known));
  if (entry.reservation.begin <= now_) reservations.begin(entry);
  change_shares(entry, true);
  for (const ReservedShare& share : entry.reservation.shares) reserved_.push_back(share.machine);
}

// What is over gives its shares back now; its jobs are handed out at the end of the event, when it is known which still run.
void Engine::pass_reservations_to(Time now, std::span<const std::int64_t> unreserved) {
  const AdvanceReservations& known = availability_.reservations();
  if (unreserved.empty() && known.next_begin() > now && known.next_end() > now) return;
  AdvanceReservations& reservations = availability_.change_reservations(machines_.n_machines());
  over_ = reservations.ended_by(now);
  over_.insert(over_.end(), unreserved.begin(), unreserved.end());
  std::ranges::sort(over_);
  over_.erase(std::unique(over_.begin(), over_.end()), over_.end());
  for (const std::int64_t number : unreserved) {
    for (const ReservedShare& share : reservations.find(number)->reservation.shares) unreserved_.push_back(share.machine);
  }
  for (const std::int64_t number : over_) change_shares(*reservations.find(number), false);
  while (reservations.next_begin() <= now) {
    AdvanceReservations::Entry& entry = reservations.begin_next();
    const std::int64_t number = entry.reservation.number;
    if (std::ranges::binary_search(over_, number)) continue;
    change_shares(entry, true);
    reservations_to_serve_.insert(number);
  }
}

void Engine::wait_inside(JobSlot job) {
  jobs_.set_reserved(job);
  AdvanceReservations& reservations = availability_.change_reservations(machines_.n_machines());
  AdvanceReservations::Entry* entry = reservations.find(jobs_.reservation(job));
  const auto order = [&](JobSlot each) { return std::pair(jobs_.release_time(each), jobs_.id(each)); };
  entry->waiting.insert(std::ranges::lower_bound(entry->waiting, order(job), {}, order), job);
  reservations_to_serve_.insert(entry->reservation.number);
}

void Engine::wait_inside_no_longer(JobSlot job) {
  AdvanceReservations& reservations = availability_.change_reservations(machines_.n_machines());
  std::erase(reservations.find(jobs_.reservation(job))->waiting, job);
}

// What a running job holds of the shares becomes more by so many times; one that is alone there holds all of them.
void Engine::change_held_inside(AdvanceReservations::Entry& entry, JobSlot job, Amount times) {
  jobs_.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) {
    const auto share = std::ranges::lower_bound(entry.reservation.shares, machine, {}, &ReservedShare::machine);
    if (share == entry.reservation.shares.end() || share->machine != machine) return;  // the machine was removed
    std::vector<Amount>& free = entry.free[static_cast<std::size_t>(share - entry.reservation.shares.begin())];
    const auto held = jobs_.shape(job).is_exclusive ? std::span<const Amount>(share->amounts) : held_on(machine, job, n_tasks);
    for (std::size_t k = 0; k < free.size(); ++k) free[k] -= times * held[k];
  });
}

void Engine::stop_inside(JobSlot job) {
  running_.erase(job);
  AdvanceReservations& reservations = availability_.change_reservations(machines_.n_machines());
  AdvanceReservations::Entry& entry = *reservations.find(jobs_.reservation(job));
  change_held_inside(entry, job, -1);
  reservations_to_serve_.insert(entry.reservation.number);
}

// Takes those that name reservations out of a list for the policy.
void Engine::keep_inside(std::vector<Completion>& ended, bool wait_again) {
  std::erase_if(ended, [&](const Completion& each) {
    if (!jobs_.names_reservation(each.job)) return false;
    if (wait_again) wait_inside(each.job);
    return true;
  });
}

// At the end of what happens, before the policy is told.
void Engine::settle_inside(const Happenings& happenings) {
  if (availability_.reservations().empty() && happenings.named.empty()) return;
  keep_inside(completions_, false);
  keep_inside(cancelled_, false);
  keep_inside(killed_, true);
  const auto names = [&](JobSlot job) { return jobs_.names_reservation(job); };
  std::erase_if(rescheduled_, names);
  AdvanceReservations& reservations = availability_.change_reservations(machines_.n_machines());
  for (const JobSlot job : happenings.named) wait_inside(job);
  for (const std::int64_t number : over_) hand_out(number);
  over_.clear();
  for (const std::uint32_t machine : changed_machines_) {
    reservations.for_each_on(machine, [&](const AdvanceReservations::Entry& entry, std::size_t /*share*/) {
      reservations_to_serve_.insert(entry.reservation.number);
    });
  }
}

// The jobs of a reservation that is over are jobs like all others.
void Engine::hand_out(std::int64_t number) {
  for (JobSlot job = 0; job < jobs_.n_slots(); ++job) {
    const JobState state = jobs_.state(job);
    if (state == JobState::free_slot || jobs_.reservation(job) != number) continue;
    jobs_.leave_reservation(job);
    if (state == JobState::reserved) {
      jobs_.set_submitted(job);
      released_.push_back(job);
    } else if (running_.contains(job)) {
      jobs_.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) {
        machines_.acquire(machine, held_on(machine, job, n_tasks));
      });
      adopted_.push_back(job);
      left_reservation_.push_back(job);
    }
  }
  availability_.change_reservations(machines_.n_machines()).erase(number);
  reservations_to_serve_.erase(number);
}

// The machine is removed.
void Engine::lose_shares(std::uint32_t machine) {
  if (!availability_.reservations().is_on(machine)) return;
  AdvanceReservations& reservations = availability_.change_reservations(machines_.n_machines());
  reservations.for_each_on(machine, [&](const AdvanceReservations::Entry& entry, std::size_t share) {
    const bool is_over = std::ranges::find(over_, entry.reservation.number) != over_.end();
    if (entry.has_begun && !is_over) machines_.release(machine, entry.reservation.shares[share].amounts);
  });
  reservations.drop_machine(machine);
}

// The first instant at which those that wait inside may start, or are jobs like all others.
Time Engine::next_inside() const {
  Time next = kNever;
  for (const auto& [number, entry] : availability_.reservations().all()) {
    if (entry.waiting.empty()) continue;
    next = std::min(next, entry.has_begun ? availability_.next_end() : entry.reservation.begin);
  }
  return next;
}

void Engine::serve_reservations() {
  for (const std::int64_t number : reservations_to_serve_) {
    serve(*availability_.change_reservations(machines_.n_machines()).find(number));
  }
  reservations_to_serve_.clear();
}

// In order of arrival, whoever fits.
void Engine::serve(AdvanceReservations::Entry& entry) {
  if (!entry.has_begun) return;
  std::erase_if(entry.waiting, [&](JobSlot job) {
    const Time end = now_ + jobs_.processing_time(job);
    if (end > entry.reservation.end || !place_inside(entry, job, end)) return false;
    start_inside(entry, job);
    return true;
  });
}

// Into places_inside_; false where it does not fit.
bool Engine::place_inside(const AdvanceReservations::Entry& entry, JobSlot job, Time end) {
  const JobShape& shape = jobs_.shape(job);
  places_inside_.clear();
  Amount left = shape.n_tasks;
  for (std::size_t share = 0; share < entry.free.size() && left > 0; ++share) {
    const std::uint32_t machine = entry.reservation.shares[share].machine;
    const std::vector<Amount>& free = entry.free[share];
    if (availability_.is_blocked(machine) || availability_.usable_until(machine) < end) continue;
    if (!jobs_.eligibility(job).allows(machine)) continue;
    if (shape.is_exclusive && !std::ranges::equal(free, capacity_of(machine))) continue;
    const Amount taken = std::min({left, shape.spread, tasks_that_fit(jobs_.demand(job), free)});
    if (taken > 0) places_inside_.push_back({machine, taken});
    left -= taken;
  }
  return left == 0;
}

void Engine::start_inside(AdvanceReservations::Entry& entry, JobSlot job) {
  check_duration(jobs_.id(job), now_, jobs_.processing_time(job));
  ++n_started_;
  jobs_.set_running(job, places_inside_, now_);
  running_.insert(job);
  change_held_inside(entry, job, 1);
  starts_->push_back({job, places_inside_.front().machine, now_});
}

// A job has started that is not inside.
void Engine::take_limits(JobSlot job, std::span<const TaskPlace> places) {
  const Time end = rounded_up(now_ + jobs_.processing_time_on(job, jobs_.machine(job)), policy_->resolution());
  const auto take = [&](std::uint32_t machine, Amount n_tasks) { availability_.take(machine, end, held_on(machine, job, n_tasks)); };
  if (places.empty()) take(jobs_.machine(job), 1);
  for (const TaskPlace& place : places) take(place.machine, place.n_tasks);
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

// Of every machine with a reservation to come: what is free there at its begin, and at that of each other one.
void Engine::refresh_limits() {
  const AdvanceReservations& reservations = availability_.reservations();
  if (!availability_.any_limits() && reservations.next_begin() == kNever) return;
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
  for (const auto* jobs : {&adopted_, &rescheduled_}) {
    for (const JobSlot job : *jobs) is_new[job] = true;
  }
  running_.for_each([&](JobSlot job) {
    if (jobs_.names_reservation(job)) return;
    Time end = 0;
    jobs_.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) {
      if (number_of[machine] == kNone) return;
      if (end == 0) end = planned_end(job, !is_new.empty() && is_new[job]);
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

// After running jobs, whose states say which of them are inside.
void Engine::read_reservations(SnapshotReader& archive) {
  if (availability_.reservations().empty()) {
    for (JobSlot job = 0; job < jobs_.n_slots(); ++job) {
      archive.require(jobs_.state(job) == JobState::free_slot || !jobs_.names_reservation(job),
                      "a job names a reservation that is not there");
    }
    return;
  }
  AdvanceReservations& reservations = availability_.change_reservations(machines_.n_machines());
  std::map<std::uint32_t, double> held;  // by machine
  for (JobSlot job = 0; job < jobs_.n_slots(); ++job) {
    if (jobs_.state(job) == JobState::free_slot || !jobs_.names_reservation(job)) continue;
    AdvanceReservations::Entry* entry = reservations.find(jobs_.reservation(job));
    archive.require(entry != nullptr, "a job names a reservation that is not there");
    archive.require(jobs_.placements(job).says_only_where(), "a task of a parallel job names a reservation");
    if (jobs_.state(job) == JobState::submitted) wait_inside(job);
    if (jobs_.state(job) != JobState::running) continue;
    archive.require(entry->has_begun, "a job runs in a reservation that has not begun");
    jobs_.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) {
      const bool has_share = std::ranges::binary_search(entry->reservation.shares, machine, {}, &ReservedShare::machine);
      archive.require(has_share || availability_.is_removed(machine), "a job runs in a reservation that has nothing there");
      archive.require(!availability_.has_failed(machine), "a job runs on a machine that has failed");
      const auto most = static_cast<double>(std::ranges::max(jobs_.demand(job)));
      held[machine] += static_cast<double>(n_tasks) * most;
      archive.require(held[machine] <= kMostHeld, "more runs in reservations than can be counted");
    });
    change_held_inside(*entry, job, 1);
    for (const std::vector<Amount>& free : entry->free) {
      archive.require(std::ranges::all_of(free, [](Amount amount) { return amount >= 0; }),
                      "more runs in a reservation than it has room for");
    }
  }
  for (const auto& [number, entry] : reservations.all()) change_shares(entry, true);
  changed_machines_.clear();
  reservations_to_serve_.clear();
}

}  // namespace schedcore
