// Advance reservations, as callers of an embedded engine record them.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/number_text.hpp"
#include "schedcore/engine/job_checks.hpp"
#include "schedcore/engine/online_scheduler.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {
namespace {

constexpr std::int64_t kReservationEnd = std::int64_t{1} << 62;
constexpr double kMostReserved = 1.0e17;  // of a resource of a machine at a time; far below where sums would overflow

}  // namespace

OnlineScheduler::KnownReservations OnlineScheduler::decided_reservations() const {
  KnownReservations known;
  for (const auto& [number, entry] : journal_.state().availability().reservations().all()) {
    known.emplace(number, std::make_shared<const AdvanceReservation>(entry.reservation));
  }
  return known;
}

void OnlineScheduler::note_reservation(const RecordedChange& change) {
  if (change.kind == ChangeKind::cancel_reservation) unreserving_.insert(change.subject);
  if (change.kind != ChangeKind::reserve) return;
  reserving_.emplace(change.subject, change.reservation);
  for (const ReservedShare& share : change.reservation->shares) reserving_on_[share.machine].push_back(change.subject);
}

// Of all that is recorded.
void OnlineScheduler::note_reservations() {
  reserving_.clear();
  reserving_on_.clear();
  unreserving_.clear();
  for (std::size_t event = 0; event < pending_.size(); ++event) {
    for (const RecordedChange& change : pending_[event].changes) note_reservation(change);
  }
}

// Of a snapshot that was read: no number is there twice, and what they take of a machine together can be counted.
void OnlineScheduler::check_reservations(const SnapshotReader& archive) const {
  archive.require(next_reservation_ >= 0 && next_reservation_ < kReservationEnd, "the next number of a reservation is impossible");
  std::set<std::int64_t> numbers;
  std::map<std::uint32_t, std::vector<std::pair<Time, double>>> changes;  // of the largest amount on a machine
  const auto note = [&](const AdvanceReservation& reservation) {
    archive.require(reservation.number < next_reservation_ && numbers.insert(reservation.number).second,
                    "a reservation is there twice");
    for (const ReservedShare& share : reservation.shares) {
      const auto most = static_cast<double>(std::ranges::max(share.amounts));
      changes[share.machine].emplace_back(reservation.begin, most);
      changes[share.machine].emplace_back(reservation.end, -most);
    }
  };
  for (const auto& [number, entry] : journal_.state().availability().reservations().all()) note(entry.reservation);
  for (std::size_t event = 0; event < pending_.size(); ++event) {
    for (const RecordedChange& change : pending_[event].changes) {
      if (change.kind == ChangeKind::reserve) note(*change.reservation);
    }
  }
  for (auto& [machine, of_machine] : changes) {
    std::ranges::sort(of_machine);
    double together = 0;
    for (const auto& [time, change] : of_machine) {
      together += change;
      archive.require(together <= kMostReserved, "more of a machine is reserved than can be counted");
    }
  }
}

std::shared_ptr<const AdvanceReservation> OnlineScheduler::known_reservation(std::int64_t number, Time now) const {
  const auto& decided = journal_.state().availability().reservations().all();
  const auto recorded = reserving_.find(number);
  const auto found = decided.find(number);
  std::shared_ptr<const AdvanceReservation> reservation;
  if (recorded != reserving_.end()) reservation = recorded->second;
  if (found != decided.end()) reservation = std::make_shared<const AdvanceReservation>(found->second.reservation);
  if (reservation != nullptr && reservation->end > now && !unreserving_.contains(number)) return reservation;
  throw InvalidInstanceError("reservation " + std::to_string(number) + " is unknown, or over");
}

// The most of each resource that reservations take of the machine at an instant in [begin, end).
std::vector<Amount> OnlineScheduler::most_reserved(std::uint32_t machine, Time begin, Time end) const {
  const std::size_t n_resources = pending_.n_resources();
  std::vector<std::pair<const AdvanceReservation*, const ReservedShare*>> met;
  std::vector<Time> begins{begin};
  const auto meet = [&](const AdvanceReservation& reservation, const ReservedShare& share) {
    if (reservation.end <= begin || end <= reservation.begin || unreserving_.contains(reservation.number)) return;
    met.emplace_back(&reservation, &share);
    begins.push_back(std::max(begin, reservation.begin));
  };
  journal_.state().availability().reservations().for_each_on(
      machine, [&](const AdvanceReservations::Entry& entry, std::size_t share) {
        meet(entry.reservation, entry.reservation.shares[share]);
      });
  if (const auto recorded = reserving_on_.find(machine); recorded != reserving_on_.end()) {
    for (const std::int64_t number : recorded->second) {
      const AdvanceReservation& reservation = *reserving_.at(number);
      meet(reservation, *std::ranges::lower_bound(reservation.shares, machine, {}, &ReservedShare::machine));
    }
  }
  std::vector<Amount> most(n_resources);
  std::vector<Amount> together(n_resources);
  for (const Time at : begins) {
    std::ranges::fill(together, 0);
    for (const auto& [reservation, share] : met) {
      if (at < reservation->begin || reservation->end <= at) continue;
      for (std::size_t k = 0; k < n_resources; ++k) together[k] += share->amounts[k];
    }
    for (std::size_t k = 0; k < n_resources; ++k) most[k] = std::max(most[k], together[k]);
  }
  return most;
}

