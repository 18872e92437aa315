#include "schedcore/engine/advance_reservations.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace schedcore {

AdvanceReservations::Entry& AdvanceReservations::add(AdvanceReservation reservation) {
  const std::int64_t number = reservation.number;
  begins_.emplace(reservation.begin, number);
  ends_.emplace(reservation.end, number);
  Entry& entry = entries_[number];
  for (std::size_t share = 0; share < reservation.shares.size(); ++share) {
    on_[reservation.shares[share].machine].emplace(number, share);
    entry.free.push_back(reservation.shares[share].amounts);
  }
  entry.reservation = std::move(reservation);
  return entry;
}

void AdvanceReservations::begin(Entry& entry) {
  begins_.erase({entry.reservation.begin, entry.reservation.number});
  entry.has_begun = true;
  begun_.insert(entry.reservation.number);
}

AdvanceReservations::Entry& AdvanceReservations::begin_next() {
  Entry& entry = entries_.at(begins_.begin()->second);
  begin(entry);
  return entry;
}

std::vector<std::int64_t> AdvanceReservations::ended_by(Time t) const {
  std::vector<std::int64_t> numbers;
  for (auto each = ends_.begin(); each != ends_.end() && each->first <= t; ++each) numbers.push_back(each->second);
  return numbers;
}

void AdvanceReservations::erase(std::int64_t number) {
  const AdvanceReservation& reservation = entries_.at(number).reservation;
  begins_.erase({reservation.begin, number});
  ends_.erase({reservation.end, number});
  for (const ReservedShare& share : reservation.shares) {
    const auto found = on_.find(share.machine);
    found->second.erase(number);
    if (found->second.empty()) on_.erase(found);
  }
  entries_.erase(number);
  begun_.erase(number);
  waited_in_.erase(number);
}

void AdvanceReservations::drop_machine(std::uint32_t machine) {
  const auto found = on_.find(machine);
  if (found == on_.end()) return;
  for (const auto& [number, share] : found->second) {
    Entry& entry = entries_.at(number);
    entry.reservation.shares.erase(entry.reservation.shares.begin() + static_cast<std::ptrdiff_t>(share));
    entry.free.erase(entry.free.begin() + static_cast<std::ptrdiff_t>(share));
    for (std::size_t behind = share; behind < entry.reservation.shares.size(); ++behind) {
      --on_.at(entry.reservation.shares[behind].machine).at(number);
    }
  }
  on_.erase(found);
}

void write_reservation(SnapshotWriter& archive, const AdvanceReservation& reservation) {
  archive(reservation.number, reservation.begin, reservation.end, static_cast<std::uint64_t>(reservation.shares.size()));
  for (const ReservedShare& share : reservation.shares) {
    archive.machine(share.machine);
    archive(share.amounts);
  }
}

AdvanceReservation read_reservation(SnapshotReader& archive, Time now, std::size_t n_machines, std::size_t n_resources) {
  AdvanceReservation reservation;
  archive(reservation.number, reservation.begin, reservation.end);
  archive.require(reservation.number >= 0, "a number of a reservation is negative");
  archive.require(reservation.begin >= 0 && reservation.begin < reservation.end && reservation.end < kNever && reservation.end > now,
                  "a reservation is over, or begins at no time");
  reservation.shares.resize(archive.length(sizeof(std::uint32_t)));
  for (ReservedShare& share : reservation.shares) {
    archive.machine(share.machine);
    archive(share.amounts);
    archive.require(share.machine < n_machines, "a reservation is on a machine that is not there");
    archive.require(share.amounts.size() == n_resources && std::ranges::all_of(share.amounts, is_capacity),
                    "a reservation is of impossible amounts");
  }
  const auto out_of_order = std::ranges::adjacent_find(reservation.shares, std::ranges::greater_equal(), &ReservedShare::machine);
  archive.require(out_of_order == reservation.shares.end(), "the machines of a reservation are out of order");
  return reservation;
}

void AdvanceReservations::write(SnapshotWriter& archive) const {
  archive(static_cast<std::uint64_t>(entries_.size()));
  for (const auto& [number, entry] : entries_) write_reservation(archive, entry.reservation);
}

void AdvanceReservations::read(SnapshotReader& archive, Time now, std::size_t n_machines, std::size_t n_resources) {
  for (std::size_t left = archive.length(sizeof(std::int64_t) + 2 * sizeof(Time)); left > 0; --left) {
    AdvanceReservation reservation = read_reservation(archive, now, n_machines, n_resources);
    archive.require(!entries_.contains(reservation.number), "a reservation is there twice");
    Entry& entry = add(std::move(reservation));
    if (entry.reservation.begin <= now) begin(entry);
  }
}

}  // namespace schedcore
