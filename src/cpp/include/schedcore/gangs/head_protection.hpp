// The reservation of the one protected job, and what is left for others beside it.
//
// Others that end by its start may use all that is free now; those that end later only what the reserved places leave, the
// lesser of what is free now and of what is free at the start beyond the reservation.  Overtaking changes neither the start
// nor the places, so the reservation holds until room appears or another job is to be protected.
//
// Cost: protect O(R) a place, what the search cost aside; everything else as of RoomCounts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/gangs/head_search.hpp"
#include "schedcore/index/room_counts.hpp"

namespace schedcore {

class HeadProtection {
 public:
  using Class = GangClasses::Class;

  HeadProtection() = default;
  explicit HeadProtection(const MachinesView& machines);

  [[nodiscard]] bool is_on() const { return start_ < kNever; }
  [[nodiscard]] Time start() const { return start_; }
  [[nodiscard]] std::uint32_t first_machine() const { return places_.front().machine; }
  [[nodiscard]] std::span<const TaskPlace> places() const { return places_; }

  // Reserves what the search found for a job that holds `demand` a task, or its machines alone.
  void protect(Time start, const HeadSearch& search, std::span<const Amount> demand, bool is_exclusive,
               const GangClasses& classes, const RoomCounts& now);
  void drop(const RoomCounts& now);

  // A machine has changed now; of `held` of it, a job has started that outlasts the start of the reservation.
  void note_change(std::size_t machine, const RoomCounts& now);
  void note_outlasting(std::size_t machine, std::span<const Amount> held);
  void set_usable_until(std::size_t machine, Time until) { beside_.set_usable_until(machine, until); }

  // What jobs may use that outlast the start.
  [[nodiscard]] RoomCounts& beside() { return beside_; }

 private:
  static constexpr std::uint32_t kNotReserved = ~std::uint32_t{0};

  void set_beside(std::size_t machine, const RoomCounts& now);

  std::size_t n_resources_ = 0;
  Time start_ = kNever;
  std::vector<TaskPlace> places_;
  std::vector<Amount> extra_;          // a row a place: free at the start beyond the reservation
  std::vector<std::uint32_t> number_;  // by machine: of its place
  std::vector<Amount> row_;            // scratch
  RoomCounts beside_;
};

}  // namespace schedcore
