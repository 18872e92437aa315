// Amounts of machines that are set aside for a time, for the jobs that name the reservation.
//
// The amounts lie on shares, one a machine.  From its begin on a reservation takes them from its machines, whatever runs there;
// on its shares the jobs that name it run, in order of arrival, whoever fits first.  No policy knows of these jobs.  At its
// end, or when it is cancelled, those that still run or wait become jobs like all others.
//
// Cost: O(log n) to add or take out one of n, and O(1) a share; a question about a machine O(log n) and O(1) for each
// reservation there.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "schedcore/base/archive.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/index/class_queue.hpp"

namespace schedcore {

struct ReservedShare {
  std::uint32_t machine = 0;
  std::vector<Amount> amounts;
  friend bool operator==(const ReservedShare&, const ReservedShare&) = default;
};

struct AdvanceReservation {
  std::int64_t number = 0;
  Time begin = 0;
  Time end = 0;                       // finite
  std::vector<ReservedShare> shares;  // in order of the machines, none twice
};

// In a snapshot; what is read is checked by itself, and ends after `now`.
void write_reservation(SnapshotWriter& archive, const AdvanceReservation& reservation);
[[nodiscard]] AdvanceReservation read_reservation(SnapshotReader& archive, Time now, std::size_t n_machines, std::size_t n_resources);

class AdvanceReservations {
 public:
  struct Entry {
    AdvanceReservation reservation;
    bool has_begun = false;
    std::vector<std::vector<Amount>> free;  // of every share, beside the jobs that run there
    std::vector<JobSlot> waiting;           // in order of release, then id
  };
  using Entries = std::map<std::int64_t, Entry>;

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] const Entries& all() const { return entries_; }
  [[nodiscard]] Entry* find(std::int64_t number) {
    const auto found = entries_.find(number);
    return found == entries_.end() ? nullptr : &found->second;
  }
  // The first instant at which one begins that has not, and at which one ends; kNever if there is none.
  [[nodiscard]] Time next_begin() const { return begins_.empty() ? kNever : begins_.begin()->first; }
  [[nodiscard]] Time next_end() const { return ends_.empty() ? kNever : ends_.begin()->first; }
  // The numbers of those that end by then.
  [[nodiscard]] std::vector<std::int64_t> ended_by(Time t) const;
  [[nodiscard]] bool is_on(std::uint32_t machine) const { return on_.contains(machine); }
  // Calls visit(entry, share number) for every reservation on the machine.
  template <class Visit>
  void for_each_on(std::uint32_t machine, const Visit& visit) const {
    const auto found = on_.find(machine);
    if (found == on_.end()) return;
    for (const auto& [number, share] : found->second) visit(entries_.at(number), share);
  }
  // Calls visit(machine) for every machine with one that has not begun, in order.
  template <class Visit>
  void for_each_machine_to_come(const Visit& visit) const {
    for (const auto& [machine, numbers] : on_) {
      for (const auto& [number, share] : numbers) {
        if (entries_.at(number).has_begun) continue;
        visit(machine);
        break;
      }
    }
  }

  // Numbers of those that have begun.
  [[nodiscard]] const std::set<std::int64_t>& begun() const { return begun_; }
  // Numbers of those inside which jobs wait.
  [[nodiscard]] const std::set<std::int64_t>& waited_in() const { return waited_in_; }
  // After jobs have begun or ended to wait inside.
  void note_waiting(const Entry& entry) {
    if (entry.waiting.empty()) {
      waited_in_.erase(entry.reservation.number);
    } else {
      waited_in_.insert(entry.reservation.number);
    }
  }

  // Of a number that no other has.
  Entry& add(AdvanceReservation reservation);
  void begin(Entry& entry);
  // The first that has not.
  Entry& begin_next();
  void erase(std::int64_t number);
  // The machine is not there any more.
  void drop_machine(std::uint32_t machine);

  // Who waits and what is free is the reader's to fill in.
  void write(SnapshotWriter& archive) const;
  void read(SnapshotReader& archive, Time now, std::size_t n_machines, std::size_t n_resources);

 private:
  Entries entries_;
  std::map<std::uint32_t, std::map<std::int64_t, std::size_t>> on_;  // by machine: reservations there, and their shares
  std::set<std::pair<Time, std::int64_t>> begins_;                   // of those that have not begun
  std::set<std::pair<Time, std::int64_t>> ends_;
  std::set<std::int64_t> begun_;
  std::set<std::int64_t> waited_in_;
};

}  // namespace schedcore
