// Which machines are of use, and until when: those that have failed or are closed, the outages that were announced, and what
// advance reservations leave.
//
// A machine is down while it has failed, is closed, or is removed, which is for ever.  Down or in an outage it is blocked:
// nothing can start on it.  What runs on a machine when it is closed may go on.  Outages of one machine that overlap or touch
// are one.  An outage whose end has come is forgotten.
//
// From the begin of an advance reservation on a machine has less room.  What is free there then, beside the jobs that are
// expected to run on, is a limit of the machine: jobs that outlast it have to fit it, too.
//
// Cost: announce O(log n + outages of the machine), `pass_to` the same for each outage that begins or ends; limits of a machine
// O(log n) and O(R) a limit; everything else O(1).  Without outages, failures and reservations it holds nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "schedcore/base/archive.hpp"
#include "schedcore/base/types.hpp"
#include "schedcore/engine/advance_reservations.hpp"

namespace schedcore {

struct Outage {
  Time begin = 0;
  Time end = kNever;
  friend bool operator==(const Outage&, const Outage&) = default;
};

struct AnnouncedOutage {
  std::uint32_t machine = 0;
  Outage span;
};

// From `from` on no more than this row of a machine is free.
struct RoomLimit {
  Time from = 0;
  std::vector<Amount> row;
  friend bool operator==(const RoomLimit&, const RoomLimit&) = default;
};

// What is taken of a machine beside jobs.
struct Taken {
  Time from = 0;
  Time to = kNever;
  std::vector<Amount> amounts;  // all that it has where they are empty
};

// A machine that is closed, perhaps for ever, and what becomes of the jobs that run there.
enum class RunsOnClosed : std::uint8_t { finish, requeue, drop };
struct ClosedMachine {
  std::uint32_t machine = 0;
  RunsOnClosed runs = RunsOnClosed::finish;
  bool is_removed = false;
};

class Availability {
 public:
  // Whether anything was ever announced, or any machine down, or other ones there than in the beginning.
  [[nodiscard]] bool any() const { return !state_.empty(); }
  [[nodiscard]] bool is_down(std::size_t machine) const { return any() && state_[machine].is_down(); }
  [[nodiscard]] bool has_failed(std::size_t machine) const { return any() && state_[machine].has_failed; }
  [[nodiscard]] bool is_closed(std::size_t machine) const { return any() && state_[machine].is_closed; }
  [[nodiscard]] bool is_removed(std::size_t machine) const { return any() && state_[machine].is_removed; }
  [[nodiscard]] bool is_out(std::size_t machine) const { return any() && state_[machine].is_out; }
  [[nodiscard]] bool is_blocked(std::size_t machine) const {
    return any() && (state_[machine].is_down() || state_[machine].is_out);
  }
  // Not over at the last instant, in order; the first may have begun.
  [[nodiscard]] std::span<const Outage> outages(std::size_t machine) const {
    return any() ? std::span<const Outage>(state_[machine].outages) : std::span<const Outage>();
  }
  // The first instant from the last one on at which an outage takes the machine, kNever if there is none.
  [[nodiscard]] Time usable_until(std::size_t machine) const {
    const auto all = outages(machine);
    return all.empty() ? kNever : all.front().begin;
  }
  // What reservations leave of the machine, in order; empty where none is to come.
  [[nodiscard]] std::span<const RoomLimit> limits(std::uint32_t machine) const {
    if (limits_.empty()) return {};
    const auto found = limits_.find(machine);
    return found == limits_.end() ? std::span<const RoomLimit>() : std::span<const RoomLimit>(found->second);
  }
  [[nodiscard]] bool any_limits() const { return !limits_.empty(); }
  [[nodiscard]] std::vector<std::uint32_t> limited_machines() const;
  // The first instant from which on the machine, or some of what it has, is not to be had.
  [[nodiscard]] Time unlimited_until(std::size_t machine) const {
    const auto all = limits(static_cast<std::uint32_t>(machine));
    return all.empty() ? usable_until(machine) : std::min(usable_until(machine), all.front().from);
  }
  // Until when a demand that has room now keeps it.
  [[nodiscard]] Time has_room_until(std::size_t machine, std::span<const Amount> demand) const;
  // The first instant at which an announced outage or a reservation begins that has not, kNever if there is none.
  [[nodiscard]] Time next_begin() const {
    return std::min(begins_.empty() ? kNever : begins_.begin()->first, reservations_.next_begin());
  }
  // Calls visit(machine) for every machine with outages that are not over, in any order.
  template <class Visit>
  void for_each_with_outages(const Visit& visit) const {
    for (const auto& [begin, machine] : begins_) visit(machine);
    for (const std::uint32_t machine : out_) visit(machine);
  }
  // Whether an outage without end is announced that has not begun.
  [[nodiscard]] bool any_endless_to_come() const { return n_endless_ > 0; }
  // The first end of an outage or a reservation, of one that has not begun among them; kNever if there is none.
  [[nodiscard]] Time next_end() const {
    return std::min(ends_.empty() ? kNever : ends_.begin()->first, reservations_.next_end());
  }
  [[nodiscard]] const AdvanceReservations& reservations() const { return reservations_; }
  // All that is taken of a machine beside jobs: all of it in outages, in order, or from now on while it is down; what
  // reservations take at other times.
  [[nodiscard]] std::vector<Taken> taken(std::uint32_t machine, Time now) const;

