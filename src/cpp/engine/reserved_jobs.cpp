// What advance reservations take of machines, and the jobs that run inside them.
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
  are_limits_void_ = true;
  change_shares(entry, true);
  for (const ReservedShare& share : entry.reservation.shares) reserved_.push_back(share.machine);
}

// What is over gives its shares back now; its jobs are handed out at the end of the event, when it is known which still run.
void Engine::pass_reservations_to(Time now, std::span<const std::int64_t> unreserved) {
  const AdvanceReservations& known = availability_.reservations();
  if (unreserved.empty() && known.next_begin() > now && known.next_end() > now) return;
  are_limits_void_ = true;
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
  reservations.note_waiting(*entry);
  reservations_to_serve_.insert(entry->reservation.number);
}

void Engine::wait_inside_no_longer(JobSlot job) {
  AdvanceReservations& reservations = availability_.change_reservations(machines_.n_machines());
  AdvanceReservations::Entry& entry = *reservations.find(jobs_.reservation(job));
  std::erase(entry.waiting, job);
  reservations.note_waiting(entry);
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
  jobs_.note_end(job, now_);
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
void Engine::settle_inside() {
  if (availability_.reservations().empty() && named_.empty()) return;
  keep_inside(completions_, false);
  keep_inside(cancelled_, false);
  keep_inside(killed_, true);
  const auto names = [&](JobSlot job) { return jobs_.names_reservation(job); };
  std::erase_if(rescheduled_, [&](const Rescheduled& each) { return names(each.job); });
  std::erase_if(called_off_, names);
  AdvanceReservations& reservations = availability_.change_reservations(machines_.n_machines());
  for (const JobSlot job : named_) wait_inside(job);
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
  are_limits_void_ = true;
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
  are_limits_void_ = true;
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
  const AdvanceReservations& reservations = availability_.reservations();
  for (const std::int64_t number : reservations.waited_in()) {
    const AdvanceReservations::Entry& entry = reservations.all().at(number);
    next = std::min(next, entry.has_begun ? availability_.next_end() : entry.reservation.begin);
  }
  return next;
}

void Engine::serve_reservations() {
  for (const std::int64_t number : reservations_to_serve_) {
    AdvanceReservations& reservations = availability_.change_reservations(machines_.n_machines());
    AdvanceReservations::Entry& entry = *reservations.find(number);
    serve(entry);
    reservations.note_waiting(entry);
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
  jobs_.note_begin(job, now_);
  change_held_inside(entry, job, 1);
  starts_->push_back({job, places_inside_.front().machine, now_});
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