std::vector<Amount> OnlineScheduler::room_for_share(std::uint32_t machine, Time begin, Time end) const {
  const auto capacity = capacity_of(machine);
  std::vector<Amount> room(capacity.begin(), capacity.end());
  const std::vector<Amount> reserved = most_reserved(machine, begin, end);
  for (std::size_t k = 0; k < room.size(); ++k) room[k] -= reserved[k];
  return room;
}

// Machines that are in service on [begin, end) as far as is recorded.
std::vector<bool> OnlineScheduler::usable_for_share(Time begin, Time end) const {
  const Availability& availability = journal_.state().availability();
  std::vector<bool> usable(n_machines_);
  const auto meets = [&](const Outage& outage) { return outage.begin < end && begin < outage.end; };
  for (std::uint32_t machine = 0; machine < n_machines_; ++machine) {
    const bool is_there = !is_removed(machine) && !table_.is_seat_free(machine);
    const bool is_down = availability.is_down(machine) && !joining_.contains(machine);
    usable[machine] = is_there && !is_down && std::ranges::none_of(availability.outages(machine), meets);
  }
  for (std::size_t event = 0; event < pending_.size(); ++event) {
    for (const RecordedChange& change : pending_[event].changes) {
      const auto machine = static_cast<std::size_t>(change.subject);
      switch (change.kind) {
        case ChangeKind::fail:
        case ChangeKind::close:
        case ChangeKind::remove: usable[machine] = false; break;
        case ChangeKind::repair:
        case ChangeKind::open: usable[machine] = !is_removed(static_cast<std::uint32_t>(machine)); break;
        case ChangeKind::announce:
          if (meets(change.span)) usable[machine] = false;
          break;
        default: break;
      }
    }
  }
  return usable;
}

// For each row the first machine with room for it.  Equal rows go on where the last one went.
std::vector<std::uint32_t> OnlineScheduler::chosen_machines(std::span<const Amount> demand, std::size_t n_rows, Time begin,
                                                            Time end) const {
  const std::size_t n_resources = pending_.n_resources();
  const DecidedState& state = journal_.state();
  const JobTable& jobs = state.jobs();
  const std::vector<bool> usable = usable_for_share(begin, end);
  std::vector<Amount> room(n_machines_ * n_resources);
  for (std::uint32_t machine = 0; machine < n_machines_; ++machine) {
    if (!usable[machine]) continue;
    std::ranges::copy(room_for_share(machine, begin, end), room.begin() + static_cast<std::ptrdiff_t>(machine * n_resources));
  }
  for (const JobSlot job : state.running()) {
    if (standing(jobs.id(job)) != Standing::running || jobs.names_reservation(job) || state.expected_end(job) <= begin) continue;
    jobs.for_each_place(job, [&](std::uint32_t machine, Amount n_tasks) {
      const bool is_exclusive = jobs.shape(job).is_exclusive;
      for (std::size_t k = 0; k < n_resources; ++k) {
        room[machine * n_resources + k] -= is_exclusive ? capacity_of(machine)[k] : n_tasks * jobs.demand(job)[k];
      }
    });
  }
  std::vector<std::uint32_t> chosen;
  for (std::size_t row = 0; row < n_rows; ++row) {
    const auto amounts = demand.subspan(row * n_resources, n_resources);
    const bool is_as_before = row > 0 && std::ranges::equal(amounts, demand.subspan((row - 1) * n_resources, n_resources));
    std::uint32_t machine = is_as_before ? chosen.back() : 0;
    const auto has_room = [&] {
      return usable[machine] && fits(amounts, std::span<const Amount>(room).subspan(machine * n_resources, n_resources));
    };
    while (machine < n_machines_ && !has_room()) ++machine;
    if (machine == n_machines_) {
      throw InfeasibleError("no machine has room for task " + std::to_string(row) + " of a reservation on [" + number_text(begin) +
                            ", " + number_text(end) + ")");
    }
    for (std::size_t k = 0; k < n_resources; ++k) room[machine * n_resources + k] -= amounts[k];
    chosen.push_back(machine);
  }
  return chosen;
}