  // Outages begin and end up to `now`; calls changed(machine, was_blocked) for every one, perhaps of a machine that is
  // blocked as it was.
  template <class Changed>
  void pass_to(Time now, const Changed& changed) {
    while (!ends_.empty() && ends_.begin()->first <= now) {
      const std::uint32_t machine = ends_.begin()->second;
      const bool was_blocked = is_blocked(machine);
      end_first(machine);
      changed(machine, was_blocked);
    }
    while (!begins_.empty() && begins_.begin()->first <= now) {
      const std::uint32_t machine = begins_.begin()->second;
      const bool was_blocked = is_blocked(machine);
      leave(machine);
      state_[machine].is_out = true;
      enter(machine);
      changed(machine, was_blocked);
    }
  }
  // At `now`, which is not after the end of the outage; an outage that lasts already is taken up by the next `pass_to`.
  void announce(const AnnouncedOutage& outage, std::size_t n_machines);
  // Of a machine that is up, or down.
  void fail(std::size_t machine, std::size_t n_machines);
  void close(std::size_t machine, std::size_t n_machines);
  // Nothing is known of its outages any more.
  void remove(std::size_t machine, std::size_t n_machines);
  // Of a machine that has failed, or is closed and not removed.
  void repair(std::size_t machine) { state_[machine].has_failed = false; }
  void open(std::size_t machine) { state_[machine].is_closed = false; }

  // The caller keeps what is free, and the limits, in step.
  AdvanceReservations& change_reservations(std::size_t n_machines) {
    begin(n_machines);
    return reservations_;
  }
  // Whether they are others than before.
  bool set_limits(std::uint32_t machine, std::vector<RoomLimit> limits);
  // A job that has taken so much until `before` takes it until `after`.
  void move_limits(std::uint32_t machine, Time before, Time after, std::span<const Amount> held);

  // From now on others than these may not suffice for jobs that wait.
  void expect_others(std::size_t n_machines) { begin(n_machines); }
  // A machine that was removed, or another in its place.
  void join(std::uint32_t machine);

  void write(SnapshotWriter& archive, std::size_t n_machines) const;
  // Refuses outages that are over at `now`, out of order, or of machines that are not there.
  void read(SnapshotReader& archive, Time now, std::size_t n_machines, std::size_t n_resources);

 private:
  // A machine whose outage begins (or ends) at an instant.
  using Turnings = std::set<std::pair<Time, std::uint32_t>>;

  struct MachineState {
    bool has_failed = false;
    bool is_closed = false;
    bool is_removed = false;  // then it is closed, too
    bool is_out = false;
    std::vector<Outage> outages;
    [[nodiscard]] bool is_down() const { return has_failed || is_closed; }
  };

  [[nodiscard]] static bool has_endless_to_come(const MachineState& state) {
    return state.outages.back().end == kNever && !(state.is_out && state.outages.size() == 1);
  }
  void begin(std::size_t n_machines) {
    if (state_.empty()) state_.resize(n_machines);
  }
  void enter(std::uint32_t machine);
  void leave(std::uint32_t machine);
  void end_first(std::uint32_t machine);

  std::vector<MachineState> state_;
  Turnings begins_;              // of every machine the first outage, if it has not begun
  Turnings ends_;                // of every machine the first outage, if it ends
  std::set<std::uint32_t> out_;  // machines in an outage
  AdvanceReservations reservations_;
  std::map<std::uint32_t, std::vector<RoomLimit>> limits_;  // of machines with some that are to come
  std::size_t n_endless_ = 0;    // machines with an outage without end that has not begun
};

}  // namespace schedcore