std::int64_t OnlineScheduler::reserve(std::span<const Amount> demand, std::span<const std::int64_t> machines, Time begin, Time end,
                                      Time now) {
  check_heeds_clusters();
  check_record(now);
  const std::size_t n_resources = pending_.n_resources();
  const std::string name = "a reservation on [" + number_text(begin) + ", " + number_text(end) + ")";
  if (!(begin < end && end < kNever)) throw InvalidInstanceError(name + " must end, and after its begin");
  if (!(begin >= now)) throw InvalidInstanceError(name + " begins before now = " + number_text(now));
  if (demand.empty() || demand.size() % n_resources != 0) {
    throw InvalidInstanceError(name + " needs rows of " + std::to_string(n_resources) + " amounts");
  }
  const std::size_t n_rows = demand.size() / n_resources;
  for (std::size_t row = 0; row < n_rows; ++row) {
    const auto amounts = demand.subspan(row * n_resources, n_resources);
    for (std::size_t k = 0; k < n_resources; ++k) {
      if (is_capacity(amounts[k])) continue;
      throw InvalidInstanceError("demand[" + std::to_string(k) + "] of task " + std::to_string(row) + " of " + name + " is " +
                                 std::to_string(amounts[k]) + "; it must lie in 0 .. 2^53");
    }
    if (std::ranges::all_of(amounts, [](Amount amount) { return amount == 0; })) {
      throw InvalidInstanceError("task " + std::to_string(row) + " of " + name + " demands nothing");
    }
  }
  if (!machines.empty() && machines.size() != n_rows) {
    throw InvalidInstanceError(name + " has " + std::to_string(n_rows) + " tasks and names " + std::to_string(machines.size()) +
                               " machines");
  }
  std::vector<std::uint32_t> chosen;
  for (const std::int64_t number : machines) chosen.push_back(checked_machine(number));
  if (machines.empty()) chosen = chosen_machines(demand, n_rows, begin, end);
  std::map<std::uint32_t, std::vector<Amount>> shares;
  for (std::size_t row = 0; row < n_rows; ++row) {
    std::vector<Amount>& amounts = shares.try_emplace(chosen[row], n_resources).first->second;
    for (std::size_t k = 0; k < n_resources; ++k) amounts[k] += demand[row * n_resources + k];
    if (machines.empty()) continue;
    const std::vector<Amount> room = room_for_share(chosen[row], begin, end);
    for (std::size_t k = 0; k < n_resources; ++k) {
      if (amounts[k] <= room[k]) continue;
      throw InfeasibleError(name + " would take " + std::to_string(amounts[k]) + " of resource " + std::to_string(k) + " of " +
                            machine_name(chosen[row]) + ", which has " + std::to_string(room[k]) + " beside other reservations");
    }
  }
  AdvanceReservation reservation{next_reservation_, begin, end, {}};
  for (auto& [machine, amounts] : shares) reservation.shares.push_back({machine, std::move(amounts)});
  const RecordedChange change{.kind = ChangeKind::reserve,
                              .subject = reservation.number,
                              .reservation = std::make_shared<const AdvanceReservation>(std::move(reservation))};
  pending_.add_change(now, change);
  note_reservation(change);
  return next_reservation_++;
}

void OnlineScheduler::cancel_reservation(std::int64_t number, Time now) {
  check_heeds_clusters();
  check_record(now);
  static_cast<void>(known_reservation(number, now));
  const RecordedChange change{.kind = ChangeKind::cancel_reservation, .subject = number};
  pending_.add_change(now, change);
  note_reservation(change);
}

// If nothing else ran there.
void OnlineScheduler::check_fits_reservation(const JobColumns& job, std::span<const Amount> demand,
                                             const JobPlacements& placements, const AdvanceReservation& reservation) const {
  const std::string name = "job " + std::to_string(job.id) + " does not fit reservation " + std::to_string(reservation.number);
  const Time start = std::max(job.release_time, reservation.begin);
  check_duration(job.id, start, job.processing_time);
  if (start + job.processing_time > reservation.end) {
    throw InfeasibleError(name + ": it takes " + number_text(job.processing_time) + ", and the reservation ends at " +
                          number_text(reservation.end));
  }
  Amount n_tasks = 0;
  for (const ReservedShare& share : reservation.shares) {
    if (is_removed(share.machine) || !placements.eligibility.allows(share.machine)) continue;
    if (placements.shape.is_exclusive && !std::ranges::equal(share.amounts, capacity_of(share.machine))) continue;
    n_tasks += std::min({placements.shape.spread, placements.shape.n_tasks, tasks_that_fit(demand, share.amounts)});
  }
  if (n_tasks >= placements.shape.n_tasks) return;
  throw InfeasibleError(name + ": its shares have room for " + std::to_string(n_tasks) + " of " +
                        std::to_string(placements.shape.n_tasks) + " tasks");
}

}  // namespace schedcore
